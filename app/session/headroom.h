// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"

#include <optional>
#include <span>
#include <utility>

namespace plimsoll {

/// How far back the trend is looked for.
inline constexpr Duration kHeadroomWindow = std::chrono::minutes(10);

struct HeadroomPoint
{
    Instant time;
    double used = 0; // bytes

    friend bool operator==(const HeadroomPoint &, const HeadroomPoint &) = default;
};

/// Earliest and latest time from the last point until `capacity` bytes are used, were
/// the trend of the last ten minutes to go on: a Theil–Sen slope with its 95 % range,
/// which a few outliers do not move. Points rise in time.
/// nullopt: steady or falling, or too little is known (under 8 points or one minute).
[[nodiscard]] std::optional<std::pair<Duration, Duration>> timeToFull(std::span<const HeadroomPoint> points,
                                                                      double capacity);

/// The same from a slice of a device's use …
[[nodiscard]] std::optional<std::pair<Duration, Duration>> timeToFull(const SeriesSlice &used, double capacity);

/// … and from a slice of what a host has available, full when nothing is.
[[nodiscard]] std::optional<std::pair<Duration, Duration>> timeToFullOfAvailable(const SeriesSlice &available,
                                                                                 double capacity);

} // namespace plimsoll
