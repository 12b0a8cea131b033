// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPen>
#include <QRectF>

class QPainter;

namespace plimsoll {

/// A stretch without data: panel fill, hatch in text3.
void paintGap(QPainter &painter, const QRectF &rect, const QColor &panel, const QColor &line);

/// A straight dashed line of one device px, its dashes in device-independent px: at scale 2
/// the pattern looks the same. Paint it without antialiasing.
[[nodiscard]] QPen dashedHairline(const QColor &colour, double on, double off, double pixelRatio);

/// Text on a plate of the panel's colour, 4 px wider on each side, so that it reads over
/// lines and hatches. `rect` is where the text itself goes.
void paintPlate(QPainter &painter, const QRectF &rect, const QColor &panel, double opacity = 1);

} // namespace plimsoll
