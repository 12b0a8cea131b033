// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll {

/// The unsigned number at the start of the text, after blanks; nullopt when there is none or it overflows.
[[nodiscard]] inline std::optional<std::uint64_t> leadingNumber(std::string_view text) noexcept
{
    const auto start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), value);
    if (error != std::errc{})
        return std::nullopt;
    return value;
}

/// Calls `use(line)` for each line, without its end.
template <class Use>
void forEachLine(std::string_view text, Use use)
{
    while (!text.empty()) {
        const auto end = text.find('\n');
        use(text.substr(0, end));
        if (end == std::string_view::npos)
            return;
        text.remove_prefix(end + 1);
    }
}

/// Lines like "MemTotal:  24 kB", "oom_kill 3": calls `use(key, rest)`; others are passed over.
template <class Use>
void forEachKey(std::string_view text, Use use)
{
    forEachLine(text, [&](std::string_view line) {
        const auto end = line.find_first_of(": \t");
        if (end == std::string_view::npos || end == 0)
            return;
        use(line.substr(0, end), line.substr(line[end] == ':' ? end + 1 : end));
    });
}

} // namespace plimsoll
