// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/job/job_plan.h"

#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("JobPlan", text);
}

bool contains(const std::vector<std::string> &all, std::string_view one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

bool isOfJob(const SeriesEntry &entry, const std::string &job)
{
    return entry.info.key.labels.value(label::kJob) == job;
}

/// The cgroups the job's processes live in: a container's series need not know the job.
std::set<std::string> cgroupsOf(const std::string &job, const std::vector<SeriesEntry> &series)
{
    std::set<std::string> out;
    for (const auto &entry : series)
        if (isOfJob(entry, job))
            if (const auto path = entry.info.key.labels.find(label::kCgroup); path && *path != "/")
                out.emplace(*path);
    return out;
}

QString withNode(const QString &name, std::string_view node, bool several)
{
    return several && !node.empty() ? name + QStringLiteral(" \u00b7 ") + shown(node, 40) : name;
}

/// What one cgroup of the job shows.
struct Group
{
    std::string node;
    std::string path;
    const SeriesEntry *usage = nullptr;
    const SeriesEntry *limit = nullptr;
    bool isParent = false; // of another one here
};

/// The groups of the job with what is known of each, own ones before their parents.
/// A parent holds other people's memory too: it matters only where it has a limit.
std::vector<Group> groupsOf(const JobState &job, const std::vector<SeriesEntry> &series)
{
    const auto paths = cgroupsOf(job.id, series);
    std::map<std::pair<std::string_view, std::string_view>, Group> known;
    for (const auto &entry : series) {
        const auto &key = entry.info.key;
        const auto path = key.labels.value(label::kCgroup);
        // The root group holds the whole host, and would say nothing about the job.
        if (path == "/" || (!isOfJob(entry, job.id) && !paths.contains(std::string(path))))
            continue;
        const bool isUsage = key.metric == metric::kContainerUsage;
        const bool isLimit = key.metric == metric::kContainerLimit && entry.lastTime && entry.lastValue > 0;
        if (!isUsage && !isLimit)
            continue;
        const auto node = key.labels.value(label::kHost);
        auto &group = known.try_emplace({node, path}, Group{std::string(node), std::string(path)}).first->second;
        (isUsage ? group.usage : group.limit) = &entry;
    }
    std::vector<Group> out;
    for (const auto &[place, found] : known) {
        Group group = found; // not moved: those that follow still look at its path
        const std::string inside = group.path + '/';
        group.isParent = std::any_of(known.begin(), known.end(), [&](const auto &other) {
            return other.second.node == group.node && other.second.path.starts_with(inside);
        });
        if (!group.isParent || group.limit != nullptr)
            out.push_back(std::move(group));
    }
    std::stable_partition(out.begin(), out.end(), [](const Group &group) { return !group.isParent; });
    return out;
}

JobPlan::Track jobTrack(const JobState &job, const std::vector<SeriesEntry> &series)
{
    JobPlan::Track track{QStringLiteral("job"), tr("Job"), {}, {}, 3};
    const bool several = job.nodes.size() > 1;
    for (const auto &entry : series) {
        const auto &key = entry.info.key;
        const auto node = key.labels.value(label::kHost);
        if (isOfJob(entry, job.id) && key.metric == metric::kJobRss)
            track.lines.push_back({entry.id, withNode(tr("RSS"), node, several), SeriesRole::Host, false, true, false});
        else if (isOfJob(entry, job.id) && key.metric == metric::kJobSwap)
            track.lines.push_back({entry.id, withNode(tr("swap"), node, several), SeriesRole::Swap, false, false, false});
        else if (isOfJob(entry, job.id) && key.metric == metric::kJobPss)
            track.lines.push_back({entry.id, withNode(tr("PSS"), node, several), SeriesRole::Host, false, false, true});
    }
    const auto groups = groupsOf(job, series);
    std::map<std::string_view, int> perNode;
    for (const auto &group : groups)
        ++perNode[group.node];
    for (const auto &group : groups) {
        const bool isOnly = perNode[group.node] == 1; // else each is told by the end of its path
        const QString own = shown(std::string_view(group.path).substr(group.path.rfind('/') + 1), 32);
        if (group.usage != nullptr)
            track.lines.push_back({group.usage->id, withNode(isOnly ? tr("cgroup") : tr("cgroup %1").arg(own), group.node, several),
                                   SeriesRole::CgroupUsage, false, false, group.isParent});
        if (group.limit != nullptr)
            track.limits.push_back({group.limit->id,
                                    withNode(isOnly ? tr("cgroup limit") : tr("limit of %1").arg(own), group.node, several),
                                    group.limit->lastValue});
    }
    // Areas over areas say nothing and cost most of a frame: only one alone has one.
    if (std::count_if(track.lines.begin(), track.lines.end(), [](const auto &line) { return line.isArea; }) > 1)
        for (auto &line : track.lines)
            line.isArea = false;
    // The answer first: RSS is the main line, the others lie under it.
    std::stable_partition(track.lines.begin(), track.lines.end(),
                          [](const auto &line) { return line.role == SeriesRole::Host && !line.isDashed; });
    return track;
}

std::vector<JobPlan::Track> gpuTracks(const JobState &job, const std::vector<SeriesEntry> &series)
{
    std::map<std::string, JobPlan::Track> byGpu;
    for (const auto &entry : series) {
        const auto &key = entry.info.key;
        const std::string gpu(key.labels.value(label::kGpu));
        if (gpu.empty() || (!contains(job.devices, gpu) && !isOfJob(entry, job.id)))
            continue;
        auto &track = byGpu[gpu];
        const auto index = key.labels.value(label::kGpuIndex);
        if (track.id.isEmpty() || !index.empty()) {
            track.id = QStringLiteral("gpu:") + shown(gpu, 80);
            track.title = index.empty() ? shown(gpu, 16) : tr("GPU %1").arg(shown(index, 8));
            track.stretch = 3;
        }
        if (key.metric == metric::kTorchReserved && isOfJob(entry, job.id))
            track.lines.push_back({entry.id, tr("reserved"), SeriesRole::Reserved, false, true, false});
        else if (key.metric == metric::kTorchAllocated && isOfJob(entry, job.id))
            track.lines.push_back({entry.id, tr("allocated"), SeriesRole::Allocated, true, false, false});
        else if (key.metric == metric::kProcessGpu && isOfJob(entry, job.id))
            track.lines.push_back({entry.id, tr("job"), SeriesRole::Allocated, false, false, false});
        else if (key.metric == metric::kGpuUsage)
            track.lines.push_back({entry.id, tr("GPU used"), SeriesRole::Reserved, false, false, true});
        else if (key.metric == metric::kGpuLimit && entry.lastTime && entry.lastValue > 0)
            track.limits.push_back({entry.id, tr("capacity"), entry.lastValue});
    }
    std::vector<JobPlan::Track> out;
    for (auto &[gpu, track] : byGpu)
        if (!track.lines.empty())
            out.push_back(std::move(track));
    return out;
}

std::vector<JobPlan::Track> hostTracks(const JobState &job, const std::vector<SeriesEntry> &series)
{
    std::map<std::string, JobPlan::Track> byNode;
    for (const auto &entry : series) {
        const auto &key = entry.info.key;
        const std::string node(key.labels.value(label::kHost));
        if (!contains(job.nodes, node))
            continue;
        auto &track = byNode[node];
        track.id = QStringLiteral("host:") + shown(node, 80);
        track.title = job.nodes.size() > 1 ? shown(node, 24) : tr("Host");
        track.stretch = 2;
        if (key.metric == metric::kHostAvailable)
            track.lines.push_back({entry.id, tr("host available"), SeriesRole::Available, false, false, false});
        else if (key.metric == metric::kHostLimit && entry.lastTime && entry.lastValue > 0)
            track.limits.push_back({entry.id, tr("host memory"), entry.lastValue});
    }
    std::vector<JobPlan::Track> out;
    for (auto &[node, track] : byNode)
        if (!track.lines.empty())
            out.push_back(std::move(track));
    return out;
}

} // namespace

