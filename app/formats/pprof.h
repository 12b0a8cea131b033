// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/heap_profile.h"
#include "formats/snapshot_reading.h"

#include <string_view>

namespace plimsoll {

/// A heap profile in pprof's protobuf, gzip or plain. Errors: Corrupt (with the offset), TooLarge,
/// Cancelled, and the source's.
[[nodiscard]] Result<HeapProfile> readPprof(ByteSource &source, const SnapshotReading &reading);

/// Whether the first bytes (unpacked) can be a pprof profile: fields of its numbers and types, and
/// nothing else. A few hundred bytes are enough.
[[nodiscard]] bool looksLikePprof(std::string_view firstBytes) noexcept;

} // namespace plimsoll
