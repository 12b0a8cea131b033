// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/bytes.h"

#include <cstdint>
#include <optional>
#include <span>

namespace plimsoll {

// n doubles, one head byte and what it asks for:
//   low nibble 0-9  an integer column of v·10^k; the division gives the same 64 bits back (compared, not assumed)
//   14              a bitmap of absent values, then a column of the others
//   15              XOR with the previous value, byte planes that are all zero left out
//   bit 7           a list of exceptions first, for up to n/16 odd values: NaNs, -0, infinities
// No bytes at all: every value is absent.

void encodeValues(std::span<const double> values, Blob &out);

/// Fills `into` from all of `bytes`; false when they do not hold exactly that many.
[[nodiscard]] bool decodeValues(BlobView bytes, std::span<double> into);

inline constexpr int kMaxDecimals = 9;

/// v·10^decimals when dividing it again gives the same bits.
[[nodiscard]] std::optional<std::int64_t> scaledExactly(double value, int decimals) noexcept;
[[nodiscard]] double unscaled(std::int64_t scaled, int decimals) noexcept;

} // namespace plimsoll
