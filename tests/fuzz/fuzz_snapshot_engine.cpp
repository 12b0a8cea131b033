// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot of any events, segments and blocks, as a reader may hand it over that read a hostile file: the
// engine must answer every question without a fault, and what it says must hold together.
#include "../support/snapshot_builder.h"

#include "snapshot/categories.h"
#include "snapshot/census.h"
#include "snapshot/find.h"
#include "snapshot/grouping.h"
#include "snapshot/leaks.h"
#include "snapshot/notes.h"
#include "snapshot/peaks.h"
#include "snapshot/residency.h"
#include "snapshot/segment_map.h"
#include "snapshot/size_classes.h"
#include "snapshot/stack_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kSane = std::uint64_t{1} << 40U; // bytes

class Bytes
{
public:
    Bytes(const std::uint8_t *data, std::size_t size) : m_data(data), m_left(size) {}
    [[nodiscard]] bool isEmpty() const { return m_left == 0; }
    std::uint8_t byte()
    {
        if (m_left == 0)
            return 0;
        --m_left;
        return *m_data++;
    }
    /// Mostly few values, so that events meet; sometimes any, with the borders.
    std::uint64_t number()
    {
        const auto kind = byte();
        if (kind < 200)
            return 0x1000U + kind % 16U * 512U;
        if (kind < 210)
            return UINT64_MAX - kind % 3U;
        if (kind < 220)
            return (std::uint64_t{1} << 63U) - kind % 3U;
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i)
            value = value << 8U | byte();
        return value;
    }

private:
    const std::uint8_t *m_data;
    std::size_t m_left;
};

void require(bool holds)
{
    if (!holds)
        std::abort();
}

MemorySnapshot snapshotOf(Bytes bytes)
{
    SnapshotBuilder build(1U << 12U);
    const StackId stacks[] = {kNoStack, kEmptyStack, build.stack({"a.py:1 f", "b.py:2 g"}), build.stack({"a.py:1 f"}),
                              build.stack({"optim.py:3 step", "torch/optim/adam.py:4 _init_group"})};
    build.stream(7);
    EventContext context;
    context.pool = {1, 2};
    build.context(context);
    const auto &snapshot = build.snapshot();
    build.list(0);
    while (!bytes.isEmpty() && !snapshot.events.isFull()) {
        const auto what = bytes.byte();
        if (what < 200) {
            TraceEvent event;
            event.action = static_cast<TraceAction>(what % (kKnownActions + 1));
            event.address = bytes.number();
            event.size = bytes.number();
            event.timeUs = bytes.byte() < 20 ? kUnknownTime : static_cast<std::int64_t>(bytes.number());
            event.stack = stacks[bytes.byte() % 5];
            event.stream = bytes.byte() % 2;
            event.context = bytes.byte() % 2;
            build.event(event);
        } else if (what < 215) {
            auto &segment = build.segment(bytes.byte() % 3, bytes.number());
            segment.isExpandable = bytes.byte() % 2 == 0;
            for (auto count = bytes.byte() % 5; count > 0; --count)
                build.block(bytes.number(), static_cast<BlockState>(bytes.byte() % 4), bytes.number(), stacks[bytes.byte() % 5]);
            if (bytes.byte() < 30)
                segment.totalSize = bytes.number();
        } else if (what < 225) {
            auto &list = build.list(bytes.byte() % 3, static_cast<MemoryKind>(bytes.byte() % 3));
            list.hasAddresses = bytes.byte() < 200;
            if (bytes.byte() < 50)
                list.levelAtStart = bytes.number();
        } else {
            build.annotation(bytes.byte() % 3, static_cast<std::int64_t>(bytes.number()), what % 2 == 0, what < 240 ? "Optimizer.step#A" : "ProfilerStep#3");
        }
    }
    return build.take();
}

