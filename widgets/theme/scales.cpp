// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/scales.h"

#include "widgets/theme/tokens.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {

namespace {

template <std::size_t N>
QColor interpolated(const std::array<QColor, N> &stops, double ratio)
{
    // A NaN would otherwise index outside of the stops.
    const double clamped = std::isfinite(ratio) ? std::clamp(ratio, 0.0, 1.0) : 0.0;
    const double at = clamped * (N - 1);
    const auto lower = std::min(static_cast<std::size_t>(at), N - 2);
    return mixed(stops[lower], stops[lower + 1], at - static_cast<double>(lower));
}

} // namespace

QColor loadColour(double ratio, const Tokens &tokens)
{
    return interpolated(tokens.load, ratio);
}

QColor inkOn(double ratio, const Tokens &tokens)
{
    if (tokens.isDark)
        return ratio <= 0.375 ? QColor(Qt::white) : QColor(Qt::black);
    return ratio <= 0.5 ? QColor(Qt::black) : QColor(Qt::white);
}

QColor differenceColour(double ratio, const Tokens &tokens)
{
    return interpolated(tokens.difference, (ratio + 1) / 2);
}

} // namespace plimsoll
