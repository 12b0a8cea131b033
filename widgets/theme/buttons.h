// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/icons.h"

#include <QString>

class QAbstractButton;
class QMenu;
class QPushButton;
class QToolButton;
class QWidget;

namespace plimsoll {

enum class ButtonKind {
    Default, // accent fill: at most one a place
    Normal,  // line2 edge
    Quiet    // accent text, no edge
};

/// Buttons are plain Qt buttons; these tell the style how to draw them. The text
/// is set with mnemonics off unless it came from tr().
[[nodiscard]] QPushButton *makeButton(const QString &text, ButtonKind kind = ButtonKind::Normal, QWidget *parent = nullptr);

/// 28 x 28, icon only; \a name is what a screen reader and the tip say.
[[nodiscard]] QToolButton *makeIconButton(Icon icon, const QString &name, QWidget *parent = nullptr);

/// Quiet choice of a panel header: text2 with a chevron, opens the menu below.
[[nodiscard]] QToolButton *makeChoice(const QString &text, QMenu *menu, QWidget *parent = nullptr);

void setButtonKind(QAbstractButton *button, ButtonKind kind);
[[nodiscard]] ButtonKind buttonKind(const QWidget *button);

/// 24 high, padding 8.
void setSmall(QAbstractButton *button, bool isSmall = true);
[[nodiscard]] bool isSmall(const QWidget *button);

/// Follows the theme: the icon is drawn anew when the palette changes.
void setThemedIcon(QAbstractButton *button, Icon icon);

/// Editor edge in page colour; the sentence under it is the caller's.
void setInvalid(QWidget *editor, bool isInvalid);
[[nodiscard]] bool isInvalid(const QWidget *editor);

} // namespace plimsoll
