// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "history/bytes.h"
#include "history/chunk.h"

#include <cstdint>
#include <span>

namespace plimsoll {

// What one commit brought for one group and one period, as it came. Lives until the
// period is folded into a chunk; after a restart the head is made of these.
//   0 version 1 · 1 zero · 2 columns · 4 rows · 6 zero · 8 start of the period, s · 16 CRC-32 of the rest ·
//   20 the ordinals (1 each) · times (8 each) · values (8 each), column by column

/// Rows [first, rows.size()) listed in `which`; columns that are absent in all of them are left out.
[[nodiscard]] Blob encodeTail(std::int64_t period, const Rows &rows, std::span<const std::uint32_t> which);

struct TailRow
{
    std::int64_t period = 0;
    Rows rows;
};

[[nodiscard]] Result<TailRow> decodeTail(BlobView bytes);

} // namespace plimsoll
