// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/store.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace plimsoll {

/// One series' column of the heads, copied.
struct HeadSamples
{
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

struct HeadWish
{
    GroupId group;
    std::uint32_t ordinal = 0;
    std::int64_t begin = 0; // ns
    std::int64_t end = 0;
};

/// One moment of heads and file together, for one short question: each row is in exactly one of
/// them (or in both with the same time, where the head's is the newer).
class HistorySnapshot
{
public:
    /// Copies what is wished of the heads and begins to read the file. Throws SQLite::Exception;
    /// a stop while it waits for the writer leaves isCancelled().
    HistorySnapshot(HistoryStore &store, const std::vector<HeadWish> &wishes, const std::stop_token &stop);
    HistorySnapshot(const HistorySnapshot &) = delete;
    HistorySnapshot &operator=(const HistorySnapshot &) = delete;
    ~HistorySnapshot();

    [[nodiscard]] bool isCancelled() const noexcept { return m_isCancelled; }
    [[nodiscard]] const std::vector<HeadSamples> &heads() const noexcept { return m_heads; } // one a wish
    [[nodiscard]] Database *database() const noexcept { return m_lease.get(); }               // nullptr: no file
    [[nodiscard]] const std::set<std::int64_t> &strips(GroupId group) const; // begins of periods that have one

private:
    ConnectionPool::Lease m_lease;
    std::vector<HeadSamples> m_heads;
    std::map<std::uint32_t, std::set<std::int64_t>> m_strips; // of the groups wished for
    bool m_isCancelled = false;
};

} // namespace plimsoll
