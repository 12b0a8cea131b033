// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/torch_pickle.h"

#include <cstdint>
#include <optional>

namespace plimsoll {

/// How a pickle comes to its reader.
struct PickleStream
{
    std::optional<std::uint64_t> diskBytes; // of the file around it, where the source does not know
    bool isHtml = false;
    bool hasFastPaths = true; // off in tests: the general machine must come to the same
};

[[nodiscard]] Result<MemorySnapshot> readTorchPickle(ByteSource &source, const SnapshotReading &reading,
                                                     const PickleStream &stream);

} // namespace plimsoll
