// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/annotation_ranges.h"

#include <algorithm>
#include <limits>
#include <map>

namespace plimsoll {
namespace {

// Nightlies before PyTorch 2.5 wrote marks as events: one frame, its name START or END, its file the label.
void addUserDefined(const Replay &replay, std::vector<TraceAnnotation> &marks)
{
    const auto &snapshot = replay.snapshot();
    const auto &device = replay.device();
    const auto &events = snapshot.events;
    const auto *begin = events.action.data() + device.firstEvent;
    const auto *end = begin + device.eventCount;
    for (const auto *at = begin; (at = std::find(at, end, TraceAction::UserDefined)) != end; ++at) {
        const auto row = device.firstEvent + static_cast<std::size_t>(at - begin);
        if (events.timeUs[row] == kUnknownTime)
            continue;
        const auto stack = snapshot.stacks.stack(events.stack[row]);
        if (stack.size() == 0)
            continue;
        const auto &frame = snapshot.stacks.frame(stack[0]);
        const auto stage = snapshot.texts[frame.name];
        if (stage == "START" || stage == "END")
            marks.push_back({device.ordinal, events.timeUs[row],
                             stage == "START" ? TraceAnnotation::Stage::Start : TraceAnnotation::Stage::End, frame.file});
    }
}

} // namespace

bool hasAnnotations(const Replay &replay)
{
    const auto &device = replay.device();
    const auto *begin = replay.snapshot().events.action.data() + device.firstEvent;
    return !replay.snapshot().annotations.empty()
        || std::find(begin, begin + device.eventCount, TraceAction::UserDefined) != begin + device.eventCount;
}

std::vector<AnnotationRange> annotationRanges(const Replay &replay, const TimeAxis &axis)
{
    std::vector<AnnotationRange> ranges;
    if (!axis.hasTimes())
        return ranges;
    std::vector<TraceAnnotation> marks;
    for (const auto &mark : replay.snapshot().annotations)
        if (mark.device == replay.device().ordinal && mark.timeUs != kUnknownTime && mark.stage != TraceAnnotation::Stage::Other)
            marks.push_back(mark);
    addUserDefined(replay, marks);
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
