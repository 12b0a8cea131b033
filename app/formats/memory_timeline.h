// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll {

/// What the exporter of a memory timeline guessed a byte to be for.
enum class TimelineCategory : std::uint8_t {
    Parameter,
    OptimizerState,
    Input,
    Temporary,
    Activation,
    Gradient,
    AutogradDetail,
    None, // nobody knows
};
inline constexpr std::size_t kTimelineCategories = 8;
[[nodiscard]] std::string_view toString(TimelineCategory category) noexcept; // "parameter", "optimizer_state", …

/// A moment of the `.json` export: bytes by category. Single allocations are not in that file.
struct TimelineMoment
{
    std::int64_t timeUs = kUnknownTime;
    std::array<std::uint64_t, kTimelineCategories> bytes{};
};

struct MemoryTimeline
{
    /// From the `.raw.json` form: one device without addresses, categories as attributes of the
    /// events. From the `.json` form: a device without events; look at `moments`.
    MemorySnapshot snapshot;
    bool isRaw = false;
    std::vector<TimelineMoment> moments;
    std::optional<std::size_t> peakMoment; // the first one with the greatest sum
    std::uint64_t peakBytes = 0;           // of the raw form: of its running sum
    std::uint64_t existingBytes = 0;       // raw: existed before
    std::uint64_t newVersions = 0;         // raw: rewritten in place; no change of memory
};

/// Reads `export_memory_timeline`'s `.json` and `.raw.json` forms. The HTML form holds a picture and
/// no data: Unsupported, and says so. Errors as those of JsonReader.
[[nodiscard]] Result<MemoryTimeline> readMemoryTimeline(ByteSource &source, const SnapshotReading &reading);

} // namespace plimsoll
