// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"
#include "snapshot/steps.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace plimsoll {

/// What one stack made and nobody freed.
struct Leak
{
    StackId stack = kNoStack;
    std::uint64_t count = 0;
    std::int64_t bytes = 0;        // requested
    double bytesPerStep = 0;       // over the steps that count; 0 without steps
    std::uint32_t steps = 0;       // in so many of them it grew
    bool isSteady = false;         // in at least half of them, three or more
    EventInstant first = 0;        // the births of the first and the last
    EventInstant last = 0;

    friend bool operator==(const Leak &, const Leak &) = default;
};

struct LeakReport
{
    Steps steps;
    std::uint32_t stepsCounted = 0; // the first warms up, the last may still be under way: both are left out
    std::vector<Leak> leaks;        // growth per step first, then bytes
};

/// Born after `from` and never freed, by stack. What was born in the last step is not held against
/// anybody where steps are known.
[[nodiscard]] LeakReport findLeaks(const Replay &replay, EventInstant from = 0, std::stop_token stop = {});
[[nodiscard]] LeakReport findLeaks(const Replay &replay, EventInstant from, Steps steps);

} // namespace plimsoll
