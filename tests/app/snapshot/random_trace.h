// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/snapshot_builder.h"

#include <map>
#include <random>

namespace plimsoll {

struct RandomTraceWish
{
    std::size_t events = 2000;
    bool isForeign = false;     // allocs of live addresses, frees of other sizes, times that go back
    bool hasPending = false;    // frees that wait
    bool onlyRequests = false;  // no completed frees
    bool hasBefore = true;      // what was there before the trace
    bool isExpandable = false;  // segments come and go as mapped ranges
    int streams = 1;
    int pools = 1;
};

/// A trace of an allocator that serves from slots of segments, and the segments and blocks of its
/// end. Its segments are allocated and freed in the trace too.
inline MemorySnapshot randomTrace(unsigned seed, const RandomTraceWish &wish = {})
{
    constexpr std::uint64_t kSlot = 1U << 20U; // bytes
    constexpr std::uint64_t kSlots = 8;        // of a segment
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    SnapshotBuilder build(wish.events * 2 + 4096);
    std::vector<StackId> stacks{kNoStack, kEmptyStack};
    const char *const names[] = {"main", "train", "forward", "backward", "step", "linear", "gelu", "attend", "norm", "alloc"};
    for (int i = 0; i < 40; ++i) {
        std::vector<FrameId> frames;
        const auto depth = 1 + pick(6);
        for (std::size_t d = 0; d < depth; ++d)
            frames.push_back(build.frame(std::string("dir/f") + std::to_string(pick(4)) + ".py:" + std::to_string(1 + pick(5)) + ' '
                                         + names[d == depth - 1 ? 0 : pick(10)]));
        stacks.push_back(build.snapshot().stacks.internStack(frames));
    }
    std::vector<ContextId> pools;
    for (int p = 0; p < wish.pools; ++p) {
        EventContext context;
        context.pool = {0, p};
        pools.push_back(build.context(context));
    }
    struct Live
    {
        std::uint64_t size;
        StackId stack;
        bool isPending = false;
    };
    struct Segment
    {
        StreamId stream;
        int pool;
    };
    std::map<std::uint64_t, Segment> segments;
    std::map<std::uint64_t, Live> live;
    std::vector<std::uint64_t> pending;
    std::vector<StreamId> streams{0};
    for (int s = 1; s < wish.streams; ++s)
        streams.push_back(build.stream(0x1000U * static_cast<unsigned>(s)));
    std::int64_t clock = 1'700'000'000'000'000;
    bool isRecording = false;
    const auto emit = [&](TraceAction action, std::uint64_t address, std::uint64_t size, StackId stack, const Segment &segment) {
        clock += static_cast<std::int64_t>(pick(20));
        if (!isRecording)
            return;
        auto time = clock;
        if (wish.isForeign && pick(50) == 0)
            time -= 1000;
        build.event({action, address, size, time, stack, segment.stream, pools[static_cast<std::size_t>(segment.pool)]});
    };
    build.list(0);
    const auto mapAction = wish.isExpandable ? TraceAction::SegmentMap : TraceAction::SegmentAlloc;
    const auto unmapAction = wish.isExpandable ? TraceAction::SegmentUnmap : TraceAction::SegmentFree;
    const auto step = [&] {
        const auto dice = pick(100);
        if (dice < 3 || segments.empty()) {
            const auto base = 0x7f0000000000U + (1 + pick(40)) * kSlot * kSlots * (wish.isExpandable ? 1 : 2);
            if (segments.contains(base))
                return;
            segments[base] = {streams[pick(streams.size())], static_cast<int>(pick(static_cast<std::size_t>(wish.pools)))};
            emit(mapAction, base, kSlot * kSlots, stacks[pick(stacks.size())], segments[base]);
        } else if (dice < 5) {
            const auto at = std::next(segments.begin(), static_cast<std::ptrdiff_t>(pick(segments.size())));
            const auto first = live.lower_bound(at->first);
            if (first != live.end() && first->first < at->first + kSlot * kSlots)
                return;
            emit(unmapAction, at->first, kSlot * kSlots, stacks[pick(stacks.size())], at->second);
            segments.erase(at);
        } else if (dice < 55) {
            const auto at = std::next(segments.begin(), static_cast<std::ptrdiff_t>(pick(segments.size())));
            const auto address = at->first + pick(kSlots) * kSlot;
            const auto found = live.find(address);
            if (found != live.end() && (!wish.isForeign || found->second.isPending))
                return;
            const auto size = 1 + pick(kSlot);
            live[address] = {size, stacks[pick(stacks.size())]};
            emit(TraceAction::Alloc, address, size, live[address].stack, at->second);
        } else if (!live.empty()) {
            const auto at = std::next(live.begin(), static_cast<std::ptrdiff_t>(pick(live.size())));
            if (at->second.isPending)
                return;
            const auto &segment = std::prev(segments.upper_bound(at->first))->second;
            const auto size = wish.isForeign && pick(10) == 0 ? at->second.size + 512 : at->second.size;
            const auto stack = stacks[pick(stacks.size())];
            emit(TraceAction::FreeRequested, at->first, size, stack, segment);
            if (wish.hasPending && pick(4) == 0) {
                at->second.isPending = true;
                pending.push_back(at->first);
                return;
            }
            if (!wish.onlyRequests)
                emit(TraceAction::FreeCompleted, at->first, size, stack, segment);
            live.erase(at);
        }
        if (!pending.empty() && pick(6) == 0) {
            const auto which = pick(pending.size());
            const auto address = pending[which];
            pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(which));
            const auto &segment = std::prev(segments.upper_bound(address))->second;
            emit(TraceAction::FreeCompleted, address, live[address].size, stacks[pick(stacks.size())], segment);
            live.erase(address);
        }
    };
    if (wish.hasBefore)
        for (int i = 0; i < 300; ++i)
            step();
    isRecording = true;
    while (build.snapshot().events.size() < wish.events)
        step();
    for (const auto &[base, segment] : segments) {
        auto &row = build.segment(0, base, segment.stream);
        row.pool = {0, segment.pool};
        row.isExpandable = wish.isExpandable;
        std::uint64_t at = base;
        const auto end = base + kSlot * kSlots;
        for (auto it = live.lower_bound(base); it != live.end() && it->first < end; ++it) {
            if (it->first > at)
                build.block(it->first - at, BlockState::Inactive);
            const auto rounded = (it->second.size + 511) / 512 * 512;
            build.block(rounded, it->second.isPending ? BlockState::ActivePendingFree : BlockState::ActiveAllocated, it->second.size,
                        it->second.stack);
            at = it->first + rounded;
        }
        if (at < end)
            build.block(end - at, BlockState::Inactive);
    }
    return build.take();
}

