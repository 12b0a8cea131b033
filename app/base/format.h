// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/quantity.h"
#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// A number and its unit, apart, so that a view can set the unit smaller.
struct Figure
{
    std::string number;
    std::string unit;

    [[nodiscard]] std::string text() const { return unit.empty() ? number : number + ' ' + unit; }
    friend bool operator==(const Figure &, const Figure &) = default;
};

/// Three significant digits in the binary unit that fits: 512 B, 1.50 KiB, 71.2 GiB.
[[nodiscard]] Figure formatBytes(double bytes);
[[nodiscard]] inline Figure formatBytes(Bytes bytes) { return formatBytes(static_cast<double>(bytes.value)); }

/// Three significant digits: 0.412, 1.42, 98.4, 41,200; true minus sign.
[[nodiscard]] std::string formatNumber(double value);

/// Counts: 812, 41.2 k, 3.90 M.
[[nodiscard]] Figure formatCount(double count);

/// Two largest parts: 41 s, 2 min 13 s, 3 h 5 min, 12 d 4 h; "0.2 s" below ten seconds.
[[nodiscard]] std::string formatDuration(Duration duration);

/// A value in its UCUM unit: By as formatBytes, 1 as per cent, s as duration, else number and unit.
[[nodiscard]] Figure formatValue(double value, std::string_view unit);

/// Whole number with thousands separated by commas: 84,503,887,360.
[[nodiscard]] std::string formatExact(std::int64_t value);

/// Reads what formatBytes prints, and plain integers: "1.5 GiB", "64MiB", "4096". Decimal units too ("2 GB").
[[nodiscard]] std::optional<Bytes> parseBytes(std::string_view text);

/// Reads "250 ms", "10s", "1.5 h", "2 min", "7 d".
[[nodiscard]] std::optional<Duration> parseDuration(std::string_view text);

} // namespace plimsoll
