// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/device_text.h"

#include "base/format.h"
#include "views/time_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace plimsoll {

namespace {

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("DeviceText", text, nullptr, n);
}

const QString kUnknown = QStringLiteral("\u2013");

bool contains(const std::vector<std::string> &all, const std::string &one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

QString deviceTitle(const DeviceState &device)
{
    if (device.kind == DeviceKind::Host)
        return tr("%1 host").arg(shown(device.node, 60));
    return shown(device.node, 60) + u'/' + shown(device.name, 30);
}

QString bytesText(double bytes)
{
    return figureText(formatBytes(bytes));
}

QString bytesText(std::optional<Bytes> bytes)
{
    return bytes ? figureText(formatBytes(*bytes)) : kUnknown;
}

QString percentText(std::optional<double> ratio)
{
    return ratio ? figureText(formatValue(*ratio, "1")) : kUnknown;
}

QString jobKindText(JobKind kind)
{
    switch (kind) {
    case JobKind::Training: return tr("training");
    case JobKind::Inference: return tr("inference");
    case JobKind::Unknown: break;
    }
    return kUnknown;
}

QString jobsText(const NodeState &node, const Fleet &fleet)
{
    const JobState *first = nullptr;
    int count = 0;
    for (const auto &job : fleet.jobs) {
        const bool isHere = contains(job.nodes, node.name)
                            || std::any_of(node.devices.begin(), node.devices.end(),
                                           [&job](const auto &device) { return contains(device.jobs, job.id); });
        if (!isHere || job.ended)
            continue;
        if (!first || job.rss.value_or(Bytes{}) > first->rss.value_or(Bytes{}))
            first = &job;
        ++count;
    }
    if (!first)
        return tr("no job");
    const QString name = shown(first->id, 24);
    return count == 1 ? name : QStringLiteral("%1 +%2").arg(name).arg(count - 1);
}

QString deviceTip(const DeviceState &device, Freshness freshness, Instant now)
{
    QStringList lines{deviceTitle(device)};
    if (device.used && device.capacity)
        lines << tr("%1 of %2 used, %3").arg(bytesText(device.used), bytesText(device.capacity), percentText(device.load()));
    else
        lines << tr("nothing known about its memory yet");
    if (!device.model.empty())
        lines << shown(device.model, 60);
    if (device.seen && freshness != Freshness::Live)
        lines << tr("last seen %1 ago").arg(ageText(*device.seen, now));
    return lines.join(u'\n');
}

const DeviceState *findDevice(const Fleet &fleet, const std::string &id)
{
    for (const auto &node : fleet.nodes)
        for (const auto &device : node.devices)
            if (device.id == id)
                return &device;
    return nullptr;
}

const NodeState *findNode(const Fleet &fleet, const std::string &name)
{
    for (const auto &node : fleet.nodes)
        if (node.name == name)
            return &node;
    return nullptr;
}

const JobState *findJob(const Fleet &fleet, const std::string &id)
{
    for (const auto &job : fleet.jobs)
        if (job.id == id)
            return &job;
    return nullptr;
}

std::vector<const JobState *> jobsOn(const Fleet &fleet, const DeviceState &device)
{
    std::vector<const JobState *> out;
    for (const auto &job : fleet.jobs) {
        const bool isOnDevice = contains(device.jobs, job.id) || contains(job.devices, device.id);
        const bool isOnHost = device.kind == DeviceKind::Host && contains(job.nodes, device.node);
        if ((isOnDevice || isOnHost) && !job.ended)
            out.push_back(&job);
    }
    std::stable_sort(out.begin(), out.end(), [](const JobState *a, const JobState *b) {
        return a->rss.value_or(Bytes{}) > b->rss.value_or(Bytes{});
    });
    return out;
}

} // namespace plimsoll
