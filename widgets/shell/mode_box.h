// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/time_bar.h"

#include <QAbstractButton>

namespace plimsoll {

/// The box at the right of the time bar: live, frozen, travelling or recorded.
class ModeBox : public QAbstractButton
{
    Q_OBJECT

public:
    explicit ModeBox(QWidget *parent = nullptr);

    void setMode(TimeBarMode mode, const QString &line1, const QString &line2);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintOneLine(QPainter &painter, const QRect &inner);
    void paintTwoLines(QPainter &painter, const QRect &inner);

    TimeBarMode m_mode = TimeBarMode::Live;
    QString m_line1;
    QString m_line2;
};

} // namespace plimsoll
