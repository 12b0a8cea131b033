// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"
#include "snapshot/time_axis.h"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// A profiler range over the instants of one device, (begin, end]: what was born there was born in it.
struct AnnotationRange
{
    EventInstant begin = 0;
    EventInstant end = 0;
    TextId name = 0;
    bool hasStart = true; // else it began before recording did
    bool hasEnd = true;

    friend bool operator==(const AnnotationRange &, const AnnotationRange &) = default;
};

/// Whether the file has any mark; else nobody needs to make a time axis for them.
[[nodiscard]] bool hasAnnotations(const Replay &replay);
/// Marks paired like brackets by name, those of this device, by begin. Marks without a partner reach
/// to the ends of the trace.
[[nodiscard]] std::vector<AnnotationRange> annotationRanges(const Replay &replay, const TimeAxis &axis);

} // namespace plimsoll
