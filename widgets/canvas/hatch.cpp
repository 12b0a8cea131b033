// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/hatch.h"

#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QVarLengthArray>

#include <cmath>

namespace plimsoll {

void paintHatch(QPainter &painter, const QRectF &rect, const QColor &line, double pitch, double width)
{
    if (rect.isEmpty() || pitch < 1)
        return;
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(line, width));
    QVarLengthArray<QLineF, 256> lines;
    // x + y is constant along a line; multiples of the pitch, counted from the canvas.
    const double last = rect.right() + rect.bottom();
    for (double sum = std::floor((rect.left() + rect.top()) / pitch) * pitch; sum <= last; sum += pitch)
        lines.append(QLineF(sum - rect.top(), rect.top(), sum - rect.bottom(), rect.bottom()));
    painter.drawLines(lines.constData(), static_cast<int>(lines.size()));
    painter.restore();
}

void paintGap(QPainter &painter, const QRectF &rect, const QColor &panel, const QColor &line)
{
    painter.fillRect(rect, panel);
    paintHatch(painter, rect, withAlpha(line, 0.7));
}

void paintPlate(QPainter &painter, const QRectF &rect, const QColor &panel, double opacity)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(withAlpha(panel, opacity));
    painter.drawRoundedRect(rect.adjusted(-4, 0, 4, 0), 2, 2);
    painter.restore();
}

} // namespace plimsoll
