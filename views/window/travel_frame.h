// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace plimsoll {

/// The 2 px accent frame round the whole window while it shows another time; lets every click through.
class TravelFrame : public QWidget
{
    Q_OBJECT

public:
    explicit TravelFrame(QWidget *window);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace plimsoll
