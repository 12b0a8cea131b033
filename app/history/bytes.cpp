// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/bytes.h"

#include <array>

namespace plimsoll {
namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Table makeTable() noexcept
{
    Table table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit)
            c = (c & 1U) != 0 ? (c >> 1U) ^ 0xedb88320U : c >> 1U;
        table[0][i] = c;
    }
    for (std::size_t slice = 1; slice < 8; ++slice) {
        for (std::size_t i = 0; i < 256; ++i) {
            const std::uint32_t c = table[slice - 1][i];
            table[slice][i] = (c >> 8U) ^ table[0][c & 0xffU];
        }
    }
    return table;
}

constexpr Table kTable = makeTable();

} // namespace

std::uint32_t crc32(BlobView bytes, std::uint32_t before) noexcept
{
    std::uint32_t c = ~before;
    const std::uint8_t *p = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) {
        const std::uint32_t low = loadLittle<std::uint32_t>(p) ^ c;
        const std::uint32_t high = loadLittle<std::uint32_t>(p + 4);
        c = kTable[7][low & 0xffU] ^ kTable[6][(low >> 8U) & 0xffU] ^ kTable[5][(low >> 16U) & 0xffU]
            ^ kTable[4][low >> 24U] ^ kTable[3][high & 0xffU] ^ kTable[2][(high >> 8U) & 0xffU]
            ^ kTable[1][(high >> 16U) & 0xffU] ^ kTable[0][high >> 24U];
    }
    for (; left > 0; --left, ++p)
        c = (c >> 8U) ^ kTable[0][(c ^ *p) & 0xffU];
    return ~c;
}

} // namespace plimsoll
