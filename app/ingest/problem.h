// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/address.h"
#include "ingest/probe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// How a call ended, without gRPC's types.
struct CallFailure
{
    enum class Kind : std::uint8_t {
        Unreachable,  // no connection came about
        Lost,         // one that stood broke
        NoName,       // the name did not resolve
        Timeout,      // connected, perhaps, and no answer
        NotAnAgent,   // gRPC, but not our service
        NotAllowed,   // it wants credentials
        TooLarge,     // a message over the limit
        Damaged,      // what came could not be read
        Other,
    };
    Kind kind = Kind::Other;
    std::string detail; // of the library or the agent, never trusted

    /// Whether looking at the peer with plain sockets could tell more.
    [[nodiscard]] bool isWorthProbing() const noexcept
    {
        return kind == Kind::Unreachable || kind == Kind::Lost || kind == Kind::Timeout || kind == Kind::Damaged
            || kind == Kind::Other;
    }
    /// Whether trying again soon is pointless: somebody has to change something first.
    [[nodiscard]] bool isRefusal() const noexcept { return kind == Kind::NotAnAgent || kind == Kind::NotAllowed; }
};

/// What happened and what to do, in two parts so that a check list can show them apart.
struct Explanation
{
    std::string happened; // a sentence without its full stop
    std::string advice;   // whole sentences

    [[nodiscard]] std::string sentence() const { return happened + (happened.ends_with('?') ? " " : ". ") + advice; }
};

[[nodiscard]] Explanation explainPeer(const Address &address, const ProbeResult &found);
[[nodiscard]] Explanation explainCall(const Address &address, const CallFailure &failure, Duration waited);
/// Both together: the peer when it explains the failure, else the call.
[[nodiscard]] Explanation explain(const Address &address, const CallFailure &failure, const ProbeResult &found,
                                  Duration waited);
/// The agent sent what we do not take; `why` comes from wire or Intake.
[[nodiscard]] Explanation explainNonsense(const Address &address, std::string_view why);
[[nodiscard]] Explanation explainSilence(const Address &address, Duration silence);

} // namespace plimsoll
