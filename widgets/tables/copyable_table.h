// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace plimsoll {

class ValueDelegate;

/// The table of the program: 24 px rows, whole rows, row hover, no vertical lines,
/// header in caption; Ctrl+C copies the selected rows as tab-separated text with
/// the header, Enter activates. The name column takes the spare width.
class CopyableTable : public QTableView
{
    Q_OBJECT

public:
    explicit CopyableTable(QWidget *parent = nullptr);

    void setModel(QAbstractItemModel *model) override;

    /// Stretches and elides in the middle; default 0.
    void setNameColumn(int column);

    /// 24, 28 or 44 (two lines).
    void setRowHeight(int px);

    /// Header line and selected rows (all rows where nothing is selected), cells as
    /// displayed; tabs and line breaks inside a cell become spaces.
    [[nodiscard]] QString toTsv() const;
    void copy() const;

    [[nodiscard]] int hoveredRow() const { return m_hoveredRow; }

signals:
    void hovered(const QModelIndex &index); // invalid when the mouse left

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void setHoveredRow(int row);
    void applyNameColumn();
    void applyHeaderFont();

    ValueDelegate *m_delegate;
    int m_nameColumn = 0;
    int m_hoveredRow = -1;
};

} // namespace plimsoll
