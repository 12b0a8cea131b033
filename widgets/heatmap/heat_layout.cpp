// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/heat_layout.h"

#include "widgets/heatmap/heat_painter.h"

#include <QFontMetrics>

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

constexpr int kPadding = 4; // the selected row's tint reaches this far beyond the text
constexpr int kHeader = 20;
constexpr int kFooter = 24;
constexpr int kGroupGap = 8;
constexpr int kColumnGap = 16;
constexpr int kNameMin = 40;
constexpr int kNameMax = 160;
constexpr int kHistoryMin = 120;
constexpr int kFreeWidth = 56;
constexpr int kJobMax = 150;
constexpr int kBlockColumns = 4; // a node in the map
constexpr int kBlockGap = 10;

struct CellSize
{
    int cell;
    int pitch;
};
constexpr std::array kSizes{CellSize{15, 17}, CellSize{11, 13}, CellSize{8, 10}, CellSize{3, 4}};
constexpr int kStripCell = 3;
constexpr int kStripWidth = 64;
constexpr int kNamePitch = 13; // lower rows can't hold text

int widest(const std::vector<HeatGroup> &groups, const QFontMetrics &metrics, QString HeatRow::*text)
{
    int width = 0;
    for (const HeatGroup &group : groups)
        for (const HeatRow &row : group.rows)
            width = std::max(width, metrics.horizontalAdvance(row.*text));
    return width;
}

std::size_t mostCells(const std::vector<HeatGroup> &groups)
{
    std::size_t most = 1;
    for (const HeatGroup &group : groups)
        for (const HeatRow &row : group.rows)
            most = std::max(most, row.cells.size());
    return most;
}

/// Columns of the list, left to right. What has no room goes: job, then what is free.
void layOutColumns(HeatLayout &layout, const std::vector<HeatGroup> &groups, int width, const HeatFonts &fonts)
{
    const QFontMetrics body(fonts.body);
    const QFontMetrics strong(fonts.strong);
    const bool hasText = layout.pitch >= kNamePitch;
    for (const HeatGroup &group : groups)
        layout.groupWidth = std::max(layout.groupWidth, std::min(96, body.horizontalAdvance(group.name)));
    int x = kPadding;
    layout.groupLeft = x;
    x += layout.groupWidth > 0 ? layout.groupWidth + 12 : 0;
    layout.nameLeft = x;
    if (hasText) {
        layout.nameWidth = std::clamp(widest(groups, strong, &HeatRow::name), kNameMin, kNameMax);
        x += layout.nameWidth + 10;
    }
    layout.cellsLeft = x;
    layout.cellsWidth = static_cast<int>(mostCells(groups)) * layout.pitch - (layout.pitch - layout.cell);
    if (layout.cell == kStripCell)
        layout.cellsWidth = kStripWidth;
    x += layout.cellsWidth + kColumnGap;

    int right = width - kPadding;
    const int jobWanted = hasText ? std::min(kJobMax, widest(groups, strong, &HeatRow::jobText)) : 0;
    if (jobWanted > 0 && right - x - kFreeWidth - jobWanted - 2 * kColumnGap >= kHistoryMin) {
        layout.jobWidth = jobWanted;
        layout.jobLeft = right - layout.jobWidth;
        right = layout.jobLeft - kColumnGap + 4;
    }
    if (hasText && widest(groups, body, &HeatRow::freeText) > 0 && right - x - kFreeWidth - kColumnGap >= kHistoryMin) {
        layout.freeWidth = kFreeWidth;
        layout.freeRight = right;
        right -= kFreeWidth + kColumnGap;
    }
    if (right - x >= kHistoryMin) {
        layout.historyLeft = x;
        layout.historyWidth = right - x;
    }
}

void layOutRows(HeatLayout &layout, const std::vector<HeatGroup> &groups, int width)
{
    int y = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].rows.empty())
            continue;
        y += y > 0 ? kGroupGap : 0;
        for (std::size_t r = 0; r < groups[g].rows.size(); ++r) {
            const HeatRow &row = groups[g].rows[r];
            HeatRowBox box;
            box.group = g;
            box.row = r;
            box.rect = QRect(0, y, width, layout.pitch);
            box.hasName = layout.pitch >= kNamePitch;
            box.isFirstOfGroup = r == 0;
            const int top = y + (layout.pitch - layout.cell) / 2;
            if (layout.historyWidth > 0)
                box.history = QRect(layout.historyLeft, top, layout.historyWidth, layout.cell);
            if (layout.cell == kStripCell && !row.cells.empty()) {
                layout.cells.push_back({g, r, worstCell(row), QRect(layout.cellsLeft, top, layout.cellsWidth, layout.cell), true});
            } else {
                for (std::size_t c = 0; c < row.cells.size(); ++c)
                    layout.cells.push_back({g, r, c,
                                            QRect(layout.cellsLeft + static_cast<int>(c) * layout.pitch, top, layout.cell, layout.cell),
                                            false});
            }
            layout.rows.push_back(box);
            y += layout.pitch;
        }
    }
    layout.contentHeight = y;
}

