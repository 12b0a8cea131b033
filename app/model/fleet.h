// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/quantity.h"
#include "base/time.h"
#include "model/labels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

enum class DeviceKind : std::uint8_t { Host, Gpu, MigSlice };

/// One cell of the heat map: a GPU, a slice of one, or a host's own memory.
struct DeviceState
{
    std::string id;   // unique in the fleet: GPU UUID, or "host:NAME"
    std::string node;
    std::string name; // "gpu3", "host"
    DeviceKind kind = DeviceKind::Host;
    std::string model; // "H100 80GB HBM3"; may be empty
    std::optional<Bytes> capacity;
    std::optional<Bytes> used;
    std::optional<Bytes> reserved; // by the driver, not in used
    std::optional<double> utilization; // 0…1
    std::optional<Instant> seen;   // of `used`
    std::vector<std::string> jobs; // ids
    SeriesId usedSeries;           // 0 when there is none
    SeriesId capacitySeries;
    SeriesId availableSeries;      // hosts: used = capacity − available

    /// 0…1 when both sides are known.
    [[nodiscard]] std::optional<double> load() const
    {
        if (!capacity || !used || capacity->value <= 0)
            return std::nullopt;
        return static_cast<double>(used->value) / static_cast<double>(capacity->value);
    }
    [[nodiscard]] std::optional<Bytes> free() const
    {
        if (!capacity || !used)
            return std::nullopt;
        return *capacity - *used - reserved.value_or(Bytes{});
    }
    friend bool operator==(const DeviceState &, const DeviceState &) = default;
};

enum class Freshness : std::uint8_t { Live, Stale, Away }; // ≤ 3 intervals, ≤ 10, older

struct NodeState
{
    std::string name;
    Freshness freshness = Freshness::Away;
    std::optional<Instant> seen;
    std::vector<DeviceState> devices; // GPUs by index first, the host last

    friend bool operator==(const NodeState &, const NodeState &) = default;
};

enum class JobKind : std::uint8_t { Unknown, Training, Inference };

struct JobState
{
    std::string id;
    JobKind kind = JobKind::Unknown;
    std::string model;
    std::string team;
    std::string experiment;
    std::vector<std::string> nodes;
    std::vector<std::string> devices; // ids
    std::optional<Instant> started;
    std::optional<Instant> ended; // nullopt = still running
    std::optional<Bytes> rss;
    std::optional<Bytes> swap;
    std::optional<Instant> seen;
    std::optional<std::uint32_t> processes;

    friend bool operator==(const JobState &, const JobState &) = default;
};

/// A consistent picture of everything at one instant.
struct Fleet
{
    Instant at;
    std::vector<NodeState> nodes; // by name
    std::vector<JobState> jobs;   // running first, newest first

    friend bool operator==(const Fleet &, const Fleet &) = default;
};

} // namespace plimsoll
