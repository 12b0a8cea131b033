// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"

namespace plimsoll {

/// Reads the snapshot inside a page that memory_viz wrote: the first `"base64": "…"` behind
/// `local_files`, decoded while it is read. Errors: those of readTorchPickle, and Unsupported when
/// the page holds no such thing.
[[nodiscard]] Result<MemorySnapshot> readTorchHtml(ByteSource &source, const SnapshotReading &reading = {});

} // namespace plimsoll
