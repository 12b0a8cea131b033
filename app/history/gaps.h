// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "history/series_table.h"
#include "model/event.h"
#include "model/series_slice.h"

#include <optional>
#include <span>
#include <vector>

namespace plimsoll {

/// Why a stretch may be empty: events of the series' agent, rising.
struct GapContext
{
    std::span<const Event> events;
    std::optional<Instant> firstSample; // of the series, ever
    Instant now;                        // nothing can be missing after it
};

/// Stretches of `range` without samples that are longer than three intervals, and why.
/// `buckets` may reach a little beyond the range.
[[nodiscard]] std::vector<Gap> findGaps(const SeriesRow &series, std::span<const Bucket> buckets, TimeRange range,
                                        const GapContext &context);

} // namespace plimsoll
