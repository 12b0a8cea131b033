// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/database.h"
#include "history/periods.h"
#include "history/rollup.h"

#include <cstdint>
#include <map>
#include <vector>

namespace plimsoll {

/// Moves minutes of a group into the rows of the three levels. Inside the writer's transaction.
class StripSettler
{
public:
    explicit StripSettler(Database &database) : m_database(database) {}

    /// The rollups of this period become what the strip says; coarser buckets it touches are made anew.
    void replace(GroupId group, const Period &period, const Strip &strip);
    /// Takes a row of `strip` in, and deletes it.
    void settle(GroupId group, const Period &period);

private:
    void replaceSpan(GroupId group, std::uint32_t ordinal, std::int64_t span, const Period &period,
                     std::span<const Bucket> minutes);
    [[nodiscard]] Result<Strip> fromChunk(std::int64_t key);
    [[nodiscard]] std::vector<Bucket> read(std::int64_t key);
    void write(std::int64_t key, std::span<const Bucket> buckets, const RollupLevel &level, std::int64_t span);

    Database &m_database;
};

} // namespace plimsoll
