// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace plimsoll {

/// Calls for each pair of a JSON object whose values are texts. Errors: Corrupt.
[[nodiscard]] Result<void> eachTextAttribute(std::string_view json, const std::function<void(const std::string &, std::string_view)> &each);

} // namespace plimsoll
