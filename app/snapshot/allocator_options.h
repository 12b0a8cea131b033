// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

inline constexpr std::uint64_t kAllocatorUnit = 512;                     // bytes; the smallest block too
inline constexpr std::uint64_t kSmallLimit = std::uint64_t{1} << 20U;    // rounded sizes up to it live in the small half
inline constexpr std::uint64_t kSmallSegment = std::uint64_t{2} << 20U;
inline constexpr std::uint64_t kLargeSegment = std::uint64_t{20} << 20U; // for rounded sizes under kOwnSegment
inline constexpr std::uint64_t kOwnSegment = std::uint64_t{10} << 20U;   // from here a segment of its own, in units of 2 MiB

/// What steers PyTorch's caching allocator, as far as it decides about sizes and places.
struct AllocatorOptions
{
    static constexpr std::uint64_t kNoLimit = UINT64_MAX;
    static constexpr std::size_t kIntervals = 16; // of roundup_power2_divisions: from 1 MiB on, doubling

    std::uint64_t maxSplitSize = kNoLimit; // bytes
    std::uint64_t maxNonSplitRounding = kLargeSegment; // bytes
    std::uint64_t largeSegmentSize = kLargeSegment; // bytes
    double garbageCollectionThreshold = 0; // of what is allowed; 0: off
    bool expandableSegments = false;
    std::array<std::uint32_t, kIntervals> roundupDivisions {}; // 0 and 1: off
    std::optional<double> memoryFraction; // of the card, 0…1; never in the fields of a file

    friend bool operator==(const AllocatorOptions &, const AllocatorOptions &) = default;
};

/// Up to the next of `divisions` (a power of two) equal steps between two powers of two: 1,200 by 4 is 1,280.
[[nodiscard]] std::uint64_t roundUpToDivision(std::uint64_t size, std::uint64_t divisions) noexcept;
/// What a request becomes. Sizes beyond 2^62 come back as they are: nothing will fit them.
[[nodiscard]] std::uint64_t roundedSize(std::uint64_t requested, const AllocatorOptions &options) noexcept;
[[nodiscard]] constexpr bool isSmallRequest(std::uint64_t rounded) noexcept { return rounded <= kSmallLimit; }
/// What the driver is asked for when nothing cached fits (without expandable segments).
[[nodiscard]] std::uint64_t segmentSizeFor(std::uint64_t rounded, const AllocatorOptions &options) noexcept;

/// Applies an option text ("expandable_segments:True,roundup_power2_divisions:[64:8,>:1]"). What is
/// not understood is left alone and named in `warnings`, a sentence each; options without
/// influence on places (backend, pinned_…, …) pass silently.
void applyAllocatorConf(std::string_view conf, AllocatorOptions &options, std::vector<std::string> &warnings);

struct AllocatorSettings
{
    AllocatorOptions options;
    bool isKnown = false; // false: the file has no settings (before 2.3), so these are PyTorch's defaults
    std::vector<std::string> warnings;
};

/// The option text of the file first, then its fields, which say what was really in force.
[[nodiscard]] AllocatorSettings allocatorSettingsOf(const MemorySnapshot &snapshot);

/// As PyTorch takes it: "expandable_segments:True,max_split_size_mb:128"; empty for the defaults.
[[nodiscard]] std::string toConf(const AllocatorOptions &options);

} // namespace plimsoll
