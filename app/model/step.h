// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/quantity.h"
#include "base/time.h"
#include "model/labels.h"

#include <cstdint>
#include <optional>

namespace plimsoll {

/// One training step as the loop told it. What it did not tell is nullopt.
struct StepRecord
{
    Instant time;
    Labels labels; // job.id, rank, hw.id
    std::uint64_t step = 0;
    std::optional<Bytes> peak;
    std::optional<Bytes> allocated;
    std::optional<Bytes> reserved;
    std::optional<std::uint64_t> batchSize;
    std::optional<std::uint64_t> inputSize;
    std::optional<Duration> duration;
    std::optional<bool> activationCheckpointing;

    friend bool operator==(const StepRecord &, const StepRecord &) = default;
};

} // namespace plimsoll
