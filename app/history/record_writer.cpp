// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/record_writer.h"

#include <optional>

namespace plimsoll {
namespace {

template <class T, class Convert>
void bindOptional(SQLite::Statement &statement, int index, const std::optional<T> &value, Convert convert)
{
    if (value)
        statement.bind(index, convert(*value));
    else
        statement.bind(index);
}

void writeAgents(SeriesTable &table, Database &database)
{
    for (const auto &[identity, agent] : table.agents()) {
        if (!agent.isDirty)
            continue;
        auto &insert = database.statement(
            "INSERT INTO agent(id, identity, epoch, next_seq) VALUES (?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET epoch=excluded.epoch, next_seq=excluded.next_seq");
        insert.bind(1, static_cast<std::int64_t>(agent.id.value));
        bindText(insert, 2, identity);
        insert.bind(3, static_cast<std::int64_t>(agent.epoch));
        insert.bind(4, static_cast<std::int64_t>(agent.next));
        insert.exec();
    }
}

void writeGroups(SeriesTable &table, Database &database)
{
    for (const auto &[id, group] : table.groups()) {
        if (!group.isDirty)
            continue;
        auto &insert = database.statement(
            "INSERT INTO grp(id, agent, columns, name, newest) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET columns=excluded.columns, newest=excluded.newest");
        insert.bind(1, static_cast<std::int64_t>(group.id.value));
        insert.bind(2, static_cast<std::int64_t>(group.agent.value));
        insert.bind(3, static_cast<std::int64_t>(group.columns));
        bindText(insert, 4, group.name);
        insert.bind(5, group.newest);
        insert.exec();
    }
}

void writeSeries(SeriesTable &table, Database &database)
{
    for (const auto id : table.dirtySeries()) {
        const auto *row = table.find(id);
        const auto span = table.span(id);
        auto &insert = database.statement(
            "INSERT INTO series(id, grp, ord, type, labels, metric, unit, interval, grp_name, source, source_unit, "
            "source_factor, first_time, last_time, last_value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET type=excluded.type, unit=excluded.unit, interval=excluded.interval, "
            "grp_name=excluded.grp_name, source=excluded.source, source_unit=excluded.source_unit, "
            "source_factor=excluded.source_factor");
        insert.bind(1, static_cast<std::int64_t>(id.value));
        insert.bind(2, static_cast<std::int64_t>(row->group.value));
        insert.bind(3, static_cast<std::int64_t>(row->ordinal));
        insert.bind(4, static_cast<std::int64_t>(row->info.kind));
        bindText(insert, 5, row->info.key.labels.encode());
        bindText(insert, 6, row->info.key.metric);
        bindText(insert, 7, row->info.unit);
        insert.bind(8, static_cast<std::int64_t>(row->info.interval.count()));
        bindText(insert, 9, row->info.group);
        bindText(insert, 10, row->info.source.name);
        bindText(insert, 11, row->info.source.unit);
        insert.bind(12, row->info.source.factor);
        insert.bind(13, span.first);
        insert.bind(14, span.last);
        insert.bind(15, span.lastValue);
        insert.exec();
    }
}

} // namespace

void writeNames(HistoryStore &store, Database &database, bool withBegin)
{
    if (withBegin) {
        auto &insert = database.statement("INSERT OR REPLACE INTO meta(key, value) VALUES ('begin', ?)");
        insert.bind(1, store.begin.load());
        insert.exec();
    }
    writeAgents(store.table, database);
    writeGroups(store.table, database);
    writeSeries(store.table, database);
}

void writeRecords(const PendingRecords &pending, Database &database)
{
    for (const auto &[agent, event] : pending.events) {
        auto &insert = database.statement(
            "INSERT INTO event(time, agent, kind, labels, text, value) VALUES (?, ?, ?, ?, ?, ?)");
        insert.bind(1, toUnixNanos(event.time));
        insert.bind(2, static_cast<std::int64_t>(agent.value));
        insert.bind(3, static_cast<std::int64_t>(event.kind));
        bindText(insert, 4, event.labels.encode());
        bindText(insert, 5, event.text);
        bindOptional(insert, 6, event.value, [](double v) { return v; });
        insert.exec();
    }
    const auto bytes = [](Bytes b) { return b.value; };
    const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    for (const auto &[agent, step] : pending.steps) {
        auto &insert = database.statement(
            "INSERT INTO step(time, agent, job, labels, number, peak, allocated, reserved, batch_size, input_size, "
            "duration, checkpointing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        insert.bind(1, toUnixNanos(step.time));
        insert.bind(2, static_cast<std::int64_t>(agent.value));
        bindText(insert, 3, std::string(step.labels.value(label::kJob)));
        bindText(insert, 4, step.labels.encode());
        insert.bind(5, number(step.step));
        bindOptional(insert, 6, step.peak, bytes);
        bindOptional(insert, 7, step.allocated, bytes);
        bindOptional(insert, 8, step.reserved, bytes);
        bindOptional(insert, 9, step.batchSize, number);
        bindOptional(insert, 10, step.inputSize, number);
        bindOptional(insert, 11, step.duration, [](Duration d) { return static_cast<std::int64_t>(d.count()); });
        bindOptional(insert, 12, step.activationCheckpointing, [](bool b) { return b ? 1 : 0; });
        insert.exec();
    }
}

} // namespace plimsoll
