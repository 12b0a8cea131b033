// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "widgets/heatmap/heat_model.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>
#include <string>
#include <vector>

class QAbstractTableModel;

namespace plimsoll {

enum class HeatMode { NowAndHistory, MapOnly };

/// A cell a device, a row a node, grouped; beside it the node's worst value over time.
/// Cells and strips are one QImage, made when data, size or theme change; marks, hover
/// and selection are painted over it. Cell size (15, 11, 8 px, then one strip of worst
/// values a node) follows from how many rows the height holds, never from the data's
/// values, so nothing jumps while live. Scrolls when even that is too much. GUI thread.
class HeatGrid : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit HeatGrid(QWidget *parent = nullptr);
    ~HeatGrid() override;

    void setGroups(std::vector<HeatGroup> groups);
    void setHistoryRange(TimeRange range);
    void setSelected(const std::string &id); // a cell's; empty = none; does not emit
    void setCrosshair(std::optional<Instant> time); // from elsewhere; does not emit
    void setUtc(bool utc);
    void setMode(HeatMode mode);
    void setCellCaption(const QString &text);    // "now, one cell a GPU"
    void setHistoryCaption(const QString &text); // "last 1 h, worst GPU of the node"
    void setFreeCaption(const QString &text);    // "GiB free"

    [[nodiscard]] const std::vector<HeatGroup> &groups() const noexcept;
    [[nodiscard]] std::string selectedId() const;
    [[nodiscard]] int cellSize() const; // px of a cell now; under 8 rows are strips
    [[nodiscard]] QRect cellRect(const std::string &id) const; // in the viewport; empty when there is none
    [[nodiscard]] QRect historyRect(const std::string &node) const; // of a node's strip, in the viewport
    [[nodiscard]] std::string cellAt(QPoint position) const; // in the viewport; empty when there is none
    [[nodiscard]] QAbstractTableModel *tableTwin(); // owned by the grid, follows it

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void hovered(const std::string &id); // empty: left
    void selected(const std::string &id);
    void activated(const std::string &id); // Enter, double click
    void crosshairMoved(std::optional<plimsoll::Instant> time);

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    class Private;
    void select(const std::string &id);
    void hover(const std::string &id);

    std::unique_ptr<Private> d;
};

} // namespace plimsoll
