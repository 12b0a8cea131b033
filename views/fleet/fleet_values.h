// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"
#include "model/fleet.h"
#include "views/device_history.h"
#include "widgets/heatmap/headroom_list.h"
#include "widgets/heatmap/heat_model.h"

#include <vector>

namespace plimsoll {

/// From the fleet and its past to what the Fleet page's widgets eat. Pure.
[[nodiscard]] std::vector<HeatGroup> heatGroups(const Fleet &fleet, const DeviceHistory &history, int buckets);
[[nodiscard]] std::vector<HeadroomEntry> headroomEntries(const Fleet &fleet, const DeviceHistory &history);

/// Sums over one kind of device; only devices whose both figures are known count, and how many do not is said.
struct MemorySum
{
    double used = 0;
    double capacity = 0;
    int devices = 0;
    int unknown = 0;
    int high = 0; // at kHighLoad or more

    [[nodiscard]] std::optional<double> ratio() const
    {
        return capacity > 0 ? std::optional(used / capacity) : std::nullopt;
    }
};
[[nodiscard]] MemorySum memorySum(const Fleet &fleet, bool gpus);

/// The device with the least share free; nullptr when nothing is known.
[[nodiscard]] const DeviceState *leastHeadroom(const Fleet &fleet);

/// Swap in use on all hosts of the fleet; nullopt where no host says.
struct SwapSum
{
    double used = 0;
    std::optional<double> limit;
};
[[nodiscard]] std::optional<SwapSum> swapSum(const Fleet &fleet, const std::vector<SeriesEntry> &series);

} // namespace plimsoll
