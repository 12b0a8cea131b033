// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/job_collector.h"

#include "agent/series_of.h"
#include "agent/text_scan.h"

#include <algorithm>
#include <chrono>

namespace plimsoll {
namespace {

constexpr Duration kSlowInterval = std::chrono::seconds(10);
constexpr int kPssShare = 2500; // of the time, one part may go into reading PSS
constexpr Duration kMostPssCredit = std::chrono::milliseconds(10);

std::string_view sourceOf(std::string_view metricName)
{
    if (metricName == metric::kProcessRss || metricName == metric::kJobRss)
        return "/proc/PID/statm resident";
    if (metricName == metric::kProcessPss || metricName == metric::kJobPss)
        return "/proc/PID/smaps_rollup Pss";
    if (metricName == metric::kProcessSwap || metricName == metric::kJobSwap)
        return "/proc/PID/status VmSwap";
    return "";
}

} // namespace

JobCollector::JobCollector(Journal &journal, JobOptions options)
    : m_journal(journal)
    , m_options(std::move(options))
    , m_procRoot(m_options.procRoot.native())
    , m_scan(m_options.procRoot)
    , m_cgroups(findMemoryCgroups(m_options.cgroupRoot, m_options.procRoot))
    , m_vmstat(m_options.procRoot / "vmstat")
    , m_meminfo(m_options.procRoot / "meminfo")
    , m_pssCredit(kMostPssCredit)
{}

SourceState JobCollector::state() const
{
    return {"jobs", m_problem.empty(), m_problem, m_series, m_unreadable};
}

void JobCollector::collect(const Tick &tick, Readings &into)
{
    m_deaths.clear();
    if (m_lastTick != MonotonicInstant{})
        m_pssCredit = std::min(kMostPssCredit, m_pssCredit + (tick.monotonic - m_lastTick) / kPssShare);
    m_lastTick = tick.monotonic;

    find(tick, into);
    readProcesses(tick, into);
    // The counters after the processes: a process that is gone is in them already.
    m_cgroups.readAll(m_buffer);
    tellKills(tick, into);
    tellLimits(tick, into);
    for (auto &[id, job] : m_jobs) {
        if (job.areCgroupsStale)
            refreshCgroups(job);
        addCgroups(job, into);
    }
    endEmptyJobs(tick, into);
}

void JobCollector::readProcesses(const Tick &tick, Readings &into)
{
    const auto &vanished = m_scan.vanished();
    std::optional<bool> hasSwap; // asked once a tick, when it matters
    for (auto &entry : m_jobs) {
        Job &job = entry.second; // a name of its own: lambdas of C++20 in clang 14 take no structured binding
        std::uint64_t sum = 0;
        const auto hasEnded = [&](JobProcess &process) {
            const auto rss = process.reader.readRss();
            if (!rss || std::binary_search(vanished.begin(), vanished.end(), process.reader.pid())) {
                end(job, process, true);
                return true;
            }
            process.rss = *rss;
            sum += *rss;
            addProcess(job, process, process.rssSlot, metric::kProcessRss, static_cast<double>(*rss), false, into);
            return false;
        };
        if (std::erase_if(job.processes, hasEnded) > 0)
            job.areCgroupsStale = true;
        if (job.processes.empty())
            continue; // no zeros: it has ended
        addJob(job, job.rssSlot, metric::kJobRss, static_cast<double>(sum), false, into);
        addJob(job, job.processesSlot, metric::kJobProcesses, static_cast<double>(job.processes.size()), false, into);
        if (tick.monotonic < job.nextSlow)
            continue;
        if (!hasSwap)
            hasSwap = hostHasSwap();
        readSlowly(job, *hasSwap, tick, into);
    }
}

// Where there is no swap, each process has none of it: no file a process need be read.
bool JobCollector::hostHasSwap()
{
    bool hasSwap = true;
    forEachKey(m_meminfo.read(m_buffer).value_or(std::string_view()), [&](std::string_view key, std::string_view rest) {
        if (key == "SwapTotal")
            hasSwap = leadingNumber(rest) != std::uint64_t{0};
    });
    return hasSwap;
}

void JobCollector::readSlowly(Job &job, bool hasSwap, const Tick &tick, Readings &into)
{
    job.nextSlow = std::max(job.nextSlow + kSlowInterval, tick.monotonic + kSlowInterval / 2);
    std::optional<std::uint64_t> swap = 0;
    std::optional<std::uint64_t> pss = 0;
    bool hasMoved = false;
    for (auto &process : job.processes) {
        const auto slow = process.reader.readSlow(tick.monotonic, m_pssCredit > Duration{}, hasSwap, m_buffer);
        m_pssCredit -= slow.pssCost;
        process.swap = slow.swap;
        if (slow.pss)
            process.pss = slow.pss;
        if (slow.swap)
            addProcess(job, process, process.swapSlot, metric::kProcessSwap, static_cast<double>(*slow.swap), true, into);
        if (slow.pss)
            addProcess(job, process, process.pssSlot, metric::kProcessPss, static_cast<double>(*slow.pss), true, into);
        // A sum with a part missing would be a wrong number, not a smaller one.
        swap = swap && process.swap ? std::optional(*swap + *process.swap) : std::nullopt;
        pss = pss && process.pss ? std::optional(*pss + *process.pss) : std::nullopt;
        if (auto cgroup = cgroupOf(process.reader.pid()); !cgroup.empty() && cgroup != process.cgroup) {
            process.cgroup = std::move(cgroup);
            hasMoved = true;
        }
    }
    if (swap)
        addJob(job, job.swapSlot, metric::kJobSwap, static_cast<double>(*swap), true, into);
    if (pss)
        addJob(job, job.pssSlot, metric::kJobPss, static_cast<double>(*pss), true, into);
    job.areCgroupsStale = job.areCgroupsStale || hasMoved;
}

void JobCollector::end(Job &job, JobProcess &process, bool isDead)
{
    for (auto *slot : {&process.rssSlot, &process.swapSlot, &process.pssSlot}) {
        if (*slot) {
            m_journal.retire(*slot);
            *slot = {};
            --m_series;
        }
    }
    const int pid = process.reader.pid();
    m_members.erase(pid);
    if (isDead) {
        m_named.erase(pid);
        m_deaths.push_back({job.identity.id, process.name, process.cgroup, pid, process.rss});
    }
}

void JobCollector::addProcess(const Job &job, JobProcess &process, SeriesSlot &slot, std::string_view metricName,
                              double value, bool isSlow, Readings &into)
{
    if (!slot) {
        Labels labels = job.labels;
        labels.set(label::kPid, std::to_string(process.reader.pid()));
        labels.set(label::kProcessName, process.name);
        slot = m_journal.define(catalogued(metricName, std::move(labels), isSlow ? job.slowGroup : job.group,
                                           isSlow ? std::max(kSlowInterval, m_options.interval) : m_options.interval,
                                           Source{std::string(sourceOf(metricName)), "", 1}));
        ++m_series;
    }
    into.add(slot, value);
}

void JobCollector::addJob(const Job &job, SeriesSlot &slot, std::string_view metricName, double value, bool isSlow,
                          Readings &into)
{
    if (!slot) {
        slot = m_journal.define(catalogued(metricName, job.labels, isSlow ? job.slowGroup : job.group,
                                           isSlow ? std::max(kSlowInterval, m_options.interval) : m_options.interval,
                                           Source{std::string(sourceOf(metricName)), "", 1}));
        ++m_series;
    }
    into.add(slot, value);
}

} // namespace plimsoll
