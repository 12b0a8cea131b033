// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <cstdint>
#include <vector>

namespace plimsoll {

struct StackTotal
{
    StackId stack = kNoStack;
    std::int64_t bytes = 0; // requested
    std::int64_t count = 0;
    // Made before the trace by nobody knows whom: the stack is that of its free.
    bool isStackOfFree = false;

    friend bool operator==(const StackTotal &, const StackTotal &) = default;
};

/// What was alive, by the stack that made it; most bytes first, equal ones by stack.
[[nodiscard]] std::vector<StackTotal> aliveByStack(const Replay &replay, EventInstant instant);
/// Born in (from, to] and still alive at `to`.
[[nodiscard]] std::vector<StackTotal> keptByStack(const Replay &replay, EventInstant from, EventInstant to);

} // namespace plimsoll
