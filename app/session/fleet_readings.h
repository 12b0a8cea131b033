// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/fleet_feed.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// The newest sample of one quantity, the best of all series that tell it.
struct SeriesReading
{
    SeriesId series;
    std::optional<double> value; // nullopt: absent, not a number
    std::optional<Instant> seen;
    Duration interval{};
    Freshness freshness = Freshness::Away;

    [[nodiscard]] std::optional<Bytes> bytes() const;
    /// Two agents, or an agent and an exporter, may tell the same. The fresher kind
    /// wins, then the faster, then the one known for longer: no flapping between equals.
    void offer(const SeriesReading &other);
};

/// What was read about one GPU, MIG slice or host.
struct DeviceReadings
{
    std::string node;
    DeviceKind kind = DeviceKind::Gpu;
    std::string uuid;     // of the whole GPU
    std::string index;
    std::string instance; // MIG
    std::string model;
    SeriesReading limit, usage, free, reserved, available, utilization;
};

struct JobReadings
{
    struct OnHost
    {
        SeriesReading rss, swap, processes;
        double processRss = 0; // summed, for jobs that nobody adds up
        std::optional<Instant> processSeen;
        std::uint32_t processCount = 0;
        std::optional<Instant> seen;
        Duration interval{};
    };
    std::map<std::string, OnHost> hosts;
    std::set<std::string> devices;
    Labels labels; // of the newest sample
    std::optional<Instant> labelsSeen;
};

/// All entries, sorted by what they speak of. Ids are those of the fleet.
struct FleetReadings
{
    std::map<std::string, DeviceReadings> devices;
    std::map<std::string, JobReadings> jobs;
    std::map<std::string, Instant> hostsSeen; // newest sample of the host itself, its jobs apart

    [[nodiscard]] static FleetReadings sorted(std::span<const SeriesEntry> entries, const FleetFeed::Agents &agents,
                                              Instant at);
};

[[nodiscard]] std::string hostDeviceId(std::string_view host); // "host:NAME"

} // namespace plimsoll
