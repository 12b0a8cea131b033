// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_figures.h"

#include "base/format.h"
#include "views/device_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

namespace plimsoll {

namespace {

constexpr int kSparkPoints = 48;
constexpr int kReserved = 0; // series colours
constexpr int kHost = 2;
constexpr int kSwap = 3;

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("FleetFigures", text, nullptr, n);
}

const QString kDot = QStringLiteral(" \u00b7 ");

/// "5.23 of 8.85 TiB": the unit once where both share it.
void setUsedOf(FigureStrip::Cell &cell, double used, double capacity)
{
    cell.figure = formatBytes(used);
    const Figure whole = formatBytes(capacity);
    const QString of = tr("of %1").arg(figureText(whole));
    cell.of = cell.figure.unit == whole.unit ? of : QString::fromStdString(cell.figure.unit) + u' ' + of;
}

FigureStrip::Cell memoryCell(const Fleet &fleet, const DeviceHistory &history, bool gpus)
{
    const MemorySum sum = memorySum(fleet, gpus);
    FigureStrip::Cell cell;
    cell.caption = gpus ? tr("GPU memory used") : tr("Host memory used");
    if (sum.capacity > 0)
        setUsedOf(cell, sum.used, sum.capacity);
    else
        cell.figure = {"\u2013", ""};
    cell.note = percentText(sum.ratio());
    if (sum.high > 0)
        cell.note += kDot + (gpus ? tr("%n GPU(s) at 90 % or more", sum.high) : tr("%n host(s) at 90 % or more", sum.high));
    else if (sum.unknown > 0)
        cell.note += kDot + tr("%n without figures", sum.unknown);
    else
        cell.note += kDot + (gpus ? tr("%n GPU(s)", sum.devices) : tr("%n host(s)", sum.devices));
    if (sum.high > 0)
        cell.glyph = Glyph::Trend;
    cell.spark = history.usedInAll(gpus ? DeviceKind::Gpu : DeviceKind::Host, fleet, kSparkPoints);
    cell.series = gpus ? kReserved : kHost;
    return cell;
}

FigureStrip::Cell headroomCell(const Fleet &fleet, const DeviceHistory &history)
{
    FigureStrip::Cell cell;
    cell.caption = tr("Least headroom");
    const DeviceState *least = leastHeadroom(fleet);
    if (!least) {
        cell.figure = {"\u2013", ""};
        cell.note = tr("nothing known yet");
        return cell;
    }
    cell.figure = formatBytes(*least->free());
    const TimeToFull estimate = history.timeToFullOf(least->id);
    cell.note = deviceTitle(*least);
    if (estimate.kind == TimeToFull::Kind::Filling)
        cell.note += kDot + tr("full in %1").arg(timeToFullText(estimate));
    else if (estimate.kind == TimeToFull::Kind::Steady)
        cell.note += kDot + timeToFullText(estimate);
    if (heatMark(least->load()) == HeatMark::Full)
        cell.glyph = Glyph::Page;
    else if (heatMark(least->load()) == HeatMark::High)
        cell.glyph = Glyph::Trend;
    cell.spark = history.freeOf(least->id, kSparkPoints);
    cell.series = least->kind == DeviceKind::Host ? kHost : kReserved;
    return cell;
}

FigureStrip::Cell jobsCell(const Fleet &fleet)
{
    FigureStrip::Cell cell;
    cell.caption = tr("Memory of jobs");
    int running = 0;
    unsigned processes = 0;
    double rss = 0;
    bool isKnown = false;
    for (const auto &job : fleet.jobs) {
        if (job.ended)
            continue;
        ++running;
        processes += job.processes.value_or(0);
        if (job.rss) {
            rss += static_cast<double>(job.rss->value);
            isKnown = true;
        }
    }
    cell.figure = isKnown ? formatBytes(rss) : Figure{"\u2013", ""};
    cell.note = running > 0 ? tr("%n job(s)", running) + kDot + tr("%n process(es)", static_cast<int>(processes)) : tr("no job runs");
    return cell;
}

FigureStrip::Cell agentsCell(const SessionStatus &status)
{
    FigureStrip::Cell cell;
    cell.caption = tr("Agents live");
    const int all = status.live + status.lagging + status.connecting + status.unreachable;
    cell.figure = {std::to_string(status.live), ""};
    cell.of = tr("of %1").arg(all);
    if (status.unreachable > 0) {
        cell.glyph = Glyph::Page;
        cell.note = tr("%n unreachable", status.unreachable);
    } else if (status.lagging > 0) {
        cell.glyph = Glyph::Trend;
        cell.note = tr("%n lagging", status.lagging);
    } else if (status.connecting > 0) {
        cell.note = tr("%n connecting", status.connecting);
    } else {
        cell.note = tr("%1 samples/s").arg(QString::fromStdString(formatCount(status.samplesPerSecond).text()));
    }
    return cell;
}

} // namespace

std::vector<FigureStrip::Cell> fleetFigures(const Fleet &fleet, const DeviceHistory &history,
                                            const std::vector<SeriesEntry> &series, const SessionStatus &status)
{
    std::vector<FigureStrip::Cell> out;
    if (memorySum(fleet, true).devices > 0)
        out.push_back(memoryCell(fleet, history, true));
    out.push_back(memoryCell(fleet, history, false));
    out.push_back(headroomCell(fleet, history));
    out.push_back(jobsCell(fleet));
    if (const auto swap = swapSum(fleet, series); swap && swap->limit.value_or(0) > 0) {
        FigureStrip::Cell cell;
        cell.caption = tr("Swap used");
        setUsedOf(cell, swap->used, *swap->limit);
        cell.note = percentText(swap->used / *swap->limit);
        cell.series = kSwap;
        out.push_back(std::move(cell));
    }
    out.push_back(agentsCell(status));
    return out;
}

} // namespace plimsoll
