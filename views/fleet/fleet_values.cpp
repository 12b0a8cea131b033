// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_values.h"

#include "base/format.h"
#include "views/device_text.h"
#include "views/time_text.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace plimsoll {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("FleetValues", text);
}

constexpr Duration kSoon = std::chrono::hours(1);

QString gibText(double bytes)
{
    return QString::fromStdString(formatNumber(bytes / static_cast<double>(kGiB)));
}

QString freeText(const NodeState &node)
{
    std::optional<double> least;
    for (const auto &device : node.devices)
        if (const auto free = device.free())
            least = std::min(least.value_or(1e300), static_cast<double>(free->value));
    return least ? gibText(*least) : QStringLiteral("\u2013");
}

HeatCell heatCell(const DeviceState &device, Freshness freshness, Instant now)
{
    HeatCell cell;
    cell.id = device.id;
    cell.name = shown(device.name, 30);
    cell.load = freshness == Freshness::Away ? std::nullopt : device.load();
    cell.freshness = freshness;
    cell.isIdle = device.load().value_or(1) < kPaleLoad;
    cell.kind = device.kind;
    cell.tip = deviceTip(device, freshness, now);
    return cell;
}

QString rowText(const NodeState &node, const Fleet &fleet)
{
    if (node.freshness == Freshness::Live || !node.seen)
        return jobsText(node, fleet);
    const QString age = ageText(*node.seen, fleet.at);
    return node.freshness == Freshness::Stale ? tr("stale %1").arg(age) : tr("away %1").arg(age);
}

std::optional<Glyph> headroomGlyph(const DeviceState &device, const TimeToFull &estimate)
{
    const auto mark = heatMark(device.load());
    if (mark == HeatMark::Full)
        return Glyph::Page;
    if (mark == HeatMark::High || (estimate.kind == TimeToFull::Kind::Filling && estimate.soonest < kSoon))
        return Glyph::Trend;
    return std::nullopt;
}

} // namespace

std::vector<HeatGroup> heatGroups(const Fleet &fleet, const DeviceHistory &history, int buckets)
{
    HeatGroup group;
    for (const auto &node : fleet.nodes) {
        HeatRow row;
        row.node = node.name;
        row.name = shown(node.name, 40);
        row.freshness = node.freshness;
        row.freeText = node.freshness == Freshness::Away ? QStringLiteral("\u2013") : freeText(node);
        row.jobText = rowText(node, fleet);
        row.history = history.worstOfNode(node.name, buckets);
        row.gaps = history.gapsOfNode(node.name);
        // A node with GPUs shows those; its host has a row in the headroom list. Without any, the host is its cell.
        const bool hasGpu = std::any_of(node.devices.begin(), node.devices.end(),
                                        [](const auto &device) { return device.kind != DeviceKind::Host; });
        for (const auto &device : node.devices)
            if (!hasGpu || device.kind != DeviceKind::Host)
                row.cells.push_back(heatCell(device, node.freshness, fleet.at));
        group.rows.push_back(std::move(row));
    }
    if (group.rows.empty())
        return {};
    return {std::move(group)};
}

std::vector<HeadroomEntry> headroomEntries(const Fleet &fleet, const DeviceHistory &history)
{
    std::vector<HeadroomEntry> out;
    for (const auto &node : fleet.nodes) {
        for (const auto &device : node.devices) {
            const TimeToFull estimate = history.timeToFullOf(device.id);
            HeadroomEntry entry;
            entry.id = device.id;
            entry.name = deviceTitle(device);
            if (node.freshness != Freshness::Away)
                if (const auto free = device.free())
                    entry.freeBytes = static_cast<double>(free->value);
            entry.glyph = headroomGlyph(device, estimate);
            entry.role = device.kind == DeviceKind::Host ? SeriesRole::Host : SeriesRole::Reserved;
            entry.timeToFull = timeToFullText(estimate);
            entry.tip = deviceTip(device, node.freshness, fleet.at);
            entry.isStale = node.freshness != Freshness::Live;
            out.push_back(std::move(entry));
        }
    }
    return out;
}

MemorySum memorySum(const Fleet &fleet, bool gpus)
{
    MemorySum out;
    for (const auto &node : fleet.nodes)
        for (const auto &device : node.devices) {
            if ((device.kind != DeviceKind::Host) != gpus)
                continue;
            ++out.devices;
            if (!device.load() || node.freshness == Freshness::Away) {
                ++out.unknown;
                continue;
            }
            out.used += static_cast<double>(device.used->value);
            out.capacity += static_cast<double>(device.capacity->value);
            out.high += heatMark(device.load()) != HeatMark::None ? 1 : 0;
        }
    return out;
}

const DeviceState *leastHeadroom(const Fleet &fleet)
{
    const DeviceState *least = nullptr;
    for (const auto &node : fleet.nodes) {
        if (node.freshness == Freshness::Away)
            continue;
        for (const auto &device : node.devices)
            if (device.free() && (!least || *device.free() < *least->free()))
                least = &device;
    }
    return least;
}

std::optional<SwapSum> swapSum(const Fleet &fleet, const std::vector<SeriesEntry> &series)
{
    std::optional<SwapSum> out;
    for (const auto &entry : series) {
        const auto &key = entry.info.key;
        if (!entry.lastTime || !findNode(fleet, std::string(key.labels.value(label::kHost))))
            continue;
        if (key.metric == metric::kHostPagingUsage && key.labels.value(label::kPagingState) == "used") {
            out = out.value_or(SwapSum{});
            out->used += entry.lastValue;
        } else if (key.metric == metric::kHostPagingLimit) {
            out = out.value_or(SwapSum{});
            out->limit = out->limit.value_or(0) + entry.lastValue;
        }
    }
    return out;
}

} // namespace plimsoll
