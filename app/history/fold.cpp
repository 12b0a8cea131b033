// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/fold.h"

#include "history/settle.h"
#include "model/series.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::int64_t kGrace = 2 * kSecond;       // of data's own time, for what comes a little late
constexpr std::int64_t kLateQuiet = 30 * kSecond;  // a folded period that gets more waits for the last of it
constexpr std::int64_t kQuiet = 60 * kSecond;

// Rows beyond what a chunk holds: the newest stay.
std::size_t trim(Rows &rows)
{
    if (rows.size() <= kMaxRows)
        return 0;
    const auto surplus = static_cast<std::ptrdiff_t>(rows.size() - kMaxRows);
    rows.times.erase(rows.times.begin(), rows.times.begin() + surplus);
    for (auto &column : rows.columns)
        column.erase(column.begin(), column.begin() + surplus);
    return static_cast<std::size_t>(surplus) * rows.columns.size();
}

} // namespace

bool HeadFold::isDue(const GroupHead &head, std::int64_t groupNewest, const GroupRow &group, std::int64_t monotonicNow) const
{
    const auto quietFor = monotonicNow - head.touchedAt;
    const auto length = (head.period.end - head.period.begin) * kSecond;
    if (group.newest >= head.period.begin) // late: each fold rewrites the chunk, so not for every row
        return quietFor > kLateQuiet || monotonicNow - head.createdAt > length;
    return groupNewest >= head.period.end * kSecond + kGrace || quietFor > length + kQuiet;
}

HeadFold::Existing HeadFold::existing(std::int64_t key)
{
    auto &query = m_database.statement("SELECT data FROM chunk WHERE id=?");
    query.bind(1, key);
    if (!query.executeStep())
        return {};
    const auto bytes = blobOf(query, 0);
    const auto view = ChunkView::parse(bytes);
    auto rows = view ? view->all() : tl::make_unexpected(view.error());
    if (rows)
        return {std::move(*rows), true};
    // Unreadable: kept as found, not overwritten.
    auto &keep = m_database.statement("INSERT INTO damaged(chunk, data) VALUES (?, ?)");
    keep.bind(1, key);
    bindBlob(keep, 2, bytes);
    keep.exec();
    return {{}, true};
}

void HeadFold::fold(GroupId group, const GroupHead &head, Done &done)
{
    const auto key = chunkKey(head.period.begin, group);
    auto before = existing(key);
    auto rows = mergeRows(std::move(before.rows), head.rows);
    m_store.state.drop(trim(rows), "more than 65,535 rows of a group in one period");
    const auto chunk = encodeChunk(rows);
    auto &insert = m_database.statement("INSERT OR REPLACE INTO chunk(id, data) VALUES (?, ?)");
    insert.bind(1, key);
    bindBlob(insert, 2, chunk);
    insert.exec();
    auto &erase = m_database.statement("DELETE FROM tail WHERE id=?");
    for (const auto id : head.tailIds) {
        erase.bind(1, id);
        erase.exec();
        erase.reset();
    }
    writeBuckets(group, head.period, rows, before.isThere, done);
    storeSpans(group, rows.times.back(), done.stored);
}

// A period that was settled before goes straight into its rollups, so that each minute is
// either in a strip or in them.
void HeadFold::writeBuckets(GroupId group, const Period &period, const Rows &rows, bool wasThere, Done &done)
{
    const auto strip = stripOf(rows);
    const auto known = m_store.strips.find(group.value);
    const bool isUnsettled = known != m_store.strips.end() && known->second.contains(period.begin);
    if (wasThere && !isUnsettled)
        return StripSettler(m_database).replace(group, period, strip);
    const auto blob = encodeStrip(strip);
    auto &insert = m_database.statement("INSERT OR REPLACE INTO strip(id, data) VALUES (?, ?)");
    insert.bind(1, chunkKey(period.begin, group));
    bindBlob(insert, 2, blob);
    insert.exec();
    done.strips.emplace_back(group, period.begin);
}

void HeadFold::storeSpans(GroupId group, std::int64_t lastRow, std::vector<SeriesId> &stored)
{
    auto &update = m_database.statement("UPDATE series SET first_time=?, last_time=?, last_value=? WHERE id=?");
    for (const auto id : m_store.table.columnsOf(group)) {
        const auto span = m_store.table.span(id);
        // One that goes on is found again in its newest chunk; writing it here each time would
        // cost more than the chunk.
        const bool hasEnded = span.last < lastRow && span.last != span.storedLast;
        if (!id || span.last < 0 || (!hasEnded && span.first == span.storedFirst))
            continue;
        update.bind(1, span.first);
        update.bind(2, span.last);
        update.bind(3, span.lastValue);
        update.bind(4, static_cast<std::int64_t>(id.value));
        update.exec();
        update.reset();
        stored.push_back(id);
    }
}

} // namespace plimsoll
