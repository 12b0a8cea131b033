// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <cstdint>
#include <vector>

namespace plimsoll {

/// Allocations of one order of magnitude.
struct SizeClass
{
    std::uint64_t from = 0; // bytes asked for, [from, to): powers of two; the first has 0
    std::uint64_t to = 0;   // 0: no end
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t rounded = 0; // in the allocator's block sizes

    friend bool operator==(const SizeClass &, const SizeClass &) = default;
};

/// Of what is alive; classes without an allocation are left out.
[[nodiscard]] std::vector<SizeClass> sizeClassesAt(const Replay &replay, EventInstant instant);
/// Of all that was born in (from, to].
[[nodiscard]] std::vector<SizeClass> sizeClassesBorn(const Replay &replay, EventInstant from, EventInstant to);

} // namespace plimsoll
