// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/window/palette_places.h"

#include "views/device_text.h"
#include "views/fleet_filter.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("PalettePlaces", text);
}

QString jobDetail(const JobState &job)
{
    QStringList parts{tr("job")};
    if (!job.team.empty())
        parts << tr("team %1").arg(shown(job.team, 30));
    parts << (job.ended ? tr("ended") : tr("running"));
    return parts.join(QStringLiteral(", "));
}

} // namespace

std::vector<PaletteEntry> palettePlaces(const Fleet &fleet, const PlaceActions &actions)
{
    std::vector<PaletteEntry> out;
    for (const auto &job : fleet.jobs) {
        PaletteEntry entry;
        entry.id = QStringLiteral("job:") + shown(job.id, 120);
        entry.title = shown(job.id, 80);
        entry.detail = jobDetail(job);
        entry.icon = Icon::Jobs;
        entry.run = [open = actions.openJob, id = job.id] { open(id); };
        out.push_back(std::move(entry));
    }
    for (const auto &node : fleet.nodes) {
        PaletteEntry entry;
        entry.id = QStringLiteral("node:") + shown(node.name, 120);
        entry.title = shown(node.name, 80);
        entry.detail = tr("node, filters by it");
        entry.icon = Icon::Fleet;
        entry.run = [filter = actions.filterBy, name = node.name] { filter(std::string(label::kHost), name); };
        out.push_back(std::move(entry));
        for (const auto &device : node.devices) {
            PaletteEntry cell;
            cell.id = QStringLiteral("device:") + shown(device.id, 120);
            cell.title = deviceTitle(device);
            cell.detail = device.load() ? tr("device, %1 used").arg(percentText(device.load())) : tr("device");
            cell.icon = Icon::Fleet;
            cell.run = [show = actions.showDevice, id = device.id] { show(id); };
            out.push_back(std::move(cell));
        }
    }
    for (const auto &choice : filterChoices(fleet)) {
        if (choice.label == label::kHost || choice.label == label::kJob)
            continue;
        for (const auto &value : choice.values) {
            PaletteEntry entry;
            entry.id = QStringLiteral("filter:%1=%2").arg(shown(choice.label, 60), shown(value, 120));
            entry.title = shown(value, 80);
            entry.detail = tr("%1, filters by it").arg(filterLabelText(choice.label));
            entry.icon = Icon::Search;
            entry.run = [filter = actions.filterBy, name = choice.label, value] { filter(name, value); };
            out.push_back(std::move(entry));
        }
    }
    return out;
}

} // namespace plimsoll
