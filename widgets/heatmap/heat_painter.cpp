// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/heat_painter.h"

#include "widgets/theme/metrics.h"
#include "widgets/theme/scales.h"
#include "widgets/theme/tokens.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll {
namespace {

double radiusOf(const QRectF &rect)
{
    return rect.height() >= 11 ? metrics::kCellRadius : rect.height() >= 8 ? 1.5 : 0;
}

QColor fillOf(const HeatCell &cell, const Tokens &tokens)
{
    const QColor full = loadColour(std::clamp(*cell.load, 0.0, 1.0), tokens);
    return cell.freshness == Freshness::Stale ? mixed(full, tokens.panel, 0.62) : full;
}

constexpr double kLegendText = 18; // from a cell's left edge to its word
constexpr double kLegendGap = 14;

struct LegendEntry
{
    HeatCell cell;
    QString text;
};

std::array<LegendEntry, 4> legendEntries()
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("plimsoll::HeatGrid", text); };
    std::array<LegendEntry, 4> entries{};
    entries[0].cell.load = 0.94;
    entries[0].text = tr("\u2265 90");
    entries[1].cell.load = 1.0;
    entries[1].text = tr("\u2265 98");
    entries[2].cell.load = 0.5;
    entries[2].cell.freshness = Freshness::Stale;
    entries[2].text = tr("stale");
    entries[3].cell.freshness = Freshness::Away;
    entries[3].text = tr("away");
    return entries;
}

} // namespace

bool isAway(const HeatCell &cell) noexcept
{
    return cell.freshness == Freshness::Away || !cell.load || !std::isfinite(*cell.load);
}

void paintHeatCell(QPainter &painter, const QRectF &rect, const HeatCell &cell, const Tokens &tokens)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    const double radius = radiusOf(rect);
    const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
    if (isAway(cell)) {
        painter.setPen(QPen(tokens.line2, 1));
        painter.setBrush(tokens.panel);
        painter.drawRoundedRect(inner, radius, radius);
        return;
    }
    painter.setBrush(fillOf(cell, tokens));
    if (cell.freshness == Freshness::Stale) {
        QPen edge(tokens.text3, 1);
        edge.setDashPattern({1.5, 1.5});
        edge.setCapStyle(Qt::FlatCap);
        painter.setPen(edge);
        painter.drawRoundedRect(inner, radius, radius);
    } else if (*cell.load < kPaleLoad) {
        painter.setPen(QPen(tokens.line2, 1));
        painter.drawRoundedRect(inner, radius, radius);
    } else {
        painter.setPen(Qt::NoPen);
        painter.drawRoundedRect(rect, radius, radius);
    }
}

void paintHeatMark(QPainter &painter, const QRectF &rect, const HeatCell &cell, const Tokens &tokens)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QPointF centre = rect.center();
    const double unit = rect.height() / 15; // marks shrink with the cell
    if (isAway(cell)) {
        if (rect.height() < 8)
            return;
        painter.setPen(QPen(tokens.text3, 1.2, Qt::SolidLine, Qt::RoundCap));
        const double half = 2.6 * unit;
        painter.drawLine(centre + QPointF(-half, -half), centre + QPointF(half, half));
        painter.drawLine(centre + QPointF(-half, half), centre + QPointF(half, -half));
        return;
    }
    const QColor ink = cell.freshness == Freshness::Stale ? tokens.text : inkOn(*cell.load, tokens);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    switch (heatMark(cell.load)) {
    case HeatMark::None: break;
    case HeatMark::High: {
        const double size = std::max(2.0, 6 * unit);
        painter.setBrush(withAlpha(ink, 0.85));
        painter.drawPolygon(QPolygonF({rect.topRight(), rect.topRight() + QPointF(-size, 0), rect.topRight() + QPointF(0, size)}));
        break;
    }
    case HeatMark::Full:
        painter.drawRect(QRectF(centre.x() - unit, centre.y() - 4.5 * unit, 2 * unit, 5.5 * unit));
        painter.drawEllipse(centre + QPointF(0, 3.5 * unit), 1.35 * unit, 1.35 * unit);
        break;
    }
}

