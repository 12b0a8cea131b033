// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/device_timeline.h"

#include <QCoreApplication>

namespace plimsoll {

SeriesSlice usedSlice(const DeviceTrack &track, SeriesSlice slice)
{
    if (!track.isAvailable)
        return slice;
    for (auto &bucket : slice.buckets) {
        const double least = bucket.min;
        bucket.min = track.capacity - bucket.max;
        bucket.max = track.capacity - least;
        bucket.first = track.capacity - bucket.first;
        bucket.last = track.capacity - bucket.last;
        bucket.sum = track.capacity * bucket.count - bucket.sum;
    }
    return slice;
}

std::optional<DevicePlan> planDevice(const DeviceState &device, const std::vector<SeriesEntry> &series)
{
    const auto track = trackOf(device);
    if (!track)
        return std::nullopt;
    DevicePlan plan{*track, device.kind, {}, {track->series}};
    if (device.kind == DeviceKind::Host) {
        for (const auto &entry : series) {
            const auto &key = entry.info.key;
            if (key.labels.value(label::kHost) == device.node && key.metric == metric::kHostPagingUsage
                && key.labels.value(label::kPagingState) == "used" && entry.lastTime)
                plan.swap = entry.id;
        }
    }
    if (plan.swap)
        plan.series.push_back(plan.swap);
    return plan;
}

std::vector<Track> DevicePlan::convert(const SliceAnswer &answer) const
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("DeviceTimeline", text); };
    Track out;
    out.id = QStringLiteral("device");
    out.unit = "By";
    for (const auto &slice : answer.slices) {
        TrackLine line;
        if (slice.series == track.series) {
            line.name = tr("used");
            line.role = kind == DeviceKind::Host ? SeriesRole::Host : SeriesRole::Reserved;
            line.slice = std::make_shared<const SeriesSlice>(usedSlice(track, slice));
            line.isArea = true;
        } else if (slice.series == swap) {
            line.name = tr("swap");
            line.role = SeriesRole::Swap;
            line.slice = std::make_shared<const SeriesSlice>(slice);
        } else {
            continue;
        }
        out.lines.push_back(std::move(line));
    }
    LimitLine capacity;
    capacity.name = tr("capacity");
    capacity.value = track.capacity;
    out.limits.push_back(std::move(capacity));
    return {std::move(out)};
}

} // namespace plimsoll
