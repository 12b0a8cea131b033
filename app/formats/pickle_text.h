// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// The text that protocol 0 wrote as a line of UNICODE ("raw-unicode-escape": Latin-1 and \uXXXX), as UTF-8.
[[nodiscard]] std::string textOfUnicodeLine(std::string_view line);

/// The text that protocol 0 wrote as a line of STRING: Python's repr, with its quotes.
[[nodiscard]] std::string textOfStringLine(std::string_view line);

} // namespace plimsoll
