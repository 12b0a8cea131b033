// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/segment_map.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace plimsoll {
namespace {

constexpr std::size_t kStopEvery = 4096; // changes between two looks at the stop token
constexpr std::size_t kKeepEvery = 4096; // changes; more when there are many ranges, so that what is kept stays small

/// Ranges by address that never overlap.
class Ranges
{
public:
    void add(MappedRange range)
    {
        if (range.size == 0)
            return;
        m_oddities += remove(range.address, range.size) == 0 ? 0 : 1;
        m_ranges[range.address] = std::move(range);
    }

    /// Joins with neighbours it touches, as the allocator's list shows mapped ranges.
    void addMapped(MappedRange range)
    {
        if (range.size == 0)
            return;
        m_oddities += remove(range.address, range.size) == 0 ? 0 : 1;
        const auto isSame = [&](const MappedRange &other) {
            return other.isExpandable && other.stream == range.stream && (!other.pool || !range.pool || other.pool == range.pool);
        };
        auto after = m_ranges.lower_bound(range.address);
        if (after != m_ranges.end() && after->first == range.address + range.size && isSame(after->second)) {
            take(range, after->second);
            after = m_ranges.erase(after);
        }
        if (after != m_ranges.begin()) {
            auto &before = std::prev(after)->second;
            if (before.address + before.size == range.address && isSame(before)) {
                before.size += range.size;
                return;
            }
        }
        m_ranges[range.address] = std::move(range);
    }

    /// Cuts it out; returns how many bytes of it were there.
    std::uint64_t remove(std::uint64_t address, std::uint64_t size)
    {
        const auto end = size > UINT64_MAX - address ? UINT64_MAX : address + size;
        std::uint64_t removed = 0;
        auto at = m_ranges.upper_bound(address);
        if (at != m_ranges.begin())
            --at;
        while (at != m_ranges.end() && at->first < end) {
            const auto old = at->second;
            const auto oldEnd = old.address + old.size;
            if (oldEnd <= address) {
                ++at;
                continue;
            }
            at = m_ranges.erase(at);
            if (old.address < address) {
                auto left = old;
                left.size = address - old.address;
                m_ranges[left.address] = left;
            }
            if (oldEnd > end) {
                auto right = old;
                right.address = end;
                right.size = oldEnd - end;
                at = std::next(m_ranges.insert_or_assign(right.address, right).first);
            }
            removed += std::min(oldEnd, end) - std::max(old.address, address);
        }
        return removed;
    }

    [[nodiscard]] std::vector<MappedRange> list() const
    {
        std::vector<MappedRange> all;
        all.reserve(m_ranges.size());
        for (const auto &[address, range] : m_ranges)
            all.push_back(range);
        return all;
    }
    void set(const std::vector<MappedRange> &ranges)
    {
        m_ranges.clear();
        for (const auto &range : ranges)
            m_ranges.emplace_hint(m_ranges.end(), range.address, range);
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_ranges.size(); }
    [[nodiscard]] std::uint64_t oddities() const noexcept { return m_oddities; }
    void noteOddity() noexcept { ++m_oddities; }

private:
    static void take(MappedRange &range, const MappedRange &neighbour)
    {
        range.size += neighbour.size;
        range.pool = range.pool ? range.pool : neighbour.pool;
        range.isLarge = range.isLarge ? range.isLarge : neighbour.isLarge;
        range.stack = neighbour.stack;
    }

    std::map<std::uint64_t, MappedRange> m_ranges;
    std::uint64_t m_oddities = 0;
};

bool isSegmentEvent(TraceAction action) noexcept
{
    return action == TraceAction::SegmentAlloc || action == TraceAction::SegmentFree || action == TraceAction::SegmentMap
        || action == TraceAction::SegmentUnmap;
}

void undo(Ranges &ranges, const Replay &replay, std::size_t row)
{
    const auto event = replay.snapshot().events[row];
    if (event.address == kUnknownBytes || event.size == kUnknownBytes) {
        ranges.noteOddity();
        return;
    }
    if (event.action == TraceAction::SegmentAlloc || event.action == TraceAction::SegmentMap) {
        if (ranges.remove(event.address, event.size) != event.size)
            ranges.noteOddity();
        return;
    }
    MappedRange range;
    range.address = event.address;
    range.size = std::min(event.size, UINT64_MAX - event.address);
    range.stream = event.stream;
    range.pool = replay.snapshot().contexts[event.context].pool;
    range.isExpandable = event.action == TraceAction::SegmentUnmap;
    if (range.isExpandable) {
        ranges.addMapped(range);
    } else {
        range.isLarge = event.size > kSmallSegment; // only the small half asks for as little
        ranges.add(range);
    }
}

} // namespace

