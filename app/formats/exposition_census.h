// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// A body counted by the definitions of the reference client in Python (0.16), which differ
/// from our families: a text family is open while its lines follow each other, so that HELP
/// or TYPE lines on their own, and every sample line without a TYPE, count as one each; a
/// counter's family loses `_total` and its samples gain it. Figures others can compare with.
struct ExpositionCensus
{
    std::size_t families = 0;
    std::map<std::string, std::size_t, std::less<>> familiesByType;
    std::size_t samples = 0;
    std::map<std::string, std::size_t, std::less<>> samplesByType;
    std::size_t distinctSampleNames = 0;
    std::size_t distinctSeries = 0;
    std::size_t duplicateSeries = 0; // samples − distinct series
    std::size_t withTimestamp = 0;
    std::size_t withExemplar = 0;
    std::vector<std::string> sampleNames; // one a sample; of a text counter always with `_total`

    friend bool operator==(const ExpositionCensus &, const ExpositionCensus &) = default;
};

/// `exposition` is what parseExposition made of `body`. Of the text format only the order of
/// its lines is read again.
[[nodiscard]] ExpositionCensus countExposition(std::string_view body, ExpositionFormat format,
                                               const Exposition &exposition);

} // namespace plimsoll
