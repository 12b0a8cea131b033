// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/job_collector.h"

#include "agent/series_of.h"
#include "agent/text_scan.h"
#include "base/format.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace plimsoll {
namespace {

constexpr std::size_t kMostCgroups = 16; // of one job
constexpr Duration kLimitPause = std::chrono::minutes(1); // a group at its limit hits it thousands of times a second

struct CgroupMetric
{
    std::string_view name;
    std::optional<std::uint64_t> CgroupMemory::*value;
    std::string_view v1;
    std::string_view v2;
};

constexpr std::array<CgroupMetric, Job::kCgroupMetrics> kMetrics{{
    {metric::kContainerUsage, &CgroupMemory::usage, "memory.usage_in_bytes", "memory.current"},
    {metric::kContainerWorkingSet, &CgroupMemory::workingSet, "memory.usage_in_bytes - total_inactive_file",
     "memory.current - inactive_file"},
    {metric::kContainerRss, &CgroupMemory::anonymous, "memory.stat total_rss", "memory.stat anon"},
    {metric::kContainerPeak, &CgroupMemory::peak, "memory.max_usage_in_bytes", "memory.peak"},
    {metric::kContainerLimit, &CgroupMemory::limit, "memory.limit_in_bytes", "memory.max"},
    {metric::kContainerSwap, &CgroupMemory::swap, "memory.stat total_swap", "memory.swap.current"},
    {metric::kContainerLimitHits, &CgroupMemory::limitHits, "memory.failcnt", "memory.events max"},
    {metric::kContainerOomKills, &CgroupMemory::oomKills, "memory.oom_control oom_kill", "memory.events oom_kill"},
}};

std::string times(std::uint64_t count)
{
    return count == 1 ? "once" : formatExact(static_cast<std::int64_t>(count)) + " times";
}

} // namespace

void JobCollector::refreshCgroups(Job &job)
{
    std::set<std::string> wanted;
    for (const auto &process : job.processes) {
        if (process.cgroup.empty() || (wanted.size() >= kMostCgroups && !wanted.contains(process.cgroup)))
            continue;
        wanted.insert(process.cgroup);
        // After a kill the group itself may be gone within milliseconds: its parent remembers.
        if (auto parent = parentCgroup(process.cgroup))
            wanted.insert(std::move(*parent));
    }
    job.areCgroupsStale = false;
    for (auto at = job.cgroups.begin(); at != job.cgroups.end();) {
        if (wanted.contains(at->first)) {
            wanted.erase(at->first);
            ++at;
            continue;
        }
        for (const auto slot : at->second) {
            if (slot) {
                m_journal.retire(slot);
                --m_series;
            }
        }
        m_cgroups.release(at->first);
        at = job.cgroups.erase(at);
    }
    for (const auto &path : wanted) {
        m_cgroups.acquire(path, m_buffer);
        job.cgroups.try_emplace(path);
    }
}

void JobCollector::addCgroups(Job &job, Readings &into)
{
    if (job.processes.empty())
        return;
    const bool isV1 = m_cgroups.mount().version == CgroupMount::Version::V1;
    for (auto &[path, slots] : job.cgroups) {
        const auto *entry = m_cgroups.find(path);
        if (entry == nullptr || !entry->memory)
            continue;
        for (std::size_t i = 0; i < kMetrics.size(); ++i) {
            const auto value = (*entry->memory).*(kMetrics[i].value);
            if (!value)
                continue;
            if (!slots[i]) {
                Labels labels = job.labels;
                labels.set(label::kCgroup, fitForLabel(path));
                slots[i] = m_journal.define(
                    catalogued(kMetrics[i].name, std::move(labels), job.group, m_options.interval,
                               Source{std::string(isV1 ? kMetrics[i].v1 : kMetrics[i].v2), "", 1}));
                ++m_series;
            }
            into.add(slots[i], *value);
        }
    }
}

bool JobCollector::wasKilled(const Death &death)
{
    const auto parent = parentCgroup(death.cgroup);
    std::vector<std::string> above;
    if (parent && m_cgroups.mount().version == CgroupMount::Version::V2)
        above.push_back(*parent); // version 1 counts a kill in the group of the process only
    const auto counts = [&](const std::string &path) {
        const auto *entry = m_cgroups.find(path);
        return entry != nullptr && entry->memory && entry->memory->oomKills;
    };
    if (!death.cgroup.empty() && counts(death.cgroup))
        return m_kills.take(death.cgroup, above);
    if (!above.empty() && counts(above.front()))
        return m_kills.take(above.front(), {});
    return m_kills.take({}, {});
}

