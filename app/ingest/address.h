// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll {

/// Where an agent listens, taken apart.
struct Address
{
    enum class Kind : std::uint8_t { Tcp, Unix };
    Kind kind = Kind::Tcp;
    std::string host; // name or number, without brackets; Tcp only
    std::uint16_t port = 0;
    std::string path; // Unix only

    /// As people write it: "[::1]:7443", "unix:/run/x.sock".
    [[nodiscard]] std::string text() const;
    /// As gRPC dials it.
    [[nodiscard]] std::string target() const;

    friend bool operator==(const Address &, const Address &) = default;
};

/// "host:port", "[ipv6]:port" or "unix:/path". BadInput with a sentence that says what is missing.
[[nodiscard]] Result<Address> parseAddress(std::string_view text);

} // namespace plimsoll
