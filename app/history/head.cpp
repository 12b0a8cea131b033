// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/head.h"

#include "model/series.h"

#include <algorithm>

namespace plimsoll {
namespace {

void widen(Rows &rows, std::span<const HeadColumn> columns)
{
    std::size_t needed = rows.columns.size();
    for (const auto &column : columns)
        needed = std::max<std::size_t>(needed, column.ordinal + 1U);
    if (needed > rows.columns.size())
        rows.columns.resize(needed, std::vector<double>(rows.size(), absentValue()));
}

std::size_t bytesOf(std::size_t rows, const Rows &of) noexcept { return rows * 8 * (1 + of.columns.size()); }

} // namespace

std::size_t HeadMap::addRun(GroupHead &head, std::span<const std::int64_t> times, std::span<const HeadColumn> columns,
                            std::size_t firstRow)
{
    auto &rows = head.rows;
    const std::size_t room = kMaxRows - rows.size();
    const std::size_t taken = std::min(room, times.size());
    rows.times.insert(rows.times.end(), times.begin(), times.begin() + static_cast<std::ptrdiff_t>(taken));
    for (const auto &column : columns) {
        const auto from = column.values.subspan(firstRow, taken);
        auto &to = rows.columns[column.ordinal];
        if (to.size() == rows.size()) // named twice in one block: the last one wins
            std::copy(from.begin(), from.end(), to.end() - static_cast<std::ptrdiff_t>(taken));
        else
            to.insert(to.end(), from.begin(), from.end());
    }
    for (auto &column : rows.columns)
        column.resize(rows.size(), absentValue());
    head.fresh.insert(head.fresh.end(), times.begin(), times.begin() + static_cast<std::ptrdiff_t>(taken));
    return (times.size() - taken) * columns.size();
}

std::size_t HeadMap::addOne(GroupHead &head, std::int64_t time, std::span<const HeadColumn> columns, std::size_t row)
{
    auto &rows = head.rows;
    const auto place = std::lower_bound(rows.times.begin(), rows.times.end(), time);
    const auto index = place - rows.times.begin();
    if (place == rows.times.end() || *place != time) {
        if (rows.size() == kMaxRows)
            return columns.size();
        rows.times.insert(place, time);
        for (auto &column : rows.columns)
            column.insert(column.begin() + index, absentValue());
    }
    for (const auto &column : columns) {
        if (!isAbsent(column.values[row]))
            rows.columns[column.ordinal][static_cast<std::size_t>(index)] = column.values[row];
    }
    head.fresh.push_back(time);
    return 0;
}

std::size_t HeadMap::add(GroupId group, const Periods &periods, std::span<const std::int64_t> times,
                         std::span<const HeadColumn> columns, std::int64_t monotonicNow)
{
    std::size_t dropped = 0;
    for (std::size_t row = 0; row < times.size();) {
        const auto period = periods.at(group, times[row]);
        auto [at, isNew] = m_heads.try_emplace({group.value, period.begin});
        auto &head = at->second;
        if (isNew) {
            head.period = period;
            head.createdAt = monotonicNow;
        }
        head.touchedAt = monotonicNow;
        const std::size_t before = bytesOf(head.rows.size(), head.rows);
        widen(head.rows, columns);
        std::size_t end = row;
        std::int64_t last = head.rows.times.empty() ? -1 : head.rows.times.back();
        while (end < times.size() && times[end] > last && period.contains(times[end]))
            last = times[end++];
        if (end > row) {
            dropped += addRun(head, times.subspan(row, end - row), columns, row);
            row = end;
        } else {
            dropped += addOne(head, times[row], columns, row);
            ++row;
        }
        m_bytes += bytesOf(head.rows.size(), head.rows) - before;
    }
    return dropped;
}

void HeadMap::restore(GroupId group, const Period &period, const Rows &rows, std::int64_t tailId)
{
    auto &head = m_heads[{group.value, period.begin}];
    head.period = period;
    head.tailIds.push_back(tailId);
    const std::size_t before = bytesOf(head.rows.size(), head.rows);
    std::vector<HeadColumn> columns;
    for (std::size_t c = 0; c < rows.columns.size(); ++c)
        columns.push_back({static_cast<std::uint32_t>(c), rows.columns[c]});
    widen(head.rows, columns);
    if (head.rows.times.empty() || rows.times.front() > head.rows.times.back()) {
        addRun(head, rows.times, columns, 0);
    } else {
        for (std::size_t row = 0; row < rows.size(); ++row)
            addOne(head, rows.times[row], columns, row);
    }
    head.fresh.clear(); // they come from the tail
    m_bytes += bytesOf(head.rows.size(), head.rows) - before;
}

void HeadMap::erase(const Key &key)
{
    const auto at = m_heads.find(key);
    if (at == m_heads.end())
        return;
    m_bytes -= bytesOf(at->second.rows.size(), at->second.rows);
    m_heads.erase(at);
}

void HeadMap::copy(GroupId group, std::uint32_t ordinal, std::int64_t begin, std::int64_t end,
                   std::vector<std::int64_t> &times, std::vector<double> &values) const
{
    for (auto at = m_heads.lower_bound({group.value, 0}); at != m_heads.end() && at->first.first == group.value; ++at) {
        const auto &rows = at->second.rows;
        if (ordinal >= rows.columns.size())
            continue;
        const auto first = std::lower_bound(rows.times.begin(), rows.times.end(), begin) - rows.times.begin();
        for (auto i = static_cast<std::size_t>(first); i < rows.size() && rows.times[i] < end; ++i) {
            if (isAbsent(rows.columns[ordinal][i]))
                continue;
            times.push_back(rows.times[i]);
            values.push_back(rows.columns[ordinal][i]);
        }
    }
}

} // namespace plimsoll
