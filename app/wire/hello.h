// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/frame.h"
#include "wire/version.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::wire {

/// What an agent says of itself.
struct Hello
{
    ProtocolVersion version;
    std::string agent;    // program and version
    std::string agentId;  // the same after a restart
    std::string hostName;
    std::uint64_t epoch = 0;
    std::vector<std::string> capabilities;
    Instant wall;
    MonotonicInstant monotonic;
    std::uint64_t oldestSequence = 0;
    std::uint64_t newestSequence = 0;
    Duration interval{};
    std::vector<SourceState> sources;

    friend bool operator==(const Hello &, const Hello &) = default;
};

struct Heartbeat
{
    Instant wall;
    MonotonicInstant monotonic;
    std::uint64_t newestSequence = 0;
    std::vector<SourceState> sources;

    friend bool operator==(const Heartbeat &, const Heartbeat &) = default;
};

} // namespace plimsoll::wire
