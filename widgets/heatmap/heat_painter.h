// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmap/heat_layout.h"

#include <QImage>
#include <QRectF>

class QPainter;

namespace plimsoll {

struct Tokens;

/// A cell's fill and edge; marks come over it. Any size.
void paintHeatCell(QPainter &painter, const QRectF &rect, const HeatCell &cell, const Tokens &tokens);

/// Corner of ≥ 90 %, exclamation mark of ≥ 98 %, cross of away.
void paintHeatMark(QPainter &painter, const QRectF &rect, const HeatCell &cell, const Tokens &tokens);

/// Is it to be drawn as gone: nothing is known of it.
[[nodiscard]] bool isAway(const HeatCell &cell) noexcept;

/// A node's worst values, max of the buckets under each pixel, one row of pixels repeated.
/// Sets only the pixels of `rect` (device px).
void paintHistory(QImage &image, const QRect &rect, const std::vector<std::optional<double>> &history, const Tokens &tokens);

/// Cells and strips of the rows in sight: the picture that is kept.
[[nodiscard]] QImage heatPicture(const std::vector<HeatGroup> &groups, const HeatLayout &layout, int scroll, double ratio,
                                 const Tokens &tokens);

/// ≥ 90, ≥ 98, stale, away: for the lower left corner.
void paintHeatLegend(QPainter &painter, QPointF topLeft, const Tokens &tokens, const QFont &caption);
[[nodiscard]] int legendWidth(const QFont &caption);

} // namespace plimsoll
