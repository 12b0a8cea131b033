// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/figure_strip.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace plimsoll {

namespace {

constexpr int kHeight = 68;
constexpr int kPadding = 16;
constexpr int kSparkWidth = 52;
constexpr int kSparkHeight = 28;

/// The line over a pale area, a dot at now. Gaps stay gaps.
void paintSpark(QPainter &painter, const QRectF &box, const std::vector<double> &values, const QColor &colour)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (const double value : values) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (!(low <= high) || values.size() < 2)
        return;
    const double span = high > low ? high - low : 1;
    const auto at = [&](std::size_t i) {
        const double x = box.left() + box.width() * static_cast<double>(i) / static_cast<double>(values.size() - 1);
        return QPointF(x, box.bottom() - 4 - (box.height() - 8) * (values[i] - low) / span);
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t begin = 0; begin < values.size();) {
        if (!std::isfinite(values[begin])) {
            ++begin;
            continue;
        }
        QPolygonF line;
        std::size_t end = begin;
        for (; end < values.size() && std::isfinite(values[end]); ++end)
            line << at(end);
        QPolygonF area = line;
        area << QPointF(line.last().x(), box.bottom()) << QPointF(line.first().x(), box.bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(colour, 0.12));
        painter.drawPolygon(area);
        painter.setPen(QPen(colour, 1.25, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
        begin = end;
    }
    if (std::isfinite(values.back())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(at(values.size() - 1), 2, 2);
    }
    painter.restore();
}

QString sentence(const FigureStrip::Cell &cell)
{
    QString text = cell.caption + QLatin1Char(' ');
    text += cell.of.isEmpty() ? figureText(cell.figure) : QString::fromStdString(cell.figure.number) + QLatin1Char(' ') + cell.of;
    if (!cell.note.isEmpty())
        text += QStringLiteral(", ") + cell.note;
    return text;
}

} // namespace

FigureStrip::FigureStrip(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FigureStrip::setCells(std::vector<Cell> cells)
{
    if (cells == m_cells)
        return;
    m_cells = std::move(cells);
    QStringList sentences;
    for (const Cell &cell : m_cells)
        sentences << sentence(cell);
    setAccessibleName(sentences.join(QStringLiteral(". ")));
    update();
}

QSize FigureStrip::sizeHint() const
{
    return {static_cast<int>(m_cells.size()) * 200, std::max(kHeight, lineHeight(TextRole::Headline) + 2 * lineHeight(TextRole::Caption) + 12)};
}

QSize FigureStrip::minimumSizeHint() const
{
    return {static_cast<int>(m_cells.size()) * 96, sizeHint().height()};
}

QRect FigureStrip::cellRect(std::size_t index) const
{
    const auto count = static_cast<int>(std::max<std::size_t>(m_cells.size(), 1));
    const int i = static_cast<int>(index);
    const int left = width() * i / count;
    const QRect cell(left, 0, width() * (i + 1) / count - left, height());
    return QStyle::visualRect(layoutDirection(), rect(), cell);
}

void FigureStrip::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    draw::box(painter, rect(), metrics::kPanelRadius, t.panel, t.line);
    const int align = static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)) | Qt::AlignVCenter
        | Qt::TextSingleLine;
    const int captionLine = lineHeight(TextRole::Caption);
    const int figureLine = lineHeight(TextRole::Headline);
    const int top = (height() - figureLine - 2 * captionLine) / 2;

    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        const Cell &cell = m_cells[i];
        const QRect box = cellRect(i);
        const auto placed = [&](int left, int y, int width, int lineHeight) {
            return QStyle::visualRect(layoutDirection(), box, QRect(box.left() + left, y, width, lineHeight));
        };
        if (i > 0)
            draw::vertical(painter, isRightToLeft() ? box.right() + 1 : box.left(), 0, height(), t.line);
        const bool hasSpark = cell.spark.size() > 1 && box.width() > 150;
        const int room = box.width() - 2 * kPadding - (hasSpark ? kSparkWidth + 8 : 0);

        painter.setFont(plimsoll::font(TextRole::Caption));
        painter.setPen(t.text2);
        const QString caption = painter.fontMetrics().elidedText(cell.caption, Qt::ElideRight, room - (cell.glyph ? 18 : 0));
        painter.drawText(placed(kPadding, top, room, captionLine), align, caption);
        if (cell.glyph) {
            const int after = kPadding + painter.fontMetrics().horizontalAdvance(caption) + 6;
            paintGlyph(painter, placed(after, top + (captionLine - 12) / 2, 12, 12), *cell.glyph, glyphColour(*cell.glyph, t));
        }

        const QFont figureFont = plimsoll::font(TextRole::Headline);
        const QString number = QString::fromStdString(cell.figure.number);
        const QString unit = cell.of.isEmpty() ? QString::fromStdString(cell.figure.unit) : cell.of;
        painter.setFont(figureFont);
        painter.setPen(t.text);
        const int numberWidth = std::min(painter.fontMetrics().horizontalAdvance(number), room);
        painter.drawText(placed(kPadding, top + captionLine, numberWidth + 1, figureLine), align, number);
        const int baseline = (figureLine + painter.fontMetrics().ascent() - painter.fontMetrics().descent()) / 2;
        painter.setFont(plimsoll::font(TextRole::Body));
        painter.setPen(t.text2);
        // The unit sits on the baseline of the figure.
        const QRect unitBox = placed(kPadding + numberWidth + 5, 0, std::max(0, room - numberWidth - 5), height());
        const QString unitText = painter.fontMetrics().elidedText(unit, Qt::ElideRight, unitBox.width());
        const int unitLeft = isRightToLeft() ? unitBox.right() + 1 - painter.fontMetrics().horizontalAdvance(unitText) : unitBox.left();
        painter.drawText(unitLeft, top + captionLine + baseline, unitText);

        painter.setFont(plimsoll::font(TextRole::Caption));
        painter.drawText(placed(kPadding, top + captionLine + figureLine, box.width() - 2 * kPadding, captionLine), align,
                         painter.fontMetrics().elidedText(cell.note, Qt::ElideRight, box.width() - 2 * kPadding));
        if (hasSpark) {
            const QRect spark = placed(box.width() - kPadding - kSparkWidth, top + 8, kSparkWidth, kSparkHeight);
            paintSpark(painter, spark, cell.spark, t.series[static_cast<std::size_t>(std::clamp(cell.series, 0, 5))]);
        }
    }
}

bool FigureStrip::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        if (cellRect(i).contains(help->pos()) && !m_cells[i].tip.isEmpty()) {
            QToolTip::showText(help->globalPos(), plainTip(m_cells[i].tip), this, cellRect(i));
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}

} // namespace plimsoll
