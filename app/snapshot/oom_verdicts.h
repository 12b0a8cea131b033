// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/levels.h"
#include "snapshot/oom.h"

#include <optional>
#include <vector>

namespace plimsoll {

/// Memory that came back to a higher level each time, and the stack behind it.
struct LeakSigns
{
    std::uint64_t growth = 0; // of the lowest level, from the first period to the last
    std::uint32_t periods = 0;
    bool isSteady = false; // one stack left something behind in nearly every period
    bool isRepeating = false; // each period goes up and comes down by much more than that growth
    StackId stack = kNoStack; // that stack, else the one that left most
    std::uint64_t stackBytes = 0;
    std::size_t stackCount = 0;
};

/// Looks for leaks before any moment of one device's trace, for which the replay must live.
class LeakWatch
{
public:
    explicit LeakWatch(const Replay &replay, std::stop_token stop = {});
    [[nodiscard]] std::optional<LeakSigns> at(EventInstant instant) const;

private:
    [[nodiscard]] std::optional<LeakSigns> byPeriods(const std::vector<EventInstant> &borders) const;

    const Replay *m_replay;
    LevelCurve m_level;
    std::vector<EventInstant> m_steps; // where each begins
};

/// The reasons that hold, by bytes explained.
[[nodiscard]] std::vector<OomVerdict> verdictsOn(const OomExplanation &oom, const AllocatorOptions &options,
                                                 const std::optional<LeakSigns> &leak);

} // namespace plimsoll