/// The map: a group a band, a node a block of four columns, as many blocks in a line as fit.
void layOutMap(HeatLayout &layout, const std::vector<HeatGroup> &groups, int width)
{
    int y = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].rows.empty())
            continue;
        y += y > 0 ? kGroupGap : 0;
        int x = layout.cellsLeft;
        int lineHeight = 0;
        for (std::size_t r = 0; r < groups[g].rows.size(); ++r) {
            const HeatRow &row = groups[g].rows[r];
            const int count = static_cast<int>(row.cells.size());
            const int columns = std::clamp(count, 1, kBlockColumns);
            const int lines = std::max(1, (count + kBlockColumns - 1) / kBlockColumns);
            const int blockWidth = columns * layout.pitch;
            if (x > layout.cellsLeft && x + blockWidth > width - kPadding) {
                x = layout.cellsLeft;
                y += lineHeight + kGroupGap;
                lineHeight = 0;
            }
            HeatRowBox box;
            box.group = g;
            box.row = r;
            box.rect = QRect(x, y, blockWidth, lines * layout.pitch);
            box.isFirstOfGroup = r == 0;
            for (int c = 0; c < count; ++c)
                layout.cells.push_back({g, r, static_cast<std::size_t>(c),
                                        QRect(x + c % kBlockColumns * layout.pitch, y + c / kBlockColumns * layout.pitch,
                                              layout.cell, layout.cell),
                                        false});
            layout.rows.push_back(box);
            x += blockWidth + kBlockGap;
            lineHeight = std::max(lineHeight, lines * layout.pitch);
        }
        y += lineHeight;
    }
    layout.contentHeight = y;
}

HeatLayout tryOut(const std::vector<HeatGroup> &groups, QSize viewport, HeatMode mode, const HeatFonts &fonts, CellSize size)
{
    HeatLayout layout;
    layout.cell = size.cell;
    layout.pitch = size.pitch;
    const int width = viewport.width();
    const int header = mode == HeatMode::MapOnly ? 4 : kHeader;
    layout.header = QRect(0, 0, width, header);
    if (mode == HeatMode::MapOnly) {
        const QFontMetrics body(fonts.body);
        for (const HeatGroup &group : groups)
            layout.groupWidth = std::max(layout.groupWidth, std::min(120, body.horizontalAdvance(group.name)));
        layout.groupLeft = kPadding;
        layout.cellsLeft = kPadding + (layout.groupWidth > 0 ? layout.groupWidth + 12 : 0);
        layout.cellsWidth = width - kPadding - layout.cellsLeft;
        layOutMap(layout, groups, width);
    } else {
        layOutColumns(layout, groups, width, fonts);
        layOutRows(layout, groups, width);
    }
    // The time axis stands right below the rows; the legend beside it, or under it where
    // the strips begin too far left.
    layout.legendTop = layout.historyWidth > 0 && layout.historyLeft < layout.groupLeft + legendWidth(fonts.caption) + kColumnGap ? kFooter : 0;
    const int footer = kFooter + layout.legendTop;
    layout.body = QRect(0, header, width, std::clamp(viewport.height() - header - footer, 0, layout.contentHeight));
    layout.footer = QRect(0, layout.body.top() + layout.body.height(), width, footer);
    layout.room = std::max(0, viewport.height() - header - footer);
    return layout;
}

} // namespace

std::size_t worstCell(const HeatRow &row) noexcept
{
    std::size_t worst = 0;
    for (std::size_t c = 1; c < row.cells.size(); ++c)
        if (row.cells[c].load.value_or(-1) > row.cells[worst].load.value_or(-1))
            worst = c;
    return worst;
}

HeatLayout layOutHeat(const std::vector<HeatGroup> &groups, QSize viewport, HeatMode mode, const HeatFonts &fonts)
{
    HeatLayout layout;
    for (const CellSize size : kSizes) {
        if (mode == HeatMode::MapOnly && size.cell == kStripCell)
            break; // a map scrolls instead: its cells are what it is for
        layout = tryOut(groups, viewport, mode, fonts, size);
        if (layout.contentHeight <= layout.room)
            break;
    }
    return layout;
}

} // namespace plimsoll
