// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

class QColor;
class QFont;
class QPainter;
class QString;

namespace plimsoll {

/// Diagonal lines at a fixed place on the canvas, so that they do not swim while panning.
/// `pitch` is the distance of two lines along x.
void paintHatch(QPainter &painter, const QRectF &rect, const QColor &line, double pitch = 5, double width = 1);

/// A stretch without data: panel fill, hatch in text3.
void paintGap(QPainter &painter, const QRectF &rect, const QColor &panel, const QColor &line);

/// Text on a plate of the panel's colour, 4 px wider on each side, so that it reads over
/// lines and hatches. `rect` is where the text itself goes.
void paintPlate(QPainter &painter, const QRectF &rect, const QColor &panel, double opacity = 1);

} // namespace plimsoll
