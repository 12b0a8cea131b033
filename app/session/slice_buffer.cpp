// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/slice_buffer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOpenEndAge = 2s; // how long an answer that reaches up to now is worth

std::int64_t powerBelow(double value)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max(1.0, value))));
}

std::int64_t floorTo(std::int64_t value, std::int64_t step)
{
    const std::int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

Instant floorTo(Instant t, std::int64_t step) { return fromUnixNanos(floorTo(toUnixNanos(t), step)); }

/// Pixels of a request as the nearest power of two, in ratio.
Duration pixelOf(const SliceRequest &request)
{
    const double wanted = static_cast<double>(request.range.length().count()) / std::max(1, request.pixels);
    return Duration{powerBelow(wanted * std::numbers::sqrt2)};
}

Duration widest(const SliceBuffer &buffer)
{
    Duration width{};
    for (const SeriesSlice &slice : buffer.slices)
        width = std::max(width, slice.width);
    return width;
}

SeriesSlice cropOne(const SeriesSlice &slice, TimeRange range)
{
    SeriesSlice part;
    part.series = slice.series;
    part.range = range;
    part.width = slice.width;
    const auto first = std::partition_point(slice.buckets.begin(), slice.buckets.end(),
                                            [&](const Bucket &b) { return b.begin < range.begin; });
    const auto after = std::partition_point(first, slice.buckets.end(),
                                            [&](const Bucket &b) { return b.begin < range.end; });
    part.buckets.assign(first == slice.buckets.begin() ? first : first - 1, after == slice.buckets.end() ? after : after + 1);
    for (const Gap &gap : slice.gaps) {
        if (!gap.range.overlaps(range))
            continue;
        part.gaps.push_back(gap);
        part.gaps.back().range = gap.range.intersected(range);
    }
    return part;
}

/// Gaps lie between samples: old ones up to the last old sample that stays, new ones after it.
std::optional<std::vector<Gap>> splicedGaps(const SeriesSlice &old, const SeriesSlice &fresh, Instant lastKept)
{
    std::vector<Gap> gaps;
    for (const Gap &gap : old.gaps) {
        if (gap.range.begin < lastKept)
            gaps.push_back(gap);
    }
    for (const Gap &gap : fresh.gaps) {
        if (gap.range.end <= lastKept)
            continue;
        if (gap.range.begin < lastKept)
            return std::nullopt; // the two disagree about what was sampled
        gaps.push_back(gap);
    }
    return gaps;
}

std::optional<SeriesSlice> splicedOne(const SeriesSlice &old, const SeriesSlice &fresh, Instant dirtyFrom)
{
    if (old.series != fresh.series || old.width != fresh.width)
        return std::nullopt;
    if (old.buckets.empty() || fresh.buckets.empty())
        return std::nullopt;
    Instant cut = dirtyFrom;
    if (old.width > Duration::zero()) {
        // Both must lie on one grid; the bucket that holds dirtyFrom is the first new one.
        const std::int64_t grid = toUnixNanos(old.buckets.front().begin);
        const std::int64_t width = old.width.count();
        if ((toUnixNanos(fresh.buckets.front().begin) - grid) % width != 0)
            return std::nullopt;
        cut = fromUnixNanos(grid + floorTo(toUnixNanos(dirtyFrom) - grid, width));
    }
    SeriesSlice joined;
    joined.series = old.series;
    joined.range = old.range;
    joined.width = old.width;
    const auto isBefore = [cut](const Bucket &b) { return b.begin < cut; };
    const auto kept = std::partition_point(old.buckets.begin(), old.buckets.end(), isBefore);
    if (kept == old.buckets.begin())
        return std::nullopt;
    auto gaps = splicedGaps(old, fresh, std::prev(kept)->lastTime);
    if (!gaps)
        return std::nullopt;
    joined.buckets.assign(old.buckets.begin(), kept);
    joined.buckets.insert(joined.buckets.end(),
                          std::partition_point(fresh.buckets.begin(), fresh.buckets.end(), isBefore), fresh.buckets.end());
    joined.gaps = std::move(*gaps);
    return joined;
}

} // namespace

SlicePlan SlicePlan::of(const SliceRequest &request)
{
    SlicePlan plan;
    plan.series = request.series;
    plan.withEvents = request.withEvents;
    plan.pixel = pixelOf(request);
    // One length more in all, then out to the grid: between two and three lengths.
    const Duration length = request.range.length();
    const std::int64_t step = std::max(plan.pixel.count(), powerBelow(static_cast<double>(length.count()) / 2));
    plan.range.begin = floorTo(request.range.begin - length / 2, step);
    plan.range.end = floorTo(request.range.end + length / 2 + Duration{step - 1}, step);
    return plan;
}

int SlicePlan::pixels() const { return static_cast<int>(std::max<std::int64_t>(1, range.length() / pixel)); }

