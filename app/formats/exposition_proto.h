// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace plimsoll {

/// A stream of io.prometheus.client.MetricFamily, a varint length before each. Its summaries
/// and histograms come out as the samples that the text format would show; of native
/// histograms only count and sum. A damaged or cut stream is refused with the offset.
[[nodiscard]] Result<Exposition> parseDelimitedProto(std::string_view body, const ExpositionLimits &limits);

/// The stream counted as it is, not as samples.
struct ProtoCensus
{
    std::size_t families = 0;
    std::map<std::string, std::size_t, std::less<>> familiesByType; // protobuf's own names: "untyped"
    std::size_t metrics = 0;
    std::string firstFamily;
    std::string lastFamily;
};
[[nodiscard]] ProtoCensus countDelimitedProto(std::string_view body);

/// Whether the body starts like such a stream: a length and a family with a name.
[[nodiscard]] bool looksLikeDelimitedProto(std::string_view body) noexcept;

} // namespace plimsoll
