// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exporter_map.h"
#include "formats/exposition.h"
#include "formats/exposition_census.h"
#include "formats/exposition_proto.h"

#include <iosfwd>
#include <optional>
#include <string>

namespace plimsoll {

/// All that is known of one body.
struct ParseReport
{
    std::string file;
    ExpositionFormat format = ExpositionFormat::PrometheusText;
    Exposition exposition;
    ExpositionCensus census;
    std::optional<ProtoCensus> proto; // of a protobuf stream
    MappedExposition mapped;
};

/// One JSON document. Infinities and NaN are the strings "+Inf", "-Inf" and "NaN".
void printJson(const ParseReport &report, std::ostream &out);

/// For people: figures, canonical series, what was skipped. Foreign text made safe.
void printTable(const ParseReport &report, std::ostream &out);

} // namespace plimsoll
