// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"

#include <cstdint>
#include <optional>

namespace plimsoll {

/// What a range of one series amounts to. Nothing of it when there are no samples.
struct RangeStatistics
{
    std::uint64_t samples = 0;
    std::optional<double> min;
    std::optional<double> mean;
    std::optional<double> p95;
    std::optional<double> max;
    std::optional<double> first;
    std::optional<double> last;
    std::optional<double> delta;        // last − first
    std::optional<double> slopePerHour; // least squares; needs two samples at different times
    bool isApproximate = false; // from buckets: p95 is of bucket maxima, and buckets at the edges count whole

    friend bool operator==(const RangeStatistics &, const RangeStatistics &) = default;
};

/// Pure. Raw slices give exact figures over the samples in [begin, end).
/// Bucketed ones: min, max, mean exact over the buckets that overlap.
[[nodiscard]] RangeStatistics statisticsOf(const SeriesSlice &slice, TimeRange range);

} // namespace plimsoll
