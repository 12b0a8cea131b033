// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/draw.h"

#include <QPainter>
#include <QTransform>

#include <algorithm>
#include <cmath>

namespace plimsoll::draw {

namespace {

/// A coordinate moved onto a device px. The origin counts too: at a scale of 1.5 a
/// widget may begin between two of them.
class Snap
{
public:
    explicit Snap(const QPainter &painter)
        : m_transform(painter.deviceTransform())
        , m_scale(scale(painter))
    {
    }

    qreal x(qreal value) const { return (std::round(value * m_scale + m_transform.dx()) - m_transform.dx()) / m_scale; }
    qreal y(qreal value) const { return (std::round(value * m_scale + m_transform.dy()) - m_transform.dy()) / m_scale; }
    qreal lineX(qreal value) const { return (line(value, m_transform.dx()) - m_transform.dx()) / m_scale; }
    qreal lineY(qreal value) const { return (line(value, m_transform.dy()) - m_transform.dy()) / m_scale; }

private:
    /// Into the px that holds the value; but a whole coordinate that falls between two
    /// takes the latter, for the former would lie outside of a widget that begins there.
    qreal line(qreal value, qreal origin) const
    {
        const qreal device = value * m_scale + origin;
        return value == std::floor(value) ? std::ceil(device - kSlack) : std::floor(device + kSlack);
    }

    static constexpr qreal kSlack = 1e-6; // 27.9999999 is 28
    QTransform m_transform;
    qreal m_scale;
};

} // namespace

qreal scale(const QPainter &painter)
{
    const qreal across = std::abs(painter.deviceTransform().m11());
    return across > 0 ? across : 1.0; // rotated by 90°: nothing of ours is
}

qreal hairline(const QPainter &painter)
{
    return 1.0 / scale(painter);
}

QRectF aligned(const QPainter &painter, const QRectF &rect)
{
    const Snap snap(painter);
    return QRectF(QPointF(snap.x(rect.left()), snap.y(rect.top())), QPointF(snap.x(rect.right()), snap.y(rect.bottom())));
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
    const Snap snap(painter);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(QPointF(snap.x(left), snap.lineY(y)), QSizeF(snap.x(right) - snap.x(left), hairline(painter))), colour);
    painter.restore();
}

void vertical(QPainter &painter, qreal x, qreal top, qreal bottom, const QColor &colour)
{
    const Snap snap(painter);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(QPointF(snap.lineX(x), snap.y(top)), QSizeF(hairline(painter), snap.y(bottom) - snap.y(top))), colour);
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
