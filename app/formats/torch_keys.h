// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"
#include "formats/text_table.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll {

/// The keys of a snapshot's dictionaries. They are interned first and in this order, so that the id
/// of a text says which key it is.
enum class TorchKey : std::uint8_t {
    Empty,
    // of an event, those that the fast path knows first
    Action, Addr, DeviceFree, Size, Stream, TimeUs, PoolId, CompileContext, UserMetadata, InternalMetadata, Category, Frames,
    ForwardFrames,
    // of a frame
    Name, Filename, Line,
    // of a block and of its history
    State, RequestedSize, Address, History, RealSize, CppFrames,
    // of a segment
    Device, TotalSize, AllocatedSize, ActiveSize, SegmentType, SegmentPoolId, IsExpandable, Blocks,
    // of a host segment
    Allocated, Active,
    // of an annotation
    Stage,
    // on top
    Segments, DeviceTraces, AllocatorSettings, ExternalAnnotations, HostSegments, HostTraces, MaxEntries, Overflowed,
    // of the settings
    StreamReuse,
    Count,
};

inline constexpr TextId kTorchKeys = static_cast<TextId>(TorchKey::Count);
inline constexpr TextId kFirstAction = kTorchKeys; // then the names of the known actions
inline constexpr TextId kEndActions = kFirstAction + static_cast<TextId>(kKnownActions);

[[nodiscard]] constexpr TextId idOf(TorchKey key) noexcept { return static_cast<TextId>(key); }
[[nodiscard]] constexpr std::uint64_t bitOf(TorchKey key) noexcept { return std::uint64_t{1} << static_cast<unsigned>(key); }
static_assert(kTorchKeys <= 64, "a dictionary's known keys are a word of bits");

/// Into an empty table, before anything else.
void internTorchKeys(TextTable &texts);

} // namespace plimsoll
