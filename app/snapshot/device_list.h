// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll {

/// One device of a snapshot: its list of events, its segments, or both.
struct SnapshotDevice
{
    MemoryKind kind = MemoryKind::Accelerator;
    std::int32_t ordinal = 0;
    std::optional<std::size_t> list; // in MemorySnapshot::devices; nullopt: segments only
    std::size_t firstEvent = 0;      // rows [firstEvent, firstEvent + eventCount)
    std::size_t eventCount = 0;
    std::vector<std::size_t> segments; // in MemorySnapshot::segments, of pinned host memory in hostSegments

    [[nodiscard]] std::span<const MemorySegment> segmentsOf(const MemorySnapshot &snapshot) const noexcept
    {
        return kind == MemoryKind::PinnedHost ? std::span(snapshot.hostSegments) : std::span(snapshot.segments);
    }
    [[nodiscard]] std::span<const MemoryBlock> blocksOf(const MemorySnapshot &snapshot) const noexcept
    {
        return kind == MemoryKind::PinnedHost ? std::span(snapshot.hostBlocks) : std::span(snapshot.blocks);
    }
};

/// Those that have a segment or an event: accelerators by ordinal, then pinned host memory, then
/// CPUs. Of a file that holds nothing the list is empty.
[[nodiscard]] std::vector<SnapshotDevice> devicesOf(const MemorySnapshot &snapshot);

} // namespace plimsoll
