// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/fleet_readings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace plimsoll {
namespace {

constexpr Duration kForgottenAfter = std::chrono::hours(24);

using Member = SeriesReading DeviceReadings::*;
struct GpuMetric
{
    std::string_view name;
    Member member;
};
const std::array kGpuMetrics{
    GpuMetric{metric::kGpuLimit, &DeviceReadings::limit},       GpuMetric{metric::kGpuUsage, &DeviceReadings::usage},
    GpuMetric{metric::kGpuFree, &DeviceReadings::free},         GpuMetric{metric::kGpuReserved, &DeviceReadings::reserved},
    GpuMetric{metric::kGpuUtilization, &DeviceReadings::utilization},
};

/// One entry with what everybody asks of it.
struct Seen
{
    const SeriesEntry &entry;
    const Labels &labels;
    std::string host;
    SeriesReading reading;
};

std::string gpuId(const Labels &labels)
{
    std::string id(labels.value(label::kGpu));
    if (const auto instance = labels.value(label::kMigInstance); !instance.empty())
        id.append("/").append(instance);
    return id;
}

void takeGpu(FleetReadings &into, const Seen &seen)
{
    const std::string_view name = seen.entry.info.key.metric;
    const auto known = std::find_if(kGpuMetrics.begin(), kGpuMetrics.end(), [name](const auto &m) { return m.name == name; });
    if (known == kGpuMetrics.end() || seen.labels.value(label::kGpu).empty())
        return;
    DeviceReadings &device = into.devices[gpuId(seen.labels)];
    const auto keep = [&](std::string &text, std::string_view label) {
        if (text.empty())
            text = seen.labels.value(label);
    };
    if (device.node.empty())
        device.node = seen.host;
    keep(device.uuid, label::kGpu);
    keep(device.index, label::kGpuIndex);
    keep(device.instance, label::kMigInstance);
    keep(device.model, label::kHardwareModel);
    if (!device.instance.empty() || device.uuid.starts_with("MIG-"))
        device.kind = DeviceKind::MigSlice;
    (device.*known->member).offer(seen.reading);
}

void takeHost(FleetReadings &into, const Seen &seen)
{
    const std::string_view name = seen.entry.info.key.metric;
    Member member = nullptr;
    if (name == metric::kHostLimit)
        member = &DeviceReadings::limit;
    else if (name == metric::kHostAvailable)
        member = &DeviceReadings::available;
    else if (name == metric::kHostUsage && seen.labels.value(label::kMemoryState) == "used")
        member = &DeviceReadings::usage;
    if (member == nullptr || seen.host.empty())
        return;
    DeviceReadings &device = into.devices[hostDeviceId(seen.host)];
    device.node = seen.host;
    device.kind = DeviceKind::Host;
    (device.*member).offer(seen.reading);
    Instant &newest = into.hostsSeen[seen.host];
    newest = std::max(newest, seen.reading.seen.value_or(newest));
}

void takeJob(FleetReadings &into, const Seen &seen)
{
    const std::string job(seen.labels.value(label::kJob));
    if (job.empty())
        return;
    JobReadings &readings = into.jobs[job];
    if (!readings.labelsSeen || readings.labelsSeen < seen.reading.seen) {
        readings.labels = seen.labels;
        readings.labelsSeen = seen.reading.seen;
    }
    if (!seen.labels.value(label::kGpu).empty())
        readings.devices.insert(gpuId(seen.labels));

    JobReadings::OnHost &host = readings.hosts[seen.host];
    const std::string_view name = seen.entry.info.key.metric;
    if (seen.reading.value) {
        if (!host.seen || *host.seen < *seen.reading.seen)
            host.seen = seen.reading.seen;
        host.interval = std::max(host.interval, seen.reading.interval);
    }
    if (name == metric::kJobRss)
        host.rss.offer(seen.reading);
    else if (name == metric::kJobSwap)
        host.swap.offer(seen.reading);
    else if (name == metric::kJobProcesses)
        host.processes.offer(seen.reading);
    else if (name == metric::kProcessRss && seen.reading.value && seen.reading.freshness != Freshness::Away) {
        host.processRss += *seen.reading.value;
        host.processSeen = std::max(host.processSeen, seen.reading.seen);
        ++host.processCount;
    }
}

/// Small estimates jitter and would only blur the sample's own time.
Duration noticeable(Duration skew) { return std::chrono::abs(skew) < std::chrono::milliseconds(500) ? Duration{} : skew; }

/// Whole GPU and its slices side by side would count memory twice: the slices stay.
void dropSlicedWholes(FleetReadings &readings)
{
    std::set<std::string> sliced;
    for (const auto &[id, device] : readings.devices) {
        if (device.kind == DeviceKind::MigSlice && !device.instance.empty() && device.usage.value)
            sliced.insert(device.uuid);
    }
    std::erase_if(readings.devices, [&](const auto &item) {
        return item.second.kind == DeviceKind::Gpu && sliced.contains(item.second.uuid);
    });
}

} // namespace

std::string hostDeviceId(std::string_view host) { return std::string("host:").append(host); }

Freshness freshnessOf(std::optional<Instant> seen, Duration interval, Instant at) noexcept
{
    if (!seen)
        return Freshness::Away;
    const Duration age = at - *seen;
    if (age <= 3 * interval)
        return Freshness::Live;
    return age <= 10 * interval ? Freshness::Stale : Freshness::Away;
}

std::optional<Bytes> SeriesReading::bytes() const
{
    // Foreign numbers: what no memory can be is unknown, not a wrapped integer.
    if (!value || *value < 0 || *value > 9e18)
        return std::nullopt;
    return Bytes{std::llround(*value)};
}

void SeriesReading::offer(const SeriesReading &other)
{
    const auto rank = [](const SeriesReading &r) {
        return std::tuple(!r.series, !r.value, r.freshness, r.interval, r.series);
    };
    if (rank(other) < rank(*this))
        *this = other;
}

FleetReadings FleetReadings::sorted(std::span<const SeriesEntry> entries, const FleetFeed::Agents &agents, Instant at)
{
    FleetReadings readings;
    for (const SeriesEntry &entry : entries) {
        if (!entry.lastTime || *entry.lastTime < at - kForgottenAfter)
            continue;
        const auto agent = agents.find(entry.agent);
        Seen seen{entry, entry.info.key.labels, std::string(entry.info.key.labels.value(label::kHost)), {}};
        if (seen.host.empty() && agent != agents.end())
            seen.host = agent->second.hostName;
        seen.reading.series = entry.id;
        seen.reading.seen = *entry.lastTime - (agent == agents.end() ? Duration{} : noticeable(agent->second.skew));
        seen.reading.interval = entry.info.interval;
        if (std::isfinite(entry.lastValue))
            seen.reading.value = entry.lastValue;
        const bool isAway = agent != agents.end() && agent->second.isAway;
        seen.reading.freshness = isAway ? Freshness::Away : freshnessOf(seen.reading.seen, entry.info.interval, at);
        takeGpu(readings, seen);
        takeHost(readings, seen);
        takeJob(readings, seen);
    }
    dropSlicedWholes(readings);
    return readings;
}

} // namespace plimsoll
