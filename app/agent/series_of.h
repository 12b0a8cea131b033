// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/series.h"

#include <string>
#include <string_view>
#include <utility>

namespace plimsoll {

/// A series of the catalogue, with its unit and kind.
[[nodiscard]] inline SeriesInfo catalogued(std::string_view metricName, Labels labels, std::string group,
                                           Duration interval, Source source)
{
    SeriesInfo info;
    info.key = {std::string(metricName), std::move(labels)};
    if (const auto *known = findMetric(metricName)) {
        info.unit = known->unit;
        info.kind = known->kind;
    }
    info.group = std::move(group);
    info.interval = interval;
    info.source = std::move(source);
    return info;
}

} // namespace plimsoll
