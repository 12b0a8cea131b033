// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/reader.h"

namespace plimsoll {
namespace {

SeriesEntry entryOf(const SeriesRow &row)
{
    return {row.id, row.agentName, row.info, std::nullopt, 0};
}

} // namespace

std::vector<SeriesEntry> HistoryReader::latest() const
{
    const auto rows = m_store.table.rows();
    const auto spans = m_store.table.spans();
    std::vector<SeriesEntry> entries;
    entries.reserve(rows->size());
    for (const auto &row : *rows) {
        if (!row)
            continue;
        auto &entry = entries.emplace_back(entryOf(*row));
        if (row->id.value < spans.size() && spans[row->id.value].last >= 0) {
            entry.lastTime = fromUnixNanos(spans[row->id.value].last);
            entry.lastValue = spans[row->id.value].lastValue;
        }
    }
    return entries;
}

std::optional<TimeRange> HistoryReader::extent() const
{
    const auto newest = m_store.table.newest();
    const std::int64_t begin = m_store.begin;
    if (!newest || begin < 0)
        return std::nullopt;
    return TimeRange{fromUnixNanos(begin), fromUnixNanos(*newest) + Duration(1)};
}

} // namespace plimsoll
