// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "history/chunk.h"
#include "history/periods.h"

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll {

/// Rows of one group and period that are not folded into a chunk yet.
struct GroupHead
{
    Period period;
    Rows rows;
    std::vector<std::int64_t> fresh;   // times of rows that no tail row holds yet, as they came
    std::vector<std::int64_t> tailIds; // rows of `tail` this head would be made of after a restart
    std::int64_t touchedAt = 0;        // monotonic ns
    std::int64_t createdAt = 0;
};

/// One column of a block and where it goes.
struct HeadColumn
{
    std::uint32_t ordinal = 0;
    std::span<const double> values; // one a row
};

/// The newest minutes of every group in memory. The writer changes it under the exclusive
/// lock, readers copy what they want under the shared one. The writer also keeps the exclusive
/// lock from the commit of a fold until the folded rows are gone from here: who holds the
/// shared lock and then begins to read the file sees each row exactly once.
class HeadMap
{
public:
    using Key = std::pair<std::uint32_t, std::int64_t>; // group, begin of the period

    /// Rows that fit nowhere (a period is full) are counted in the result, in samples.
    std::size_t add(GroupId group, const Periods &periods, std::span<const std::int64_t> times,
                    std::span<const HeadColumn> columns, std::int64_t monotonicNow);
    void restore(GroupId group, const Period &period, const Rows &rows, std::int64_t tailId);

    [[nodiscard]] std::map<Key, GroupHead> &heads() noexcept { return m_heads; }
    [[nodiscard]] const std::map<Key, GroupHead> &heads() const noexcept { return m_heads; }
    void erase(const Key &key);
    [[nodiscard]] std::size_t bytes() const noexcept { return m_bytes; } // about

    /// Samples of one series in [begin, end), rising. Any thread, under the shared lock.
    void copy(GroupId group, std::uint32_t ordinal, std::int64_t begin, std::int64_t end,
              std::vector<std::int64_t> &times, std::vector<double> &values) const;

    [[nodiscard]] std::shared_mutex &mutex() const noexcept { return m_mutex; }

private:
    std::size_t addRun(GroupHead &head, std::span<const std::int64_t> times, std::span<const HeadColumn> columns,
                       std::size_t firstRow);
    std::size_t addOne(GroupHead &head, std::int64_t time, std::span<const HeadColumn> columns, std::size_t row);

    std::map<Key, GroupHead> m_heads;
    std::size_t m_bytes = 0;
    mutable std::shared_mutex m_mutex;
};

} // namespace plimsoll
