// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/labels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// Stored by number: only append.
enum class EventKind : std::uint8_t {
    Unknown = 0,
    AgentStarted = 1,
    AgentStopped = 2,
    JobStarted = 3,
    JobEnded = 4,
    OomKill = 5,
    LimitHit = 6,
    OutOfMemory = 7,
    Checkpoint = 8,
    Retry = 9,
    Deploy = 10,
    ConfigChange = 11,
    SpotReclaim = 12,
    SourceDown = 13,
    SourceUp = 14,
    SamplesLost = 15,
    ClockJump = 16,
    AgentAway = 17,  // written by the desktop: the stream ended …
    AgentBack = 18,  // … and began again
};

struct Event
{
    Instant time;
    EventKind kind = EventKind::Unknown;
    Labels labels; // which host, job, device it concerns
    std::string text;
    std::optional<double> value; // bytes, count, seconds: by kind

    friend bool operator==(const Event &, const Event &) = default;
};

[[nodiscard]] std::string_view toString(EventKind kind) noexcept; // "oom_kill": stable, for JSON and logs

} // namespace plimsoll
