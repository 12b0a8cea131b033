// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"
#include "history/head.h"
#include "history/store.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll {

/// Folds heads into chunks (and strips), inside the writer's transaction.
class HeadFold
{
public:
    HeadFold(HistoryStore &store, Database &database) : m_store(store), m_database(database) {}

    /// Its period is over and what is late is likely in, or nothing came for long.
    [[nodiscard]] bool isDue(const GroupHead &head, std::int64_t groupNewest, const GroupRow &group,
                             std::int64_t monotonicNow) const;

    struct Done
    {
        std::vector<SeriesId> stored;                         // series whose last sample is now beside their name
        std::vector<std::pair<GroupId, std::int64_t>> strips; // written
    };

    /// Writes chunk and strip and deletes the tail rows; the head itself stays until the commit.
    void fold(GroupId group, const GroupHead &head, Done &done);

private:
    void storeSpans(GroupId group, std::int64_t lastRow, std::vector<SeriesId> &stored);
    struct Existing
    {
        Rows rows;
        bool isThere = false;
    };
    [[nodiscard]] Existing existing(std::int64_t key);
    void writeBuckets(GroupId group, const Period &period, const Rows &rows, bool wasThere, Done &done);

    HistoryStore &m_store;
    Database &m_database;
};

} // namespace plimsoll
