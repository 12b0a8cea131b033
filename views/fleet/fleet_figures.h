// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/session.h"
#include "views/fleet/fleet_values.h"
#include "widgets/shell/figure_strip.h"

#include <vector>

namespace plimsoll {

/// The row of figures on top of the Fleet page; only what is known is in it.
[[nodiscard]] std::vector<FigureStrip::Cell> fleetFigures(const Fleet &fleet, const DeviceHistory &history,
                                                          const std::vector<SeriesEntry> &series, const SessionStatus &status);

} // namespace plimsoll
