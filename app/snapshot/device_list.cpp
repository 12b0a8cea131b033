// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/device_list.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

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
    // Segments name an ordinal only; where nothing but a list of a CPU has it, they are that CPU's (heap profiles).
    std::set<std::int32_t> cpus;
    for (const auto &list : snapshot.devices)
        if (list.kind == MemoryKind::Cpu)
            cpus.insert(list.ordinal);
    for (const auto &list : snapshot.devices)
        if (list.kind == MemoryKind::Accelerator)
            cpus.erase(list.ordinal);
    const auto kindOf = [&](std::int32_t ordinal) { return cpus.contains(ordinal) ? MemoryKind::Cpu : MemoryKind::Accelerator; };
    std::set<std::pair<MemoryKind, std::int32_t>> withSegments;
    for (const auto &segment : snapshot.segments)
        withSegments.emplace(kindOf(segment.device), segment.device);
    for (const auto &[kind, ordinal] : withSegments) {
        SnapshotDevice device;
        device.kind = kind;
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
        deviceOf(devices, kindOf(snapshot.segments[i].device), snapshot.segments[i].device).segments.push_back(i);
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