bool SlicePlan::covers(const SliceRequest &request) const
{
    return (withEvents || !request.withEvents) && pixel == pixelOf(request) && range.begin <= request.range.begin
        && request.range.end <= range.end && series == request.series;
}

SliceAnswer SliceBuffer::cropped(const SliceRequest &request) const
{
    SliceAnswer answer;
    answer.request = request;
    answer.slices.reserve(slices.size());
    for (const SeriesSlice &slice : slices)
        answer.slices.push_back(cropOne(slice, request.range));
    if (request.withEvents) {
        for (const Event &event : events) {
            if (request.range.contains(event.time))
                answer.events.push_back(event);
        }
    }
    return answer;
}

std::size_t SliceBuffer::bytes() const
{
    std::size_t sum = sizeof(SliceBuffer) + events.size() * sizeof(Event);
    for (const SeriesSlice &slice : slices)
        sum += sizeof(SeriesSlice) + slice.buckets.size() * sizeof(Bucket) + slice.gaps.size() * sizeof(Gap);
    return sum;
}

std::optional<TimeRange> tailRange(const SliceBuffer &buffer, Instant dirtyFrom)
{
    // Each series' last sample before dirtyFrom must be in it, or what follows would be a gap of
    // unknown begin; and a little more, so that the first bucket that counts is a whole one.
    const TimeRange &all = buffer.plan.range;
    const Duration width = widest(buffer);
    Instant from = dirtyFrom;
    for (const SeriesSlice &slice : buffer.slices) {
        const auto after = std::partition_point(slice.buckets.begin(), slice.buckets.end(), [&](const Bucket &b) {
            return b.begin + width < dirtyFrom;
        });
        if (after == slice.buckets.begin())
            return std::nullopt;
        from = std::min(from, std::prev(after)->firstTime);
    }
    const Duration margin = std::max<Duration>({2 * width, 10s, all.length() / 64});
    const Instant begin = floorTo(from - margin, buffer.plan.pixel.count());
    if (begin < all.begin + all.length() / 4 || begin >= all.end)
        return std::nullopt;
    return TimeRange{begin, all.end};
}

std::optional<SliceBuffer> spliced(const SliceBuffer &buffer, const SliceBuffer &tail, Instant dirtyFrom)
{
    if (buffer.slices.size() != tail.slices.size())
        return std::nullopt;
    SliceBuffer joined;
    joined.plan = buffer.plan;
    joined.readAt = tail.readAt;
    joined.slices.reserve(buffer.slices.size());
    for (std::size_t i = 0; i < buffer.slices.size(); ++i) {
        auto slice = splicedOne(buffer.slices[i], tail.slices[i], dirtyFrom);
        if (!slice)
            return std::nullopt;
        joined.slices.push_back(std::move(*slice));
    }
    for (const Event &event : buffer.events) {
        if (event.time < dirtyFrom)
            joined.events.push_back(event);
    }
    for (const Event &event : tail.events) {
        if (event.time >= dirtyFrom)
            joined.events.push_back(event);
    }
    return joined;
}

SliceCache::Hit SliceCache::find(const SliceRequest &request, Instant now)
{
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend(); ++entry) {
        if (!entry->buffer->plan.covers(request))
            continue;
        Hit hit = *entry;
        std::rotate(entry.base() - 1, entry.base(), m_entries.end());
        if (hit.dirtyFrom && *hit.dirtyFrom >= request.range.end)
            hit.dirtyFrom.reset(); // what is new lies behind what is asked
        const Instant readAt = hit.buffer->readAt;
        if (!hit.dirtyFrom && readAt < request.range.end && now - readAt > kOpenEndAge)
            hit.dirtyFrom = readAt;
        return hit;
    }
    return {};
}

void SliceCache::insert(std::shared_ptr<const SliceBuffer> buffer, std::optional<Instant> dirtyFrom)
{
    const SlicePlan &plan = buffer->plan;
    std::erase_if(m_entries, [&plan](const Hit &entry) {
        const SlicePlan &other = entry.buffer->plan;
        return other.range == plan.range && other.pixel == plan.pixel && other.series == plan.series
            && (plan.withEvents || !other.withEvents);
    });
    m_entries.push_back({std::move(buffer), dirtyFrom});
    std::size_t sum = 0;
    for (const Hit &entry : m_entries)
        sum += entry.buffer->bytes();
    while (m_entries.size() > 1 && sum > m_limit) {
        sum -= m_entries.front().buffer->bytes();
        m_entries.erase(m_entries.begin());
    }
}

void SliceCache::markDirty(TimeRange committed)
{
    for (Hit &entry : m_entries) {
        // A committed end is the last sample's own time: [begin, end] and not [begin, end).
        const TimeRange &range = entry.buffer->plan.range;
        if (committed.begin < range.end && committed.end >= range.begin)
            entry.dirtyFrom = entry.dirtyFrom ? std::min(*entry.dirtyFrom, committed.begin) : committed.begin;
    }
}

} // namespace plimsoll
