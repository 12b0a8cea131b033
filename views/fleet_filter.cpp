// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet_filter.h"

#include "model/labels.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll {

namespace {

bool isJobLabel(const std::string &name)
{
    return name != label::kHost;
}

bool contains(const std::vector<std::string> &all, const std::string &one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

std::string kindText(JobKind kind)
{
    switch (kind) {
    case JobKind::Training: return "training";
    case JobKind::Inference: return "inference";
    case JobKind::Unknown: break;
    }
    return {};
}

std::string jobValue(const JobState &job, const std::string &name)
{
    if (name == label::kJob)
        return job.id;
    if (name == label::kTeam)
        return job.team;
    if (name == label::kModel)
        return job.model;
    if (name == label::kExperiment)
        return job.experiment;
    if (name == label::kJobKind)
        return kindText(job.kind);
    return {};
}

bool isOn(const JobState &job, const DeviceState &device)
{
    if (contains(device.jobs, job.id) || contains(job.devices, device.id))
        return true;
    return device.kind == DeviceKind::Host && contains(job.nodes, device.node);
}

} // namespace

bool jobMatches(const JobState &job, const std::vector<FilterChip> &chips)
{
    return std::all_of(chips.begin(), chips.end(), [&job](const FilterChip &chip) {
        return chip.label == label::kHost ? contains(job.nodes, chip.value) : jobValue(job, chip.label) == chip.value;
    });
}

FilteredFleet filterFleet(const Fleet &fleet, const std::vector<FilterChip> &chips)
{
    FilteredFleet out;
    out.fleet.at = fleet.at;
    const bool asksForJobs = std::any_of(chips.begin(), chips.end(), [](const auto &chip) { return isJobLabel(chip.label); });
    std::copy_if(fleet.jobs.begin(), fleet.jobs.end(), std::back_inserter(out.fleet.jobs),
                 [&chips](const JobState &job) { return jobMatches(job, chips); });

    for (const auto &node : fleet.nodes) {
        out.allDevices += static_cast<int>(node.devices.size());
        const bool isNodeIn = std::all_of(chips.begin(), chips.end(), [&node](const FilterChip &chip) {
            return chip.label != label::kHost || chip.value == node.name;
        });
        if (!isNodeIn)
            continue;
        NodeState kept = node;
        if (asksForJobs)
            std::erase_if(kept.devices, [&out](const DeviceState &device) {
                return std::none_of(out.fleet.jobs.begin(), out.fleet.jobs.end(),
                                    [&device](const JobState &job) { return isOn(job, device); });
            });
        if (kept.devices.empty() && !chips.empty())
            continue;
        out.devices += static_cast<int>(kept.devices.size());
        out.fleet.nodes.push_back(std::move(kept));
    }
    return out;
}

std::vector<FilterChoice> filterChoices(const Fleet &fleet)
{
    const std::vector<std::string> names{std::string(label::kTeam), std::string(label::kModel), std::string(label::kHost),
                                         std::string(label::kJob), std::string(label::kExperiment), std::string(label::kJobKind)};
    std::map<std::string, std::set<std::string>> values;
    for (const auto &node : fleet.nodes)
        values[std::string(label::kHost)].insert(node.name);
    for (const auto &job : fleet.jobs)
        for (const auto &name : names)
            if (name != label::kHost)
                values[name].insert(jobValue(job, name));
    std::vector<FilterChoice> out;
    for (const auto &name : names) {
        auto &found = values[name];
        found.erase(std::string());
        if (!found.empty())
            out.push_back({name, {found.begin(), found.end()}});
    }
    return out;
}

QString filterLabelText(const std::string &name)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("FleetFilter", text); };
    if (name == label::kTeam)
        return tr("team");
    if (name == label::kModel)
        return tr("model");
    if (name == label::kHost)
        return tr("host");
    if (name == label::kJob)
        return tr("job");
    if (name == label::kExperiment)
        return tr("experiment");
    if (name == label::kJobKind)
        return tr("kind");
    return shown(name, 40);
}

QString reachText(const FilteredFleet &filtered)
{
    const QString whole = QCoreApplication::translate("FleetFilter", "%n device(s)", nullptr, filtered.allDevices);
    if (!filtered.isNarrowed())
        return QCoreApplication::translate("FleetFilter", "applies to all panels \u00b7 %1").arg(whole);
    return QCoreApplication::translate("FleetFilter", "applies to all panels \u00b7 %1 of %2").arg(filtered.devices).arg(whole);
}

} // namespace plimsoll
