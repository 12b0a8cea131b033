// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>

class QPainter;
class QRectF;

namespace plimsoll {

struct Tokens;

/// Status marks: 8 px in a 12 px box, painted as paths, never as font characters.
enum class Glyph {
    Page,     // filled circle
    Trend,    // triangle: trend and warning
    Forecast, // diamond
    Fine,     // check mark
    Kill,     // cross: OOM or kill
    Mark,     // flag
    Retry,    // turning arrow
    Info,     // i in a ring
    Ended,    // square
    Started,  // triangle that points forward
    Live      // filled circle, in the colour of fine
};

/// `box12` is 12 x 12; another size scales the mark with it.
void paintGlyph(QPainter &painter, const QRectF &box12, Glyph glyph, const QColor &colour);

[[nodiscard]] QColor glyphColour(Glyph glyph, const Tokens &tokens);

/// What a screen reader says for it: "page", "trend", …; translated.
[[nodiscard]] QString glyphName(Glyph glyph);

} // namespace plimsoll
