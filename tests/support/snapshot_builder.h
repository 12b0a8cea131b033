// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

/// Snapshots by hand, for tests: lists of events one after the other, segments with their blocks.
class SnapshotBuilder
{
public:
    explicit SnapshotBuilder(std::size_t capacity = 1U << 16U) { m_snapshot.events = EventColumns(capacity); }

    [[nodiscard]] MemorySnapshot &snapshot() noexcept { return m_snapshot; }
    [[nodiscard]] MemorySnapshot take() { return std::move(m_snapshot); }

    /// Innermost first; each "file:line name".
    StackId stack(std::initializer_list<std::string_view> frames)
    {
        std::vector<FrameId> ids;
        for (const auto text : frames)
            ids.push_back(frame(text));
        return m_snapshot.stacks.internStack(ids);
    }

    FrameId frame(std::string_view text)
    {
        StackFrame frame;
        // The colon before the first number: paths and names have spaces and colons of their own.
        auto colon = text.find(':');
        while (colon + 1 < text.size() && (text[colon + 1] < '0' || text[colon + 1] > '9'))
            colon = text.find(':', colon + 1);
        const auto space = text.find(' ', colon);
        frame.file = m_snapshot.texts.intern(text.substr(0, colon));
        frame.line = std::stoull(std::string(text.substr(colon + 1)));
        frame.name = m_snapshot.texts.intern(space == std::string_view::npos ? std::string_view() : text.substr(space + 1));
        return m_snapshot.stacks.internFrame(frame);
    }

    StreamId stream(std::uint64_t handle)
    {
        auto &streams = m_snapshot.streams;
        const auto found = std::find(streams.begin(), streams.end(), handle);
        if (found != streams.end())
            return static_cast<StreamId>(found - streams.begin());
        streams.push_back(handle);
        return static_cast<StreamId>(streams.size() - 1);
    }

    ContextId context(EventContext context)
    {
        m_snapshot.contexts.push_back(std::move(context));
        return static_cast<ContextId>(m_snapshot.contexts.size() - 1);
    }

    /// What follows belongs to this list.
    TraceDevice &list(std::int32_t ordinal, MemoryKind kind = MemoryKind::Accelerator)
    {
        auto &device = m_snapshot.devices.emplace_back();
        device.kind = kind;
        device.ordinal = ordinal;
        device.firstEvent = m_snapshot.events.size();
        return device;
    }

    void event(const TraceEvent &event)
    {
        if (m_snapshot.devices.empty())
            list(0);
        m_snapshot.events.append(event);
        ++m_snapshot.devices.back().eventCount;
    }

    void event(TraceAction action, std::uint64_t address, std::uint64_t size, StackId stack = kNoStack, StreamId stream = 0)
    {
        event({action, address, size, m_clock += 10, stack, stream, 0});
    }
    void alloc(std::uint64_t address, std::uint64_t size, StackId stack = kNoStack) { event(TraceAction::Alloc, address, size, stack); }
    /// Requested and completed.
    void free(std::uint64_t address, std::uint64_t size, StackId stack = kNoStack)
    {
        event(TraceAction::FreeRequested, address, size, stack);
        event(TraceAction::FreeCompleted, address, size, stack);
    }

    MemorySegment &segment(std::int32_t device, std::uint64_t address, StreamId stream = 0)
    {
        auto &segment = m_snapshot.segments.emplace_back();
        segment.device = device;
        segment.address = address;
        segment.stream = stream;
        segment.pool = {0, 0};
        segment.isExpandable = false;
        segment.isLarge = true;
        segment.allocatedSize = segment.activeSize = segment.requestedSize = 0;
        segment.firstBlock = m_snapshot.blocks.size();
        return segment;
    }

    /// The next one of the last segment, which grows by it.
    MemoryBlock &block(std::uint64_t size, BlockState state, std::uint64_t requested = 0, StackId stack = kNoStack)
    {
        auto &segment = m_snapshot.segments.back();
        auto &block = m_snapshot.blocks.emplace_back();
        block.address = segment.address + segment.totalSize;
        block.size = size;
        block.requested = requested;
        block.state = state;
        block.stack = stack;
        segment.totalSize += size;
        ++segment.blockCount;
        if (state == BlockState::ActiveAllocated)
            segment.allocatedSize += size;
        if (state != BlockState::Inactive) {
            segment.activeSize += size;
            segment.requestedSize += requested;
        }
        return block;
    }

    void annotation(std::int32_t device, std::int64_t timeUs, bool isStart, std::string_view name)
    {
        m_snapshot.annotations.push_back({device, timeUs, isStart ? TraceAnnotation::Stage::Start : TraceAnnotation::Stage::End,
                                          m_snapshot.texts.intern(name)});
    }

    [[nodiscard]] std::int64_t clock() const noexcept { return m_clock; } // of the last event, microseconds

private:
    MemorySnapshot m_snapshot;
    std::int64_t m_clock = 1'700'000'000'000'000;
};

} // namespace plimsoll
