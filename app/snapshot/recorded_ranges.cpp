// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/recorded_ranges.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::uint64_t kNearby = std::uint64_t{1} << 40U; // further apart, ranges are of different reservations

bool isGain(TraceAction action) noexcept
{
    return action == TraceAction::SegmentAlloc || action == TraceAction::SegmentMap;
}

bool isLoss(TraceAction action) noexcept
{
    return action == TraceAction::SegmentFree || action == TraceAction::SegmentUnmap;
}

bool isPlausible(const AddressSpan &span) noexcept
{
    return span.address != kUnknownBytes && span.size != kUnknownBytes && span.size > 0
        && span.size <= UINT64_MAX - span.address;
}

} // namespace

RecordedRanges::RecordedRanges(const Replay &replay) : m_snapshot(&replay.snapshot())
{
    const auto &device = replay.device();
    const auto segments = device.segmentsOf(*m_snapshot);
    for (const auto index : device.segments) {
        const auto &segment = segments[index];
        Range range;
        range.key = {segment.pool.value_or(std::pair<std::int64_t, std::int64_t>{}), m_snapshot->streams[segment.stream]};
        range.isSmall = segment.isLarge ? !*segment.isLarge : segment.totalSize == kSmallSegment;
        range.isExpandable = segment.isExpandable.value_or(false);
        range.isPoolKnown = segment.pool.has_value();
        m_hasPrivatePools |= range.key.isPrivate();
        if (!add({segment.address, segment.totalSize}, range))
            ++m_oddEvents;
    }
    m_isKnown = !device.segments.empty();
    for (auto row = device.firstEvent + device.eventCount; row-- > device.firstEvent;) {
        const auto action = m_snapshot->events.action[row];
        if (isGain(action) || isLoss(action))
            undo(row);
    }
    std::reverse(m_gains.begin(), m_gains.end());
    m_isKnown |= hasEvents();
}

bool RecordedRanges::add(const AddressSpan &span, const Range &range)
{
    if (!isPlausible(span))
        return false;
    const auto above = m_ranges.lower_bound(span.address);
    if (above != m_ranges.end() && above->first < span.address + span.size)
        return false;
    if (above != m_ranges.begin() && std::prev(above)->second.end > span.address)
        return false;
    auto entry = range;
    entry.end = span.address + span.size;
    m_ranges.emplace_hint(above, span.address, entry);
    m_reserved += span.size;
    return true;
}

std::pair<std::uint64_t, RecordedRanges::Range> RecordedRanges::remove(const AddressSpan &span)
{
    std::pair<std::uint64_t, Range> removed;
    if (!isPlausible(span))
        return removed;
    const auto end = span.address + span.size;
    auto at = m_ranges.upper_bound(span.address);
    if (at != m_ranges.begin() && std::prev(at)->second.end > span.address)
        --at;
    while (at != m_ranges.end() && at->first < end) {
        const auto start = at->first;
        const auto range = at->second;
        at = m_ranges.erase(at);
        const auto from = std::max(start, span.address);
        const auto until = std::min(range.end, end);
        removed.first += until - from;
        removed.second = range;
        m_reserved -= until - from;
        if (start < from) {
            auto before = range;
            before.end = from;
            m_ranges.emplace_hint(at, start, before);
        }
        if (until < range.end)
            m_ranges.emplace_hint(at, until, range);
    }
    return removed;
}

void RecordedRanges::undo(std::size_t row)
{
    const auto &events = m_snapshot->events;
    const AddressSpan span{events.address[row], events.sizes[row]};
    if (isGain(events.action[row])) {
        auto [bytes, range] = remove(span);
        if (bytes == 0)
            range = lostRange(row); // it went in a way that left no event
        m_oddEvents += bytes == span.size ? 0 : 1;
        m_gains.emplace_back(row, range);
        return;
    }
    ++m_losses;
    const auto range = lostRange(row);
    m_hasPrivatePools |= range.key.isPrivate();
    if (!add(span, range))
        ++m_oddEvents;
}

// Of a segment that is gone only its event tells.
RecordedRanges::Range RecordedRanges::lostRange(std::size_t row) const
{
    const auto &events = m_snapshot->events;
    const auto action = events.action[row];
    const auto &said = m_snapshot->contexts[events.context[row]].pool;
    Range range;
    range.key = {said.value_or(std::pair<std::int64_t, std::int64_t>{}), m_snapshot->streams[events.stream[row]]};
    range.isPoolKnown = said.has_value();
    range.isExpandable = action == TraceAction::SegmentMap || action == TraceAction::SegmentUnmap;
    range.isSmall = events.sizes[row] == kSmallSegment; // segments of the large half are larger
    if (!range.isExpandable)
        return range;
    // The halves have address space of their own: what lies nearest is of the same.
    range.isSmall = events.sizes[row] % kLargeSegment != 0;
    auto nearest = kNearby;
    const auto address = events.address[row];
    const auto look = [&](const auto &entry) {
        const auto &[start, other] = entry;
        const auto distance = start > address ? start - address : address - start;
        if (!other.isExpandable || other.key.stream != range.key.stream || distance >= nearest)
            return;
        nearest = distance;
        range.isSmall = other.isSmall;
        if (!range.isPoolKnown)
            range.key.pool = other.key.pool;
    };
    const auto above = m_ranges.lower_bound(address);
    if (above != m_ranges.end())
        look(*above);
    if (above != m_ranges.begin())
        look(*std::prev(above));
    return range;
}

void RecordedRanges::apply(std::size_t row)
{
    const auto &events = m_snapshot->events;
    const auto action = events.action[row];
    if (isLoss(action)) {
        remove({events.address[row], events.sizes[row]});
        return;
    }
    if (!isGain(action))
        return;
    while (m_nextGain < m_gains.size() && m_gains[m_nextGain].first < row)
        ++m_nextGain;
    if (m_nextGain < m_gains.size() && m_gains[m_nextGain].first == row)
        add({events.address[row], events.sizes[row]}, m_gains[m_nextGain].second);
}

const RecordedRanges::Range *RecordedRanges::find(std::uint64_t address) const noexcept
{
    const auto above = m_ranges.upper_bound(address);
    if (above == m_ranges.begin())
        return nullptr;
    const auto &range = std::prev(above)->second;
    return range.end > address ? &range : nullptr;
}

} // namespace plimsoll
