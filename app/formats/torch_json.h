// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"

#include <filesystem>
#include <stop_token>

namespace plimsoll {

/// An allocator snapshot as JSON, with the keys of the pickle; a bare list of segments too. Read
/// piece by piece: memory is that of the snapshot. A file that ends too early gives what came before
/// and a warning. Errors: Corrupt, TooLarge, Cancelled, BadInput (JSON, but no snapshot), the source's.
[[nodiscard]] Result<MemorySnapshot> readTorchJson(ByteSource &source, const SnapshotReading &reading);

struct SnapshotWriting
{
    std::stop_token stop;  // asked at least every 50 ms
    ProgressSink progress; // on the writer's thread
};

/// Writes the snapshot as JSON with the keys of the pickle; what those cannot say stands under
/// "plimsoll". Read again it is the same snapshot. Writes beside `path` and renames at the end, so
/// there is never half a file. Errors: Io, Full, Cancelled.
[[nodiscard]] Result<void> writeTorchJson(const MemorySnapshot &snapshot, const std::filesystem::path &path,
                                          const SnapshotWriting &writing = {});

} // namespace plimsoll
