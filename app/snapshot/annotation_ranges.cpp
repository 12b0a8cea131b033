// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/annotation_ranges.h"

#include <algorithm>
#include <limits>
#include <map>

namespace plimsoll {

std::vector<AnnotationRange> annotationRanges(const Replay &replay, const TimeAxis &axis)
{
    std::vector<AnnotationRange> ranges;
    if (!axis.hasTimes())
        return ranges;
    std::vector<TraceAnnotation> marks;
    for (const auto &mark : replay.snapshot().annotations)
        if (mark.device == replay.device().ordinal && mark.timeUs != kUnknownTime && mark.stage != TraceAnnotation::Stage::Other)
            marks.push_back(mark);
    std::stable_sort(marks.begin(), marks.end(), [](const auto &a, const auto &b) { return a.timeUs < b.timeUs; });
    std::map<TextId, std::vector<std::size_t>> open; // by name: indices of ranges without an end
    for (const auto &mark : marks) {
        // An event of the very microsecond of a start is inside, of an end as well.
        const auto before = mark.timeUs == std::numeric_limits<std::int64_t>::min() ? 0 : axis.instantAt(mark.timeUs - 1);
        auto &mine = open[mark.name];
        if (mark.stage == TraceAnnotation::Stage::Start) {
            mine.push_back(ranges.size());
            ranges.push_back({before, replay.end(), mark.name, true, false});
        } else if (mine.empty()) {
            ranges.push_back({0, axis.instantAt(mark.timeUs), mark.name, false, true});
        } else {
            ranges[mine.back()].end = axis.instantAt(mark.timeUs);
            ranges[mine.back()].hasEnd = true;
            mine.pop_back();
        }
    }
    std::stable_sort(ranges.begin(), ranges.end(), [](const auto &a, const auto &b) { return a.begin < b.begin; });
    return ranges;
}

} // namespace plimsoll