void ask(const MemorySnapshot &snapshot, const SnapshotDevice &device)
{
    const Replay replay(snapshot, device);
    const auto census = censusOf(snapshot, device);
    const auto again = censusOf(replay);
    require(census.events == again.events && census.trace.allocBytes == again.trace.allocBytes);
    const TimeAxis axis(replay);
    const StackTree tree(snapshot, TreeDirection::TopDown);
    const SegmentMap map(replay);
    const LevelCurve requested(replay, LevelKind::Requested);
    for (const auto kind : {LevelKind::Allocated, LevelKind::PendingFree, LevelKind::Rounded, LevelKind::RoundingLoss, LevelKind::Reserved,
                            LevelKind::Cached}) {
        const LevelCurve curve(replay, kind);
        const auto buckets = curve.slice(0, curve.size(), 7);
        require(buckets.front().begin == 0 && buckets.back().end == curve.size() && buckets.size() <= 14);
    }
    for (EventInstant n = 0; n <= replay.end(); n += 1 + replay.end() / 8) {
        require(requested.at(n) == replay.levelAt(n));
        std::int64_t sum = replay.unseenAtStart();
        if (replay.hasAllocations()) {
            for (const auto &total : aliveByStack(replay, n))
                sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(total.bytes));
            require(sum == replay.levelAt(n));
        }
        static_cast<void>(tree.boxes(tree.alive(replay, n), 1));
        static_cast<void>(tree.boxes(tree.growth(replay, 0, n), 1));
        const auto state = map.at(n);
        for (const auto &range : state.ranges) {
            auto at = range.address;
            for (auto p = range.firstPiece; p < range.firstPiece + range.pieceCount; ++p) {
                require(state.pieces[p].address == at && state.pieces[p].size > 0);
                at += state.pieces[p].size;
            }
            require(at == range.address + range.size);
        }
        static_cast<void>(sizeClassesAt(replay, n));
        static_cast<void>(axis.timeOf(n));
    }
    // Sizes that no machine has make sums wrap; then only faults count.
    const auto &sizes = snapshot.events.sizes;
    bool isSane = std::all_of(snapshot.blocks.begin(), snapshot.blocks.end(), [](const MemoryBlock &b) { return b.requested <= kSane && b.size <= kSane; })
        && static_cast<std::uint64_t>(replay.unseenAtStart()) + kSane <= 2 * kSane;
    for (std::size_t row = 0; row < sizes.size(); ++row)
        isSane = isSane && (sizes[row] <= kSane || sizes[row] == kUnknownBytes);
    require(!isSane || peakOf(requested, replay).level == replay.peakLevel());
    static_cast<void>(peakOf(requested, replay));
    static_cast<void>(localPeaks(requested, replay, 1, 10));
    static_cast<void>(oomMoments(replay));
    static_cast<void>(requested.slice(axis, INT64_MIN, INT64_MAX, 9));
    static_cast<void>(requested.slice(axis, axis.firstUs(), axis.lastUs(), 9));
    static_cast<void>(findLeaks(replay));
    static_cast<void>(notesOn(replay, census));
    for (const auto by : {GroupBy::OwnLine, GroupBy::Category, GroupBy::Pool, GroupBy::Stream, GroupBy::SizeClass, GroupBy::Annotation,
                          GroupBy::CompileContext, GroupBy::UserMetadata}) {
        const auto grouping = groupAllocations(replay, by);
        std::int64_t count = 0;
        for (const auto &total : aliveByGroup(replay, grouping, replay.end() / 2))
            count += total.count;
        require(!replay.hasAllocations() || count == static_cast<std::int64_t>(replay.aliveAt(replay.end() / 2).size()));
    }
    const Categories categories(replay);
    static_cast<void>(categories.aliveAt(replay.peakInstant()));
    FrameIndex index(snapshot);
    index.count(replay);
    static_cast<void>(index.find("F"));
    static_cast<void>(allocationsAt(replay, 0x1000, true));
    if (replay.hasAllocations()) {
        const auto bands = bandsOfStacks(replay, 2);
        static_cast<void>(bandPicture(requested, bands, eventBorders(0, requested.size(), 5)));
    }
    for (AllocationId id = 0; id < replay.size(); ++id) {
        static_cast<void>(replay.origin(id));
        static_cast<void>(replay.poolOf(id));
        static_cast<void>(replay.streamOf(id));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto snapshot = snapshotOf(Bytes(data, std::min<std::size_t>(size, 4096)));
    for (const auto &device : devicesOf(snapshot))
        ask(snapshot, device);
    static_cast<void>(notesOn(snapshot, censusOf(snapshot)));
    return 0;
}
