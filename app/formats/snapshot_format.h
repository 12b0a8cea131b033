// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll {

/// What a file is, by its bytes: names and endings lie (a pickle called .json is common).
enum class SnapshotFormat : std::uint8_t {
    TorchPickle,
    TorchJson,
    TorchSqlite,
    TorchHtml, // a page of memory_viz with the pickle inside
    Kineto,
    MemoryTimeline,    // torch.profiler's export_memory_timeline, sums by category
    MemoryTimelineRaw, // the same, event by event
    MemoryTimelineHtml, // a picture only
    Pprof,
    HeapText, // gperftools, Go, jemalloc, Java
    TorchSave, // a zip: weights, not a snapshot
    Empty,
    Unknown,
};
[[nodiscard]] std::string_view toString(SnapshotFormat format) noexcept; // "PyTorch snapshot (pickle)", …

/// How many of the first (unpacked) bytes are worth having.
inline constexpr std::size_t kSniffedBytes = std::size_t{4} << 20U;

/// Of the first bytes of the unpacked file. Never reads behind them; linear. Any thread.
[[nodiscard]] SnapshotFormat sniffSnapshot(std::string_view first) noexcept;

} // namespace plimsoll
