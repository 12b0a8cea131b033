// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/bytes.h"
#include "model/series_slice.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll {

// Buckets of one series, in two parts. The axis says when and how many: whole numbers for place,
// count, first time and last time. Series that were always sampled together share it.
// The values are one byte k and five integer columns (first − last before, first − min, max − first,
// last − first, sum − count·first, all times 10^k), or 15 and five value columns.
// min, max, first and last come back bit for bit; a sum is rounded to its series' own decimals.

struct BucketAxis
{
    std::int64_t origin = 0; // ns; a multiple of the width
    std::int64_t width = 0;  // ns
};

void encodeAxis(std::span<const Bucket> buckets, const BucketAxis &axis, Blob &out);
void encodeBucketValues(std::span<const Bucket> buckets, Blob &out);

/// Fill begin, count and times, then the values, of as many buckets as `into` has.
[[nodiscard]] bool decodeAxis(ByteReader &from, const BucketAxis &axis, std::span<Bucket> into);
[[nodiscard]] bool decodeBucketValues(ByteReader &from, std::span<Bucket> into);

[[nodiscard]] bool haveSameAxis(std::span<const Bucket> a, std::span<const Bucket> b) noexcept;

} // namespace plimsoll
