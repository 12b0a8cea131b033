// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"
#include "history/store.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll {

/// "Now" for ages: the newest sample, but never later than our clock. A clock that jumped ahead,
/// ours or an agent's, must not make everything old.
[[nodiscard]] std::optional<std::int64_t> dataNow(const HistoryStore &store);

/// What keeps the file in bounds, a small step at a time so that no commit waits long for it.
/// Each step runs in the writer's transaction; what it changed in memory is applied after the commit.
class Retention
{
public:
    Retention(HistoryStore &store, Database &database) : m_store(store), m_database(database) {}

    struct Done
    {
        std::vector<std::pair<GroupId, std::int64_t>> settled; // strips that became rollups
        std::optional<std::int64_t> rawSince;                  // ns
        std::optional<std::int64_t> begin;                     // ns
        [[nodiscard]] bool isNothing() const noexcept { return settled.empty() && !rawSince && !begin; }
    };

    [[nodiscard]] Done step();
    /// Gives free pages back when there are many; outside of a transaction.
    void vacuum();

private:
    void settle(std::int64_t now, Done &done);
    void dropOldRaw(std::int64_t now, Done &done);
    void dropBySize(std::int64_t now, Done &done);
    [[nodiscard]] bool eraseChunks(std::int64_t before, std::int64_t most, Done &done);
    void eraseRollups(std::int64_t before);
    [[nodiscard]] std::int64_t usedBytes();
    void storeMeta(const char *key, std::int64_t value);

    HistoryStore &m_store;
    Database &m_database;
};

} // namespace plimsoll
