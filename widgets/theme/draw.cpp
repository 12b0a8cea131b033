// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/draw.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::draw {

namespace {

qreal ratioOf(const QPainter &painter)
{
    // A painter into a picture or a printer has no ratio of its own.
    const qreal ratio = painter.device() != nullptr ? painter.device()->devicePixelRatioF() : 1.0;
    return ratio > 0 ? ratio : 1.0;
}

qreal snapped(qreal value, qreal ratio)
{
    return std::round(value * ratio) / ratio;
}

} // namespace

qreal hairline(const QPainter &painter)
{
    return 1.0 / ratioOf(painter);
}

QRectF aligned(const QPainter &painter, const QRectF &rect)
{
    const qreal ratio = ratioOf(painter);
    return QRectF(QPointF(snapped(rect.left(), ratio), snapped(rect.top(), ratio)),
                  QPointF(snapped(rect.right(), ratio), snapped(rect.bottom(), ratio)));
}

void box(QPainter &painter, const QRectF &rect, qreal radius, const QColor &fill, const QColor &edge, qreal edgeWidth,
         Qt::PenStyle edgeStyle)
{
    const qreal width = edgeWidth > 0 ? edgeWidth : hairline(painter);
    // The stroke lies inside the rectangle, so its middle is half a width in.
    const qreal inset = edge.isValid() ? width / 2 : 0;
    const QRectF at = aligned(painter, rect).adjusted(inset, inset, -inset, -inset);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, radius > 0 || edgeStyle != Qt::SolidLine);
    if (edge.isValid()) {
        QPen pen(edge, width, edgeStyle, Qt::FlatCap, Qt::MiterJoin);
        if (edgeStyle == Qt::DashLine)
            pen.setDashPattern({3 / width, 2 / width});
        painter.setPen(pen);
    } else {
        painter.setPen(Qt::NoPen);
    }
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    if (radius > 0)
        painter.drawRoundedRect(at, std::max(0.0, radius - inset), std::max(0.0, radius - inset));
    else
        painter.drawRect(at);
    painter.restore();
}

void horizontal(QPainter &painter, qreal left, qreal right, qreal y, const QColor &colour)
{
    const qreal ratio = ratioOf(painter);
    const qreal top = std::floor(y * ratio + 1e-6) / ratio;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(left, top, right - left, 1 / ratio), colour);
    painter.restore();
}

void vertical(QPainter &painter, qreal x, qreal top, qreal bottom, const QColor &colour)
{
    const qreal ratio = ratioOf(painter);
    const qreal left = std::floor(x * ratio + 1e-6) / ratio;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(left, top, 1 / ratio, bottom - top), colour);
    painter.restore();
}

void focusInside(QPainter &painter, const QRectF &rect, qreal radius, const QColor &accent)
{
    box(painter, rect, radius, QColor(), accent, 2);
}

void hatch(QPainter &painter, const QRectF &rect, const QColor &colour, qreal pitch, qreal stroke)
{
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, stroke));
    // Lines start on a raster of the whole widget: neighbours continue each other.
    const qreal step = pitch * std::sqrt(2.0);
    const qreal first = std::floor((rect.left() + rect.top()) / step) * step;
    for (qreal sum = first; sum <= rect.right() + rect.bottom(); sum += step)
        painter.drawLine(QPointF(sum - rect.top(), rect.top()), QPointF(sum - rect.bottom(), rect.bottom()));
    painter.restore();
}

} // namespace plimsoll::draw