void paintHistory(QImage &image, const QRect &rect, const std::vector<std::optional<double>> &history, const Tokens &tokens)
{
    const QRect inside = rect & image.rect();
    if (inside.isEmpty() || history.empty())
        return;
    const auto count = static_cast<double>(history.size());
    const auto width = static_cast<double>(rect.width());
    std::vector<QRgb> row(static_cast<std::size_t>(inside.width()), tokens.track.rgb());
    for (int x = inside.left(); x <= inside.right(); ++x) {
        // All buckets that lie under the pixel: a hot moment is never averaged or skipped away.
        const auto from = static_cast<std::size_t>((x - rect.left()) / width * count);
        const auto to = static_cast<std::size_t>(std::ceil((x + 1 - rect.left()) / width * count));
        std::optional<double> worst;
        for (std::size_t i = from; i < std::min(std::max(to, from + 1), history.size()); ++i)
            if (history[i] && std::isfinite(*history[i]) && (!worst || *history[i] > *worst))
                worst = history[i];
        if (worst)
            row[static_cast<std::size_t>(x - inside.left())] = loadColour(std::clamp(*worst, 0.0, 1.0), tokens).rgb();
    }
    for (int y = inside.top(); y <= inside.bottom(); ++y)
        std::copy(row.begin(), row.end(), reinterpret_cast<QRgb *>(image.scanLine(y)) + inside.left());
}

QImage heatPicture(const std::vector<HeatGroup> &groups, const HeatLayout &layout, int scroll, double ratio, const Tokens &tokens)
{
    QImage image(layout.body.size() * ratio, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent); // the selected row's tint lies under it
    const auto inSight = [&](const QRect &r) { return r.bottom() >= scroll && r.top() < scroll + layout.body.height(); };
    for (const HeatRowBox &box : layout.rows) {
        if (box.history.isEmpty() || !inSight(box.rect))
            continue;
        const QRectF strip = QRectF(box.history.translated(0, -scroll));
        const QRect pixels(static_cast<int>(std::lround(strip.left() * ratio)), static_cast<int>(std::lround(strip.top() * ratio)),
                           static_cast<int>(std::lround(strip.width() * ratio)), static_cast<int>(std::lround(strip.height() * ratio)));
        paintHistory(image, pixels, groups[box.group].rows[box.row].history, tokens);
    }
    image.setDevicePixelRatio(ratio);
    QPainter painter(&image);
    for (const HeatCellBox &box : layout.cells)
        if (inSight(box.rect))
            paintHeatCell(painter, QRectF(box.rect.translated(0, -scroll)), groups[box.group].rows[box.row].cells[box.cell], tokens);
    return image;
}

void paintHeatLegend(QPainter &painter, QPointF topLeft, const Tokens &tokens, const QFont &caption)
{
    const QFontMetricsF metrics(caption);
    painter.setFont(caption);
    QPointF at = topLeft;
    for (const LegendEntry &entry : legendEntries()) {
        const QRectF rect(at.x(), at.y(), 13, 13);
        paintHeatCell(painter, rect, entry.cell, tokens);
        paintHeatMark(painter, rect, entry.cell, tokens);
        const double width = metrics.horizontalAdvance(entry.text);
        painter.setPen(tokens.text2);
        painter.drawText(QRectF(at.x() + kLegendText, at.y() - 2, width + 1, 16), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, entry.text);
        at.rx() += kLegendText + width + kLegendGap;
    }
}

int legendWidth(const QFont &caption)
{
    const QFontMetricsF metrics(caption);
    double width = -kLegendGap;
    for (const LegendEntry &entry : legendEntries())
        width += kLegendText + metrics.horizontalAdvance(entry.text) + kLegendGap;
    return static_cast<int>(std::ceil(width));
}

} // namespace plimsoll
