// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/tail_row.h"

#include "model/series.h"

#include <algorithm>
#include <bit>
#include <string>

namespace plimsoll {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kHeader = 20;
constexpr std::size_t kCrcAt = 16;

std::uint32_t checksum(BlobView bytes) noexcept
{
    return crc32(bytes.subspan(kCrcAt + 4), crc32(bytes.first(kCrcAt)));
}

} // namespace

Blob encodeTail(std::int64_t period, const Rows &rows, std::span<const std::uint32_t> which)
{
    std::vector<std::uint8_t> ordinals;
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        if (std::any_of(which.begin(), which.end(), [&](std::uint32_t r) { return !isAbsent(rows.columns[c][r]); }))
            ordinals.push_back(static_cast<std::uint8_t>(c));
    }
    Blob out(kHeader + ordinals.size() + 8 * which.size() * (1 + ordinals.size()));
    out[0] = kVersion;
    storeLittle(out.data() + 2, static_cast<std::uint16_t>(ordinals.size()));
    storeLittle(out.data() + 4, static_cast<std::uint16_t>(which.size()));
    storeLittle(out.data() + 8, period);
    std::uint8_t *at = std::copy(ordinals.begin(), ordinals.end(), out.data() + kHeader);
    for (const auto row : which) {
        storeLittle(at, rows.times[row]);
        at += 8;
    }
    for (const auto ordinal : ordinals) {
        for (const auto row : which) {
            storeLittle(at, std::bit_cast<std::uint64_t>(rows.columns[ordinal][row]));
            at += 8;
        }
    }
    storeLittle(out.data() + kCrcAt, checksum(out));
    return out;
}

Result<TailRow> decodeTail(BlobView bytes)
{
    const auto damaged = [](std::string what) { return failure(Error::Code::Corrupt, "tail row: " + std::move(what)); };
    if (bytes.size() < kHeader)
        return damaged("shorter than its header");
    if (bytes[0] != kVersion)
        return failure(Error::Code::Unsupported, "tail row: version " + std::to_string(bytes[0]));
    const std::size_t columns = loadLittle<std::uint16_t>(bytes.data() + 2);
    const std::size_t rows = loadLittle<std::uint16_t>(bytes.data() + 4);
    if (columns > kMaxColumns || rows == 0 || bytes.size() != kHeader + columns + 8 * rows * (1 + columns))
        return damaged("impossible size");
    if (loadLittle<std::uint32_t>(bytes.data() + kCrcAt) != checksum(bytes))
        return damaged("checksum differs");
    TailRow tail;
    tail.period = loadLittle<std::int64_t>(bytes.data() + 8);
    const auto ordinals = bytes.subspan(kHeader, columns);
    const std::uint8_t *at = bytes.data() + kHeader + columns;
    tail.rows.times.resize(rows);
    for (auto &time : tail.rows.times) {
        time = loadLittle<std::int64_t>(at);
        at += 8;
    }
    if (std::adjacent_find(tail.rows.times.begin(), tail.rows.times.end(), std::greater_equal<>())
        != tail.rows.times.end())
        return damaged("times do not rise");
    const std::size_t width = columns == 0 ? 0 : 1U + *std::max_element(ordinals.begin(), ordinals.end());
    tail.rows.columns.assign(width, std::vector<double>(rows, absentValue()));
    for (const auto ordinal : ordinals) {
        for (auto &value : tail.rows.columns[ordinal]) {
            value = std::bit_cast<double>(loadLittle<std::uint64_t>(at));
            at += 8;
        }
    }
    return tail;
}

} // namespace plimsoll
