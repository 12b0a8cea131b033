// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/levels.h"
#include "snapshot/stack_totals.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace plimsoll {

/// A moment worth looking at.
struct LevelPeak
{
    EventInstant instant = 0; // the first that reaches the level; 0: the start
    std::int64_t level = 0;   // bytes
    std::int64_t prominence = 0; // how far it stands above the lowest way to a higher one; of the highest: above the lowest level
    std::optional<std::int64_t> timeUs;

    friend bool operator==(const LevelPeak &, const LevelPeak &) = default;
};

/// The highest moment of the curve.
[[nodiscard]] LevelPeak peakOf(const LevelCurve &curve, const Replay &replay);
/// Those that stand out by at least `minProminence`, the most prominent first, at most `limit`. Exact; 5 ns an instant.
[[nodiscard]] std::vector<LevelPeak> localPeaks(const LevelCurve &curve, const Replay &replay, std::int64_t minProminence,
                                                std::size_t limit, std::stop_token stop = {});

/// An allocation that the driver and the allocator refused.
struct OomMoment
{
    EventInstant instant = 0; // of the event: the state when it failed
    std::uint64_t size = 0;   // bytes, rounded
    std::optional<std::uint64_t> deviceFree;
    std::int64_t level = 0;   // requested bytes then alive
    std::optional<std::int64_t> timeUs;
    StackId stack = kNoStack;
    StreamId stream = 0;
};
[[nodiscard]] std::vector<OomMoment> oomMoments(const Replay &replay);

} // namespace plimsoll
