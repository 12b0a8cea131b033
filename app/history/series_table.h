// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "history/history.h"
#include "model/series.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace plimsoll {

/// A row of `series`. Never changes once published: a new definition makes a new one.
struct SeriesRow
{
    SeriesId id;
    AgentId agent;
    GroupId group;
    std::uint32_t ordinal = 0; // column of its group
    std::string agentName;
    SeriesInfo info;
};

struct AgentRow
{
    AgentId id;
    std::string identity;
    std::uint64_t epoch = 0;
    std::uint64_t next = 1; // sequence number
    bool isDirty = false;
};

struct GroupRow
{
    GroupId id;
    AgentId agent;
    std::string name;
    std::uint32_t columns = 0;
    std::int64_t newest = -1; // begin of its newest chunk with samples, s
    bool isDirty = false;
};

/// First and newest sample of a series, committed or not.
struct SampleSpan
{
    std::int64_t first = -1; // ns; -1 = no sample yet
    std::int64_t last = -1;
    double lastValue = 0;
    std::int64_t storedFirst = -1; // as in the file
    std::int64_t storedLast = -1;
};

/// What a block brought for one series.
struct SampleNote
{
    SeriesId series;
    std::int64_t first = 0;
    std::int64_t last = 0;
    double lastValue = 0;
};

using SeriesRows = std::vector<std::shared_ptr<const SeriesRow>>; // by id; holes are null

/// Who is who: agents, groups and series, interned. The writer changes it, anyone reads.
/// Ids are given in memory and written with the next commit, so that a full disk stops nobody.
class SeriesTable
{
public:
    // The writer (or before it starts) only:
    AgentRow &agent(const std::string &identity);
    [[nodiscard]] AgentRow *agent(AgentId id);
    /// nullptr when there are more groups than the file can number.
    const SeriesRow *intern(const AgentRow &agent, const SeriesInfo &info);
    void markAllDirty(); // a new file is begun under the same ids
    void publish(); // makes what was interned visible to readers
    void load(AgentRow agent);
    void load(GroupRow group);
    void load(SeriesRow series, const SampleSpan &span);
    [[nodiscard]] std::map<std::uint32_t, GroupRow> &groups() noexcept { return m_groups; }
    [[nodiscard]] std::map<std::string, AgentRow> &agents() noexcept { return m_agents; }
    [[nodiscard]] std::vector<SeriesId> &dirtySeries() noexcept { return m_dirtySeries; }
    [[nodiscard]] const SeriesRow *find(SeriesId id) const;
    [[nodiscard]] const std::vector<SeriesId> &columnsOf(GroupId group) { return m_columns[group.value]; }

    // Any thread:
    [[nodiscard]] std::shared_ptr<const SeriesRows> rows() const;
    [[nodiscard]] std::vector<SampleSpan> spans() const; // by id
    [[nodiscard]] SampleSpan span(SeriesId id) const;
    void noteSamples(std::span<const SampleNote> notes);
    void noteStored(SeriesId id); // the file now says what we say
    /// What resumePoint() gives: the committed one.
    void publishResumePoints();
    [[nodiscard]] ResumePoint resumePoint(const std::string &agent) const;
    [[nodiscard]] std::size_t size() const;
    /// Newest sample of all.
    [[nodiscard]] std::optional<std::int64_t> newest() const;

private:
    GroupRow *groupWithRoom(const AgentRow &agent, const std::string &name);

    std::map<std::string, AgentRow> m_agents;
    std::map<std::uint32_t, GroupRow> m_groups;
    std::unordered_map<std::string, std::uint32_t> m_openGroups; // agent and name → the part that has room
    std::unordered_map<std::string, SeriesId> m_bySeriesKey;
    std::unordered_map<std::uint32_t, std::vector<SeriesId>> m_columns; // by group, by ordinal
    SeriesRows m_rows{nullptr};
    std::vector<SeriesId> m_dirtySeries;
    bool m_isChanged = false;

    mutable std::mutex m_mutex; // guards what follows
    std::shared_ptr<const SeriesRows> m_published = std::make_shared<SeriesRows>();
    std::vector<SampleSpan> m_spans;
    std::map<std::string, ResumePoint> m_resumePoints;
    std::int64_t m_newest = -1;
};

} // namespace plimsoll
