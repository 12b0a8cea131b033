// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/glyphs.h"

#include "widgets/theme/tokens.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

namespace plimsoll {

namespace {

QPen stroke(const QColor &colour, qreal width)
{
    return QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

void polygon(QPainter &painter, std::initializer_list<QPointF> points, const QColor &colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF(points));
}

void line(QPainter &painter, std::initializer_list<QPointF> points, const QColor &colour, qreal width)
{
    painter.setPen(stroke(colour, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(QPolygonF(points));
}

void dot(QPainter &painter, const QColor &colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(6, 6), 4, 4);
}

void flag(QPainter &painter, const QColor &colour)
{
    line(painter, {{3, 1.5}, {3, 10.5}}, colour, 1.25);
    polygon(painter, {{3, 2}, {10, 2}, {8.2, 4.4}, {10, 6.8}, {3, 6.8}}, colour);
}

void turningArrow(QPainter &painter, const QColor &colour)
{
    painter.setPen(stroke(colour, 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawArc(QRectF(2.2, 2.2, 7.6, 7.6), 40 * 16, 290 * 16);
    polygon(painter, {{10.9, 1.6}, {10.6, 5.4}, {7.2, 3.7}}, colour);
}

void info(QPainter &painter, const QColor &colour)
{
    painter.setPen(stroke(colour, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(6, 6), 4.4, 4.4);
    line(painter, {{6, 5.8}, {6, 8.2}}, colour, 1.2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(6, 3.8), 0.75, 0.75);
}

} // namespace

void paintGlyph(QPainter &painter, const QRectF &box12, Glyph glyph, const QColor &colour)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box12.topLeft());
    painter.scale(box12.width() / metrics::kGlyphBox, box12.height() / metrics::kGlyphBox);
    switch (glyph) {
    case Glyph::Page:
    case Glyph::Live: dot(painter, colour); break;
    case Glyph::Trend: polygon(painter, {{6, 1.8}, {10.4, 9.8}, {1.6, 9.8}}, colour); break;
    case Glyph::Forecast: polygon(painter, {{6, 1.4}, {10.6, 6}, {6, 10.6}, {1.4, 6}}, colour); break;
    case Glyph::Fine: line(painter, {{2.2, 6.4}, {4.8, 9}, {9.8, 3}}, colour, 1.75); break;
    case Glyph::Kill:
        line(painter, {{2.5, 2.5}, {9.5, 9.5}}, colour, 2);
        line(painter, {{9.5, 2.5}, {2.5, 9.5}}, colour, 2);
        break;
    case Glyph::Mark: flag(painter, colour); break;
    case Glyph::Retry: turningArrow(painter, colour); break;
    case Glyph::Info: info(painter, colour); break;
    case Glyph::Ended: polygon(painter, {{2.5, 2.5}, {9.5, 2.5}, {9.5, 9.5}, {2.5, 9.5}}, colour); break;
    case Glyph::Started: polygon(painter, {{3, 1.8}, {10.2, 6}, {3, 10.2}}, colour); break;
    }
    painter.restore();
}

QColor glyphColour(Glyph glyph, const Tokens &tokens)
{
    switch (glyph) {
    case Glyph::Page:
    case Glyph::Kill: return tokens.page;
    case Glyph::Trend:
    case Glyph::Forecast: return tokens.warn;
    case Glyph::Fine:
    case Glyph::Live: return tokens.fine;
    case Glyph::Mark:
    case Glyph::Retry:
    case Glyph::Info:
    case Glyph::Ended:
    case Glyph::Started: return tokens.text2;
    }
    return tokens.text2;
}

QString glyphName(Glyph glyph)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("plimsoll::Glyph", text); };
    switch (glyph) {
    case Glyph::Page: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "page"));
    case Glyph::Trend: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "warning"));
    case Glyph::Forecast: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "forecast"));
    case Glyph::Fine: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "fine"));
    case Glyph::Kill: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "killed"));
    case Glyph::Mark: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "mark"));
    case Glyph::Retry: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "retry"));
    case Glyph::Info: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "note"));
    case Glyph::Ended: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "ended"));
    case Glyph::Started: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "started"));
    case Glyph::Live: return tr(QT_TRANSLATE_NOOP("plimsoll::Glyph", "live"));
    }
    return {};
}

} // namespace plimsoll
