// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/loader.h"

#include "history/chunk.h"
#include "history/tail_row.h"

#include <algorithm>
#include <unordered_map>

namespace plimsoll {
namespace {

std::uint32_t id(const SQLite::Statement &row, int column)
{
    return static_cast<std::uint32_t>(row.getColumn(column).getInt64());
}

std::string text(const SQLite::Statement &row, int column) { return row.getColumn(column).getString(); }

// Foreign hands may have been in the file: ids and ordinals size our tables, so they are bounded first.
constexpr std::int64_t kMaxIds = 1 << 26;

Result<void> loadNames(HistoryStore &store, Database &database)
{
    std::unordered_map<std::uint32_t, AgentRow> agents;
    SQLite::Statement agentRows(database.raw(), "SELECT id, identity, epoch, next_seq FROM agent");
    while (agentRows.executeStep()) {
        AgentRow row{{id(agentRows, 0)}, text(agentRows, 1),
                     static_cast<std::uint64_t>(agentRows.getColumn(2).getInt64()),
                     static_cast<std::uint64_t>(agentRows.getColumn(3).getInt64()), false};
        agents[row.id.value] = row;
        store.table.load(std::move(row));
    }
    std::unordered_map<std::uint32_t, AgentId> agentOfGroup;
    SQLite::Statement groupRows(database.raw(), "SELECT id, agent, columns, name, newest FROM grp");
    while (groupRows.executeStep()) {
        GroupRow row{{id(groupRows, 0)}, {id(groupRows, 1)}, text(groupRows, 3), id(groupRows, 2),
                     groupRows.getColumn(4).getInt64(), false};
        if (row.id.value == 0 || row.id.value > kMaxGroups || row.columns > kMaxColumns)
            return failure(Error::Code::Corrupt, "group " + std::to_string(row.id.value) + " is impossible");
        agentOfGroup[row.id.value] = row.agent;
        store.table.load(std::move(row));
    }
    SQLite::Statement rows(database.raw(),
                           "SELECT id, grp, ord, type, labels, metric, unit, interval, grp_name, source, source_unit, "
                           "source_factor, first_time, last_time, last_value FROM series ORDER BY id");
    while (rows.executeStep()) {
        SeriesRow row;
        row.id = {id(rows, 0)};
        row.group = {id(rows, 1)};
        row.ordinal = id(rows, 2);
        const auto agent = agentOfGroup.find(row.group.value);
        auto labels = Labels::decode(text(rows, 4));
        if (!row.id || row.id.value > kMaxIds || row.ordinal >= kMaxColumns || agent == agentOfGroup.end() || !labels)
            return failure(Error::Code::Corrupt, "series " + std::to_string(row.id.value) + " is impossible");
        row.agent = agent->second;
        row.agentName = agents[row.agent.value].identity;
        row.info.key = {text(rows, 5), std::move(*labels)};
        row.info.kind = static_cast<MetricKind>(rows.getColumn(3).getInt());
        row.info.unit = text(rows, 6);
        row.info.interval = Duration(rows.getColumn(7).getInt64());
        row.info.group = text(rows, 8);
        row.info.source = {text(rows, 9), text(rows, 10), rows.getColumn(11).getDouble()};
        SampleSpan span;
        span.first = span.storedFirst = rows.getColumn(12).getInt64();
        span.last = span.storedLast = rows.getColumn(13).getInt64();
        span.lastValue = rows.getColumn(14).getDouble();
        store.table.load(std::move(row), span);
    }
    store.table.publish();
    store.table.publishResumePoints();
    return {};
}

void noteRows(HistoryStore &store, GroupId group, const std::vector<std::int64_t> &times, std::size_t ordinal,
              const std::vector<double> &values)
{
    const auto &columns = store.table.columnsOf(group);
    if (ordinal >= columns.size() || !columns[ordinal])
        return;
    std::optional<SampleNote> note;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (isAbsent(values[i]))
            continue;
        if (!note)
            note = SampleNote{columns[ordinal], times[i], 0, 0};
        note->last = times[i];
        note->lastValue = values[i];
    }
    if (note)
        store.table.noteSamples(std::span(&*note, 1));
}

Result<void> loadTail(HistoryStore &store, Database &database)
{
    SQLite::Statement rows(database.raw(), "SELECT id, data FROM tail ORDER BY id");
    std::uint64_t unreadable = 0;
    while (rows.executeStep()) {
        const auto key = rows.getColumn(0).getInt64();
        const GroupId group{static_cast<std::uint32_t>(key >> 36)};
        const auto tail = decodeTail(blobOf(rows, 1));
        if (!tail || !store.table.groups().contains(group.value) || tail->rows.times.front() < 0) {
            ++unreadable; // stays in the file
            continue;
        }
        const auto period = store.periods.at(group, tail->rows.times.front());
        store.heads.restore(group, period, tail->rows, key);
        for (std::size_t c = 0; c < tail->rows.columns.size(); ++c)
            noteRows(store, group, tail->rows.times, c, tail->rows.columns[c]);
    }
    if (unreadable > 0)
        store.state.drop(unreadable, "damaged rows of the newest minutes");
    return {};
}

// The newest chunk of each group tells the newest samples of what was going on then.
void loadNewest(HistoryStore &store, Database &database)
{
    for (const auto &[number, group] : store.table.groups()) {
        if (group.newest < 0)
            continue;
        auto &query = database.statement("SELECT data FROM chunk WHERE id=?");
        query.bind(1, chunkKey(group.newest, group.id));
        if (!query.executeStep())
            continue;
        const auto view = ChunkView::parse(blobOf(query, 0));
        const auto times = view ? view->times() : tl::make_unexpected(view.error());
        if (!times)
            continue;
        for (std::size_t c = 0; c < view->columns(); ++c) {
            if (view->isAbsent(c))
                continue;
            if (const auto values = view->column(c))
                noteRows(store, group.id, *times, c, *values);
        }
    }
}

std::optional<std::int64_t> meta(Database &database, const std::string &key)
{
    auto &query = database.statement("SELECT value FROM meta WHERE key=?");
    bindText(query, 1, key);
    return query.executeStep() ? std::optional(query.getColumn(0).getInt64()) : std::nullopt;
}

std::int64_t wholeMinutes(Duration length)
{
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(length).count();
    return std::clamp<std::int64_t>(minutes, 1, 60) * 60;
}

std::vector<Era> readEras(Database &database)
{
    std::vector<Era> eras;
    SQLite::Statement rows(database.raw(), "SELECT since, seconds FROM era ORDER BY since");
    while (rows.executeStep()) {
        const Era era{rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64()};
        if (era.since >= 0 && era.seconds >= 60 && era.seconds <= 3600 && era.seconds % 60 == 0)
            eras.push_back(era);
    }
    return eras;
}

} // namespace

