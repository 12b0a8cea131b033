// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_map.h"
#include "formats/exposition.h"
#include "formats/exposition_census.h"
#include "formats/exposition_proto.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace plimsoll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

// The first byte chooses the format, the rest is the body. Whatever it is: no crash, no
// sample without a family, no two mapped samples of one key.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    constexpr ExpositionFormat kFormats[]{ExpositionFormat::PrometheusText, ExpositionFormat::OpenMetrics,
                                          ExpositionFormat::Protobuf};
    const auto format = kFormats[data[0] % 3U];
    const std::string_view body(reinterpret_cast<const char *>(data) + 1, size - 1);
    ExpositionLimits limits;
    limits.samples = 5'000;
    limits.skippedKept = 50;
    const auto exposition = parseExposition(body, format, limits);
    if (format == ExpositionFormat::Protobuf)
        require(countDelimitedProto(body).families <= body.size());
    if (!exposition)
        return 0;
    require(exposition->samples.size() <= limits.samples && exposition->skipped.size() <= limits.skippedKept);
    for (const auto &sample : exposition->samples)
        require(sample.family < exposition->families.size() && !sample.name.empty());
    const auto census = countExposition(body, format, *exposition);
    require(census.samples == exposition->samples.size() && census.sampleNames.size() == census.samples);
    require(census.distinctSeries + census.duplicateSeries == census.samples);
    const auto mapped = mapExposition(*exposition, {"http://fuzz/metrics", "fuzz", std::chrono::seconds(1)});
    std::vector<SeriesKey> keys;
    for (const auto &sample : mapped.samples)
        keys.push_back(sample.info.key);
    std::sort(keys.begin(), keys.end());
    require(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
    return 0;
}
