// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <atomic>

namespace plimsoll::test {

/// A clock that stands until it is told to move; both times move together. Any thread.
class TestClock final : public Clock
{
public:
    explicit TestClock(Instant start = Instant{std::chrono::seconds(1'790'000'000)}) : m_wall(toUnixNanos(start)) {}

    [[nodiscard]] Instant now() const override { return fromUnixNanos(m_wall.load()); }
    [[nodiscard]] MonotonicInstant monotonicNow() const override { return MonotonicInstant{Duration{m_monotonic.load()}}; }

    void advance(Duration by)
    {
        m_wall += by.count();
        m_monotonic += by.count();
    }

private:
    std::atomic<std::int64_t> m_wall;
    std::atomic<std::int64_t> m_monotonic{1'000'000'000};
};

} // namespace plimsoll::test
