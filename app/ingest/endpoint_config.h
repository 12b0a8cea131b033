// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace plimsoll {

/// How to reach one agent.
struct EndpointConfig
{
    std::string name;    // as people call it; empty = the address
    std::string address; // "host:port", "unix:/path"
    bool isEmbedded = false; // hosted by this window itself

    [[nodiscard]] const std::string &title() const noexcept { return name.empty() ? address : name; }
    friend bool operator==(const EndpointConfig &, const EndpointConfig &) = default;
};

} // namespace plimsoll
