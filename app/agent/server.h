// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/journal.h"
#include "agent/listen_address.h"
#include "base/result.h"
#include "base/time.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll {

/// What a server says of the agent it speaks for.
struct ServerFacts
{
    std::string agent; // program and version
    std::string hostName;
    std::vector<std::string> capabilities;
    Duration interval{};
    std::function<std::vector<SourceState>()> sources; // any thread
    std::function<void(const std::string &)> log;      // may be null
};

/// The gRPC side: hello, watch, backfill. Streams read out of the spool each at its
/// client's pace; there is no queue a client could make grow. Threads: gRPC's, and
/// one that sends heartbeats.
class Server
{
public:
    /// Errors: Busy (address in use), Io.
    [[nodiscard]] static Result<std::unique_ptr<Server>> start(const ListenAddress &address, Journal &journal,
                                                               ServerFacts facts, const Clock &clock = systemClock());
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;
    ~Server(); // ends the streams, waits for them, removes the socket

    [[nodiscard]] std::string address() const; // with the real port
    void wake(); // there is something new in the journal; any thread
    [[nodiscard]] std::size_t streams() const; // open now

private:
    class Private;
    explicit Server(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace plimsoll
