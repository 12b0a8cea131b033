// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace plimsoll {

/// "unix:/path" or "host:port", "[::1]:port"; port 0 = any free one.
struct ListenAddress
{
    bool isUnix = false;
    std::filesystem::path path;
    std::string host;
    std::uint16_t port = 0;

    [[nodiscard]] bool isThisMachineOnly() const; // a Unix socket, or loopback
    [[nodiscard]] std::string text() const;       // as gRPC takes it
    friend bool operator==(const ListenAddress &, const ListenAddress &) = default;
};

/// "localhost", 127.0.0.0/8 and ::1; no other name, whatever it may resolve to.
[[nodiscard]] bool isLoopbackHost(const std::string &host);

/// Errors: BadInput, in a sentence.
[[nodiscard]] Result<ListenAddress> parseListenAddress(std::string_view text);

/// Makes the folder (for its owner alone) where there is none, and removes a socket that
/// nobody listens on any more. Errors: Busy, BadInput (something else lies there), Io.
[[nodiscard]] Result<void> makeWayForSocket(const std::filesystem::path &path);

} // namespace plimsoll
