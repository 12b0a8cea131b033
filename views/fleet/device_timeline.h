// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"
#include "views/device_history.h"
#include "views/timeline_feed.h"

#include <vector>

namespace plimsoll {

/// What the Fleet page's own timeline shows of one device: memory used under its capacity,
/// and for a host its swap and what its jobs hold.
struct DevicePlan
{
    DeviceTrack track;
    DeviceKind kind = DeviceKind::Host;
    SeriesId swap;
    std::vector<SeriesId> series; // in the order of the request

    [[nodiscard]] std::vector<Track> convert(const SliceAnswer &answer) const;
};

[[nodiscard]] std::optional<DevicePlan> planDevice(const DeviceState &device, const std::vector<SeriesEntry> &series);

/// A series of what is free turned into one of what is used, bucket by bucket.
[[nodiscard]] SeriesSlice usedSlice(const DeviceTrack &track, SeriesSlice slice);

} // namespace plimsoll
