// SPDX-License-Identifier: GPL-3.0-or-later
// What HeatGrid paints around and over its picture.
#include "widgets/canvas/hatch.h"
#include "widgets/canvas/ruler.h"
#include "widgets/heatmap/heat_grid_p.h"
#include "widgets/heatmap/heat_painter.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/tokens.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace plimsoll {
namespace {

constexpr auto kText = Qt::AlignVCenter | Qt::TextSingleLine;

} // namespace

void HeatGrid::Private::paintRows(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts, int scroll) const
{
    const HeatCellBox *selected = find(selectedId);
    const QFontMetricsF body(fonts.body);
    const QFontMetricsF strong(fonts.strong);
    for (const HeatRowBox &box : layout.rows) {
        const QRect rect = box.rect.translated(0, -scroll);
        if (rect.bottom() < 0 || rect.top() > layout.body.height())
            continue;
        const HeatGroup &group = groups[box.group];
        const HeatRow &row = group.rows[box.row];
        const bool isSelected = selected && selected->group == box.group && selected->row == box.row;
        if (isSelected) {
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setPen(Qt::NoPen);
            painter.setBrush(tokens.sel);
            painter.drawRoundedRect(QRectF(rect), metrics::kCellRadius, metrics::kCellRadius);
        }
        if (!box.hasName)
            continue;
        painter.setFont(isSelected ? fonts.strong : fonts.body);
        const QFontMetricsF &metrics = isSelected ? strong : body;
        painter.setPen(isSelected ? tokens.text : tokens.text2);
        painter.drawText(QRect(layout.nameLeft, rect.top(), layout.nameWidth + 1, rect.height()), Qt::AlignLeft | kText,
                         metrics.elidedText(row.name, Qt::ElideMiddle, layout.nameWidth + 1));
        const bool isDim = row.freshness != Freshness::Live;
        if (layout.freeWidth > 0) {
            painter.setPen(isDim && !isSelected ? tokens.text3 : tokens.text);
            painter.drawText(QRect(layout.freeRight - layout.freeWidth, rect.top(), layout.freeWidth, rect.height()),
                             Qt::AlignRight | kText, row.freeText);
        }
        if (layout.jobWidth > 0) {
            painter.setPen(isSelected ? tokens.text : isDim ? tokens.text3 : tokens.text2);
            painter.drawText(QRect(layout.jobLeft, rect.top(), layout.jobWidth + 1, rect.height()), Qt::AlignLeft | kText,
                             metrics.elidedText(row.jobText, Qt::ElideRight, layout.jobWidth + 1));
        }
    }
    paintGroups(painter, tokens, fonts, scroll);
}

void HeatGrid::Private::paintGroups(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts, int scroll) const
{
    const QFontMetricsF body(fonts.body);
    painter.setFont(fonts.body);
    for (const HeatRowBox &box : layout.rows) {
        const int top = box.rect.top() - scroll;
        if (!box.isFirstOfGroup || top > layout.body.height() || top < -32)
            continue;
        if (mode == HeatMode::MapOnly && box.group > 0)
            draw::horizontal(painter, 0, layout.body.width(), top - 4, tokens.grid);
        painter.setPen(tokens.text2);
        painter.drawText(QRect(layout.groupLeft, top, layout.groupWidth, 17), Qt::AlignLeft | kText,
                         body.elidedText(groups[box.group].name, Qt::ElideMiddle, layout.groupWidth + 1));
    }
}

