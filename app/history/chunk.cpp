// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/chunk.h"

#include "history/integer_column.h"
#include "history/value_column.h"
#include "model/series.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace plimsoll {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kNanos = 1;
constexpr std::size_t kHeader = 24;
constexpr std::size_t kCrcAt = 20;
constexpr std::int64_t kMilli = 1'000'000;

std::uint32_t checksum(BlobView bytes) noexcept
{
    return crc32(bytes.subspan(kCrcAt + 4), crc32(bytes.first(kCrcAt)));
}

auto damaged(std::string what) { return failure(Error::Code::Corrupt, "chunk: " + std::move(what)); }

double valueAt(const Rows &rows, std::size_t column, std::size_t row) noexcept
{
    return column < rows.columns.size() ? rows.columns[column][row] : absentValue();
}

} // namespace

Blob encodeChunk(const Rows &rows)
{
    const std::size_t n = rows.size();
    assert(n > 0 && n <= kMaxRows && rows.columns.size() <= kMaxColumns);
    std::vector<std::int64_t> offsets(n);
    bool isNanos = false;
    for (std::size_t i = 0; i < n; ++i) {
        offsets[i] = rows.times[i] - rows.times[0];
        isNanos = isNanos || offsets[i] % kMilli != 0;
    }
    if (!isNanos) {
        for (auto &offset : offsets)
            offset /= kMilli;
    }

    Blob out(kHeader + 4 * rows.columns.size());
    out[0] = kVersion;
    out[1] = isNanos ? kNanos : 0;
    storeLittle(out.data() + 2, static_cast<std::uint16_t>(rows.columns.size()));
    storeLittle(out.data() + 4, static_cast<std::uint16_t>(n));
    storeLittle(out.data() + 8, rows.times[0]);
    const auto begin = out.size();
    encodeIntegers(offsets, out);
    storeLittle(out.data() + 16, static_cast<std::uint32_t>(out.size() - begin));
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        encodeValues(rows.columns[c], out);
        storeLittle(out.data() + kHeader + 4 * c, static_cast<std::uint32_t>(out.size()));
    }
    storeLittle(out.data() + kCrcAt, checksum(out));
    return out;
}

Result<ChunkView> ChunkView::parse(BlobView bytes)
{
    if (bytes.size() < kHeader)
        return damaged("shorter than its header");
    if (bytes[0] != kVersion)
        return failure(Error::Code::Unsupported, "chunk: version " + std::to_string(bytes[0]));
    ChunkView view;
    view.m_bytes = bytes;
    view.m_isNanos = (bytes[1] & kNanos) != 0;
    view.m_columns = loadLittle<std::uint16_t>(bytes.data() + 2);
    view.m_rows = loadLittle<std::uint16_t>(bytes.data() + 4);
    view.m_firstTime = loadLittle<std::int64_t>(bytes.data() + 8);
    view.m_timeLength = loadLittle<std::uint32_t>(bytes.data() + 16);
    if (view.m_columns > kMaxColumns || view.m_rows == 0)
        return damaged("impossible size");
    std::size_t end = kHeader + 4 * view.m_columns + view.m_timeLength;
    if (end > bytes.size())
        return damaged("cut off");
    if (loadLittle<std::uint32_t>(bytes.data() + kCrcAt) != checksum(bytes))
        return damaged("checksum differs");
    for (std::size_t c = 0; c < view.m_columns; ++c) {
        const auto next = loadLittle<std::uint32_t>(bytes.data() + kHeader + 4 * c);
        if (next < end || next > bytes.size())
            return damaged("column ends out of order");
        end = next;
    }
    if (end != bytes.size())
        return damaged("bytes after the last column");
    return view;
}

BlobView ChunkView::bytesOf(std::size_t column) const noexcept
{
    if (column >= m_columns)
        return {};
    const auto endOf = [&](std::size_t c) { return loadLittle<std::uint32_t>(m_bytes.data() + kHeader + 4 * c); };
    const std::size_t begin = column == 0 ? kHeader + 4 * m_columns + m_timeLength : endOf(column - 1);
    return m_bytes.subspan(begin, endOf(column) - begin);
}

bool ChunkView::isAbsent(std::size_t column) const noexcept
{
    return bytesOf(column).empty();
}

Result<std::vector<std::int64_t>> ChunkView::times() const
{
    ByteReader from(m_bytes.subspan(kHeader + 4 * m_columns, m_timeLength));
    std::vector<std::int64_t> times(m_rows);
    if (!decodeIntegers(from, times) || !from.isAtEnd() || times[0] != 0)
        return damaged("times");
    const std::int64_t unit = m_isNanos ? 1 : kMilli;
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        std::int64_t offset = 0;
        std::int64_t time = 0;
        if (__builtin_mul_overflow(times[i], unit, &offset) || __builtin_add_overflow(m_firstTime, offset, &time)
            || (i > 0 && time <= previous))
            return damaged("times do not rise");
        times[i] = previous = time;
    }
    return times;
}

Result<std::vector<double>> ChunkView::column(std::size_t column) const
{
    std::vector<double> values(m_rows);
    if (!decodeValues(bytesOf(column), values))
        return damaged("column " + std::to_string(column));
    return values;
}

Result<Rows> ChunkView::all() const
{
    Rows rows;
    auto readTimes = times();
    if (!readTimes)
        return tl::make_unexpected(readTimes.error());
    rows.times = std::move(*readTimes);
    for (std::size_t c = 0; c < m_columns; ++c) {
        auto values = column(c);
        if (!values)
            return tl::make_unexpected(values.error());
        rows.columns.push_back(std::move(*values));
    }
    return rows;
}

Rows mergeRows(Rows older, const Rows &newer)
{
    if (older.size() == 0)
        return newer;
    if (newer.size() == 0)
        return older;
    const std::size_t columns = std::max(older.columns.size(), newer.columns.size());
    Rows merged;
    merged.columns.resize(columns);
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < older.size() || b < newer.size()) {
        const bool takesA = b == newer.size() || (a < older.size() && older.times[a] <= newer.times[b]);
        const bool takesB = a == older.size() || (b < newer.size() && newer.times[b] <= older.times[a]);
        merged.times.push_back(takesA ? older.times[a] : newer.times[b]);
        for (std::size_t c = 0; c < columns; ++c) {
            double value = takesB ? valueAt(newer, c, b) : absentValue();
            if (takesA && isAbsent(value))
                value = valueAt(older, c, a);
            merged.columns[c].push_back(value);
        }
        a += takesA ? 1 : 0;
        b += takesB ? 1 : 0;
    }
    return merged;
}

} // namespace plimsoll
