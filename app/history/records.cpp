// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/reader.h"

#include "history/records.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxExplaining = 10'000; // events of one question about gaps
constexpr Duration kAround = std::chrono::seconds(10);

std::int64_t limitOf(std::size_t limit)
{
    return static_cast<std::int64_t>(std::min<std::size_t>(limit, INT64_MAX));
}

Labels labelsOf(const SQLite::Statement &row, int column)
{
    auto labels = Labels::decode(row.getColumn(column).getString());
    return labels ? std::move(*labels) : Labels{};
}

std::optional<std::int64_t> integerOf(const SQLite::Statement &row, int column)
{
    const auto value = row.getColumn(column);
    return value.isNull() ? std::nullopt : std::optional(value.getInt64());
}

template <class Target>
std::optional<Target> as(std::optional<std::int64_t> value)
{
    return value ? std::optional(Target(static_cast<Target>(*value))) : std::nullopt;
}

std::optional<Bytes> asBytes(std::optional<std::int64_t> value)
{
    return value ? std::optional(Bytes{*value}) : std::nullopt;
}

StepRecord stepOf(const SQLite::Statement &row)
{
    StepRecord step;
    step.time = fromUnixNanos(row.getColumn(0).getInt64());
    step.labels = labelsOf(row, 1);
    step.step = static_cast<std::uint64_t>(row.getColumn(2).getInt64());
    step.peak = asBytes(integerOf(row, 3));
    step.allocated = asBytes(integerOf(row, 4));
    step.reserved = asBytes(integerOf(row, 5));
    step.batchSize = as<std::uint64_t>(integerOf(row, 6));
    step.inputSize = as<std::uint64_t>(integerOf(row, 7));
    step.duration = as<Duration>(integerOf(row, 8));
    if (const auto checkpointing = integerOf(row, 9))
        step.activationCheckpointing = *checkpointing != 0;
    return step;
}

// Runs what may be interrupted on a connection of its own; no file = nothing found.
template <class T, class Query>
Result<std::vector<T>> ask(HistoryStore &store, const std::stop_token &stop, Query query)
{
    if (stop.stop_requested())
        return failure(Error::Code::Cancelled, {});
    try {
        const auto lease = store.pool.lease();
        if (lease.get() == nullptr)
            return std::vector<T>{};
        const Database::Interruptible guard(*lease.get(), stop);
        return query(*lease.get());
    } catch (const SQLite::Exception &e) {
        return tl::make_unexpected(toError(e, store.options.file));
    }
}

} // namespace

Event eventOf(const SQLite::Statement &row, int first)
{
    Event event;
    event.time = fromUnixNanos(row.getColumn(first).getInt64());
    event.kind = static_cast<EventKind>(row.getColumn(first + 1).getInt());
    event.labels = labelsOf(row, first + 2);
    event.text = row.getColumn(first + 3).getString();
    if (const auto value = row.getColumn(first + 4); !value.isNull())
        event.value = value.getDouble();
    return event;
}

Result<std::vector<Event>> HistoryReader::events(TimeRange range, std::size_t limit, const std::stop_token &stop) const
{
    return ask<Event>(m_store, stop, [&](Database &database) {
        auto &query = database.statement("SELECT time, kind, labels, text, value FROM event "
                                         "WHERE time >= ? AND time < ? ORDER BY time DESC, id DESC LIMIT ?");
        query.bind(1, toUnixNanos(range.begin));
        query.bind(2, toUnixNanos(range.end));
        query.bind(3, limitOf(limit));
        std::vector<Event> events;
        while (query.executeStep())
            events.push_back(eventOf(query, 0));
        std::reverse(events.begin(), events.end());
        return events;
    });
}

Result<std::vector<StepRecord>> HistoryReader::steps(std::string_view job, TimeRange range, std::size_t limit,
                                              const std::stop_token &stop) const
{
    return ask<StepRecord>(m_store, stop, [&](Database &database) {
        auto &query = database.statement(
            "SELECT time, labels, number, peak, allocated, reserved, batch_size, input_size, duration, checkpointing "
            "FROM step WHERE job=? AND time >= ? AND time < ? ORDER BY time DESC, id DESC LIMIT ?");
        bindText(query, 1, std::string(job));
        query.bind(2, toUnixNanos(range.begin));
        query.bind(3, toUnixNanos(range.end));
        query.bind(4, limitOf(limit));
        std::vector<StepRecord> steps;
        while (query.executeStep())
            steps.push_back(stepOf(query));
        std::reverse(steps.begin(), steps.end());
        return steps;
    });
}

std::map<std::uint32_t, std::vector<Event>> eventsForGaps(Database &database, const std::set<std::uint32_t> &agents,
                                                          TimeRange range)
{
    constexpr auto number = [](EventKind kind) { return std::to_string(static_cast<int>(kind)); };
    static const std::string kAway = number(EventKind::AgentAway);
    static const std::string kBack = number(EventKind::AgentBack);
    static const std::string kKinds = number(EventKind::AgentStarted) + ',' + number(EventKind::JobEnded) + ','
        + number(EventKind::SamplesLost) + ',' + kAway + ',' + kBack;
    static const std::string kBefore = "SELECT time, kind, labels, text, value FROM event WHERE agent=? AND time < ? "
                                       "AND kind IN (" + kAway + ',' + kBack + ") ORDER BY time DESC, id DESC LIMIT 1";
    static const std::string kInside = "SELECT time, kind, labels, text, value, agent FROM event WHERE time >= ? AND "
                                       "time <= ? AND kind IN (" + kKinds + ") ORDER BY time, id LIMIT ?";
    static const std::string kAfter = "SELECT time, kind, labels, text, value FROM event WHERE agent=? AND time > ? "
                                      "AND kind=" + kBack + " ORDER BY time, id LIMIT 1";
    const auto begin = toUnixNanos(range.begin - kAround);
    const auto end = toUnixNanos(range.end + kAround);
    std::map<std::uint32_t, std::vector<Event>> events;
    const auto addOne = [&](std::uint32_t agent, const std::string &sql, std::int64_t time) {
        auto &query = database.statement(sql);
        query.bind(1, static_cast<std::int64_t>(agent));
        query.bind(2, time);
        if (query.executeStep())
            events[agent].push_back(eventOf(query, 0));
    };
    for (const auto agent : agents)
        addOne(agent, kBefore, begin);
    auto &query = database.statement(kInside);
    query.bind(1, begin);
    query.bind(2, end);
    query.bind(3, limitOf(kMaxExplaining));
    while (query.executeStep()) {
        const auto agent = static_cast<std::uint32_t>(query.getColumn(5).getInt64());
        if (agents.contains(agent))
            events[agent].push_back(eventOf(query, 0));
    }
    for (const auto agent : agents)
        addOne(agent, kAfter, end);
    return events;
}

} // namespace plimsoll
