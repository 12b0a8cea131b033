// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/fleet_feed.h"

#include "session/fleet_readings.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

namespace plimsoll {
namespace {

constexpr Duration kForgottenAfter = std::chrono::hours(24);
constexpr std::size_t kRunsKept = 64; // a job, a host

int indexOf(const DeviceReadings &device)
{
    int index = std::numeric_limits<int>::max();
    std::from_chars(device.index.data(), device.index.data() + device.index.size(), index);
    return index;
}

std::string nameOf(const DeviceReadings &device)
{
    if (device.kind == DeviceKind::Host)
        return "host";
    std::string name = device.index.empty() ? device.uuid : "gpu" + device.index;
    if (!device.instance.empty())
        name += "/" + device.instance;
    return name;
}

DeviceState stateOf(const std::string &id, const DeviceReadings &read)
{
    DeviceState device;
    device.id = id;
    device.node = read.node;
    device.name = nameOf(read);
    device.kind = read.kind;
    device.model = read.model;
    device.capacity = read.limit.bytes();
    device.capacitySeries = read.limit.series;
    device.availableSeries = read.available.series;
    device.utilization = read.utilization.value;
    device.reserved = read.reserved.bytes();
    device.usedSeries = read.usage.series;
    device.used = read.usage.bytes();
    device.seen = read.usage.seen;
    if (read.kind == DeviceKind::Host) {
        // Available is what the kernel would give; used by its own count leaves caches out.
        if (const auto available = read.available.bytes(); available && device.capacity) {
            device.used = std::max(Bytes{}, *device.capacity - *available);
            device.seen = read.available.seen;
        }
    } else if (!device.capacity && device.used && read.free.bytes()) {
        // Exporters that name no total: it is the sum of its parts.
        device.capacity = *device.used + *read.free.bytes() + device.reserved.value_or(Bytes{});
    }
    return device;
}

Freshness bestOf(const DeviceReadings &read)
{
    return std::min({read.usage.freshness, read.available.freshness, read.utilization.freshness, read.limit.freshness});
}

JobKind kindOf(std::string_view word)
{
    if (word == "training")
        return JobKind::Training;
    return word == "inference" ? JobKind::Inference : JobKind::Unknown;
}

void label(JobState &job, const Labels &labels)
{
    const auto fill = [&labels](std::string &text, std::string_view name) {
        if (text.empty())
            text = labels.value(name);
    };
    fill(job.model, label::kModel);
    fill(job.team, label::kTeam);
    fill(job.experiment, label::kExperiment);
    if (job.kind == JobKind::Unknown)
        job.kind = kindOf(labels.value(label::kJobKind));
}

void add(std::optional<Bytes> &sum, std::optional<Bytes> part)
{
    if (part)
        sum = sum.value_or(Bytes{}) + *part;
}

/// One host's share of a job, and whether the job still runs there.
struct HostShare
{
    std::optional<Instant> started;
    std::optional<Instant> ended;
};

HostShare shareOf(const JobRuns *runs, const JobReadings::OnHost *read, std::optional<Instant> hostSeen)
{
    HostShare share;
    if (runs != nullptr) {
        share.started = runs->started();
        share.ended = runs->ended();
    }
    if (read == nullptr || !read->seen)
        return share;
    if (share.ended && *read->seen > *share.ended + read->interval)
        share.ended.reset(); // it samples on: a start was lost
    // Nobody said that it ended, but its host goes on without it.
    if (!share.ended && hostSeen && *hostSeen - *read->seen > 10 * read->interval)
        share.ended = read->seen;
    return share;
}

void addFigures(JobState &job, const JobReadings::OnHost &read)
{
    if (read.rss.value)
        add(job.rss, read.rss.bytes());
    else if (read.processSeen)
        add(job.rss, Bytes{static_cast<std::int64_t>(read.processRss)});
    add(job.swap, read.swap.bytes());
    const auto processes = read.processes.value && *read.processes.value >= 0 && *read.processes.value < 4e9
        ? std::optional(static_cast<std::uint32_t>(*read.processes.value))
        : read.processCount > 0 ? std::optional(read.processCount)
                                : std::nullopt;
    if (processes)
        job.processes = job.processes.value_or(0) + *processes;
}

JobState stateOf(const std::string &id, const JobReadings *read, const std::map<std::string, JobRuns> *runs,
                 const std::map<std::string, Instant> &hostsSeen)
{
    std::set<std::string> hosts;
    JobState job;
    job.id = id;
    if (read != nullptr) {
        label(job, read->labels);
        job.devices.assign(read->devices.begin(), read->devices.end());
        for (const auto &[host, readings] : read->hosts)
            hosts.insert(host);
    }
    if (runs != nullptr) {
        for (const auto &[host, run] : *runs) {
            label(job, run.labels);
            hosts.insert(host);
        }
    }
    bool isRunning = false;
    for (const std::string &host : hosts) {
        const auto find = [&host](const auto &map) -> const auto * {
            const auto found = map.find(host);
            return found == map.end() ? nullptr : &found->second;
        };
        const JobRuns *const run = runs == nullptr ? nullptr : find(*runs);
        const JobReadings::OnHost *const readings = read == nullptr ? nullptr : find(read->hosts);
        const Instant *const hostSeen = find(hostsSeen);
        const HostShare share = shareOf(run, readings, hostSeen == nullptr ? std::nullopt : std::optional(*hostSeen));
        if (!host.empty())
            job.nodes.push_back(host);
        if (share.started && (!job.started || *share.started < *job.started))
            job.started = share.started;
        if (share.ended)
            job.ended = std::max(job.ended, share.ended);
        else
            isRunning = true;
        if (readings != nullptr) {
            job.seen = std::max(job.seen, readings->seen);
            if (!share.ended)
                addFigures(job, *readings);
        }
    }
    if (isRunning)
        job.ended.reset();
    return job;
}

/// Running first, newest first.
std::vector<JobState> jobsOf(const FleetReadings &read, const FleetFeed::JobsByHost &runs, Instant at)
{
    std::set<std::string> ids;
    for (const auto &[id, readings] : read.jobs)
        ids.insert(id);
    for (const auto &[id, hosts] : runs)
        ids.insert(id);
    std::vector<JobState> jobs;
    for (const std::string &id : ids) {
        const auto readings = read.jobs.find(id);
        const auto hosts = runs.find(id);
        JobState job = stateOf(id, readings == read.jobs.end() ? nullptr : &readings->second,
                               hosts == runs.end() ? nullptr : &hosts->second, read.hostsSeen);
        const auto newest = std::max({job.seen, job.ended, job.started});
        if (newest && *newest >= at - kForgottenAfter)
            jobs.push_back(std::move(job));
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const JobState &a, const JobState &b) {
        if (a.ended.has_value() != b.ended.has_value())
            return !a.ended;
        return a.ended ? *a.ended > *b.ended : a.started > b.started;
    });
    return jobs;
}

/// By name, the GPUs of each by index, the host last.
std::vector<NodeState> nodesOf(const FleetReadings &read, const std::vector<JobState> &jobs)
{
    std::map<std::string, std::vector<std::string>> runningOn; // by device
    for (const JobState &job : jobs) {
        if (job.ended)
            continue;
        for (const std::string &device : job.devices)
            runningOn[device].push_back(job.id);
        for (const std::string &node : job.nodes)
            runningOn[hostDeviceId(node)].push_back(job.id);
    }

    using Order = std::tuple<bool, int, std::string>;
    std::map<std::string, NodeState> nodes;
    std::map<std::string, std::map<Order, DeviceState>> devices;
    for (const auto &[id, readings] : read.devices) {
        DeviceState device = stateOf(id, readings);
        if (const auto running = runningOn.find(id); running != runningOn.end())
            device.jobs = running->second;
        NodeState &node = nodes[readings.node];
        node.name = readings.node;
        node.freshness = std::min(node.freshness, bestOf(readings));
        node.seen = std::max(node.seen, device.seen);
        devices[readings.node].emplace(Order{readings.kind == DeviceKind::Host, indexOf(readings), id}, std::move(device));
    }
    std::vector<NodeState> sorted;
    sorted.reserve(nodes.size());
    for (auto &[name, node] : nodes) {
        for (auto &[order, device] : devices[name])
            node.devices.push_back(std::move(device));
        sorted.push_back(std::move(node));
    }
    return sorted;
}

} // namespace

