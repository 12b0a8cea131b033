// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"

#include <cstddef>
#include <vector>

namespace plimsoll {

/// A piece of a min…max band.
struct BandStep
{
    Instant begin; // of the first sample
    Instant end;   // of the last
    double min = 0;
    double max = 0;
    bool isAfterGap = false;
};

/// A band is calm only when a piece of it is wider than what goes up and down in it, so
/// pieces are about three pixels: a power of two in nanoseconds, counted from 1970, that
/// the same samples share a piece wherever the view is.
[[nodiscard]] Duration bandCell(Duration perPixel) noexcept;

/// Buckets [begin, end) of the slice, those in one cell together, never across a gap.
[[nodiscard]] std::vector<BandStep> bandSteps(const SeriesSlice &slice, std::size_t begin, std::size_t end, Duration perPixel);

/// The piece that holds a bucket.
[[nodiscard]] BandStep bandStepAt(const SeriesSlice &slice, std::size_t bucket, Duration perPixel);

} // namespace plimsoll
