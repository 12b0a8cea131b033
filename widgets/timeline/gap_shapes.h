// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/timeline_geometry.h"

namespace plimsoll {

class TextWidths;

/// What a gap is called: its note, else its reason and length ("away 52 s").
[[nodiscard]] QString gapText(const Gap &gap);

/// The stretches where no line of the track has data. A gap of one line only lifts that
/// line's pen: a hatch would hide the others. Before a series began and after it ended the
/// plot is empty, without a hatch.
[[nodiscard]] std::vector<GapShape> gapShapes(const Track &track, const TimeScale &time, QRect plot, const TextWidths &widths);

} // namespace plimsoll
