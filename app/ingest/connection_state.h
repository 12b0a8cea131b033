// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "ingest/endpoint_config.h"
#include "model/frame.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

enum class ConnectionPhase : std::uint8_t { Connecting, Live, Lagging, Unreachable, Refused };

/// What a person may know about one connection. `problem` is a whole sentence.
struct ConnectionState
{
    EndpointConfig endpoint;
    ConnectionPhase phase = ConnectionPhase::Connecting;
    Instant since;       // of this phase
    std::string problem; // empty when live
    std::optional<Instant> nextAttempt;
    std::optional<Duration> skew;      // agent's clock − ours
    std::optional<Duration> roundTrip;
    std::optional<Duration> lag;       // ours − newest sample, skew taken out
    std::string agentVersion;
    std::string agentId;
    std::string hostName;
    std::vector<std::string> capabilities;
    std::vector<SourceState> sources;
    std::uint64_t frames = 0;
    std::uint64_t samples = 0;
    std::uint64_t lost = 0; // sequence numbers the agent no longer had
    double samplesPerSecond = 0;

    friend bool operator==(const ConnectionState &, const ConnectionState &) = default;
};

} // namespace plimsoll
