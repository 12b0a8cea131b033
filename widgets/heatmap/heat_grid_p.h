// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/coordinates.h"
#include "widgets/heatmap/heat_grid.h"
#include "widgets/heatmap/heat_layout.h"
#include "widgets/heatmap/heat_table.h"

#include <QImage>

#include <unordered_map>

class QPainter;

namespace plimsoll {

struct Tokens;

class HeatGrid::Private
{
public:
    std::vector<HeatGroup> groups;
    TimeRange range;
    HeatMode mode = HeatMode::NowAndHistory;
    bool isUtc = false;
    QString cellCaption;
    QString historyCaption;
    QString freeCaption;
    std::string selectedId;
    std::string hoveredId;
    std::optional<Instant> crosshair;

    // Kept until something they follow from changes.
    HeatLayout layout;
    std::unordered_map<std::string, std::size_t> boxOf; // id → index of its cell box
    bool isLayoutOld = true;
    QImage picture;
    int pictureScroll = 0;
    bool isPictureOld = true;
    HeatTable *table = nullptr;

    const HeatLayout &upToDate(HeatGrid &grid);
    [[nodiscard]] const HeatCell &cellOf(const HeatCellBox &box) const { return groups[box.group].rows[box.row].cells[box.cell]; }
    [[nodiscard]] const HeatCellBox *boxAt(QPoint content) const; // of the cell at a place in the content
    [[nodiscard]] const HeatCellBox *find(const std::string &id) const;
    [[nodiscard]] TimeScale time() const
    {
        return {range, static_cast<double>(layout.historyLeft), static_cast<double>(layout.historyWidth)};
    }
    /// The cell that an arrow key leads to, by place: rows may be of any length.
    [[nodiscard]] const HeatCellBox *neighbour(const HeatCellBox &from, int dx, int dy) const;
    [[nodiscard]] QString describe(const HeatCellBox &box) const;

    void paintRows(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts, int scroll) const;
    void paintGroups(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts, int scroll) const;
    void paintMarks(QPainter &painter, const Tokens &tokens, int scroll) const;
    void paintHeader(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts) const;
    void paintFooter(QPainter &painter, const Tokens &tokens, const HeatFonts &fonts) const;
};

} // namespace plimsoll
