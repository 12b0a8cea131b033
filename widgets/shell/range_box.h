// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QPushButton>

class QLineEdit;
class QMenu;

namespace plimsoll {

/// The box that says how long the range is: 124 x 28, with a menu of spans and a
/// field to type any other.
class RangeBox : public QPushButton
{
    Q_OBJECT

public:
    explicit RangeBox(QWidget *parent = nullptr);

    void setUtc(bool utc) { m_utc = utc; }
    void openMenu();

signals:
    void spanChosen(Duration span); // zero: everything there is
    void rangeTyped(const QString &text); // only what parseTypedRange understands

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeMenu();
    void acceptTyped();

    QMenu *m_menu;
    QLineEdit *m_edit;
    bool m_utc = true;
};

} // namespace plimsoll
