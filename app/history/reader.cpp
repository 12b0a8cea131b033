// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/reader.h"

#include "history/chunk.h"
#include "history/snapshot.h"

#include <algorithm>

namespace plimsoll {
namespace {

SeriesEntry entryOf(const SeriesRow &row)
{
    return {row.id, row.agentName, row.info, std::nullopt, 0};
}

struct Newest
{
    std::int64_t time = -1;
    double value = 0;
};

// The newest sample of every column up to `at`, into `newest` by series id.
void look(const Rows &rows, const std::vector<SeriesId> &columns, std::int64_t from, std::int64_t at,
          std::vector<Newest> &newest)
{
    const auto end = std::upper_bound(rows.times.begin(), rows.times.end(), at) - rows.times.begin();
    for (std::size_t c = 0; c < std::min(rows.columns.size(), columns.size()); ++c) {
        if (!columns[c])
            continue;
        auto &best = newest[columns[c].value];
        for (auto i = static_cast<std::size_t>(end); i-- > 0 && rows.times[i] >= from && rows.times[i] >= best.time;) {
            if (isAbsent(rows.columns[c][i]))
                continue;
            best = {rows.times[i], rows.columns[c][i]};
            break;
        }
    }
}

} // namespace

std::vector<SeriesEntry> Reader::latest() const
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

Result<std::vector<SeriesEntry>> Reader::asOf(Instant at, Duration within, const std::stop_token &stop) const
{
    const auto rows = m_store.table.rows();
    const std::int64_t until = toUnixNanos(at);
    const std::int64_t from = std::max<std::int64_t>(0, within > Duration::zero() && until > within.count() ? until - within.count() : 0);
    std::map<std::uint32_t, std::vector<SeriesId>> columnsOf;
    for (const auto &row : *rows) {
        if (!row)
            continue;
        auto &columns = columnsOf[row->group.value];
        if (columns.size() <= row->ordinal)
            columns.resize(row->ordinal + 1U);
        columns[row->ordinal] = row->id;
    }
    std::vector<Newest> newest(rows->size());
    try {
        std::vector<HeadWish> wishes;
        for (const auto &row : *rows) {
            if (row)
                wishes.push_back({row->group, row->ordinal, from, until + 1});
        }
        const Snapshot snapshot(m_store, wishes, stop);
        if (snapshot.isCancelled())
            return failure(Error::Code::Cancelled, {});
        for (std::size_t wish = 0, id = 0; id < rows->size(); ++id) {
            if (!(*rows)[id])
                continue;
            const auto &head = snapshot.heads()[wish++];
            if (!head.times.empty())
                newest[id] = {head.times.back(), head.values.back()};
        }
        for (const auto &[group, columns] : columnsOf) {
            if (snapshot.database() == nullptr || until < 0)
                break;
            // From the newest period backwards; most groups are done after the first.
            for (auto period = m_store.periods.at({group}, until); period.end * kSecond > from;
                 period = m_store.periods.at({group}, period.begin * kSecond - 1)) {
                if (stop.stop_requested())
                    return failure(Error::Code::Cancelled, {});
                auto &query = snapshot.database()->statement("SELECT data FROM chunk WHERE id=?");
                query.bind(1, chunkKey(period.begin, {group}));
                if (query.executeStep()) {
                    const auto view = ChunkView::parse(blobOf(query, 0));
                    const auto all = view ? view->all() : tl::make_unexpected(view.error());
                    if (!all)
                        return tl::make_unexpected(all.error());
                    look(*all, columns, from, until, newest);
                }
                if (period.begin == 0)
                    break;
            }
        }
    } catch (const SQLite::Exception &e) {
        return tl::make_unexpected(toError(e, m_store.options.file));
    }
    std::vector<SeriesEntry> entries;
    for (const auto &row : *rows) {
        if (!row || newest[row->id.value].time < 0)
            continue;
        auto &entry = entries.emplace_back(entryOf(*row));
        entry.lastTime = fromUnixNanos(newest[row->id.value].time);
        entry.lastValue = newest[row->id.value].value;
    }
    return entries;
}

std::optional<TimeRange> Reader::extent() const
{
    const auto newest = m_store.table.newest();
    const std::int64_t begin = m_store.begin;
    if (!newest || begin < 0)
        return std::nullopt;
    return TimeRange{fromUnixNanos(begin), fromUnixNanos(*newest) + Duration(1)};
}

} // namespace plimsoll
