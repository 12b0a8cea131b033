// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

#include <algorithm>
#include <string>
#include <utility>

namespace plimsoll {

/// Counts every skipped line, keeps the reasons of the first so many.
inline void noteSkipped(Exposition &into, const ExpositionLimits &limits, std::size_t line, std::string reason)
{
    ++into.skippedCount;
    into.conforms = false;
    if (into.skipped.size() < limits.skippedKept)
        into.skipped.push_back({line, std::move(reason)});
}

/// A warning that comes a thousand times is said once; at most a hundred kinds.
inline void noteWarning(Exposition &into, std::string warning)
{
    if (into.warnings.size() < 100 && std::find(into.warnings.begin(), into.warnings.end(), warning) == into.warnings.end())
        into.warnings.push_back(std::move(warning));
}

} // namespace plimsoll