SegmentMap::SegmentMap(const Replay &replay, std::stop_token stop) : m_replay(&replay)
{
    const auto &snapshot = replay.snapshot();
    const auto &device = replay.device();
    for (std::size_t i = 0; i < device.eventCount; ++i)
        if (isSegmentEvent(snapshot.events.action[device.firstEvent + i]))
            m_changes.push_back({static_cast<EventInstant>(i + 1), device.firstEvent + i});
    Ranges ranges;
    const auto segments = device.segmentsOf(snapshot);
    m_isKnown = !m_changes.empty()
        || std::any_of(device.segments.begin(), device.segments.end(), [&](std::size_t s) { return segments[s].address != kUnknownBytes; });
    for (const auto index : device.segments) {
        const auto &segment = segments[index];
        if (segment.address == kUnknownBytes)
            continue;
        MappedRange range;
        range.address = segment.address;
        range.size = std::min(segment.totalSize, UINT64_MAX - segment.address);
        range.stream = segment.stream;
        range.pool = segment.pool;
        range.isLarge = segment.isLarge;
        range.isExpandable = segment.isExpandable.value_or(false);
        range.stack = segment.stack;
        ranges.add(range);
    }
    m_kept.push_back({m_changes.size(), ranges.list()});
    for (auto at = m_changes.size(); at > 0;) {
        if (at % kStopEvery == 0 && stop.stop_requested()) {
            m_isKnown = false;
            break;
        }
        undo(ranges, replay, m_changes[--at].row);
        if (m_kept.back().change - at >= std::max(kKeepEvery, ranges.size() * 8))
            m_kept.push_back({at, ranges.list()});
    }
    m_oddEvents = ranges.oddities();
}

std::vector<MappedRange> SegmentMap::rangesAt(EventInstant instant) const
{
    const auto wanted = static_cast<std::size_t>(
        std::upper_bound(m_changes.begin(), m_changes.end(), instant, [](EventInstant t, const Change &c) { return t < c.instant; })
        - m_changes.begin());
    // The last kept one, from the end, that is not older than what is wanted.
    const auto kept = std::prev(std::partition_point(m_kept.begin(), m_kept.end(), [&](const Kept &k) { return k.change >= wanted; }));
    if (kept->change == wanted)
        return kept->ranges;
    Ranges ranges;
    ranges.set(kept->ranges);
    for (auto at = kept->change; at > wanted;)
        undo(ranges, *m_replay, m_changes[--at].row);
    return ranges.list();
}

SegmentState SegmentMap::at(EventInstant instant) const
{
    SegmentState state;
    state.ranges = rangesAt(instant);
    const auto addresses = m_replay->addresses();
    auto alive = m_replay->aliveAt(instant);
    std::sort(alive.begin(), alive.end(), [&](AllocationId a, AllocationId b) { return std::pair(addresses[a], a) < std::pair(addresses[b], b); });
    std::vector<AllocationId> pending;
    for (const auto &free : m_replay->pendingFrees())
        if (free.requested <= instant && m_replay->deaths()[free.allocation] > instant)
            pending.push_back(free.allocation);
    std::sort(pending.begin(), pending.end());
    std::size_t next = 0;
    for (auto &range : state.ranges) {
        range.firstPiece = state.pieces.size();
        state.reserved += range.size;
        for (; next < alive.size() && addresses[alive[next]] < range.address; ++next)
            state.outside.push_back(alive[next]);
        const auto end = range.address + range.size;
        auto at = range.address;
        const auto addFree = [&](std::uint64_t to) {
            const auto size = to - at;
            state.pieces.push_back({at, size, MappedPiece::kFree, false});
            state.free += size;
            state.largestFree = std::max(state.largestFree, size);
            at = to;
        };
        for (; next < alive.size() && addresses[alive[next]] < end; ++next) {
            const auto id = alive[next];
            const auto border = next + 1 < alive.size() ? std::min(end, addresses[alive[next + 1]]) : end;
            if (addresses[id] > at)
                addFree(addresses[id]);
            auto size = std::min(m_replay->roundedSize(id), border - at);
            if (border - at - size < kAllocatorUnit) // too little to be a block
                size = border - at;
            if (size == 0) { // another one begins at the same address
                state.outside.push_back(id);
                continue;
            }
            state.pieces.push_back({at, size, id, std::binary_search(pending.begin(), pending.end(), id)});
            at += size;
        }
        if (at < end)
            addFree(end);
        range.pieceCount = state.pieces.size() - range.firstPiece;
    }
    state.outside.insert(state.outside.end(), alive.begin() + static_cast<std::ptrdiff_t>(next), alive.end());
    return state;
}

} // namespace plimsoll
