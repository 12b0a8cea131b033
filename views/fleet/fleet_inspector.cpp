// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_inspector.h"

#include "base/format.h"
#include "views/device_text.h"
#include "views/time_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <cmath>

namespace plimsoll {

namespace {

constexpr std::size_t kMostJobs = 6;

QString tr(const char *text)
{
    return QCoreApplication::translate("FleetInspector", text);
}

Inspector::Section nowSection(const DeviceInspection &what)
{
    const DeviceState &device = what.device;
    Inspector::Section section;
    section.title = tr("Now");
    section.rows = {{tr("Used"), bytesText(device.used)}, {tr("Free"), bytesText(device.free())},
                    {tr("Capacity"), bytesText(device.capacity)}};
    if (device.reserved)
        section.rows.push_back({tr("Held by the driver"), bytesText(device.reserved)});
    if (what.estimate.bytesPerHour) {
        const double growth = *what.estimate.bytesPerHour;
        const QString sign = growth < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
        section.rows.push_back({tr("Growth"), sign + bytesText(std::abs(growth)) + QStringLiteral("/h")});
    }
    section.rows.push_back({tr("Time to full"), timeToFullText(what.estimate)});
    if (device.utilization)
        section.rows.push_back({tr("Busy"), percentText(device.utilization)});
    return section;
}

Inspector::Section jobsSection(const DeviceInspection &what)
{
    Inspector::Section section;
    section.title = what.device.kind == DeviceKind::Host ? tr("Runs on this node") : tr("Runs on this device");
    const auto jobs = jobsOn(what.fleet, what.device);
    section.right = QString::number(jobs.size());
    for (const JobState *job : jobs) {
        if (section.rows.size() == kMostJobs)
            break;
        section.rows.push_back({shown(job->id, 40), bytesText(job->rss)});
    }
    return section;
}

Inspector::Section originSection(const DeviceInspection &what)
{
    Inspector::Section section;
    section.title = tr("Origin");
    section.rows.push_back({tr("Node"), shown(what.device.node, 60)});
    if (!what.device.model.empty())
        section.rows.push_back({tr("Model"), shown(what.device.model, 60)});
    section.rows.push_back({tr("Age"), what.device.seen ? ageText(*what.device.seen, what.now) : QStringLiteral("\u2013")});
    return section;
}

} // namespace

std::vector<Inspector::Section> deviceSections(const DeviceInspection &what)
{
    std::vector<Inspector::Section> out{nowSection(what)};
    if (auto jobs = jobsSection(what); !jobs.rows.empty())
        out.push_back(std::move(jobs));
    if (!what.events.empty())
        out.push_back(eventsSection(what.events, what.now, what.isUtc));
    out.push_back(originSection(what));
    return out;
}

void showDevice(Inspector &inspector, const DeviceInspection &what, std::vector<Inspector::Section> sections)
{
    const DeviceState &device = what.device;
    const auto jobs = jobsOn(what.fleet, device);
    QString sub = jobs.empty() ? tr("no job") : shown(jobs.front()->id, 40);
    if (!jobs.empty() && !jobs.front()->team.empty())
        sub += QStringLiteral(" \u00b7 ") + tr("team %1").arg(shown(jobs.front()->team, 30));
    inspector.setTitle(tr("Inspector"), device.kind == DeviceKind::Host ? tr("Host") : tr("GPU"));
    const Figure used = device.used ? formatBytes(*device.used) : Figure{"\u2013", ""};
    QString of;
    if (device.capacity) {
        const Figure capacity = formatBytes(*device.capacity);
        of = (used.unit == capacity.unit ? QString() : QString::fromStdString(used.unit) + u' ')
             + tr("of %1").arg(figureText(capacity));
    }
    inspector.setHeadline(deviceTitle(device), sub, {used.number, ""}, of, percentText(device.load()), device.load());
    inspector.setSections(std::move(sections));
}

} // namespace plimsoll
