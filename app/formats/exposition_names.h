// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll {
namespace detail {

inline constexpr std::uint8_t kNameStart = 1;
inline constexpr std::uint8_t kNameRest = 2;

// One look a character: names are a good part of a body.
constexpr std::array<std::uint8_t, 256> makeNameTable()
{
    std::array<std::uint8_t, 256> table{};
    for (std::size_t c = 0; c < 256; ++c) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool isDigit = c >= '0' && c <= '9';
        table[c] = static_cast<std::uint8_t>((isLetter ? kNameStart : 0) | (isLetter || isDigit ? kNameRest : 0));
    }
    return table;
}
inline constexpr auto kNameTable = makeNameTable();

} // namespace detail

[[nodiscard]] constexpr bool isNameStart(char c) noexcept
{
    return (detail::kNameTable[static_cast<unsigned char>(c)] & detail::kNameStart) != 0;
}
[[nodiscard]] constexpr bool isNameRest(char c) noexcept
{
    return (detail::kNameTable[static_cast<unsigned char>(c)] & detail::kNameRest) != 0;
}

/// [a-zA-Z_:][a-zA-Z0-9_:]*
[[nodiscard]] inline bool isMetricName(std::string_view name) noexcept
{
    return !name.empty() && (isNameStart(name.front()) || name.front() == ':')
        && std::all_of(name.begin(), name.end(), [](char c) { return isNameRest(c) || c == ':'; });
}

} // namespace plimsoll
