// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "formats/exposition.h"
#include "model/series.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// What the scraper knows and the body may not say.
struct ScrapeContext
{
    std::string url;  // becomes label scrape.url of unmapped series
    std::string host; // host.name where the body names none
    Duration interval = std::chrono::seconds(15);
};

struct MappedSample
{
    SeriesInfo info; // group: "gpu:UUID@URL", "host@URL", "container:…@URL", "scrape:URL"
    double value = 0; // in info.unit
    std::optional<Instant> time; // the exporter's own timestamp

    friend bool operator==(const MappedSample &, const MappedSample &) = default;
};

struct MappedExposition
{
    std::vector<MappedSample> samples; // no two of one key
    std::vector<SkippedLine> skipped;  // sentinels, impossible values, folded duplicates; the first 1,000
};

/// Real exporters' names to the catalogue: one table row a name, converted once.
/// What has no row keeps its own name, unit (when the exporter says it) and labels. Start
/// times (`_created` of a counter) are no series. Pure; any thread.
[[nodiscard]] MappedExposition mapExposition(const Exposition &exposition, const ScrapeContext &context);

} // namespace plimsoll
