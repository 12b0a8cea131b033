// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/memory_snapshot.h"

#include <string>
#include <string_view>

namespace plimsoll {

/// Which of them the form needs.
enum class SnapshotExtras {
    WhatJsonLacks, // devices where lists do not say all; pairs whose value is no JSON
    AllButPairs,   // for tables, which hold any text as a value
};

/// What the keys of PyTorch's snapshots cannot say, as a JSON object: kinds of devices, running
/// totals, counts of unknown keys, values that were cut, warnings, the versions.
[[nodiscard]] std::string snapshotExtras(const MemorySnapshot &snapshot, SnapshotExtras extras = SnapshotExtras::WhatJsonLacks);

/// Puts them back; the rest of the snapshot is there already. Errors: Corrupt.
[[nodiscard]] Result<void> applySnapshotExtras(const std::string &json, MemorySnapshot &snapshot);

/// Whether an event's attribute is one that PyTorch or its tools write.
[[nodiscard]] bool isTorchEventKey(std::string_view key) noexcept;

} // namespace plimsoll
