// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/intake.h"

#include <algorithm>
#include <mutex>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxPendingRecords = 100'000; // events or steps, while the disk is full

std::uint64_t samplesIn(const Frame &frame)
{
    const auto *block = std::get_if<SampleBlock>(&frame.body);
    return block != nullptr ? block->samples() : 1;
}

Instant timeOf(const Frame &frame, Instant otherwise)
{
    if (const auto *block = std::get_if<SampleBlock>(&frame.body))
        return block->times.empty() ? otherwise : block->times.front();
    if (const auto *event = std::get_if<Event>(&frame.body))
        return event->time;
    return std::get<StepRecord>(frame.body).time;
}

struct Target
{
    GroupId group;
    SeriesId series;
    HeadColumn column;
};

// First and last sample of a column that are there.
std::optional<SampleNote> noteOf(SeriesId series, std::span<const std::int64_t> times, std::span<const double> values)
{
    SampleNote note{series, 0, -1, 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (isAbsent(values[i]))
            continue;
        if (note.last < 0 || times[i] < note.first)
            note.first = times[i];
        if (times[i] >= note.last) {
            note.last = times[i];
            note.lastValue = values[i];
        }
    }
    return note.last < 0 ? std::nullopt : std::optional(note);
}

} // namespace

void PendingRecords::touch(Instant from, Instant to)
{
    const TimeRange range{from, to + Duration(1)};
    touched = touched ? TimeRange{std::min(touched->begin, range.begin), std::max(touched->end, range.end)} : range;
}

void HistoryIntake::take(Delivery &&delivery)
{
    const bool hasStream = !delivery.frames.empty() || !delivery.definitions.empty() || !delivery.lost.empty();
    if (!hasStream && delivery.notes.empty())
        return;
    auto &agent = m_store.table.agent(delivery.agent);
    const bool isNewEpoch = hasStream && agent.epoch != delivery.epoch;
    if (isNewEpoch) {
        agent.epoch = delivery.epoch;
        agent.next = 1;
        agent.isDirty = true;
        m_numbers[agent.id.value].clear();
    }
    for (const auto &definition : delivery.definitions) {
        const auto *row = m_store.table.intern(agent, definition.info);
        if (row != nullptr)
            m_numbers[agent.id.value][definition.id] = row->id;
    }
    m_store.table.publish();

    // Whoever first hears of an agent cannot have lost what was before.
    bool isFirstContact = isNewEpoch;
    auto lost = delivery.lost.begin();
    const auto now = m_store.clock.now();
    const auto takeLostBefore = [&](std::uint64_t sequence, Instant when) {
        for (; lost != delivery.lost.end() && lost->first < sequence; ++lost) {
            noteLoss(agent, std::max(lost->first, agent.next), lost->last, when);
            if (lost->last >= agent.next) {
                agent.next = lost->last + 1;
                agent.isDirty = true;
            }
            isFirstContact = false;
        }
    };
    for (auto &frame : delivery.frames) {
        const auto when = timeOf(frame, now);
        takeLostBefore(frame.sequence, when);
        if (frame.sequence < agent.next) {
            m_store.state.addDuplicates(samplesIn(frame));
            continue;
        }
        if (frame.sequence > agent.next && !isFirstContact)
            noteLoss(agent, agent.next, frame.sequence - 1, when);
        isFirstContact = false;
        agent.next = frame.sequence + 1;
        agent.isDirty = true;
        takeFrame(agent, std::move(frame));
    }
    takeLostBefore(UINT64_MAX, now);
    for (auto &note : delivery.notes)
        addEvent(agent.id, std::move(note));
}

void HistoryIntake::takeFrame(AgentRow &agent, Frame &&frame)
{
    if (const auto *block = std::get_if<SampleBlock>(&frame.body)) {
        takeBlock(agent, *block);
    } else if (auto *event = std::get_if<Event>(&frame.body)) {
        addEvent(agent.id, std::move(*event));
    } else {
        auto &step = std::get<StepRecord>(frame.body);
        if (m_pending.steps.size() >= kMaxPendingRecords)
            return m_store.state.drop(1, "step records that the disk does not take");
        m_pending.touch(step.time, step.time);
        m_pending.steps.push_back({agent.id, std::move(step)});
    }
}

