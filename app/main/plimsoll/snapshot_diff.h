// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/snapshot_reading.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace plimsoll {

struct DiffQuestion
{
    std::string a;
    std::string b;
    std::optional<std::int32_t> device; // ordinal; nullopt: all
    bool atPeak = false; // of each device; else at the end
    std::size_t top = 20;
    bool json = false;
};

/// What two files hold differently. Exit status as of the whole command.
[[nodiscard]] int showDiff(const DiffQuestion &question, const SnapshotReading &reading, std::ostream &out, std::ostream &err);

} // namespace plimsoll