void saveEras(Database &database, const std::vector<Era> &eras)
{
    for (const auto &era : eras) {
        auto &insert = database.statement("INSERT OR REPLACE INTO era(since, seconds) VALUES (?, ?)");
        insert.bind(1, era.since);
        insert.bind(2, era.seconds);
        insert.exec();
    }
}

Result<void> load(HistoryStore &store, Database &database, bool mayWrite)
{
    try {
        auto eras = readEras(database);
        store.periods = Periods(eras);
        if (auto done = loadNames(store, database); !done)
            return done;
        loadNewest(store, database);
        if (auto done = loadTail(store, database); !done)
            return done;
        const std::int64_t seconds = wholeMinutes(store.options.chunkLength);
        if (mayWrite && (eras.empty() || eras.back().seconds != seconds)) {
            // What is there keeps its cut: the new length begins after the newest sample.
            const auto newest = store.table.newest();
            const auto since = eras.empty() && !newest ? 0 : (newest.value_or(0) / kSecond / 60 + 1) * 60;
            if (!eras.empty() && eras.back().since >= since)
                eras.back().seconds = seconds;
            else
                eras.push_back({since, seconds});
            saveEras(database, eras);
            store.periods = Periods(eras);
        }
        SQLite::Statement strips(database.raw(), "SELECT id FROM strip");
        while (strips.executeStep())
        {
            const auto key = strips.getColumn(0).getInt64();
            store.strips[groupOf(key).value].insert(periodOf(key));
        }
        store.rawSince = meta(database, "raw_since").value_or(0);
        store.begin = meta(database, "begin").value_or(-1);
        store.state.setSeries(store.table.size());
        return {};
    } catch (const SQLite::Exception &e) {
        return tl::make_unexpected(toError(e, store.options.file));
    }
}

} // namespace plimsoll
