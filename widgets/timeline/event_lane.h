// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/timeline_geometry.h"

class QFont;
class QPainter;

namespace plimsoll {

struct Tokens;
class TextWidths;

/// Places glyphs and texts of the events in sight. What is grave gets its text first; then
/// in the order of time, and a text that would run into another is dropped. Glyphs of one
/// kind that would cover each other become one, kills never.
[[nodiscard]] std::vector<EventShape> layOutEvents(const std::vector<EventMark> &marks, const TimeScale &time, QRect lane,
                                                   const TextWidths &widths);

[[nodiscard]] bool isGrave(const EventMark &mark) noexcept;

void paintEventLane(QPainter &painter, const TimelineGeometry &geometry, const std::vector<EventMark> &marks,
                    const Tokens &tokens, const QFont &font);

} // namespace plimsoll
