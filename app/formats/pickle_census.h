// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/snapshot_reading.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace plimsoll {

/// What a pickle is made of.
struct PickleCensus
{
    int protocol = 0;                             // of PROTO; 0 where there is none
    std::map<std::string, std::uint64_t> opcodes; // how often, by the names of Python's pickletools
    std::size_t widestLongBytes = 0;              // the bytes that the widest number of LONG1 and LONG4 needs
    std::uint64_t bytes = 0;                      // up to and with STOP
};

/// Counts opcodes up to STOP and looks at nothing else. Refuses no opcode of protocols 0 to 5.
/// Errors: Corrupt (no opcode, or the end before STOP), Cancelled, and those of the source.
[[nodiscard]] Result<PickleCensus> countOpcodes(ByteSource &source, const SnapshotReading &reading = {});

/// What Python would need for this little-endian two's complement number; nothing for zero.
[[nodiscard]] std::size_t neededBytes(const std::uint8_t *number, std::size_t count) noexcept;

} // namespace plimsoll
