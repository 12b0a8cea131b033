// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace plimsoll {

/// Field numbers of io.prometheus.client.MetricFamily.
enum FamilyField : std::uint32_t { kFamilyName = 1, kFamilyHelp = 2, kFamilyType = 3, kFamilyMetric = 4, kFamilyUnit = 5 };

} // namespace plimsoll
