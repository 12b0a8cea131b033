// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/timeline_geometry.h"

#include <QFont>

#include <optional>
#include <vector>

class QPainter;

namespace plimsoll {

struct Tokens;

/// What follows the mouse: cursors A and B with the range between, crosshair with its time
/// tag, readings as rings. Painted over the picture at each frame.
struct TimelineOverlay
{
    std::optional<Instant> crosshair;
    std::optional<Instant> cursorA;
    std::optional<Instant> cursorB;
    std::vector<Reading> readings;  // at the crosshair
    std::vector<Reading> readingsA; // at the cursors
    std::vector<Reading> readingsB;
    bool isUtc = false;
};

void paintOverlay(QPainter &painter, const TimelineOverlay &overlay, const TimelineGeometry &geometry,
                  const Tokens &tokens, const QFont &caption, const QFont &strong);

/// Each line's value at a time: of the sample nearest to it within half a bucket or two
/// pixels, whichever is more; nothing in a gap.
[[nodiscard]] std::vector<Reading> readingsOf(const std::vector<Track> &tracks, Instant time, Duration perPixel);

} // namespace plimsoll
