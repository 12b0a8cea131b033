// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/heap_profile.h"
#include "formats/snapshot_reading.h"

#include <string_view>

namespace plimsoll {

/// Heap profiles as text: gperftools (`heap profile: … @ heapprofile`), Go's debug=1 (`@ heap/N`),
/// jemalloc (`heap_v2/N`), Java (`--- heapz N ---`). Frames are addresses, named where the text names
/// them, with the mapped file where it is listed. Errors: BadInput (none of these), Corrupt,
/// TooLarge, Cancelled, and the source's.
[[nodiscard]] Result<HeapProfile> readHeapText(ByteSource &source, const SnapshotReading &reading);

/// By the first line.
[[nodiscard]] bool looksLikeHeapText(std::string_view firstBytes) noexcept;

} // namespace plimsoll
