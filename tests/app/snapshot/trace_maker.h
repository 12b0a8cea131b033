// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/allocator_model.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll {

/// Runs a program's requests through the allocator model and writes down what PyTorch would have.
class TraceMaker
{
public:
    explicit TraceMaker(const AllocatorOptions &options = {}, const ModelCard &card = {},
                        std::size_t capacity = 200'000)
        : m_model(options, card), m_card(card)
    {
        m_snapshot = std::make_unique<MemorySnapshot>();
        m_snapshot->events = EventColumns(capacity);
        m_snapshot->settings.emplace_back("PYTORCH_CUDA_ALLOC_CONF", '"' + toConf(options) + '"');
        m_model.onSegmentChange([this](const SegmentChange &change) {
            event(change.isExpandable ? change.isGain ? TraceAction::SegmentMap : TraceAction::SegmentUnmap
                      : change.isGain ? TraceAction::SegmentAlloc
                                      : TraceAction::SegmentFree,
                  real(change.range.address), change.range.size, m_stack, m_stream);
        });
    }

    /// The name of a function stands for a call stack.
    RequestId alloc(std::uint64_t size, const std::string &function = "f", const PoolKey &key = {})
    {
        const auto id = m_next++;
        m_stack = stack(function);
        m_stream = stream(key.stream);
        const auto placed = m_model.allocate(id, size, m_model.pool(key));
        if (!placed.isPlaced)
            return kFailed;
        m_made[id] = {real(placed.address), size, m_stack, m_stream, key};
        event(TraceAction::Alloc, real(placed.address), size, m_stack, m_stream);
        return id;
    }
    void requestFree(RequestId id)
    {
        const auto &made = m_made.at(id);
        event(TraceAction::FreeRequested, made.address, made.size, made.stack, made.stream);
        m_model.requestFree(id);
    }
    void completeFree(RequestId id)
    {
        const auto &made = m_made.at(id);
        event(TraceAction::FreeCompleted, made.address, made.size, made.stack, made.stream);
        m_model.completeFree(id);
    }
    void free(RequestId id)
    {
        requestFree(id);
        completeFree(id);
    }
    void emptyCache()
    {
        m_stack = stack("empty_cache");
        m_model.emptyCache();
    }
    /// A request that fails. True when it really did.
    bool oom(std::uint64_t size, const std::string &function = "f", const PoolKey &key = {},
             std::optional<std::uint64_t> deviceFree = {})
    {
        if (alloc(size, function, key) != kFailed)
            return false;
        const auto free = deviceFree.value_or(m_card.capacity.value_or(0) - m_model.reserved());
        event(TraceAction::Oom, free, (size + 511) / 512 * 512, stack(function), stream(key.stream));
        return true;
    }
    [[nodiscard]] const AllocatorModel &model() const { return m_model; }
    [[nodiscard]] static constexpr RequestId failed() { return kFailed; }

    std::unique_ptr<MemorySnapshot> finish()
    {
        m_model.visitBlocks([&](const ModelBlock &block) {
            if (!block.isMapped)
                return;
            if (block.startsSegment) {
                MemorySegment segment;
                segment.address = real(block.range.address);
                const auto key = keyOf(block.pool);
                segment.stream = stream(key.stream);
                segment.isLarge = !block.isSmall;
                segment.pool = key.pool;
                segment.isExpandable = block.isExpandable;
                segment.firstBlock = m_snapshot->blocks.size();
                m_snapshot->segments.push_back(segment);
            }
            MemoryBlock out;
            out.address = real(block.range.address);
            out.size = block.range.size;
            out.state = block.isFree ? BlockState::Inactive
                : block.isPending    ? BlockState::ActivePendingFree
                                     : BlockState::ActiveAllocated;
            if (!block.isFree) {
                out.requested = m_made.at(block.owner).size;
                out.stack = m_made.at(block.owner).stack;
            }
            m_snapshot->blocks.push_back(out);
            ++m_snapshot->segments.back().blockCount;
            m_snapshot->segments.back().totalSize += block.range.size;
        });
        TraceDevice device;
        device.eventCount = m_snapshot->events.size();
        m_snapshot->devices.push_back(device);
        return std::move(m_snapshot);
    }

private:
    static constexpr RequestId kFailed = UINT32_MAX;
    struct Made
    {
        std::uint64_t address = 0;
        std::uint64_t size = 0;
        StackId stack = 0;
        StreamId stream = 0;
        PoolKey key;
    };

    // Where a process has its memory; a model without hints makes addresses up beyond that.
    static std::uint64_t real(std::uint64_t address)
    {
        return address - (std::uint64_t {1} << 60U) + (std::uint64_t {0x7f} << 40U);
    }

    PoolKey keyOf(PoolIndex index)
    {
        for (const auto &[id, made] : m_made)
            if (m_model.pool(made.key) == index)
                return made.key;
        return {};
    }
    StackId stack(const std::string &function)
    {
        const auto frame = m_snapshot->stacks.internFrame(
            {m_snapshot->texts.intern("train.py"), m_snapshot->texts.intern(function), 1});
        return m_snapshot->stacks.internStack(std::vector<FrameId> {frame});
    }
    StreamId stream(std::uint64_t handle)
    {
        auto &streams = m_snapshot->streams;
        for (std::size_t i = 0; i < streams.size(); ++i)
            if (streams[i] == handle)
                return static_cast<StreamId>(i);
        streams.push_back(handle);
        return static_cast<StreamId>(streams.size() - 1);
    }
    void event(TraceAction action, std::uint64_t address, std::uint64_t size, StackId stack, StreamId stream)
    {
        m_snapshot->events.append(
            {action, address, size, static_cast<std::int64_t>(m_snapshot->events.size()), stack, stream, 0});
    }

    AllocatorModel m_model;
    ModelCard m_card;
    std::unique_ptr<MemorySnapshot> m_snapshot;
    std::map<RequestId, Made> m_made;
    RequestId m_next = 0;
    StackId m_stack = 0;
    StreamId m_stream = 0;
};

} // namespace plimsoll
