// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/heap_profile.h"
#include "formats/kineto.h"
#include "formats/memory_snapshot.h"
#include "formats/memory_timeline.h"
#include "formats/snapshot_format.h"
#include "formats/snapshot_reading.h"

#include <filesystem>
#include <variant>

namespace plimsoll {

/// What a file that shows memory held.
struct SnapshotFile
{
    SnapshotFormat format = SnapshotFormat::Unknown;
    std::variant<MemorySnapshot, KinetoTrace, MemoryTimeline, HeapProfile> content;

    /// Its events, segments and stacks; nullptr for a heap profile, which has stacks only.
    [[nodiscard]] const MemorySnapshot *snapshot() const noexcept;
};

/// Opens any of the formats, packed by gzip or zstd or not, by its bytes and whatever its name.
/// Takes as long as reading does: a gigabyte in half a second. Any thread, never the window's.
/// Errors: a sentence that names the file; Cancelled, Io, Unsupported, Corrupt, TooLarge, BadInput.
[[nodiscard]] Result<SnapshotFile> openSnapshotFile(const std::filesystem::path &path, const SnapshotReading &reading);

} // namespace plimsoll
