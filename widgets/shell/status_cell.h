// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/status_strip.h"

#include <QAbstractButton>

namespace plimsoll {

/// One cell of the status strip. A button, so that it can be reached by keys; one
/// without an id takes no focus.
class StatusCell : public QAbstractButton
{
    Q_OBJECT

public:
    explicit StatusCell(QWidget *parent = nullptr);

    void setCell(const StatusStrip::Cell &cell, bool isRight);
    [[nodiscard]] QString id() const { return m_cell.id; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    StatusStrip::Cell m_cell;
    bool m_isRight = false;
};

} // namespace plimsoll
