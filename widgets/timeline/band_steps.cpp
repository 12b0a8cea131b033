// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/band_steps.h"

#include "widgets/timeline/timeline_geometry.h"

#include <algorithm>
#include <bit>

namespace plimsoll {
namespace {

std::int64_t cellOf(const Bucket &bucket, Duration cell)
{
    return toUnixNanos(bucket.firstTime) / cell.count(); // times before 1970 only share a cell more
}

void include(BandStep &step, const Bucket &bucket)
{
    step.end = std::max(step.end, bucket.lastTime);
    step.begin = std::min(step.begin, bucket.firstTime);
    step.min = std::min(step.min, bucket.min);
    step.max = std::max(step.max, bucket.max);
}

BandStep stepOf(const Bucket &bucket)
{
    return {bucket.firstTime, bucket.lastTime, bucket.min, bucket.max, false};
}

} // namespace

Duration bandCell(Duration perPixel) noexcept
{
    const auto wanted = static_cast<std::uint64_t>(std::clamp<std::int64_t>(3 * perPixel.count(), 1, std::int64_t{1} << 61));
    return Duration{static_cast<std::int64_t>(std::bit_ceil(wanted))};
}

std::vector<BandStep> bandSteps(const SeriesSlice &slice, std::size_t begin, std::size_t end, Duration perPixel)
{
    const Duration cell = bandCell(perPixel);
    std::vector<BandStep> steps;
    auto gap = slice.gaps.begin();
    for (std::size_t i = begin; i < end; ++i) {
        const Bucket &b = slice.buckets[i];
        bool isAfterGap = false;
        if (i > begin) {
            const Bucket &before = slice.buckets[i - 1];
            while (gap != slice.gaps.end() && gap->range.end <= before.lastTime)
                ++gap;
            isAfterGap = gap != slice.gaps.end() && gap->range.begin < b.firstTime;
            if (!isAfterGap && cellOf(before, cell) == cellOf(b, cell)) {
                include(steps.back(), b);
                continue;
            }
        }
        steps.push_back(stepOf(b));
        steps.back().isAfterGap = isAfterGap;
    }
    return steps;
}

BandStep bandStepAt(const SeriesSlice &slice, std::size_t bucket, Duration perPixel)
{
    const auto &all = slice.buckets;
    const Duration cell = bandCell(perPixel);
    const auto belongs = [&](std::size_t a, std::size_t b) { // neighbours, a before b
        return cellOf(all[a], cell) == cellOf(all[b], cell) && !gapBetween(slice, all[a].lastTime, all[b].firstTime);
    };
    BandStep step = stepOf(all[bucket]);
    for (std::size_t i = bucket; i > 0 && belongs(i - 1, i); --i)
        include(step, all[i - 1]);
    for (std::size_t i = bucket; i + 1 < all.size() && belongs(i, i + 1); ++i)
        include(step, all[i + 1]);
    return step;
}

} // namespace plimsoll
