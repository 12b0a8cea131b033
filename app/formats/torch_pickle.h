// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"

namespace plimsoll {

/// Reads an allocator snapshot from a pickle of protocol 0 to 5, as CPython or PyTorch's C++ pickler
/// write it. Only plain data is understood; nothing is imported, called or executed. One pass over
/// a window of 1 MiB; what stays in memory is the result and four bytes for each memo entry.
///
/// A file that ends too early gives what was complete (origin.truncatedAt, and a warning).
/// Errors: Unsupported (an opcode that would run code, a pickle of something else), Corrupt,
/// TooLarge (a limit of `reading`), Cancelled, and those of the source.
[[nodiscard]] Result<MemorySnapshot> readTorchPickle(ByteSource &source, const SnapshotReading &reading = {});

} // namespace plimsoll