std::optional<Instant> JobRuns::started() const
{
    if (starts.empty())
        return std::nullopt;
    // Ends at or after the newest start belong to that run itself.
    const auto endAfterRun = ends.lower_bound(*starts.rbegin());
    if (endAfterRun == ends.begin())
        return *starts.begin();
    return *starts.upper_bound(*std::prev(endAfterRun));
}

std::optional<Instant> JobRuns::ended() const
{
    if (ends.empty() || (!starts.empty() && *ends.rbegin() < *starts.rbegin()))
        return std::nullopt;
    return *ends.rbegin();
}

void FleetFeed::addEvents(std::span<const Event> events)
{
    for (const Event &event : events) {
        if (event.kind != EventKind::JobStarted && event.kind != EventKind::JobEnded)
            continue;
        const std::string_view job = event.labels.value(label::kJob);
        if (job.empty())
            continue;
        JobRuns &runs = m_jobs[std::string(job)][std::string(event.labels.value(label::kHost))];
        auto &times = event.kind == EventKind::JobStarted ? runs.starts : runs.ends;
        times.insert(event.time);
        while (times.size() > kRunsKept)
            times.erase(times.begin());
        runs.labels = event.labels;
    }
}

Fleet FleetFeed::build(std::span<const SeriesEntry> entries, Instant at) const
{
    const FleetReadings read = FleetReadings::sorted(entries, m_agents, at);
    Fleet fleet;
    fleet.at = at;
    fleet.jobs = jobsOf(read, m_jobs, at);
    fleet.nodes = nodesOf(read, fleet.jobs);
    return fleet;
}

} // namespace plimsoll
