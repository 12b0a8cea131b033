// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/bytes.h"

#include <cstdint>
#include <span>

namespace plimsoll {

// n whole numbers, bit-packed in blocks of 64. A mode byte first:
//   bits 0-2  0 constant · 1 frame of reference · 2 delta · 3 delta of delta
//   bits 3-7  zero bits at the low end that all of them share, left out
// then what the mode needs. All differences wrap in 64 bits, so that every
// pattern from INT64_MIN to INT64_MAX comes back as it was.

/// Appends the shortest of the four forms.
void encodeIntegers(std::span<const std::int64_t> values, Blob &out);

/// Fills `into`; false when the bytes do not hold exactly that many.
[[nodiscard]] bool decodeIntegers(ByteReader &from, std::span<std::int64_t> into) noexcept;

} // namespace plimsoll
