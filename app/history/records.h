// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "history/database.h"
#include "history/series_table.h"
#include "model/event.h"

#include <map>
#include <set>
#include <stop_token>
#include <vector>

namespace plimsoll {

/// Events by agent that may explain gaps in a range, rising; those of being away that reach into it too.
[[nodiscard]] std::map<std::uint32_t, std::vector<Event>> eventsForGaps(Database &database,
                                                                        const std::set<std::uint32_t> &agents,
                                                                        TimeRange range);

/// The columns time, kind, labels, text, value from `first` on.
[[nodiscard]] Event eventOf(const SQLite::Statement &row, int first);

} // namespace plimsoll
