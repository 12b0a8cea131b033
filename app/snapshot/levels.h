// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"
#include "snapshot/time_axis.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace plimsoll {

/// Which bytes a curve counts.
enum class LevelKind : std::uint8_t {
    Requested,    // of all that lives, as asked for: exact; pending frees live until they are completed (PyTorch's "active")
    Allocated,    // Requested without PendingFree
    PendingFree,  // freed by the program, waiting for another stream
    Rounded,      // Requested, in the allocator's block sizes: an estimate for what does not live at the end
    RoundingLoss, // Rounded − Requested
    Reserved,     // what the allocator holds of the device
    Cached,       // Reserved − Rounded: an estimate; can be below 0 where the file lacks segments
};

/// Which allocations and segments count; an empty one: all.
struct LevelFilter
{
    std::optional<StreamId> stream;
    std::optional<std::pair<std::int64_t, std::int64_t>> pool;
    std::function<bool(AllocationId)> allocation; // further wish, asked once for each; not for Reserved

    [[nodiscard]] bool isEmpty() const noexcept { return !stream && !pool && !allocation; }
};

/// Instants [begin, end) and the extremes of the level in them.
struct LevelBucket
{
    EventInstant begin = 0;
    EventInstant end = 0;
    std::int64_t min = 0;
    std::int64_t max = 0;

    friend bool operator==(const LevelBucket &, const LevelBucket &) = default;
};

/// A level over the instants 0 to N of a replay (which must outlive it): a pyramid of extremes of 32
/// instants each, and exact values when asked. Half a byte to a byte an instant. Any thread.
class LevelCurve
{
public:
    LevelCurve(const Replay &replay, LevelKind kind, const LevelFilter &filter = {}, std::stop_token stop = {});

    [[nodiscard]] LevelKind kind() const noexcept { return m_kind; }
    [[nodiscard]] EventInstant size() const noexcept { return m_replay->end() + 1; } // instants
    [[nodiscard]] const Replay &replay() const noexcept { return *m_replay; }
    /// False where the file says nothing of it: reserved without segments, for example. Then all is 0.
    [[nodiscard]] bool isKnown() const noexcept { return m_isKnown; }
    /// Reserved came out below 0 at the start: segment events are missing, and the curve is too low.
    [[nodiscard]] bool startsBelowZero() const noexcept { return m_startsBelowZero; }

    [[nodiscard]] std::int64_t at(EventInstant instant) const;
    /// Exact values of [begin, begin + out.size()), within size().
    void values(EventInstant begin, std::span<std::int64_t> out) const;
    [[nodiscard]] LevelBucket extremes(EventInstant begin, EventInstant end) const;
    [[nodiscard]] EventInstant firstMaximum(EventInstant begin, EventInstant end) const;
    /// At most two buckets a pixel, together exactly [begin, end); no extreme is lost.
    [[nodiscard]] std::vector<LevelBucket> slice(EventInstant begin, EventInstant end, std::uint32_t pixels) const;
    /// On real time: one bucket a pixel, extremes of what held during it. A bucket without an event
    /// of its own shows the one before.
    [[nodiscard]] std::vector<LevelBucket> slice(const TimeAxis &axis, std::int64_t fromUs, std::int64_t toUs, std::uint32_t pixels) const;

private:
    static constexpr unsigned kLeafBits = 5;
    static constexpr unsigned kFanBits = 4;
    struct Extremes
    {
        std::int64_t min;
        std::int64_t max;
    };

    void addSteps(std::vector<std::pair<EventInstant, std::int64_t>> changes);
    void reservedChanges(const LevelFilter &filter, std::vector<std::pair<EventInstant, std::int64_t>> &changes);
    void pendingChanges(int sign, std::vector<std::pair<EventInstant, std::int64_t>> &changes);
    void levelChanges(int sign, std::vector<std::pair<EventInstant, std::int64_t>> &changes);
    void buildPyramid(const std::stop_token &stop);
    [[nodiscard]] std::int64_t weight(AllocationId id) const noexcept;
    [[nodiscard]] Extremes leaves(std::size_t first, std::size_t last) const noexcept;

    const Replay *m_replay;
    LevelKind m_kind;
    enum class Weight : std::uint8_t { None, Requested, Rounded, Loss, MinusRounded } m_weight = Weight::None;
    bool m_isKnown = true;
    bool m_startsBelowZero = false;
    std::int64_t m_constant = 0;
    std::vector<bool> m_isCounted; // by allocation; empty: all
    std::vector<EventInstant> m_stepAt;    // what changes rarely: from this instant on …
    std::vector<std::int64_t> m_stepValue; // … this much more than the constant
    std::vector<std::vector<Extremes>> m_pyramid;
    std::vector<std::uint8_t> m_where; // by leaf: the first instant of its highest level
};

/// What the allocator held at one instant, by segments and their events, without a curve: 1 ns an event after it.
[[nodiscard]] std::int64_t reservedAt(const Replay &replay, EventInstant instant);

} // namespace plimsoll
