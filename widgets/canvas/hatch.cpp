// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/hatch.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"

#include <QPainter>

namespace plimsoll {

void paintGap(QPainter &painter, const QRectF &rect, const QColor &panel, const QColor &line)
{
    painter.fillRect(rect, panel);
    draw::hatch(painter, rect, withAlpha(line, 0.7));
}

QPen dashedHairline(const QColor &colour, double on, double off, double pixelRatio)
{
    QPen pen(colour, 1);
    pen.setCosmetic(true);
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern({on * pixelRatio, off * pixelRatio});
    return pen;
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
