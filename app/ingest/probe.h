// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "ingest/address.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace plimsoll {

/// What stands at an address, seen with plain sockets: gRPC only says "unavailable".
enum class Peer : std::uint8_t {
    Http2,        // answers like a gRPC server
    Http1,
    Tls,
    Garbage,      // answers, in no language we know
    Silent,       // accepts and says nothing
    HangsUp,      // accepts and closes at once
    Refused,      // nobody listens
    NoSocketFile,
    NotASocket,
    NotPermitted,
    NoName,       // the name does not resolve
    NoRoute,
    NoAnswer,     // not even a refusal
    Unknown,      // the probe was stopped, or the system refused: see detail
};

struct ProbeResult
{
    Peer peer = Peer::Unknown;
    std::string detail; // what the system said, for the log

    /// Whether a connection came about at all.
    [[nodiscard]] bool isConnected() const noexcept { return peer <= Peer::HangsUp; }
};

/// Resolves, connects, says the first words of HTTP/2 (and of HTTP/1 when the answer tells
/// nothing) and looks at what comes. Blocks up to `patience` for each step and looks at
/// `stop` every 50 ms; resolving a name may take as long as the system's resolver pleases.
[[nodiscard]] ProbeResult probe(const Address &address, Duration patience, const std::stop_token &stop = {});

/// Which language the first bytes of an answer are of.
[[nodiscard]] Peer languageOf(std::string_view firstBytes) noexcept;

} // namespace plimsoll
