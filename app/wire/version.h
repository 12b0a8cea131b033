// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::wire {

struct ProtocolVersion
{
    std::uint32_t major = 0;
    std::uint32_t minor = 0;

    friend auto operator<=>(const ProtocolVersion &, const ProtocolVersion &) = default;
};

inline constexpr ProtocolVersion kProtocolVersion{1, 0};

[[nodiscard]] std::string toString(ProtocolVersion version); // "1.0"

/// A newer minor version is fine; another major one is Unsupported, in a sentence
/// that names both: "the agent speaks protocol 2.0, this window 1.0: …".
[[nodiscard]] Result<void> checkVersion(ProtocolVersion theirs, std::string_view who, std::string_view we);

} // namespace plimsoll::wire
