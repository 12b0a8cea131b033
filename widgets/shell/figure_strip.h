// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/format.h"
#include "widgets/theme/glyphs.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace plimsoll {

/// The row of figures above a page: caption, headline figure, what it is of, a note,
/// a spark line; cells are split by 1 px lines. 68 high.
class FigureStrip : public QWidget
{
    Q_OBJECT

public:
    struct Cell
    {
        QString caption; // "GPU memory used"
        Figure figure;   // "5.23", "TiB"
        QString of = {}; // behind the number in place of its unit: "of 8.85 TiB"
        QString note = {}; // "59 % · 20 GPUs at 90 % or more"
        std::optional<Glyph> glyph = {}; // behind the caption
        std::vector<double> spark = {}; // oldest first; NaN is a gap
        int series = 0; // colour index of the spark line
        QString tip = {};

        friend bool operator==(const Cell &, const Cell &) = default;
    };

    explicit FigureStrip(QWidget *parent = nullptr);

    void setCells(std::vector<Cell> cells);
    [[nodiscard]] const std::vector<Cell> &cells() const { return m_cells; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] QRect cellRect(std::size_t index) const;

    std::vector<Cell> m_cells;
};

} // namespace plimsoll
