// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <optional>
#include <string_view>

namespace plimsoll {

/// A decimal number, infinity or NaN in any letter case, as all text formats write them:
/// no hexadecimal, no underscore, no blanks. nullopt when it is none or overflows.
[[nodiscard]] std::optional<double> parseMetricNumber(std::string_view text) noexcept;

/// Signed whole milliseconds since 1970, as the Prometheus text format writes time. What an
/// Instant cannot hold (after 2262) becomes the last one it can: legal, if useless.
[[nodiscard]] std::optional<Instant> parseMillis(std::string_view text) noexcept;

/// Seconds since 1970 with decimals, as OpenMetrics writes time; cut to
/// nanoseconds, exact to them; range as parseMillis.
[[nodiscard]] std::optional<Instant> parseSeconds(std::string_view text) noexcept;

/// Whether a time read here stands for one that an Instant cannot hold.
[[nodiscard]] bool isOutOfRange(Instant time) noexcept;

/// Seconds since 1970, the nearest double: 1796049784.541 comes out as it went in.
[[nodiscard]] double toSeconds(Instant time) noexcept;

} // namespace plimsoll