void JobCollector::tellKills(const Tick &tick, Readings &into)
{
    for (const auto &[path, entry] : m_cgroups.entries())
        m_kills.note(path, entry.newKills, tick.monotonic);
    // The host's count is one line of two hundred: at once when a process has ended, else now and then.
    constexpr unsigned kSeldom = 5;
    if (!m_deaths.empty() || !m_hostKills || ++m_ticksSinceKills >= kSeldom) {
        m_ticksSinceKills = 0;
        std::optional<std::uint64_t> hostKills;
        forEachKey(m_vmstat.read(m_buffer).value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
            if (key == "oom_kill")
                hostKills = leadingNumber(rest);
        });
        if (hostKills && m_hostKills && *hostKills > *m_hostKills)
            m_kills.note({}, *hostKills - *m_hostKills, tick.monotonic);
        m_hostKills = hostKills;
    }

    // The kernel picks the largest: when several died at once, so do we.
    std::stable_sort(m_deaths.begin(), m_deaths.end(), [](const Death &a, const Death &b) { return a.rss > b.rss; });
    for (const auto &death : m_deaths) {
        Job &job = m_jobs.at(death.job);
        job.wasKilled = wasKilled(death);
        if (!job.wasKilled)
            continue;
        Event event{tick.wall, EventKind::OomKill, job.labels, {}, 1.0};
        event.labels.set(label::kPid, std::to_string(death.pid));
        event.labels.set(label::kProcessName, death.name);
        if (!death.cgroup.empty())
            event.labels.set(label::kCgroup, fitForLabel(death.cgroup));
        event.text = "The kernel killed " + death.name + " (process " + std::to_string(death.pid) + " of job "
            + death.job + ") for lack of memory, at " + formatBytes(static_cast<double>(death.rss)).text() + '.';
        into.events.push_back(std::move(event));
    }
    if (const auto kills = m_kills.takeStrangers(tick.monotonic)) {
        into.events.push_back({tick.wall, EventKind::OomKill, Labels{{std::string(label::kHost), m_options.host}},
                               "For lack of memory the kernel killed a process " + times(kills)
                                   + " on this host, none of them of a watched job.",
                               static_cast<double>(kills)});
    }
}

void JobCollector::tellLimits(const Tick &tick, Readings &into)
{
    const bool isV2 = m_cgroups.mount().version == CgroupMount::Version::V2;
    for (const auto &[path, entry] : m_cgroups.entries()) {
        std::uint64_t hits = entry.newHits;
        if (isV2 && hits > 0) { // those of the groups below are among them
            for (const auto &[other, below] : m_cgroups.entries()) {
                if (parentCgroup(other) == path)
                    hits -= std::min(hits, below.newHits);
            }
        }
        const auto known = m_limitNotes.find(path);
        if (hits == 0 && (known == m_limitNotes.end() || known->second.hits == 0))
            continue;
        auto &note = m_limitNotes[path];
        note.hits += hits;
        if (note.told != MonotonicInstant{} && tick.monotonic - note.told < kLimitPause)
            continue;
        Event event{tick.wall, EventKind::LimitHit, Labels{{std::string(label::kHost), m_options.host}}, {},
                    static_cast<double>(note.hits)};
        const Job *owner = nullptr;
        int owners = 0;
        for (const auto &[id, job] : m_jobs) {
            if (job.cgroups.contains(path)) {
                owner = &job;
                ++owners;
            }
        }
        if (owners == 1)
            event.labels = owner->labels;
        event.labels.set(label::kCgroup, fitForLabel(path));
        event.text = "The memory limit of " + fitForLabel(path);
        if (entry.memory && entry.memory->limit)
            event.text += ", " + formatBytes(static_cast<double>(*entry.memory->limit)).text() + ',';
        event.text += " was hit " + times(note.hits) + '.';
        into.events.push_back(std::move(event));
        note = {tick.monotonic, 0};
    }
    std::erase_if(m_limitNotes, [this](const auto &note) { return m_cgroups.find(note.first) == nullptr; });
}

void JobCollector::endEmptyJobs(const Tick &tick, Readings &into)
{
    for (auto at = m_jobs.begin(); at != m_jobs.end();) {
        Job &job = at->second;
        if (!job.processes.empty()) {
            ++at;
            continue;
        }
        into.events.push_back({tick.wall, EventKind::JobEnded, job.labels,
                               "Job " + job.identity.id + " ended"
                                   + (job.wasKilled ? ": the kernel killed its last process for lack of memory." : "."),
                               std::nullopt});
        std::vector<SeriesSlot> slots{job.rssSlot, job.swapSlot, job.pssSlot, job.processesSlot};
        for (const auto &[path, held] : job.cgroups) {
            slots.insert(slots.end(), held.begin(), held.end());
            m_cgroups.release(path);
        }
        for (const auto slot : slots) {
            if (slot) {
                m_journal.retire(slot);
                --m_series;
            }
        }
        at = m_jobs.erase(at);
    }
}

} // namespace plimsoll
