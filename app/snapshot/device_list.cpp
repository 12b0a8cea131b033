// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/device_list.h"

#include <algorithm>
#include <tuple>

namespace plimsoll {
namespace {

// A file can name as many ordinals as it has segments, so they are looked up by halving.
SnapshotDevice &deviceOf(std::vector<SnapshotDevice> &sorted, MemoryKind kind, std::int32_t ordinal)
{
    const auto key = std::pair(kind, ordinal);
    auto at = std::lower_bound(sorted.begin(), sorted.end(), key,
                               [](const SnapshotDevice &d, const auto &k) { return std::pair(d.kind, d.ordinal) < k; });
    if (at == sorted.end() || std::pair(at->kind, at->ordinal) != key) {
        SnapshotDevice device;
        device.kind = kind;
        device.ordinal = ordinal;
        at = sorted.insert(at, std::move(device));
    }
    return *at;
}

} // namespace

std::vector<SnapshotDevice> devicesOf(const MemorySnapshot &snapshot)
{
    std::vector<SnapshotDevice> devices;
    std::vector<SnapshotDevice> further; // a second list of one device: kept apart, its rows are not adjacent
    std::vector<std::int32_t> ordinals;
    ordinals.reserve(snapshot.segments.size());
    for (const auto &segment : snapshot.segments)
        ordinals.push_back(segment.device);
    std::sort(ordinals.begin(), ordinals.end());
    ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
    for (const auto ordinal : ordinals) {
        SnapshotDevice device;
        device.ordinal = ordinal;
        devices.push_back(std::move(device));
    }
    for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
        const auto &list = snapshot.devices[i];
        if (list.eventCount == 0)
            continue;
        auto *device = &deviceOf(devices, list.kind, list.ordinal);
        if (device->list) {
            device = &further.emplace_back();
            device->kind = list.kind;
            device->ordinal = list.ordinal;
        }
        device->list = i;
        device->firstEvent = list.firstEvent;
        device->eventCount = list.eventCount;
    }
    for (std::size_t i = 0; i < snapshot.segments.size(); ++i)
        deviceOf(devices, MemoryKind::Accelerator, snapshot.segments[i].device).segments.push_back(i);
    if (!snapshot.hostSegments.empty()) {
        // Host memory belongs to the process: it all goes to the first list of it.
        auto first = std::find_if(devices.begin(), devices.end(), [](const auto &d) { return d.kind == MemoryKind::PinnedHost; });
        auto &host = first != devices.end() ? *first : deviceOf(devices, MemoryKind::PinnedHost, 0);
        for (std::size_t i = 0; i < snapshot.hostSegments.size(); ++i)
            host.segments.push_back(i);
    }
    devices.insert(devices.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
    return devices;
}

} // namespace plimsoll
