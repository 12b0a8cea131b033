// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"
#include "formats/torch_json.h"

#include <filesystem>

namespace plimsoll {

/// An allocator snapshot as an SQLite database: tables `segments`, `blocks`, `device_traces` by their
/// column names, whatever else they hold; stacks as JSON text in a column `frames` or as a table. The
/// file is only read, nothing in it is run. Errors: Io, Corrupt, TooLarge, Cancelled, BadInput (a
/// database, but no snapshot).
[[nodiscard]] Result<MemorySnapshot> readTorchSqlite(const std::filesystem::path &path, const SnapshotReading &reading);

/// Writes the snapshot as such a database, each stack once. Read again it is the same snapshot. As
/// with JSON there is never half a file. Errors: Io, Full, Cancelled.
[[nodiscard]] Result<void> writeTorchSqlite(const MemorySnapshot &snapshot, const std::filesystem::path &path,
                                            const SnapshotWriting &writing = {});

} // namespace plimsoll
