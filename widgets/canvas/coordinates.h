// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {

/// Time ↔ pixels along x. A pure value; x is in device-independent pixels.
struct TimeScale
{
    TimeRange range;
    double left = 0;
    double width = 0;

    [[nodiscard]] bool isValid() const noexcept { return width > 0 && !range.isEmpty(); }
    [[nodiscard]] double nanosPerPixel() const noexcept
    {
        return isValid() ? static_cast<double>(range.length().count()) / width : 0;
    }
    /// Differences are taken as integers first: a double holds no nanoseconds since 1970.
    [[nodiscard]] double x(Instant t) const noexcept
    {
        if (!isValid())
            return left;
        return left + static_cast<double>((t - range.begin).count()) / static_cast<double>(range.length().count()) * width;
    }
    /// Any x, also outside; what no Instant can hold is clamped to a range length on each side.
    [[nodiscard]] Instant at(double x) const noexcept
    {
        if (!isValid())
            return range.begin;
        const double ratio = std::clamp((x - left) / width, -1.0, 2.0);
        return range.begin + Duration{std::llround(ratio * static_cast<double>(range.length().count()))};
    }
    [[nodiscard]] Duration lengthOf(double pixels) const noexcept
    {
        return Duration{std::llround(pixels * nanosPerPixel())};
    }
};

/// Value ↔ pixels along y; `bottom` is the value at top + height.
struct ValueScale
{
    double bottom = 0;
    double top = 1;
    double y0 = 0; // pixel of `top`
    double height = 0;

    [[nodiscard]] double y(double value) const noexcept
    {
        const double span = top - bottom;
        return span > 0 ? y0 + (top - value) / span * height : y0 + height;
    }
    [[nodiscard]] double value(double y) const noexcept
    {
        return height > 0 ? top - (y - y0) / height * (top - bottom) : bottom;
    }
};

/// The range after a zoom that keeps `keep` at its place on the screen. factor < 1 looks closer.
[[nodiscard]] inline TimeRange zoomed(TimeRange range, double factor, Instant keep) noexcept
{
    const auto scaled = [factor](Duration d) { return Duration{std::llround(static_cast<double>(d.count()) * factor)}; };
    return {keep - scaled(keep - range.begin), keep + scaled(range.end - keep)};
}

/// A hairline lies on a pixel's centre, else it is two grey ones.
[[nodiscard]] inline double crisp(double position, double pixelRatio = 1) noexcept
{
    return (std::floor(position * pixelRatio) + 0.5) / pixelRatio;
}

} // namespace plimsoll
