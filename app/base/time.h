// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace plimsoll {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::sys_time<Duration>;                  // wall time, UTC
using MonotonicInstant = std::chrono::time_point<std::chrono::steady_clock, Duration>; // never compared with Instant

/// Half-open: begin belongs to it, end does not.
struct TimeRange
{
    Instant begin;
    Instant end;

    friend constexpr bool operator==(const TimeRange &, const TimeRange &) = default;
    [[nodiscard]] constexpr Duration length() const noexcept { return end - begin; }
    [[nodiscard]] constexpr bool isEmpty() const noexcept { return end <= begin; }
    [[nodiscard]] constexpr bool contains(Instant t) const noexcept { return begin <= t && t < end; }
    [[nodiscard]] constexpr bool overlaps(const TimeRange &o) const noexcept { return begin < o.end && o.begin < end; }
    [[nodiscard]] constexpr TimeRange intersected(const TimeRange &o) const noexcept
    {
        return {std::max(begin, o.begin), std::min(end, o.end)};
    }
};

[[nodiscard]] constexpr Instant fromUnixNanos(std::int64_t nanos) noexcept { return Instant{Duration{nanos}}; }
[[nodiscard]] constexpr std::int64_t toUnixNanos(Instant t) noexcept { return t.time_since_epoch().count(); }

/// Both clocks, injectable so that tests own the time. Any thread.
class Clock
{
public:
    Clock() = default;
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;
    virtual ~Clock() = default;
    [[nodiscard]] virtual Instant now() const = 0;
    [[nodiscard]] virtual MonotonicInstant monotonicNow() const = 0;
};

class SystemClock final : public Clock
{
public:
    [[nodiscard]] Instant now() const override
    {
        return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    }
    [[nodiscard]] MonotonicInstant monotonicNow() const override
    {
        return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
    }
};

/// The process-wide real clock, for callers that were given no other.
[[nodiscard]] inline const Clock &systemClock()
{
    static const SystemClock clock;
    return clock;
}

} // namespace plimsoll
