// SPDX-License-Identifier: GPL-3.0-or-later
// What a hostile file may say about a device's memory, explained: requests, the model of the allocator, reasons,
// counterfactuals and differences must come to an end without a fault, and the model must stay sound.
#include "snapshot/diff.h"
#include "snapshot/model_check.h"
#include "snapshot/oom.h"
#include "snapshot/what_if.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

class Bytes
{
public:
    Bytes(const std::uint8_t *data, std::size_t size) : m_data(data), m_left(size) { }
    [[nodiscard]] bool isEmpty() const { return m_left == 0; }
    std::uint8_t byte()
    {
        if (m_left == 0)
            return 0;
        --m_left;
        return *m_data++;
    }
    // Mostly places and sizes that meet, now and then any.
    std::uint64_t number(std::uint64_t unit)
    {
        const auto kind = byte();
        if (kind < 220)
            return std::uint64_t {kind} * unit;
        if (kind < 230)
            return UINT64_MAX - kind % 3U;
        if (kind < 240)
            return (std::uint64_t {1} << (byte() % 64U)) - kind % 2U;
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i)
            value = value << 8U | byte();
        return value;
    }
    std::uint64_t address() { return byte() < 240 ? (std::uint64_t {0x7f} << 40U) + number(2 * kMiB) : number(1); }

private:
    const std::uint8_t *m_data;
    std::size_t m_left;
};

constexpr const char *kConfs[] = {"\"\"",
                                  "\"expandable_segments:True\"",
                                  "\"max_split_size_mb:20\"",
                                  "\"garbage_collection_threshold:0.5,per_process_memory_fraction:0.5\"",
                                  "\"roundup_power2_divisions:[1:2,>:8],expandable_segments:True\"",
                                  "\"large_segment_size_mb:1048576,max_non_split_rounding_mb:1048576\""};

MemorySnapshot snapshotOf(Bytes bytes)
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(1U << 12U);
    snapshot.streams.push_back(7);
    snapshot.contexts.push_back({std::pair<std::int64_t, std::int64_t> {1, 0}, {}});
    const auto frame =
        snapshot.stacks.internFrame({snapshot.texts.intern("/home/u/train.py"), snapshot.texts.intern("f"), 3});
    const auto stack = snapshot.stacks.internStack(std::vector<FrameId> {frame});
    snapshot.settings.emplace_back("PYTORCH_CUDA_ALLOC_CONF", kConfs[bytes.byte() % std::size(kConfs)]);
    while (!bytes.isEmpty() && !snapshot.events.isFull()) {
        const auto what = bytes.byte();
        if (what < 220) {
            TraceEvent event;
            event.action = static_cast<TraceAction>(what % (kKnownActions + 1));
            const bool isOom = event.action == TraceAction::Oom;
            event.address = isOom ? bytes.number(64 * kMiB) : bytes.address();
            event.size = bytes.number(what < 110 ? kMiB : 3000);
            event.stack = what % 3 == 0 ? stack : kNoStack;
            event.stream = bytes.byte() < 30 ? 1 : 0;
            event.context = bytes.byte() < 30 ? 1 : 0;
            snapshot.events.append(event);
        } else {
            MemorySegment segment;
            segment.address = bytes.address();
            segment.stream = what % 2;
            segment.isExpandable = bytes.byte() % 2 == 0;
            if (bytes.byte() < 200)
                segment.isLarge = what % 3 == 0;
            segment.firstBlock = snapshot.blocks.size();
            segment.blockCount = bytes.byte() % 5U;
            auto at = segment.address;
            for (std::size_t i = 0; i < segment.blockCount; ++i) {
                MemoryBlock block;
                block.address = at;
                block.size = bytes.number(kMiB);
                block.requested = bytes.number(kMiB);
                block.state = static_cast<BlockState>(bytes.byte() % 4);
                block.stack = stack;
                snapshot.blocks.push_back(block);
                at += block.size;
                segment.totalSize += block.size;
            }
            if (bytes.byte() < 30)
                segment.totalSize = bytes.number(2 * kMiB);
            snapshot.segments.push_back(segment);
        }
    }
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = snapshot.events.size();
    return snapshot;
}

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto snapshot = snapshotOf(Bytes(data, size));
    for (const auto &device : devicesOf(snapshot)) {
        const Replay replay(snapshot, device);
        const auto settings = allocatorSettingsOf(snapshot);
        if (const auto requests = allocatorRequestsOf(replay, settings.options)) {
            auto model = modelAtStart(*requests, settings.options, {std::uint64_t {8} << 30U, {}});
            for (const auto &request : requests->requests)
                switch (request.kind) {
                case RequestKind::Allocate:
                    (void)model.allocate(request.id, snapshot.events.sizes[device.firstEvent + request.event],
                                         request.pool);
                    break;
                case RequestKind::RequestFree: model.requestFree(request.id); break;
                case RequestKind::CompleteFree: model.completeFree(request.id); break;
                case RequestKind::EmptyCache: model.emptyCache(); break;
                case RequestKind::ReleasePool: model.releasePool(request.pool); break;
                case RequestKind::OutOfMemory: break;
                }
            model.setCapacity(UINT64_MAX); // what was there before may have been more
            require(!model.contradiction());
            const auto agreement = checkModel(replay, *requests, settings);
            require(agreement && !agreement->describe().empty());
        }
        const auto ooms = explainOoms(replay);
        require(ooms.has_value());
        std::size_t asked = 0;
        for (const auto &oom : *ooms) {
            require(!describe(oom).empty());
            for (const auto &verdict : oom.verdicts)
                require(!describe(verdict, oom).empty());
            if (++asked > 2)
                continue;
            if (const auto report = whatIf(replay, oom)) {
                require(!describeBelief(*report).empty());
                for (const auto &answer : report->answers)
                    require(!describe(answer, *report).empty());
            }
        }
        const auto end = sideAt(replay, replay.end());
        const auto same = diffSnapshots(end, end);
        require(same && same->isEmpty());
        (void)diffSnapshots(sideAt(replay, replay.end() / 2), finalSide(snapshot));
    }
    return 0;
}