std::vector<SeriesId> JobPlan::series() const
{
    std::vector<SeriesId> out;
    const auto add = [&out](SeriesId id) {
        if (id && std::find(out.begin(), out.end(), id) == out.end())
            out.push_back(id);
    };
    for (const auto &track : tracks) {
        for (const auto &line : track.lines)
            add(line.series);
        for (const auto &limit : track.limits)
            add(limit.series);
    }
    return out;
}

JobPlan planJob(const JobState &job, const std::vector<SeriesEntry> &series)
{
    JobPlan plan;
    for (auto &track : gpuTracks(job, series))
        plan.tracks.push_back(std::move(track));
    if (auto track = jobTrack(job, series); !track.lines.empty())
        plan.tracks.push_back(std::move(track));
    for (auto &track : hostTracks(job, series))
        plan.tracks.push_back(std::move(track));
    return plan;
}

std::vector<Track> timelineTracks(const JobPlan &plan, const SliceAnswer &answer)
{
    std::map<SeriesId, std::shared_ptr<const SeriesSlice>> slices;
    for (const auto &slice : answer.slices)
        slices.emplace(slice.series, std::make_shared<const SeriesSlice>(slice));
    const auto sliceOf = [&slices](SeriesId id) {
        const auto found = slices.find(id);
        return found == slices.end() ? nullptr : found->second;
    };
    std::vector<Track> out;
    for (const auto &planned : plan.tracks) {
        Track track;
        track.id = planned.id;
        track.title = planned.title;
        track.unit = "By";
        track.stretch = planned.stretch;
        for (const auto &line : planned.lines) {
            TrackLine made;
            made.name = line.name;
            made.role = line.role;
            made.slice = sliceOf(line.series);
            made.isBand = line.isBand;
            made.isArea = line.isArea;
            made.isDashed = line.isDashed;
            track.lines.push_back(std::move(made));
        }
        for (const auto &limit : planned.limits) {
            LimitLine made;
            made.name = limit.name;
            made.value = limit.value;
            made.slice = sliceOf(limit.series);
            track.limits.push_back(std::move(made));
        }
        out.push_back(std::move(track));
    }
    return out;
}

