// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "history/bytes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll {

/// Rows of one group that share their times; absent where a series has no value.
struct Rows
{
    std::vector<std::int64_t> times;          // ns UTC, strictly rising
    std::vector<std::vector<double>> columns; // by ordinal; a shorter list = the rest is absent throughout

    [[nodiscard]] std::size_t size() const noexcept { return times.size(); }
    friend bool operator==(const Rows &, const Rows &) = default;
};

inline constexpr std::size_t kMaxColumns = 256;  // of a group
inline constexpr std::size_t kMaxRows = 65'535;  // of a group in one period: 109 a second over ten minutes

// A chunk, little endian:
//   0 version 1 · 1 flags (bit 0 times in ns, else ms) · 2 columns · 4 rows · 6 zero · 8 time of the first row ·
//   16 length of the time column · 20 CRC-32 of everything else · 24 end of every column from the start of
//   the chunk (4 each) · the time column (whole numbers from the first row on) · the value columns.
// One column is found and read without touching its neighbours.

[[nodiscard]] Blob encodeChunk(const Rows &rows);

/// A chunk somebody else holds the bytes of: checked once, columns decoded on demand.
class ChunkView
{
public:
    /// Refuses what the CRC, the version or the bounds do not vouch for, before it allocates anything.
    [[nodiscard]] static Result<ChunkView> parse(BlobView bytes);

    [[nodiscard]] std::size_t rows() const noexcept { return m_rows; }
    [[nodiscard]] std::size_t columns() const noexcept { return m_columns; }
    [[nodiscard]] std::int64_t firstTime() const noexcept { return m_firstTime; }
    [[nodiscard]] bool isAbsent(std::size_t column) const noexcept; // throughout
    [[nodiscard]] Result<std::vector<std::int64_t>> times() const;
    /// Absent throughout for a column the group did not have yet.
    [[nodiscard]] Result<std::vector<double>> column(std::size_t column) const;
    [[nodiscard]] Result<Rows> all() const;

private:
    [[nodiscard]] BlobView bytesOf(std::size_t column) const noexcept;

    BlobView m_bytes;
    std::size_t m_rows = 0;
    std::size_t m_columns = 0;
    std::size_t m_timeLength = 0;
    std::int64_t m_firstTime = 0;
    bool m_isNanos = false;
};

/// Puts `newer` into `older`: rows stay rising, equal times become one row in which newer values win.
/// An absent value never hides one that is there.
[[nodiscard]] Rows mergeRows(Rows older, const Rows &newer);

} // namespace plimsoll
