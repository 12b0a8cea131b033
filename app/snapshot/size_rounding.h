// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace plimsoll {

inline constexpr std::uint64_t kAllocatorUnit = 512;                     // bytes; the smallest block too
inline constexpr std::uint64_t kSmallLimit = std::uint64_t{1} << 20U;    // rounded sizes up to it live in the small half
inline constexpr std::uint64_t kSmallSegment = std::uint64_t{2} << 20U;
inline constexpr std::uint64_t kLargeSegment = std::uint64_t{20} << 20U; // for rounded sizes under kOwnSegment
inline constexpr std::uint64_t kOwnSegment = std::uint64_t{10} << 20U;   // from here a segment of its own, in units of 2 MiB

/// How PyTorch's allocator rounds a request: to 512 bytes, or by roundup_power2_divisions.
class SizeRounding
{
public:
    SizeRounding() = default;
    explicit SizeRounding(const MemorySnapshot &snapshot); // by allocator_settings; by the plain rule where they are absent

    [[nodiscard]] std::uint64_t operator()(std::uint64_t requested) const noexcept;
    [[nodiscard]] bool hasDivisions() const noexcept { return m_hasDivisions; }
    void setDivisions(std::size_t interval, std::uint32_t divisions) noexcept; // interval: floor(log2(size in MiB)), 0 to 15

private:
    std::array<std::uint32_t, 16> m_divisions{}; // 0, 1: off
    bool m_hasDivisions = false;
};

} // namespace plimsoll
