// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "history/database.h"
#include "history/store.h"

#include <vector>

namespace plimsoll {

/// Fills a store from its file: names, the head out of the tail, newest samples, eras.
/// With `mayWrite` the chunk length asked for begins a new era when it differs.
[[nodiscard]] Result<void> load(HistoryStore &store, Database &database, bool mayWrite);

/// Into a file that is new, while the program goes on.
void saveEras(Database &database, const std::vector<Era> &eras);

} // namespace plimsoll
