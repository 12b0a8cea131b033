// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/glyphs.h"

#include <QWidget>

#include <optional>
#include <vector>

class QAbstractButton;
class QHBoxLayout;

namespace plimsoll {

class StatusCell;

/// The last line of the window, 24 high: true figures, a glyph before each problem.
/// Every cell with an id can be clicked.
class StatusStrip : public QWidget
{
    Q_OBJECT

public:
    struct Cell
    {
        QString text;
        std::optional<Glyph> glyph = {};
        QString tip = {};
        QString id = {}; // empty: only to read

        friend bool operator==(const Cell &, const Cell &) = default;
    };

    explicit StatusStrip(QWidget *parent = nullptr);

    void setCells(std::vector<Cell> left, std::vector<Cell> right = {});
    [[nodiscard]] QAbstractButton *cell(const QString &id) const; // nullptr when there is none

signals:
    void clicked(const QString &id);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void fill(QHBoxLayout *row, std::vector<StatusCell *> &cells, const std::vector<Cell> &wanted, bool isRight);

    QHBoxLayout *m_leftRow;
    QHBoxLayout *m_rightRow;
    std::vector<StatusCell *> m_left;
    std::vector<StatusCell *> m_right;
};

} // namespace plimsoll
