// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace plimsoll {

/// What a spool folder says of itself, beside its segments.
struct SpoolState
{
    std::string agentId;
    std::uint64_t epoch = 0;
    std::string bootId;   // of the machine when it was written
    bool isClean = false; // everything sent is in the segments

    friend bool operator==(const SpoolState &, const SpoolState &) = default;
};

/// Errors: Io (there is none, or it cannot be read), Corrupt.
[[nodiscard]] Result<SpoolState> readSpoolState(const std::filesystem::path &path);
/// Replaces the file in one step. Errors: Io, Full.
[[nodiscard]] Result<void> writeSpoolState(const std::filesystem::path &path, const SpoolState &state);

[[nodiscard]] std::uint64_t randomNumber(); // 63 bits, so that it fits a signed column
[[nodiscard]] std::string makeAgentId();    // 32 hexadecimal digits
[[nodiscard]] std::string readBootId();     // empty when the kernel does not say

} // namespace plimsoll
