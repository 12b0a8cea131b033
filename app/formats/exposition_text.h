// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

namespace plimsoll {

/// Text 0.0.4 and 1.0.0, line by line: what cannot be read is skipped and told.
[[nodiscard]] Result<Exposition> parsePrometheusText(std::string_view body, const ExpositionLimits &limits);

} // namespace plimsoll
