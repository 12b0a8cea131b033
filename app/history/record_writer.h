// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"
#include "history/intake.h"
#include "history/store.h"

namespace plimsoll {

// Parts of the writer's transaction. Both may run again with the same things after a rollback.

/// Agents, groups and series that changed; `withBegin`: where the samples begin, too.
void writeNames(HistoryStore &store, Database &database, bool withBegin);

/// Events and step records.
void writeRecords(const PendingRecords &pending, Database &database);

} // namespace plimsoll
