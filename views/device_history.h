// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"
#include "model/series_slice.h"
#include "views/time_to_full.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace plimsoll {

/// Which series tells how full a device was, and how to read it.
struct DeviceTrack
{
    std::string device;
    std::string node;
    SeriesId series;
    bool isAvailable = false; // the series counts what is free
    double capacity = 0;      // bytes

    [[nodiscard]] double load(double value) const noexcept { return (isAvailable ? capacity - value : value) / capacity; }
    [[nodiscard]] double free(double value) const noexcept { return isAvailable ? value : capacity - value; }
    friend bool operator==(const DeviceTrack &, const DeviceTrack &) = default;
};

/// nullopt while the device has no series or no capacity.
[[nodiscard]] std::optional<DeviceTrack> trackOf(const DeviceState &device);
[[nodiscard]] std::vector<DeviceTrack> tracksOf(const Fleet &fleet);

/// The past of every device over one range, as the Fleet page shows it.
class DeviceHistory
{
public:
    DeviceHistory() = default;
    /// `slices` in the order of `tracks`.
    DeviceHistory(std::vector<DeviceTrack> tracks, std::vector<SeriesSlice> slices, TimeRange range);

    [[nodiscard]] TimeRange range() const noexcept { return m_range; }
    /// The worst load of the node's devices in each of `buckets` equal parts of the range; nullopt where nothing was seen.
    [[nodiscard]] std::vector<std::optional<double>> worstOfNode(const std::string &node, int buckets) const;
    [[nodiscard]] std::vector<std::optional<double>> worstOfAll(int buckets) const;
    /// Gaps that all devices of the node share.
    [[nodiscard]] std::vector<Gap> gapsOfNode(const std::string &node) const;
    /// Sum of what was used, one value a bucket; only buckets in which every device was seen.
    [[nodiscard]] std::vector<double> usedInAll(DeviceKind kind, const Fleet &fleet, int buckets) const;
    [[nodiscard]] std::vector<double> freeOf(const std::string &device, int buckets) const;
    [[nodiscard]] TimeToFull timeToFullOf(const std::string &device) const;
    [[nodiscard]] const SeriesSlice *sliceOf(const std::string &device) const;

private:
    struct Entry
    {
        DeviceTrack track;
        SeriesSlice slice;
    };
    [[nodiscard]] std::vector<std::optional<double>> spread(const Entry &entry, int buckets, bool worst) const;

    TimeRange m_range{};
    std::vector<Entry> m_entries;
    std::unordered_map<std::string, TimeToFull> m_estimates;
};

} // namespace plimsoll
