// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll {

/// CRC-32 (IEEE 802.3), continued from `crc`; 0 begins.
[[nodiscard]] inline std::uint32_t crc32(std::string_view bytes, std::uint32_t crc = 0) noexcept
{
    static constexpr auto kTable = [] {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < table.size(); ++i) {
            std::uint32_t c = i;
            for (int bit = 0; bit < 8; ++bit)
                c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1U) : c >> 1U;
            table[i] = c;
        }
        return table;
    }();
    crc = ~crc;
    for (const char byte : bytes)
        crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (crc >> 8U);
    return ~crc;
}

} // namespace plimsoll
