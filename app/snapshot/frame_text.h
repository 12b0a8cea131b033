// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// Of ASCII; other bytes stay.
[[nodiscard]] std::string lowerCase(std::string_view text);
void appendLowerCase(std::string &text, std::string_view more);

} // namespace plimsoll
