// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/window/palette_places.h"

#include "views/device_text.h"
#include "views/fleet_filter.h"
#include "widgets/theme/text.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QKeySequence>

#include <utility>

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

PaletteEntry action(const QString &id, const QString &title, Icon icon, const QString &keys, std::function<void()> run)
{
    return {id, title, {}, icon, keys, std::move(run)};
}

QString enter()
{
    return QKeySequence(Qt::Key_Enter).toString(QKeySequence::NativeText);
}

// Filtering by it and copying its name can be done with every place; opening stands before them.
void addActions(PaletteEntry &entry, const QString &openTitle, const QString &filterTitle, const QString &name)
{
    if (!openTitle.isEmpty())
        entry.actions.push_back(action(QStringLiteral("open"), openTitle, entry.icon, enter(), entry.run));
    entry.actions.push_back(action(QStringLiteral("filter"), filterTitle, Icon::Search,
                                   QKeySequence(Qt::CTRL | Qt::Key_Enter).toString(QKeySequence::NativeText), entry.filter));
    entry.actions.push_back(action(QStringLiteral("copy"), tr("Copy its name"), Icon::Copy, {},
                                   [name] { QGuiApplication::clipboard()->setText(name); }));
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
        entry.filter = [filter = actions.filterBy, id = job.id] { filter(std::string(label::kJob), id); };
        addActions(entry, tr("Open the job"), tr("Filter by it"), shown(job.id, 256));
        out.push_back(std::move(entry));
    }
    for (const auto &node : fleet.nodes) {
        PaletteEntry entry;
        entry.id = QStringLiteral("node:") + shown(node.name, 120);
        entry.title = shown(node.name, 80);
        entry.detail = tr("node, filters by it");
        entry.icon = Icon::Fleet;
        entry.run = [filter = actions.filterBy, name = node.name] { filter(std::string(label::kHost), name); };
        entry.filter = entry.run;
        addActions(entry, {}, tr("Filter by it"), shown(node.name, 256));
        out.push_back(std::move(entry));
        for (const auto &device : node.devices) {
            PaletteEntry cell;
            cell.id = QStringLiteral("device:") + shown(device.id, 120);
            cell.title = deviceTitle(device);
            cell.detail = device.load() ? tr("device, %1 used").arg(percentText(device.load())) : tr("device");
            cell.icon = Icon::Fleet;
            cell.run = [show = actions.showDevice, id = device.id] { show(id); };
            cell.filter = [filter = actions.filterBy, name = node.name] { filter(std::string(label::kHost), name); };
            addActions(cell, tr("Show the device"), tr("Filter by its node"), deviceTitle(device));
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
            entry.filter = entry.run;
            addActions(entry, {}, tr("Filter by it"), shown(value, 256));
            out.push_back(std::move(entry));
        }
    }
    return out;
}

} // namespace plimsoll