void HistoryIntake::addEvent(AgentId agent, Event event)
{
    if (m_pending.events.size() >= kMaxPendingRecords)
        return m_store.state.drop(1, "events that the disk does not take");
    m_pending.touch(event.time, event.time);
    m_pending.events.push_back({agent, std::move(event)});
}

void HistoryIntake::noteLoss(const AgentRow &agent, std::uint64_t first, std::uint64_t last, Instant when)
{
    if (first > last)
        return;
    addEvent(agent.id, {when, EventKind::SamplesLost, {}, {}, static_cast<double>(last - first + 1)});
}

void HistoryIntake::liftHeadLimit()
{
    m_headLimit = SIZE_MAX;
    for (const auto &[agent, refused] : m_refused)
        addEvent({agent}, {fromUnixNanos(refused.first), EventKind::SamplesLost, {}, "the disk of the desktop was full",
                           static_cast<double>(refused.samples)});
    m_refused.clear();
}

void HistoryIntake::takeBlock(const AgentRow &agent, const SampleBlock &block)
{
    auto &state = m_store.state;
    const std::size_t allRows = block.rows();
    if (allRows == 0 || block.columns.empty())
        return;
    if (block.values.size() != allRows * block.columns.size())
        return state.drop(block.values.size(), "blocks whose shape does not fit");
    std::vector<std::int64_t> allTimes(allRows);
    for (std::size_t i = 0; i < allRows; ++i)
        allTimes[i] = toUnixNanos(block.times[i]);
    if (*std::min_element(allTimes.begin(), allTimes.end()) < 0)
        return state.drop(block.samples(), "times before 1970");
    // Times rise, so what is too old stands in front.
    const std::int64_t since = m_store.rawSince;
    const auto tooOld = static_cast<std::size_t>(
        std::find_if(allTimes.begin(), allTimes.end(), [since](std::int64_t time) { return time >= since; }) - allTimes.begin());
    state.drop(tooOld * block.columns.size(), "older than the raw samples that are kept");
    const std::size_t rows = allRows - tooOld;
    const auto times = std::span<const std::int64_t>(allTimes).subspan(tooOld);
    if (rows == 0)
        return;
    if (*std::min_element(times.begin(), times.end()) < since)
        return state.drop(rows * block.columns.size(), "times that do not rise");

    const auto &numbers = m_numbers[agent.id.value];
    std::vector<Target> targets;
    targets.reserve(block.columns.size());
    std::vector<SampleNote> notes;
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
        const auto values = std::span(block.values).subspan(c * allRows + tooOld, rows);
        const auto number = numbers.find(block.columns[c]);
        const auto *row = number == numbers.end() ? nullptr : m_store.table.find(number->second);
        if (row == nullptr) {
            state.drop(rows, "samples of series that were not defined");
            continue;
        }
        targets.push_back({row->group, row->id, {row->ordinal, values}});
        if (const auto note = noteOf(row->id, times, values))
            notes.push_back(*note);
    }
    m_store.table.noteSamples(notes);
    if (m_store.heads.bytes() > m_headLimit) {
        auto &refused = m_refused.try_emplace(agent.id.value, Refused{times.front(), 0}).first->second;
        refused.samples += targets.size() * rows;
        return state.drop(targets.size() * rows, "the disk does not take them and memory for them is full");
    }

    std::stable_sort(targets.begin(), targets.end(), [](const auto &a, const auto &b) { return a.group < b.group; });
    std::vector<HeadColumn> columns;
    const auto now = m_store.clock.monotonicNow().time_since_epoch().count();
    std::size_t dropped = 0;
    {
        const std::unique_lock lock(m_store.heads.mutex());
        for (std::size_t begin = 0; begin < targets.size();) {
            columns.clear();
            const auto group = targets[begin].group;
            for (; begin < targets.size() && targets[begin].group == group; ++begin)
                columns.push_back(targets[begin].column);
            dropped += m_store.heads.add(group, m_store.periods, times, columns, now);
        }
    }
    state.drop(dropped, "more than 65,535 rows of a group in one period");
    m_pending.samples += targets.size() * rows - dropped;
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    m_pending.touch(fromUnixNanos(*first), fromUnixNanos(*last));
    std::int64_t begin = m_store.begin;
    if (begin < 0 || *first < begin)
        m_store.begin = *first;
}

} // namespace plimsoll
