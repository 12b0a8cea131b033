// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

struct TimeTick
{
    Instant time;
    QString label;

    friend bool operator==(const TimeTick &, const TimeTick &) = default;
};

/// Ticks at round times, about one per `spacing` pixels, never nearer than 0.7 of it.
/// Labels say as much as the step needs: 14:03, 14:03:20, 14:03:20.5, 18 Nov, Nov 2026.
[[nodiscard]] std::vector<TimeTick> timeTicks(TimeRange range, double width, bool utc, double spacing = 80);

/// The time of a crosshair, as fine as a pixel is: 13:57:11, 13:57:11.250, 18 Nov 13:57.
[[nodiscard]] QString timeTagText(Instant time, Duration perPixel, bool utc);

struct ValueTick
{
    double value = 0;
    QString label;
};

/// A vertical axis with round steps (1 2 5; bytes in their binary unit).
struct ValueAxis
{
    double bottom = 0;
    double top = 1;
    double unitFactor = 1; // value of one `unit`
    QString unit;          // "GiB", once above the labels
    std::vector<ValueTick> ticks; // rising
};

struct ValueAxisWish
{
    double min = 0; // of the visible data
    double max = 1;
    std::string unit; // UCUM
    double height = 100; // pixels
    bool fromZero = true;
    std::optional<double> limit; // a capacity to keep in sight: its number takes the top label's place
};

/// Never fails: NaN, infinities and empty spans give a usable axis.
[[nodiscard]] ValueAxis valueAxis(const ValueAxisWish &wish);

} // namespace plimsoll
