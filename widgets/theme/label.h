// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/type.h"

#include <QLabel>

namespace plimsoll {

enum class Ink { Text, Text2, Text3, Accent };

/// A label of a role and an ink that follows the theme, always plain text.
/// With an elide mode it takes the width it gets and says the whole in its tip.
class Label : public QLabel
{
    Q_OBJECT

public:
    explicit Label(const QString &text = {}, TextRole role = TextRole::Body, Ink ink = Ink::Text, QWidget *parent = nullptr);

    void setText(const QString &text); // hides QLabel's, which knows nothing of the tip
    void setInk(Ink ink);
    void setRole(TextRole role);
    void setElide(Qt::TextElideMode mode); // Qt::ElideNone: grows with its text

    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void applyInk();
    void applyFont();
    void updateTip();

    TextRole m_role;
    Ink m_ink;
    Qt::TextElideMode m_elide = Qt::ElideNone;
};

} // namespace plimsoll
