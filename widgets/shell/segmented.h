// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QButtonGroup;

namespace plimsoll {

/// One of a few, side by side in one edge: "daily | cumulative". Left and Right move.
class Segmented : public QWidget
{
    Q_OBJECT

public:
    explicit Segmented(const QStringList &choices, QWidget *parent = nullptr);

    void setCurrent(int index); // emits only on change
    [[nodiscard]] int current() const;

signals:
    void currentChanged(int index);

private:
    QButtonGroup *m_group;
};

} // namespace plimsoll
