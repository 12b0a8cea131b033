// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace plimsoll {

/// "by rack ▾": words in text2 and a chevron, without an edge; opens its menu.
class ChoiceButton : public QToolButton
{
    Q_OBJECT

public:
    explicit ChoiceButton(QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace plimsoll