/// What is alive, as a map says it that is walked event by event. Of each instant: address → (size, stack).
class BruteForce
{
public:
    explicit BruteForce(const MemorySnapshot &snapshot, std::size_t first, std::size_t count, bool endsAtRequest = false)
    {
        // Backwards for what was there before: frees without an alloc, blocks that nothing explains.
        struct Row
        {
            std::uint64_t size;
            StackId stack;
        };
        std::map<std::uint64_t, Row> state;
        const auto isFree = [&](TraceAction a) {
            return a == TraceAction::FreeCompleted || a == TraceAction::Free || (endsAtRequest && a == TraceAction::FreeRequested);
        };
        // Pass 1: who is alive at the start.
        {
            std::map<std::uint64_t, int> live;
            for (std::size_t i = 0; i < count; ++i) {
                const auto e = snapshot.events[first + i];
                if (e.action == TraceAction::Alloc)
                    live[e.address] = 1;
                else if (isFree(e.action) && live.erase(e.address) == 0)
                    m_before.push_back({e.address, e.size, e.stack, i + 1});
            }
            for (const auto &segment : snapshot.segments)
                for (auto b = segment.firstBlock; b < segment.firstBlock + segment.blockCount; ++b) {
                    const auto &block = snapshot.blocks[b];
                    if (block.state != BlockState::Inactive && !live.contains(block.address))
                        m_before.push_back({block.address, block.requested, block.stack, count + 1});
                }
        }
        // Pass 2: all states. Before-things are keyed apart, since two of them may follow each other at one address.
        m_states.resize(count + 1);
        for (std::size_t n = 0; n <= count; ++n) {
            if (n > 0) {
                const auto e = snapshot.events[first + n - 1];
                if (e.action == TraceAction::Alloc)
                    state[e.address] = {e.size, e.stack};
                else if (isFree(e.action))
                    state.erase(e.address);
            }
            auto &out = m_states[n];
            for (const auto &b : m_before)
                if (b.death > n)
                    out.push_back({b.address, b.size, b.stack});
            for (const auto &[address, row] : state)
                out.push_back({address, row.size, row.stack});
            std::sort(out.begin(), out.end());
        }
    }

    struct Entry
    {
        std::uint64_t address;
        std::uint64_t size;
        StackId stack;
        friend auto operator<=>(const Entry &, const Entry &) = default;
    };
    [[nodiscard]] const std::vector<Entry> &at(std::size_t instant) const { return m_states[instant]; }
    [[nodiscard]] std::int64_t level(std::size_t instant) const
    {
        std::int64_t sum = 0;
        for (const auto &entry : m_states[instant])
            sum += static_cast<std::int64_t>(entry.size);
        return sum;
    }

private:
    struct Before
    {
        std::uint64_t address;
        std::uint64_t size;
        StackId stack;
        std::size_t death;
    };
    std::vector<Before> m_before;
    std::vector<std::vector<Entry>> m_states;
};

} // namespace plimsoll
