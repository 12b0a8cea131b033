// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/session_news.h"

#include <functional>
#include <memory>
#include <string>

namespace plimsoll {

/// Everything of a session that may wait for a disk, a socket or a thread: opens the
/// history, runs the embedded agent, keeps one channel an endpoint, and makes the values
/// that the window shows, at most ten times a second, on one thread of its own.
/// The destructor ends the channels, then the history, then the agent.
class SessionEngine
{
public:
    using Publish = std::function<void(SessionNews)>; // engine's thread

    SessionEngine(SessionOptions options, const Clock &clock, Publish publish);
    SessionEngine(const SessionEngine &) = delete;
    SessionEngine &operator=(const SessionEngine &) = delete;
    ~SessionEngine();

    // Any thread; done by the engine's own.
    // An address that is there already only takes the new name.
    void addEndpoint(EndpointConfig endpoint);
    void removeEndpoint(std::string address);
    void retryNow(std::string address);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace plimsoll