void HeatGrid::Private::paintMarks(QPainter &painter, const Tokens &tokens, int scroll) const
{
    const TimeScale scale = time();
    for (const HeatRowBox &box : layout.rows) {
        const QRect strip = box.history.translated(0, -scroll);
        if (box.history.isEmpty() || strip.bottom() < 0 || strip.top() > layout.body.height())
            continue;
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (scale.isValid())
            for (const Gap &gap : groups[box.group].rows[box.row].gaps) {
                if (gap.reason == GapReason::NotStarted || gap.reason == GapReason::Ended)
                    continue; // nothing is missing there: the strip is empty
                const double left = std::max(scale.x(gap.range.begin), scale.left);
                const double right = std::min(scale.x(gap.range.end), scale.left + scale.width);
                if (right - left >= 1)
                    paintGap(painter, QRectF(left, strip.top(), right - left, strip.height()), tokens.panel, tokens.text3);
            }
        if (strip.height() >= 8) { // a pale strip needs an edge, and all look alike with one
            painter.setPen(QPen(withAlpha(tokens.line3, 0.35), 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(strip).adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }
    for (const HeatCellBox &box : layout.cells) {
        const QRectF rect(box.rect.translated(0, -scroll));
        if (rect.bottom() < 0 || rect.top() > layout.body.height())
            continue;
        if (!box.isStrip)
            paintHeatMark(painter, rect, cellOf(box), tokens);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    if (const HeatCellBox *hovered = find(hoveredId); hovered && hoveredId != selectedId) {
        const double radius = metrics::kCellRadius;
        painter.setPen(QPen(tokens.text, 1));
        painter.drawRoundedRect(QRectF(hovered->rect.translated(0, -scroll)).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    }
    if (const HeatCellBox *selected = find(selectedId)) {
        const QRectF rect(selected->rect.translated(0, -scroll));
        painter.setPen(QPen(tokens.panel, 1));
        painter.drawRoundedRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5), 2.5, 2.5);
        painter.setPen(QPen(tokens.accent, 2));
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), 4, 4);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (crosshair && scale.isValid() && *crosshair >= range.begin && *crosshair <= range.end) {
        const double ratio = painter.device()->devicePixelRatioF();
        painter.setPen(dashedHairline(tokens.text, 2, 2, ratio));
        const double x = crisp(scale.x(*crosshair), ratio);
        painter.drawLine(QPointF(x, 0), QPointF(x, layout.body.height()));
    }
}

void HeatGrid::Private::paintHeader(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts) const
{
    if (mode == HeatMode::MapOnly)
        return;
    const QFontMetricsF metrics(fonts.caption);
    painter.setFont(fonts.caption);
    painter.setPen(tokens.text2);
    const auto text = [&](int left, int width, const QString &caption, Qt::Alignment side) {
        painter.drawText(QRect(left, 0, width + 1, 16), side | kText, metrics.elidedText(caption, Qt::ElideRight, width + 1));
    };
    const int cellsRoom = (layout.historyWidth > 0 ? layout.historyLeft : layout.header.width()) - layout.cellsLeft - 8;
    text(layout.cellsLeft, cellsRoom, cellCaption, Qt::AlignLeft);
    if (layout.historyWidth > 0)
        text(layout.historyLeft, layout.historyWidth, historyCaption, Qt::AlignLeft);
    if (layout.freeWidth > 0)
        text(layout.freeRight - layout.freeWidth, layout.freeWidth, freeCaption, Qt::AlignRight);
    if (layout.jobWidth > 0)
        text(layout.jobLeft, layout.jobWidth, tr("job"), Qt::AlignLeft);
}

void HeatGrid::Private::paintFooter(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts) const
{
    const double top = layout.footer.top() + 4;
    paintHeatLegend(painter, QPointF(layout.groupLeft, top + 5 + layout.legendTop), tokens, fonts.caption);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const TimeScale scale = time();
    if (!scale.isValid())
        return;
    const QFontMetricsF metrics(fonts.caption);
    painter.setFont(fonts.caption);
    const QString tag = crosshair && *crosshair >= range.begin && *crosshair <= range.end
        ? timeTagText(*crosshair, scale.lengthOf(1), isUtc) : QString();
    const double tagWidth = std::max(56.0, metrics.horizontalAdvance(tag) + 10);
    const double tagLeft = tag.isEmpty() ? 0
        : std::clamp(scale.x(*crosshair) - tagWidth / 2, scale.left, scale.left + scale.width - tagWidth);
    double free = 0;
    for (const TimeTick &tick : timeTicks(range, scale.width, isUtc)) {
        const double x = scale.x(tick.time);
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = std::clamp(x - width / 2, scale.left, scale.left + scale.width - width);
        draw::vertical(painter, x, layout.footer.top(), layout.footer.top() + 4, tokens.line2);
        const bool isUnderTag = !tag.isEmpty() && left < tagLeft + tagWidth + 4 && left + width > tagLeft - 4;
        if (left < free || isUnderTag)
            continue;
        free = left + width + 6;
        painter.setPen(tokens.text2);
        painter.drawText(QRectF(left, top + 3, width + 1, 16), Qt::AlignLeft | kText, tick.label);
    }
    if (tag.isEmpty())
        return;
    const QRectF box(std::floor(tagLeft), top + 3, tagWidth, 16);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens.text);
    painter.drawRoundedRect(box, metrics::kTagRadius, metrics::kTagRadius);
    painter.setPen(tokens.panel);
    painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, tag);
}

} // namespace plimsoll
