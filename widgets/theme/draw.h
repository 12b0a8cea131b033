// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace plimsoll {

/// What every painter of ours needs: edges of whole device px at any scale.
namespace draw {

/// Device px a px of the painter's coordinates, whatever lies between: the screen's
/// ratio, a picture rendered larger, a scaled painter.
[[nodiscard]] qreal scale(const QPainter &painter);

/// One device px in the painter's coordinates.
[[nodiscard]] qreal hairline(const QPainter &painter);

/// The rectangle with its edges moved onto device px.
[[nodiscard]] QRectF aligned(const QPainter &painter, const QRectF &rect);

/// Rounded box with an edge inside `rect`. An invalid colour is not drawn; an edge
/// width of 0 is a hairline, else device-independent px.
void box(QPainter &painter, const QRectF &rect, qreal radius, const QColor &fill, const QColor &edge, qreal edgeWidth = 0,
         Qt::PenStyle edgeStyle = Qt::SolidLine);

/// Straight hairlines, never antialiased, in the device px that holds the coordinate.
void horizontal(QPainter &painter, qreal left, qreal right, qreal y, const QColor &colour);
void vertical(QPainter &painter, qreal x, qreal top, qreal bottom, const QColor &colour);

/// 2 px accent ring just inside `rect`: focus on what draws it itself.
void focusInside(QPainter &painter, const QRectF &rect, qreal radius, const QColor &accent);

/// 45° hatch clipped to `rect`: `pitch` px apart, `stroke` px thick.
void hatch(QPainter &painter, const QRectF &rect, const QColor &colour, qreal pitch = 5, qreal stroke = 1);

} // namespace draw

} // namespace plimsoll
