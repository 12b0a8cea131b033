// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/job_collector.h"

#include "agent/text_scan.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace plimsoll {
namespace {

constexpr Duration kYouth = std::chrono::seconds(3);
constexpr Duration kRarely = std::chrono::seconds(60);
constexpr int kChecksPerTick = 400; // of some 10 µs each

Event jobEvent(const Job &job, EventKind kind, Instant time, std::string text)
{
    return {time, kind, job.labels, std::move(text), std::nullopt};
}

} // namespace

void JobCollector::find(const Tick &tick, Readings &into)
{
    noteScan(tick);
    if (m_isFirst) {
        m_isFirst = false;
        for (const auto &[name, pid] : m_options.named) {
            if (std::binary_search(m_scan.all().begin(), m_scan.all().end(), pid))
                m_named[pid] = name;
            else
                m_problem = "There is no process " + std::to_string(pid) + " to be job " + name + '.';
        }
    }
    recheckYoung(tick, into);
    int checks = kChecksPerTick;
    std::vector<int> joined;
    const auto isDue = [&](const Stranger &stranger, bool isNew) {
        const bool wasNeverChecked = stranger.checked == MonotonicInstant{};
        if (isNew)
            return wasNeverChecked;
        return !wasNeverChecked
            && (tick.monotonic - stranger.seen < kYouth || tick.monotonic - stranger.checked >= kRarely);
    };
    for (const bool isNew : {true, false}) { // who was never looked at goes first
        for (auto &stranger : m_strangers) {
            if (stranger.checked == tick.monotonic || !isDue(stranger, isNew))
                continue;
            if (checks-- <= 0)
                break;
            stranger.checked = tick.monotonic;
            bool isNamed = false;
            m_wasDenied = false;
            const auto identity = identify(stranger.pid, isNamed);
            m_unreadable += m_wasDenied && isNew ? 1 : 0;
            if (identity) {
                join(stranger.pid, *identity, isNamed, tick, into);
                joined.push_back(stranger.pid);
            }
        }
    }
    if (!joined.empty())
        std::erase_if(m_strangers, [&](const Stranger &stranger) { return m_members.contains(stranger.pid); });
}

void JobCollector::noteScan(const Tick &tick)
{
    if (!m_scan.update()) {
        m_problem = m_procRoot + " cannot be read.";
        return;
    }
    const auto &gone = m_scan.vanished();
    if (!gone.empty()) {
        std::erase_if(m_strangers, [&](const Stranger &stranger) {
            return std::binary_search(gone.begin(), gone.end(), stranger.pid);
        });
    }
    const auto sizeBefore = static_cast<std::ptrdiff_t>(m_strangers.size());
    for (const int pid : m_scan.appeared())
        m_strangers.push_back({pid, tick.monotonic, {}});
    std::inplace_merge(m_strangers.begin(), m_strangers.begin() + sizeBefore, m_strangers.end(),
                       [](const Stranger &a, const Stranger &b) { return a.pid < b.pid; });
}

std::optional<JobIdentity> JobCollector::identify(int pid, bool &isNamed)
{
    const auto path = m_procRoot + '/' + std::to_string(pid) + "/environ";
    const auto environment = readOnce(path.c_str(), m_buffer);
    if (!environment && (errno == EACCES || errno == EPERM))
        m_wasDenied = true;
    auto identity = environment ? identityOf(*environment) : std::nullopt;
    if (m_named.empty())
        return identity;
    // What the command line says of a process itself goes before what it says of itself;
    // what it says of a parent does not.
    const auto own = m_named.find(pid);
    if (identity && own == m_named.end())
        return identity;
    const auto name = own != m_named.end() ? std::optional(own->second) : namedAncestor(pid);
    if (!name)
        return identity;
    isNamed = true;
    if (!identity)
        identity.emplace();
    identity->id = fitForLabel(*name);
    return identity;
}

std::optional<std::string> JobCollector::namedAncestor(int pid)
{
    constexpr int kDeepest = 32;
    for (int depth = 0; depth < kDeepest; ++depth) {
        const auto parent = parentOf(m_procRoot, pid, m_buffer);
        if (!parent || *parent <= 1)
            return std::nullopt;
        if (const auto named = m_named.find(*parent); named != m_named.end())
            return named->second;
        pid = *parent;
    }
    return std::nullopt;
}

std::string JobCollector::cgroupOf(int pid)
{
    if (m_cgroups.mount().version == CgroupMount::Version::None)
        return {};
    const auto path = m_procRoot + '/' + std::to_string(pid) + "/cgroup";
    const auto text = readOnce(path.c_str(), m_buffer, 16 << 10);
    return text ? memoryCgroupOf(*text, m_cgroups.mount()).value_or(std::string()) : std::string();
}

void JobCollector::join(int pid, const JobIdentity &identity, bool isNamed, const Tick &tick, Readings &into)
{
    JobProcess process{ProcessReader(m_procRoot, pid), {}, {}, tick.monotonic, isNamed, 0, {}, {}, {}, {}, {}};
    if (!process.reader.readRss())
        return; // gone meanwhile, or about to be
    process.name = process.reader.readName(m_buffer);
    process.cgroup = cgroupOf(pid);
    const auto [at, isNew] = m_jobs.try_emplace(identity.id);
    Job &job = at->second;
    if (isNew) {
        job.identity = identity;
        job.labels = labelsOf(identity, m_options.host);
        job.group = "job:" + identity.id;
        job.slowGroup = job.group + "/slow";
        job.nextSlow = tick.monotonic;
        into.events.push_back(jobEvent(job, EventKind::JobStarted, tick.wall,
                                       "Job " + identity.id + " started: " + process.name + ", process "
                                           + std::to_string(pid) + '.'));
    }
    m_members[pid] = identity.id;
    if (isNamed)
        m_named[pid] = identity.id;
    job.processes.push_back(std::move(process));
    refreshCgroups(job);
}

// A fork carries its parent's environment and name until it calls exec.
void JobCollector::recheckYoung(const Tick &tick, Readings &into)
{
    struct Mover
    {
        int pid;
        JobIdentity identity;
        bool isNamed;
    };
    std::vector<Mover> movers;
    for (auto &[id, job] : m_jobs) {
        bool hasMoved = false;
        for (auto &process : job.processes) {
            if (tick.monotonic - process.joined >= kYouth)
                continue;
            if (auto cgroup = cgroupOf(process.reader.pid()); !cgroup.empty() && cgroup != process.cgroup) {
                process.cgroup = std::move(cgroup);
                hasMoved = true;
            }
            if (auto name = process.reader.readName(m_buffer); !name.empty() && name != process.name) {
                end(job, process, false); // its series carry the name
                process.name = std::move(name);
                m_members[process.reader.pid()] = id;
            }
            bool isNamed = false;
            auto identity = identify(process.reader.pid(), isNamed);
            if (identity && identity->id != id)
                movers.push_back({process.reader.pid(), std::move(*identity), isNamed});
        }
        job.areCgroupsStale = job.areCgroupsStale || hasMoved;
    }
    for (auto &mover : movers) {
        Job &job = m_jobs.at(m_members.at(mover.pid));
        std::erase_if(job.processes, [&](JobProcess &process) {
            if (process.reader.pid() != mover.pid)
                return false;
            end(job, process, false);
            return true;
        });
        job.areCgroupsStale = true;
        join(mover.pid, mover.identity, mover.isNamed, tick, into);
    }
}

} // namespace plimsoll
