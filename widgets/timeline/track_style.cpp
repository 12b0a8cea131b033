// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/track_style.h"

#include "widgets/theme/tokens.h"

namespace plimsoll {

TrackStyle trackStyle(SeriesRole role, const Tokens &tokens)
{
    const auto series = [&](std::size_t i, bool dashed = false) {
        return TrackStyle{tokens.series[i], tokens.seriesText[i], dashed};
    };
    switch (role) {
    case SeriesRole::Reserved: return series(0);
    case SeriesRole::Allocated: return series(1);
    case SeriesRole::Host: return series(2);
    case SeriesRole::Swap: return series(3);
    case SeriesRole::Cost: return series(4);
    case SeriesRole::Forecast: return series(5);
    case SeriesRole::CgroupUsage: return series(0);
    case SeriesRole::Available: return {tokens.text3, tokens.text2, false};
    case SeriesRole::Limit: return {tokens.text, tokens.text, true};
    case SeriesRole::Other1: return series(5);
    case SeriesRole::Other2: return series(1, true);
    case SeriesRole::Other3: return series(3, true);
    case SeriesRole::Other4: return {tokens.text3, tokens.text2, true};
    }
    return {tokens.text3, tokens.text2, false};
}

} // namespace plimsoll
