// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmap/heat_grid.h"

#include <QFont>
#include <QRect>
#include <QSize>

#include <cstddef>
#include <vector>

namespace plimsoll {

/// Where a device stands, content coordinates (scrolling starts at 0).
struct HeatCellBox
{
    std::size_t group = 0;
    std::size_t row = 0;
    std::size_t cell = 0;
    QRect rect;
    bool isStrip = false; // stands for the whole node: its worst cell
};

struct HeatRowBox
{
    std::size_t group = 0;
    std::size_t row = 0;
    QRect rect;    // the whole width
    QRect history; // empty in the map
    bool hasName = false;
    bool isFirstOfGroup = false;
};

/// Geometry of a heat grid, made from data, size and mode alone.
struct HeatLayout
{
    int cell = 15; // 15, 11, 8; 3 = strips of worst values
    int pitch = 17;
    int contentHeight = 0;
    int room = 0; // for rows, px
    int legendTop = 0; // in the footer
    QRect header; // viewport coordinates, as are body and footer
    QRect body;
    QRect footer;
    int groupLeft = 0;
    int groupWidth = 0; // 0 = no group has a name
    int nameLeft = 0;
    int nameWidth = 0;
    int cellsLeft = 0;
    int cellsWidth = 0;
    int historyLeft = 0;
    int historyWidth = 0; // 0 = no room, or a map
    int freeRight = 0;
    int freeWidth = 0;
    int jobLeft = 0;
    int jobWidth = 0;
    std::vector<HeatRowBox> rows;
    std::vector<HeatCellBox> cells;
};

struct HeatFonts
{
    QFont body;
    QFont caption;
    QFont strong;
};

[[nodiscard]] HeatLayout layOutHeat(const std::vector<HeatGroup> &groups, QSize viewport, HeatMode mode, const HeatFonts &fonts);

/// The cell to look at first: unknown counts least.
[[nodiscard]] std::size_t worstCell(const HeatRow &row) noexcept;

} // namespace plimsoll
