// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/series_table.h"

#include "history/chunk.h"
#include "history/periods.h"

#include <algorithm>

namespace plimsoll {
namespace {

// Length first: no choice of names can make two keys look alike.
std::string joined(AgentId agent, const std::string &name, const std::string &rest)
{
    return std::to_string(agent.value) + ':' + std::to_string(name.size()) + ':' + name + rest;
}

} // namespace

AgentRow &SeriesTable::agent(const std::string &identity)
{
    auto &row = m_agents[identity];
    if (!row.id) {
        std::uint32_t highest = 0;
        for (const auto &[name, other] : m_agents)
            highest = std::max(highest, other.id.value);
        row.id = {highest + 1};
        row.identity = identity;
        row.isDirty = true;
    }
    return row;
}

AgentRow *SeriesTable::agent(AgentId id)
{
    const auto at = std::find_if(m_agents.begin(), m_agents.end(), [id](const auto &a) { return a.second.id == id; });
    return at == m_agents.end() ? nullptr : &at->second;
}

GroupRow *SeriesTable::groupWithRoom(const AgentRow &agent, const std::string &name)
{
    const auto key = joined(agent.id, name, {});
    const auto open = m_openGroups.find(key);
    if (open != m_openGroups.end() && m_groups[open->second].columns < kMaxColumns)
        return &m_groups[open->second];
    const std::uint32_t id = m_groups.empty() ? 1 : m_groups.rbegin()->first + 1;
    if (id > kMaxGroups)
        return nullptr;
    m_openGroups[key] = id;
    return &(m_groups[id] = GroupRow{{id}, agent.id, name, 0, -1, true});
}

const SeriesRow *SeriesTable::intern(const AgentRow &agent, const SeriesInfo &info)
{
    const auto key = joined(agent.id, info.key.metric, info.key.labels.encode());
    if (const auto known = m_bySeriesKey.find(key); known != m_bySeriesKey.end()) {
        auto &row = m_rows[known->second.value];
        if (!(row->info == info)) {
            auto changed = std::make_shared<SeriesRow>(*row); // stays in its group: that is only where it lies
            changed->info = info;
            row = changed;
            m_dirtySeries.push_back(row->id);
            m_isChanged = true;
        }
        return row.get();
    }
    auto *group = groupWithRoom(agent, info.group);
    if (group == nullptr)
        return nullptr;
    auto row = std::make_shared<SeriesRow>();
    row->id = {static_cast<std::uint32_t>(m_rows.size())};
    row->agent = agent.id;
    row->group = group->id;
    row->ordinal = group->columns++;
    row->agentName = agent.identity;
    row->info = info;
    group->isDirty = true;
    m_columns[group->id.value].push_back(row->id);
    m_bySeriesKey.emplace(key, row->id);
    m_dirtySeries.push_back(row->id);
    m_rows.push_back(row);
    m_isChanged = true;
    return row.get();
}

void SeriesTable::markAllDirty()
{
    for (auto &[identity, agent] : m_agents)
        agent.isDirty = true;
    for (auto &[id, group] : m_groups) {
        group.newest = -1;
        group.isDirty = true;
    }
    m_dirtySeries.clear();
    for (const auto &row : m_rows) {
        if (row)
            m_dirtySeries.push_back(row->id);
    }
    const std::lock_guard lock(m_mutex);
    for (auto &span : m_spans)
        span.storedFirst = span.storedLast = -1;
}

void SeriesTable::publish()
{
    if (!m_isChanged)
        return;
    m_isChanged = false;
    auto copy = std::make_shared<const SeriesRows>(m_rows);
    const std::lock_guard lock(m_mutex);
    m_published = std::move(copy);
    m_spans.resize(m_rows.size());
}

void SeriesTable::load(AgentRow agent)
{
    m_agents[agent.identity] = std::move(agent);
}

void SeriesTable::load(GroupRow group)
{
    auto &open = m_openGroups[joined(group.agent, group.name, {})];
    open = std::max(open, group.id.value);
    m_groups[group.id.value] = std::move(group);
}

void SeriesTable::load(SeriesRow series, const SampleSpan &span)
{
    const auto id = series.id;
    if (m_rows.size() <= id.value)
        m_rows.resize(id.value + 1U);
    auto &columns = m_columns[series.group.value];
    if (columns.size() <= series.ordinal)
        columns.resize(series.ordinal + 1U);
    columns[series.ordinal] = id;
    auto &group = m_groups[series.group.value];
    group.columns = std::max(group.columns, series.ordinal + 1U);
    m_bySeriesKey.emplace(joined(series.agent, series.info.key.metric, series.info.key.labels.encode()), id);
    m_rows[id.value] = std::make_shared<SeriesRow>(std::move(series));
    m_isChanged = true;
    const std::lock_guard lock(m_mutex);
    if (m_spans.size() < m_rows.size())
        m_spans.resize(m_rows.size());
    m_spans[id.value] = span;
    m_newest = std::max(m_newest, span.last);
}

const SeriesRow *SeriesTable::find(SeriesId id) const
{
    return id.value < m_rows.size() ? m_rows[id.value].get() : nullptr;
}

std::shared_ptr<const SeriesRows> SeriesTable::rows() const
{
    const std::lock_guard lock(m_mutex);
    return m_published;
}

std::vector<SampleSpan> SeriesTable::spans() const
{
    const std::lock_guard lock(m_mutex);
    return m_spans;
}

SampleSpan SeriesTable::span(SeriesId id) const
{
    const std::lock_guard lock(m_mutex);
    return id.value < m_spans.size() ? m_spans[id.value] : SampleSpan{};
}

void SeriesTable::noteSamples(std::span<const SampleNote> notes)
{
    const std::lock_guard lock(m_mutex);
    for (const auto &note : notes) {
        if (m_spans.size() <= note.series.value)
            m_spans.resize(note.series.value + 1U);
        auto &span = m_spans[note.series.value];
        if (span.first < 0 || note.first < span.first)
            span.first = note.first;
        if (note.last >= span.last) {
            span.last = note.last;
            span.lastValue = note.lastValue;
            m_newest = std::max(m_newest, note.last);
        }
    }
}

void SeriesTable::noteStored(SeriesId id)
{
    const std::lock_guard lock(m_mutex);
    auto &span = m_spans[id.value];
    span.storedFirst = span.first;
    span.storedLast = span.last;
}

void SeriesTable::publishResumePoints()
{
    const std::lock_guard lock(m_mutex);
    for (const auto &[identity, row] : m_agents)
        m_resumePoints[identity] = {row.epoch, row.next};
}

ResumePoint SeriesTable::resumePoint(const std::string &agent) const
{
    const std::lock_guard lock(m_mutex);
    const auto at = m_resumePoints.find(agent);
    return at == m_resumePoints.end() ? ResumePoint{} : at->second;
}

std::size_t SeriesTable::size() const
{
    const std::lock_guard lock(m_mutex);
    return m_published->empty() ? 0
        : static_cast<std::size_t>(std::count_if(m_published->begin(), m_published->end(),
                                                 [](const auto &row) { return row != nullptr; }));
}

std::optional<std::int64_t> SeriesTable::newest() const
{
    const std::lock_guard lock(m_mutex);
    return m_newest < 0 ? std::nullopt : std::optional(m_newest);
}

} // namespace plimsoll
