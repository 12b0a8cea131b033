// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mailbox.h"
#include "base/time.h"
#include "ingest/connection_state.h"
#include "model/frame.h"

#include <functional>
#include <memory>
#include <string>

namespace plimsoll {

struct ChannelOptions
{
    EndpointConfig endpoint;
    Duration firstBackoff = std::chrono::milliseconds(250);
    Duration longestBackoff = std::chrono::seconds(15);
    Duration helloDeadline = std::chrono::seconds(5);
    Duration silence = std::chrono::seconds(10); // without a message the stream counts as dead
};

/// One agent: dials, says hello, watches, converts, posts Deliveries into the
/// mailbox, and begins again by itself after a loss. Threads are gRPC's and one
/// of its own; callbacks arrive on them.
class Channel
{
public:
    /// Which frame comes next of this agent (identity) in the history; asked at every connect.
    using ResumeLookup = std::function<ResumePoint(const std::string &agent)>;
    using StateSink = std::function<void(const ConnectionState &)>; // on every change of phase, and once a second

    Channel(ChannelOptions options, Mailbox<Delivery> &inbox, ResumeLookup resume, StateSink changed,
            const Clock &clock = systemClock());
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;
    ~Channel(); // cancels, waits for every callback; no StateSink call after it

    [[nodiscard]] ConnectionState state() const;
    void retryNow(); // a person pressed the button

private:
    class Private;
    std::unique_ptr<Private> d;
};

/// One line of "Test": what was checked, how it went, what would fix it.
struct ConnectionCheck
{
    enum class Outcome : std::uint8_t { Passed, Failed, NotTried };
    std::string name;
    Outcome outcome = Outcome::NotTried;
    std::string result;
    std::string fix;
};

/// Resolves, connects, says hello, compares versions and clocks; blocks up to `deadline`. Pool thread.
[[nodiscard]] std::vector<ConnectionCheck> testConnection(const EndpointConfig &endpoint, Duration deadline,
                                                          const Clock &clock = systemClock());

} // namespace plimsoll
