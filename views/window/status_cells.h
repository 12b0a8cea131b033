// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/connection_state.h"
#include "session/session.h"
#include "widgets/shell/status_strip.h"

#include <vector>

namespace plimsoll {

/// What the status strip says: agents and their troubles, intake, cache. A problem leads with its glyph.
[[nodiscard]] std::vector<StatusStrip::Cell> statusCells(const SessionStatus &status,
                                                         const std::vector<ConnectionState> &connections, Instant now, bool utc);

} // namespace plimsoll
