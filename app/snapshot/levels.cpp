// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/levels.h"

#include "snapshot/wrapping.h"

#include <algorithm>
#include <limits>

namespace plimsoll {
namespace {

using Changes = std::vector<std::pair<EventInstant, std::int64_t>>;

constexpr std::size_t kChunk = std::size_t{1} << 16U; // instants whose exact values are made at a time

std::int64_t signedSize(std::uint64_t bytes) noexcept
{
    return bytes == kUnknownBytes ? 0 : static_cast<std::int64_t>(bytes);
}

bool isFree(TraceAction action, const Replay &replay) noexcept
{
    return action == TraceAction::FreeCompleted || action == TraceAction::Free
        || (replay.oddities().endsAtRequest && action == TraceAction::FreeRequested);
}

// +1: more is reserved, −1: less, 0: it is no such event.
int reservedSign(TraceAction action) noexcept
{
    switch (action) {
    case TraceAction::SegmentAlloc:
    case TraceAction::SegmentMap: return 1;
    case TraceAction::SegmentFree:
    case TraceAction::SegmentUnmap: return -1;
    default: return 0;
    }
}

} // namespace

LevelCurve::LevelCurve(const Replay &replay, LevelKind kind, const LevelFilter &filter, std::stop_token stop)
    : m_replay(&replay), m_kind(kind)
{
    const bool hasAllocations = replay.hasAllocations();
    if (!filter.isEmpty() && hasAllocations) {
        m_isCounted.resize(replay.size());
        for (AllocationId id = 0; id < replay.size() && !(id % kChunk == 0 && stop.stop_requested()); ++id)
            m_isCounted[id] = (!filter.stream || replay.streamOf(id) == *filter.stream)
                && (!filter.pool || replay.poolOf(id).pool == filter.pool) && (!filter.allocation || filter.allocation(id));
    }
    Changes changes;
    switch (kind) {
    case LevelKind::Requested: m_weight = Weight::Requested; break;
    case LevelKind::Allocated:
        m_weight = Weight::Requested;
        pendingChanges(-1, changes);
        break;
    case LevelKind::PendingFree: pendingChanges(1, changes); break;
    case LevelKind::Rounded: m_weight = Weight::Rounded; break;
    case LevelKind::RoundingLoss: m_weight = Weight::Loss; break;
    case LevelKind::Reserved: reservedChanges(filter, changes); break;
    case LevelKind::Cached:
        m_weight = Weight::MinusRounded;
        reservedChanges(filter, changes);
        break;
    }
    if (!hasAllocations) {
        // A profiler says rounded sizes already, and nothing of what was asked for.
        const bool isLevel = m_weight == Weight::Requested || m_weight == Weight::Rounded || m_weight == Weight::MinusRounded;
        if (isLevel && filter.isEmpty())
            levelChanges(m_weight == Weight::MinusRounded ? -1 : 1, changes);
        m_isKnown = m_isKnown && (isLevel || kind == LevelKind::Reserved) && filter.isEmpty();
        m_weight = Weight::None;
    } else if (filter.isEmpty() && m_weight != Weight::None && m_weight != Weight::Loss) {
        const auto unseen = replay.unseenAtStart();
        m_constant = m_weight == Weight::MinusRounded ? wrappingSubtract(m_constant, unseen) : wrappingAdd(m_constant, unseen);
    }
    addSteps(std::move(changes));
    buildPyramid(stop);
}

void LevelCurve::reservedChanges(const LevelFilter &filter, Changes &changes)
{
    const auto &snapshot = m_replay->snapshot();
    const auto &device = m_replay->device();
    const auto &events = snapshot.events;
    if (device.list && !snapshot.devices[*device.list].reserved.empty()) {
        // Running totals: the base line is what the first one says.
        const auto &totals = snapshot.devices[*device.list].reserved;
        m_isKnown = filter.isEmpty();
        if (!m_isKnown)
            return;
        auto last = static_cast<std::int64_t>(totals.front().second);
        m_constant = wrappingAdd(m_constant, last);
        for (const auto &[row, bytes] : totals) {
            const auto now = static_cast<std::int64_t>(bytes);
            if (now != last && row >= device.firstEvent && row - device.firstEvent < device.eventCount)
                changes.emplace_back(static_cast<EventInstant>(row - device.firstEvent + 1), wrappingSubtract(now, last));
            last = now;
        }
        return;
    }
    const auto segments = device.segmentsOf(snapshot);
    std::int64_t atEnd = 0;
    for (const auto index : device.segments) {
        const auto &segment = segments[index];
        if ((!filter.stream || segment.stream == *filter.stream) && (!filter.pool || segment.pool == filter.pool))
            atEnd = wrappingAdd(atEnd, static_cast<std::int64_t>(segment.totalSize));
    }
    std::int64_t net = 0;
    for (std::size_t i = 0; i < device.eventCount; ++i) {
        const auto row = device.firstEvent + i;
        const auto sign = reservedSign(events.action[row]);
        if (sign == 0 || (filter.stream && events.stream[row] != *filter.stream))
            continue;
        if (filter.pool && m_replay->poolOfSegmentEvent(row).pool != filter.pool)
            continue;
        const auto size = signedSize(events.sizes[row]);
        const auto change = sign > 0 ? size : wrappingSubtract(0, size);
        changes.emplace_back(static_cast<EventInstant>(i + 1), change);
        net = wrappingAdd(net, change);
    }
    m_isKnown = !device.segments.empty() || !changes.empty();
    // Backwards from the end, which is known.
    const auto atStart = wrappingSubtract(atEnd, net);
    m_startsBelowZero = atStart < 0;
    m_constant = wrappingAdd(m_constant, atStart);
}

void LevelCurve::pendingChanges(int sign, Changes &changes)
{
    const auto sizes = m_replay->sizes();
    const auto deaths = m_replay->deaths();
    for (const auto &pending : m_replay->pendingFrees()) {
        if (!m_isCounted.empty() && !m_isCounted[pending.allocation])
            continue;
        const auto size = static_cast<std::int64_t>(sizes[pending.allocation]);
        const auto change = sign > 0 ? size : wrappingSubtract(0, size);
        changes.emplace_back(pending.requested, change);
        changes.emplace_back(deaths[pending.allocation], wrappingSubtract(0, change));
    }
}

void LevelCurve::levelChanges(int sign, Changes &changes)
{
    const auto &events = m_replay->snapshot().events;
    const auto &device = m_replay->device();
    const auto start = m_replay->levelAtStart();
    m_constant = sign > 0 ? wrappingAdd(m_constant, start) : wrappingSubtract(m_constant, start);
    for (std::size_t i = 0; i < device.eventCount; ++i) {
        const auto row = device.firstEvent + i;
        const bool isAlloc = events.action[row] == TraceAction::Alloc;
        if (!isAlloc && !isFree(events.action[row], *m_replay))
            continue;
        const auto size = signedSize(events.sizes[row]);
        changes.emplace_back(static_cast<EventInstant>(i + 1), isAlloc == (sign > 0) ? size : wrappingSubtract(0, size));
    }
}

void LevelCurve::addSteps(Changes changes)
{
    std::stable_sort(changes.begin(), changes.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::int64_t value = 0;
    for (std::size_t i = 0; i < changes.size();) {
        const auto instant = changes[i].first;
        for (; i < changes.size() && changes[i].first == instant; ++i)
            value = wrappingAdd(value, changes[i].second);
        if (instant > m_replay->end())
            break; // beyond the last state
        m_stepAt.push_back(instant);
        m_stepValue.push_back(value);
    }
}

void LevelCurve::buildPyramid(const std::stop_token &stop)
{
    constexpr std::size_t kLeaf = std::size_t{1} << kLeafBits;
    const std::size_t count = size();
    std::vector<Extremes> leaf((count + kLeaf - 1) / kLeaf, Extremes{0, 0});
    m_where.resize(leaf.size());
    std::vector<std::int64_t> chunk(std::min(count, kChunk));
    for (std::size_t begin = 0; begin < count && !stop.stop_requested(); begin += kChunk) {
        const auto length = std::min(kChunk, count - begin);
        values(static_cast<EventInstant>(begin), std::span(chunk.data(), length));
        for (std::size_t at = 0; at < length; at += kLeaf) {
            const auto *first = chunk.data() + at;
            const auto *last = chunk.data() + std::min(length, at + kLeaf);
            const auto *high = std::max_element(first, last);
            leaf[(begin + at) >> kLeafBits] = {*std::min_element(first, last), *high};
            m_where[(begin + at) >> kLeafBits] = static_cast<std::uint8_t>(high - first);
        }
    }
    m_pyramid.push_back(std::move(leaf));
    while (m_pyramid.back().size() > (std::size_t{1} << kFanBits)) {
        const auto &below = m_pyramid.back();
        std::vector<Extremes> level((below.size() + (std::size_t{1} << kFanBits) - 1) >> kFanBits,
                                    Extremes{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
        for (std::size_t i = 0; i < below.size(); ++i) {
            auto &all = level[i >> kFanBits];
            all.min = std::min(all.min, below[i].min);
            all.max = std::max(all.max, below[i].max);
        }
        m_pyramid.push_back(std::move(level));
    }
}

std::int64_t LevelCurve::weight(AllocationId id) const noexcept
{
    if (!m_isCounted.empty() && !m_isCounted[id])
        return 0;
    const auto size = static_cast<std::int64_t>(m_replay->sizes()[id]);
    switch (m_weight) {
    case Weight::None: return 0;
    case Weight::Requested: return size;
    case Weight::Rounded: return static_cast<std::int64_t>(m_replay->roundedSize(id));
    case Weight::MinusRounded: return wrappingSubtract(0, static_cast<std::int64_t>(m_replay->roundedSize(id)));
    case Weight::Loss: return wrappingSubtract(static_cast<std::int64_t>(m_replay->roundedSize(id)), size);
    }
    return 0;
}

void LevelCurve::values(EventInstant begin, std::span<std::int64_t> out) const
{
    if (out.empty())
        return;
    std::fill(out.begin(), out.end(), 0);
    out[0] = m_constant;
    const auto end = static_cast<std::uint64_t>(begin) + out.size();
    if (m_weight != Weight::None) {
        const auto deaths = m_replay->deaths();
        const auto births = m_replay->births();
        const auto bornBefore = m_replay->bornUpTo(begin);
        m_replay->forEachAliveOf(0, bornBefore, begin, [&](AllocationId id) {
            const auto bytes = weight(id);
            out[0] = wrappingAdd(out[0], bytes);
            if (deaths[id] < end)
                out[deaths[id] - begin] = wrappingSubtract(out[deaths[id] - begin], bytes);
        });
        for (auto id = bornBefore; id < births.size() && births[id] < end; ++id) {
            const auto bytes = weight(static_cast<AllocationId>(id));
            out[births[id] - begin] = wrappingAdd(out[births[id] - begin], bytes);
            if (deaths[id] < end)
                out[deaths[id] - begin] = wrappingSubtract(out[deaths[id] - begin], bytes);
        }
    }
    auto step = static_cast<std::size_t>(std::upper_bound(m_stepAt.begin(), m_stepAt.end(), begin) - m_stepAt.begin());
    auto last = step == 0 ? 0 : m_stepValue[step - 1];
    out[0] = wrappingAdd(out[0], last);
    for (; step < m_stepAt.size() && m_stepAt[step] < end; ++step) {
        auto &at = out[m_stepAt[step] - begin];
        at = wrappingAdd(at, wrappingSubtract(m_stepValue[step], last));
        last = m_stepValue[step];
    }
    for (std::size_t i = 1; i < out.size(); ++i)
        out[i] = wrappingAdd(out[i], out[i - 1]);
}

std::int64_t LevelCurve::at(EventInstant instant) const
{
    std::int64_t value = 0;
    values(instant, std::span(&value, 1));
    return value;
}

LevelCurve::Extremes LevelCurve::leaves(std::size_t first, std::size_t last) const noexcept
{
    Extremes all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    constexpr auto kFan = std::size_t{1} << kFanBits;
    std::size_t level = 0;
    const auto add = [&](std::size_t i) {
        all.min = std::min(all.min, m_pyramid[level][i].min);
        all.max = std::max(all.max, m_pyramid[level][i].max);
    };
    // Up the levels: what stands out at both ends is added on each.
    while (first < last) {
        if (level + 1 >= m_pyramid.size() || last - first < 2 * kFan) {
            for (; first < last; ++first)
                add(first);
            break;
        }
        for (; first % kFan != 0; ++first)
            add(first);
        for (; last % kFan != 0; --last)
            add(last - 1);
        first /= kFan;
        last /= kFan;
        ++level;
    }
    return all;
}

std::int64_t reservedAt(const Replay &replay, EventInstant instant)
{
    const auto &device = replay.device();
    const auto &events = replay.snapshot().events;
    const auto segments = device.segmentsOf(replay.snapshot());
    std::int64_t level = 0;
    for (const auto index : device.segments)
        level = wrappingAdd(level, static_cast<std::int64_t>(segments[index].totalSize));
    for (std::size_t i = instant; i < device.eventCount; ++i) { // what came later is undone
        const auto row = device.firstEvent + i;
        if (const auto sign = reservedSign(events.action[row]); sign > 0)
            level = wrappingSubtract(level, signedSize(events.sizes[row]));
        else if (sign < 0)
            level = wrappingAdd(level, signedSize(events.sizes[row]));
    }
    return level;
}

LevelBucket LevelCurve::extremes(EventInstant begin, EventInstant end) const
{
    constexpr EventInstant kLeaf = 1U << kLeafBits;
    end = std::min(end, size());
    LevelBucket bucket{begin, end, 0, 0};
    if (begin >= end)
        return bucket;
    Extremes all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    const auto addExact = [&](EventInstant from, EventInstant to) {
        std::int64_t exact[2 * kLeaf];
        const auto length = static_cast<std::size_t>(to - from);
        values(from, std::span(exact, length));
        for (std::size_t i = 0; i < length; ++i) {
            all.min = std::min(all.min, exact[i]);
            all.max = std::max(all.max, exact[i]);
        }
    };
    const auto firstLeaf = (begin + kLeaf - 1) >> kLeafBits;
    const auto lastLeaf = end == size() ? static_cast<EventInstant>(m_pyramid[0].size()) : end >> kLeafBits;
    if (firstLeaf >= lastLeaf) {
        addExact(begin, end);
    } else {
        if (begin < firstLeaf << kLeafBits)
            addExact(begin, firstLeaf << kLeafBits);
        const auto whole = leaves(firstLeaf, lastLeaf);
        all.min = std::min(all.min, whole.min);
        all.max = std::max(all.max, whole.max);
        if (end != size() && end > lastLeaf << kLeafBits)
            addExact(lastLeaf << kLeafBits, end);
    }
    bucket.min = all.min;
    bucket.max = all.max;
    return bucket;
}

EventInstant LevelCurve::firstMaximum(EventInstant begin, EventInstant end) const
{
    constexpr EventInstant kLeaf = 1U << kLeafBits;
    end = std::min(end, size());
    if (begin >= end)
        return begin;
    const auto highest = extremes(begin, end).max;
    std::int64_t exact[kLeaf];
    for (auto from = begin; from < end;) {
        const auto leaf = from >> kLeafBits;
        const auto to = std::min(end, (leaf + 1) << kLeafBits);
        const bool isWhole = from == leaf << kLeafBits && (to == (leaf + 1) << kLeafBits || to == size());
        if (m_pyramid[0][leaf].max >= highest) {
            if (isWhole)
                return from + m_where[leaf];
            values(from, std::span(exact, to - from)); // cut by the range: what is highest can lie outside
            for (auto i = from; i < to; ++i)
                if (exact[i - from] == highest)
                    return i;
        }
        from = to;
    }
    return begin;
}

std::vector<LevelBucket> LevelCurve::slice(EventInstant begin, EventInstant end, std::uint32_t pixels) const
{
    constexpr std::uint64_t kLeaf = std::uint64_t{1} << kLeafBits;
    std::vector<LevelBucket> buckets;
    end = std::min(end, size());
    if (begin >= end || pixels == 0)
        return buckets;
    const std::uint64_t length = end - begin;
    const std::uint64_t most = std::uint64_t{2} * pixels;
    auto width = (length + most - 1) / most;
    if (width < kLeaf) {
        std::vector<std::int64_t> exact(length);
        values(begin, exact);
        for (std::uint64_t at = 0; at < length; at += width) {
            const auto stop = std::min(length, at + width);
            const auto [low, high] = std::minmax_element(exact.begin() + static_cast<std::ptrdiff_t>(at),
                                                         exact.begin() + static_cast<std::ptrdiff_t>(stop));
            buckets.push_back({static_cast<EventInstant>(begin + at), static_cast<EventInstant>(begin + stop), *low, *high});
        }
        return buckets;
    }
    // Borders on leaves, so that only the two ends need exact values.
    width = (width + kLeaf - 1) / kLeaf * kLeaf;
    for (std::uint64_t from = begin; from < end;) {
        const auto to = std::min<std::uint64_t>(end, (from / width + 1) * width);
        buckets.push_back(extremes(static_cast<EventInstant>(from), static_cast<EventInstant>(to)));
        from = to;
    }
    if (buckets.size() > most) { // the grid can cut off a piece at each end
        auto &last = buckets[buckets.size() - 2];
        last = {last.begin, buckets.back().end, std::min(last.min, buckets.back().min), std::max(last.max, buckets.back().max)};
        buckets.pop_back();
    }
    return buckets;
}

std::vector<LevelBucket> LevelCurve::slice(const TimeAxis &axis, std::int64_t fromUs, std::int64_t toUs, std::uint32_t pixels) const
{
    std::vector<LevelBucket> buckets;
    if (!axis.hasTimes() || pixels == 0 || fromUs >= toUs)
        return buckets;
    buckets.reserve(pixels);
    const auto length = static_cast<std::uint64_t>(toUs) - static_cast<std::uint64_t>(fromUs);
    const auto borderAt = [&](std::uint64_t p) { // without the overflow of length * p
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(fromUs) + length / pixels * p + length % pixels * p / pixels);
    };
    // What held just before a column belongs to it as well.
    const auto stateBefore = [&](std::int64_t time) { return time == INT64_MIN ? 0 : axis.instantAt(time - 1); };
    auto begin = stateBefore(fromUs);
    for (std::uint32_t p = 0; p < pixels; ++p) {
        const auto end = stateBefore(borderAt(p + 1));
        buckets.push_back(extremes(begin, std::max(end, begin) + 1));
        begin = end;
    }
    return buckets;
}

} // namespace plimsoll
