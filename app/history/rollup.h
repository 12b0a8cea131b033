// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/result.h"
#include "history/bytes.h"
#include "history/chunk.h"
#include "model/series_slice.h"

#include <array>
#include <cstdint>
#include <vector>

namespace plimsoll {

/// A level of the pyramid: width of its buckets and how long a time one row of it holds, s.
/// Rows of a level span a multiple of those of the level below.
struct RollupLevel
{
    std::int64_t width = 0;
    std::int64_t span = 0;
};

inline constexpr std::array<RollupLevel, 3> kLevels{RollupLevel{60, 7200}, RollupLevel{600, 86'400}, RollupLevel{3600, 691'200}};

// Rollups lie series by series: a month of one is read in a piece. level from 1.
[[nodiscard]] constexpr std::int64_t rollupKey(std::size_t level, GroupId group, std::uint32_t ordinal,
                                               std::int64_t span) noexcept
{
    return (static_cast<std::int64_t>(level) << 56) | (static_cast<std::int64_t>(group.value) << 32)
        | (static_cast<std::int64_t>(ordinal) << 24) | span;
}

/// Buckets of every column of a period, one minute each: the rows of `strip`, until they are settled.
struct Strip
{
    std::vector<std::vector<Bucket>> columns; // by ordinal
};

[[nodiscard]] Strip stripOf(const Rows &rows);

// A strip has a chunk's head (flags bit 1, rows = buckets of the shared axis) and in place of the
// times that axis; a column begins with 0 (the shared axis) or with 1, its number of buckets (2) and its own.
[[nodiscard]] Blob encodeStrip(const Strip &strip);
[[nodiscard]] Result<Strip> decodeStrip(BlobView bytes);
/// Only one column of it.
[[nodiscard]] Result<std::vector<Bucket>> decodeStripColumn(BlobView bytes, std::size_t column);

// A rollup row: 0 version · 1 flags (bit 2) · 2 buckets · 4 width, s · 8 origin, ns · 16 CRC-32 of the
// rest · 20 axis · values.
[[nodiscard]] Blob encodeRollup(std::span<const Bucket> buckets, std::int64_t width, std::int64_t origin);
[[nodiscard]] Result<std::vector<Bucket>> decodeRollup(BlobView bytes);

} // namespace plimsoll
