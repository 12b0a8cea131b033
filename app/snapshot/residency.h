// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/levels.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll {

/// Which band an allocation belongs to. What is in no band of its own is in the last one.
struct Bands
{
    std::vector<std::uint8_t> of; // by AllocationId
    std::size_t count = 0;        // bands, the last one for the rest
    std::vector<StackId> stacks;  // of bandsOfStacks: what each but the last one stands for
};

/// A band for each of the stacks that held most at their own peak. 5 ns an event.
[[nodiscard]] Bands bandsOfStacks(const Replay &replay, std::size_t most);
/// The same for any groups: `groupOf` by allocation, below `groups`; `chosen` says which got a band.
[[nodiscard]] Bands bandsOf(const Replay &replay, std::span<const std::uint32_t> groupOf, std::size_t groups, std::size_t most,
                            std::vector<std::uint32_t> &chosen, std::optional<std::uint32_t> never = {}); // `never`: gets none

/// A pixel column of a stacked picture: the state at the first instant of its highest total, so that
/// bands add up to a state that was there, and no peak is lost.
struct BandColumn
{
    EventInstant begin = 0; // instants [begin, end)
    EventInstant end = 0;
    EventInstant at = 0;
    std::int64_t total = 0; // there: what the bands add up to
    std::int64_t low = 0;   // lowest total in the column

    friend bool operator==(const BandColumn &, const BandColumn &) = default;
};

struct BandPicture
{
    std::vector<BandColumn> columns;
    std::size_t bands = 0;
    std::vector<std::int64_t> levels; // column after column, each with all bands

    [[nodiscard]] std::int64_t level(std::size_t column, std::size_t band) const noexcept { return levels[column * bands + band]; }
};

/// Borders of columns, one more than those. Equal distances in events …
[[nodiscard]] std::vector<EventInstant> eventBorders(EventInstant begin, EventInstant end, std::uint32_t columns);
/// … or in time.
[[nodiscard]] std::vector<EventInstant> timeBorders(const TimeAxis &axis, std::int64_t fromUs, std::int64_t toUs, std::uint32_t columns);

/// Requested bytes by band. Nothing is kept for it but the curve of LevelKind::Requested; 3 to 10 ms for 1,600
/// columns over millions of events. In ranges of more than 262,144 instants borders move to multiples of 32.
/// A column without an event of its own shows the state before it.
[[nodiscard]] BandPicture bandPicture(const LevelCurve &requested, const Bands &bands, std::span<const EventInstant> borders);

} // namespace plimsoll
