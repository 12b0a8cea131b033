// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll {

/// From instants to microseconds and back. Where the clock of a file goes back, an event counts as
/// not earlier than those before it.
class TimeAxis
{
public:
    explicit TimeAxis(const Replay &replay);
    [[nodiscard]] bool hasTimes() const noexcept { return m_hasTimes; } // else events are the only axis
    [[nodiscard]] std::int64_t firstUs() const noexcept { return m_firstUs; }
    [[nodiscard]] std::int64_t lastUs() const noexcept { return m_lastUs; }
    /// The state that held at that time: after all events up to and including it.
    [[nodiscard]] EventInstant instantAt(std::int64_t timeUs) const noexcept;
    /// Of the event that led to the instant; nullopt for the start and without times.
    [[nodiscard]] std::optional<std::int64_t> timeOf(EventInstant instant) const noexcept;

private:
    const Replay *m_replay;
    const std::int64_t *m_times = nullptr;
    std::size_t m_count = 0;
    std::vector<std::int64_t> m_ascending; // only where the clock goes back or is not always said
    std::int64_t m_firstUs = 0;
    std::int64_t m_lastUs = 0;
    bool m_hasTimes = false;
};

} // namespace plimsoll
