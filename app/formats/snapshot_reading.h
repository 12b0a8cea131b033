// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/memory_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>

namespace plimsoll {

/// What a hostile or broken file may cost us.
struct SnapshotLimits
{
    std::size_t depth = 64;                         // containers inside each other
    std::size_t events = std::size_t{1} << 28U;     // as the ids have 28 bits
    std::size_t textBytes = 64U << 20U;             // one text
    std::size_t attributeBytes = 64U << 10U;        // one unknown value, kept as JSON
    std::uint64_t memoryBytes = std::uint64_t{16} << 30U; // all that reading may hold at once
};

struct SnapshotReading
{
    SnapshotLimits limits;
    std::stop_token stop;  // asked at least every 50 ms
    ProgressSink progress; // on the reader's thread
};

} // namespace plimsoll
