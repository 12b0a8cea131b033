// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/cgroup_table.h"
#include "agent/collector.h"
#include "agent/job.h"
#include "agent/kill_watch.h"
#include "agent/pid_scan.h"

#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace plimsoll {

struct JobOptions
{
    std::filesystem::path procRoot = "/proc";
    std::filesystem::path cgroupRoot = "/sys/fs/cgroup";
    std::string host;
    Duration interval = std::chrono::seconds(1);
    std::map<std::string, int> named; // NAME → PID
};

/// Finds the processes that belong to jobs, reads their memory and that of their
/// cgroups, and tells when a job begins, ends, hits its limit or is killed.
///
/// A new process is looked at every tick for some seconds, because exec replaces
/// its environment; an old one that is no job once a minute.
class JobCollector final : public Collector
{
public:
    JobCollector(Journal &journal, JobOptions options);

    [[nodiscard]] std::string_view name() const override { return "jobs"; }
    [[nodiscard]] Duration interval() const override { return m_options.interval; }
    void collect(const Tick &tick, Readings &into) override;
    [[nodiscard]] SourceState state() const override;
    [[nodiscard]] const CgroupMount &cgroupMount() const noexcept { return m_cgroups.mount(); }

private:
    struct Stranger
    {
        int pid;
        MonotonicInstant seen;
        MonotonicInstant checked;
    };
    struct Death
    {
        std::string job;
        std::string name;
        std::string cgroup;
        int pid;
        std::uint64_t rss;
    };

    // Who belongs where (job_finder.cpp)
    void find(const Tick &tick, Readings &into);
    void noteScan(const Tick &tick);
    [[nodiscard]] std::optional<JobIdentity> identify(int pid, bool &isNamed);
    [[nodiscard]] std::optional<std::string> namedAncestor(int pid);
    void join(int pid, const JobIdentity &identity, bool isNamed, const Tick &tick, Readings &into);
    void recheckYoung(const Tick &tick, Readings &into);
    [[nodiscard]] std::string cgroupOf(int pid);

    // Numbers (job_collector.cpp)
    void readProcesses(const Tick &tick, Readings &into);
    void readSlowly(Job &job, bool hasSwap, const Tick &tick, Readings &into);
    [[nodiscard]] bool hostHasSwap();
    void end(Job &job, JobProcess &process, bool isDead);
    void addProcess(const Job &job, JobProcess &process, SeriesSlot &slot, std::string_view metricName, double value,
                    bool isSlow, Readings &into);
    void addJob(const Job &job, SeriesSlot &slot, std::string_view metricName, double value, bool isSlow, Readings &into);

    // Cgroups, kills and ends (job_cgroups.cpp)
    void refreshCgroups(Job &job);
    void addCgroups(Job &job, Readings &into);
    void tellKills(const Tick &tick, Readings &into);
    void tellLimits(const Tick &tick, Readings &into);
    void endEmptyJobs(const Tick &tick, Readings &into);
    [[nodiscard]] bool wasKilled(const Death &death);

    Journal &m_journal;
    JobOptions m_options;
    std::string m_procRoot;
    PidScan m_scan;
    CgroupTable m_cgroups;
    KeptFile m_vmstat;
    KeptFile m_meminfo;
    unsigned m_ticksSinceKills = 0; // since the host's kills were asked for
    KillWatch m_kills;
    std::optional<std::uint64_t> m_hostKills;
    std::map<std::string, Job> m_jobs;
    std::vector<Stranger> m_strangers; // by pid
    std::unordered_map<int, std::string> m_members; // pid → job
    std::unordered_map<int, std::string> m_named;   // processes of named jobs → name
    std::vector<Death> m_deaths; // of this tick
    struct LimitNote
    {
        MonotonicInstant told;
        std::uint64_t hits = 0;
    };
    std::map<std::string, LimitNote> m_limitNotes;
    std::string m_buffer;
    Duration m_pssCredit{};
    MonotonicInstant m_lastTick{};
    std::uint64_t m_series = 0;
    std::uint64_t m_unreadable = 0; // processes whose environment is not ours to read
    std::string m_problem;
    bool m_wasDenied = false; // by the last identify()
    bool m_isFirst = true;
};

} // namespace plimsoll
