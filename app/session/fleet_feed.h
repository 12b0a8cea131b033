// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "history/history.h"
#include "model/event.h"
#include "model/fleet.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace plimsoll {

/// What the connection to an agent says about everything that comes from it.
struct AgentPresence
{
    bool isAway = false;
    std::string hostName; // for series that name no host
    Duration skew{};      // agent's clock − ours; taken out of `seen` when it is half a second or more

    friend bool operator==(const AgentPresence &, const AgentPresence &) = default;
};

/// When a job began and ended on one host, as its events told. An agent that
/// restarts tells of a start again: the first one after the last end counts.
struct JobRuns
{
    std::set<Instant> starts;
    std::set<Instant> ends;
    Labels labels; // of the newest event

    [[nodiscard]] std::optional<Instant> started() const; // of the newest run
    [[nodiscard]] std::optional<Instant> ended() const;   // nullopt while it runs
};

/// Makes the picture of everything out of the newest samples and of the events
/// that tell when jobs began and ended. Events add up, samples are handed in
/// whole each time. No thread of its own and no lock: one caller at a time.
class FleetFeed
{
public:
    using JobsByHost = std::map<std::string, std::map<std::string, JobRuns>>; // job id, then host
    using Agents = std::map<std::string, AgentPresence, std::less<>>;         // by identity

    void addEvents(std::span<const Event> events); // any kind, any order, twice is once
    void setAgents(Agents agents) { m_agents = std::move(agents); }

    /// Nodes, devices and jobs not heard of for a day before `at` are left out.
    [[nodiscard]] Fleet build(std::span<const SeriesEntry> entries, Instant at) const;

private:
    JobsByHost m_jobs;
    Agents m_agents;
};

/// ≤ 3 intervals old is live, ≤ 10 stale, older or never is away.
[[nodiscard]] Freshness freshnessOf(std::optional<Instant> seen, Duration interval, Instant at) noexcept;

} // namespace plimsoll