std::vector<ProcessRow> processesOf(const std::string &job, const std::vector<SeriesEntry> &series, Instant at)
{
    std::map<std::pair<std::string, std::string>, ProcessRow> found; // by node and pid
    for (const auto &entry : series) {
        const auto &key = entry.info.key;
        const auto pid = key.labels.find(label::kPid);
        if (!pid || !isOfJob(entry, job) || !entry.lastTime)
            continue;
        if (at - *entry.lastTime > 10 * entry.info.interval)
            continue;
        const std::string node(key.labels.value(label::kHost));
        auto &process = found[{node, std::string(*pid)}];
        process.pid = *pid;
        process.node = node;
        if (const auto name = key.labels.find(label::kProcessName))
            process.name = *name;
        if (key.metric == metric::kProcessRss)
            process.rss = entry.lastValue;
        else if (key.metric == metric::kProcessPss)
            process.pss = entry.lastValue;
        else if (key.metric == metric::kProcessSwap)
            process.swap = entry.lastValue;
        process.seen = std::max(process.seen.value_or(*entry.lastTime), *entry.lastTime);
    }
    std::vector<ProcessRow> out;
    // PSS is read more rarely and outlives the process: RSS tells whether it is there.
    for (auto &[key, process] : found)
        if (process.rss)
            out.push_back(std::move(process));
    std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.rss.value_or(-1) > b.rss.value_or(-1); });
    return out;
}

} // namespace plimsoll
