// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll {

/// What was measured in [begin, begin + width of the slice). Never empty.
struct Bucket
{
    Instant begin;
    double min = 0;
    double max = 0;
    double first = 0;
    double last = 0;
    double sum = 0;
    std::uint32_t count = 0;
    Instant firstTime; // of the first and last sample, so that a single sample is drawn where it is
    Instant lastTime;

    friend bool operator==(const Bucket &, const Bucket &) = default;
};

enum class GapReason : std::uint8_t { NotSampled, Away, Restarted, Dropped, Ended, NotStarted };

/// A stretch without samples; lines are never drawn across it.
struct Gap
{
    TimeRange range;
    GapReason reason = GapReason::NotSampled;
    std::string note; // "away 52 s", "dropped 1,204"; may be empty

    friend bool operator==(const Gap &, const Gap &) = default;
};

/// One series over a range, at most two buckets a pixel: what a chart eats.
struct SeriesSlice
{
    SeriesId series;
    TimeRange range;
    Duration width{}; // of a bucket; 0 = raw samples, one a bucket
    std::vector<Bucket> buckets; // rising, only those that hold samples
    std::vector<Gap> gaps;       // rising, inside range

    friend bool operator==(const SeriesSlice &, const SeriesSlice &) = default;
};

} // namespace plimsoll
