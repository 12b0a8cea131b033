// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

namespace plimsoll {

/// OpenMetrics 1.0, strictly: one line against the specification refuses the body.
[[nodiscard]] Result<Exposition> parseOpenMetrics(std::string_view body, const ExpositionLimits &limits);

} // namespace plimsoll
