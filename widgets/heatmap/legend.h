// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace plimsoll {

/// The ramp of the load scale, 96 × 8, with its end values: for a panel's header.
class LoadLegend : public QWidget
{
    Q_OBJECT

public:
    explicit LoadLegend(QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace plimsoll
