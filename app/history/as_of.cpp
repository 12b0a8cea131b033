// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/chunk.h"
#include "history/reader.h"
#include "history/rollup.h"
#include "history/snapshot.h"

#include <algorithm>

namespace plimsoll {
namespace {

struct Newest
{
    std::int64_t time = -1;
    double value = 0;
};

// Newest samples of all series in [from, until].
class Moment
{
public:
    Moment(HistoryStore &store, std::int64_t from, std::int64_t until, const std::stop_token &stop)
        : m_store(store), m_from(from), m_until(until), m_stop(stop), m_rows(store.table.rows()), m_newest(m_rows->size())
    {
    }

    Result<std::vector<SeriesEntry>> find();

private:
    Result<void> lookInChunks(Database &database, GroupId group, const std::vector<SeriesId> &columns);
    void look(const Rows &rows, const std::vector<SeriesId> &columns);
    Result<void> lookInRollups(Database &database, const SeriesRow &row);

    HistoryStore &m_store;
    const std::int64_t m_from;
    const std::int64_t m_until;
    const std::stop_token &m_stop;
    const std::shared_ptr<const SeriesRows> m_rows;
    std::vector<Newest> m_newest; // by id
};

auto cancelled() { return failure(Error::Code::Cancelled, {}); }

Result<std::vector<SeriesEntry>> Moment::find()
{
    std::vector<HeadWish> wishes;
    std::vector<SeriesId> wished;
    std::map<std::uint32_t, std::vector<SeriesId>> columnsOf;
    for (const auto &row : *m_rows) {
        if (!row)
            continue;
        wishes.push_back({row->group, row->ordinal, m_from, m_until + 1});
        wished.push_back(row->id);
        auto &columns = columnsOf[row->group.value];
        if (columns.size() <= row->ordinal)
            columns.resize(row->ordinal + 1U);
        columns[row->ordinal] = row->id;
    }
    const HistorySnapshot snapshot(m_store, wishes, m_stop);
    if (snapshot.isCancelled())
        return cancelled();
    for (std::size_t i = 0; i < wished.size(); ++i) {
        const auto &head = snapshot.heads()[i];
        if (!head.times.empty())
            m_newest[wished[i].value] = {head.times.back(), head.values.back()};
    }
    if (auto *database = snapshot.database()) {
        for (const auto &[group, columns] : columnsOf) {
            if (auto done = lookInChunks(*database, {group}, columns); !done)
                return tl::make_unexpected(done.error());
        }
    }
    std::vector<SeriesEntry> entries;
    for (const auto &row : *m_rows) {
        if (row && m_newest[row->id.value].time >= 0) {
            const auto &found = m_newest[row->id.value];
            entries.push_back({row->id, row->agentName, row->info, fromUnixNanos(found.time), found.value});
        }
    }
    return entries;
}

// From the newest period backwards; most groups are done after the first.
Result<void> Moment::lookInChunks(Database &database, GroupId group, const std::vector<SeriesId> &columns)
{
    for (auto period = m_store.periods.at(group, m_until); period.end * kSecond > m_from;
         period = m_store.periods.at(group, period.begin * kSecond - 1)) {
        if (m_stop.stop_requested())
            return cancelled();
        auto &query = database.statement("SELECT data FROM chunk WHERE id=?");
        query.bind(1, chunkKey(period.begin, group));
        if (query.executeStep()) {
            const auto view = ChunkView::parse(blobOf(query, 0));
            const auto rows = view ? view->all() : tl::make_unexpected(view.error());
            if (!rows)
                return tl::make_unexpected(rows.error());
            look(*rows, columns);
        }
        const auto isFound = [&](SeriesId id) { return !id || m_newest[id.value].time >= period.begin * kSecond; };
        if (period.begin == 0 || std::all_of(columns.begin(), columns.end(), isFound))
            break;
    }
    if (m_until >= m_store.rawSince)
        return {};
    for (const auto id : columns) {
        if (!id || m_newest[id.value].time >= 0)
            continue;
        if (auto done = lookInRollups(database, *(*m_rows)[id.value]); !done)
            return done;
    }
    return {};
}

void Moment::look(const Rows &rows, const std::vector<SeriesId> &columns)
{
    const auto end = std::upper_bound(rows.times.begin(), rows.times.end(), m_until) - rows.times.begin();
    for (std::size_t c = 0; c < std::min(rows.columns.size(), columns.size()); ++c) {
        if (!columns[c])
            continue;
        auto &best = m_newest[columns[c].value];
        for (auto i = static_cast<std::size_t>(end); i-- > 0;) {
            if (rows.times[i] < m_from || rows.times[i] <= best.time)
                break;
            if (!isAbsent(rows.columns[c][i])) {
                best = {rows.times[i], rows.columns[c][i]};
                break;
            }
        }
    }
}

// Where the raw samples are gone a minute is as near as it gets: the first sample of the minute
// that `until` lies in, or the last one of the minute before.
Result<void> Moment::lookInRollups(Database &database, const SeriesRow &row)
{
    if (m_stop.stop_requested())
        return cancelled();
    const std::int64_t from = std::min(m_from, m_until - kLevels[0].width * kSecond);
    const auto span = kLevels[0].span * kSecond;
    auto &query = database.statement("SELECT data FROM rollup WHERE id >= ? AND id <= ? ORDER BY id");
    query.bind(1, rollupKey(1, row.group, row.ordinal, std::max<std::int64_t>(from, 0) / span));
    query.bind(2, rollupKey(1, row.group, row.ordinal, m_until / span));
    auto &best = m_newest[row.id.value];
    while (query.executeStep()) {
        const auto buckets = decodeRollup(blobOf(query, 0));
        if (!buckets)
            return tl::make_unexpected(buckets.error());
        for (const auto &bucket : *buckets) {
            const auto first = toUnixNanos(bucket.firstTime);
            const auto last = toUnixNanos(bucket.lastTime);
            if (last >= from && last <= m_until)
                best = {last, bucket.last};
            else if (first >= from && first <= m_until)
                best = {first, bucket.first};
        }
    }
    return {};
}

} // namespace

Result<std::vector<SeriesEntry>> HistoryReader::asOf(Instant at, Duration within, const std::stop_token &stop) const
{
    const std::int64_t until = toUnixNanos(at);
    if (until < 0)
        return std::vector<SeriesEntry>{};
    const std::int64_t from = until - std::clamp<std::int64_t>(within.count(), 0, until);
    try {
        return Moment(m_store, from, until, stop).find();
    } catch (const SQLite::Exception &e) {
        return tl::make_unexpected(toError(e, m_store.options.file));
    }
}

} // namespace plimsoll
