// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"
#include "history/head.h"
#include "history/store.h"

#include <cstdint>
#include <vector>

namespace plimsoll {

/// Folds heads into chunks (and strips), inside the writer's transaction.
class Fold
{
public:
    Fold(Store &store, Database &database) : m_store(store), m_database(database) {}

    /// Its period is over and what is late is likely in, or nothing came for long.
    [[nodiscard]] bool isDue(const Head &head, std::int64_t groupNewest, const GroupRow &group,
                             std::int64_t monotonicNow) const;

    /// Writes chunk and strip and deletes the tail rows; the head itself stays until the commit.
    /// Series that ended within it get their last sample stored beside their name: they join `stored`.
    void fold(GroupId group, const Head &head, std::vector<SeriesId> &stored);

private:
    void storeSpans(GroupId group, std::int64_t lastRow, std::vector<SeriesId> &stored);
    [[nodiscard]] Rows existing(std::int64_t key);

    Store &m_store;
    Database &m_database;
};

} // namespace plimsoll
