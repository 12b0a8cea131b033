// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

class QApplication;

namespace plimsoll {

enum class Theme { Light, Dark, System };

struct Tokens;

/// Sets palette, style and font of the whole program, and makes the icons
/// available. May be called again while it runs: every widget follows.
/// GUI thread. System means what the desktop said when the program started
/// (from Qt 6.5 on, what it says now).
void applyTheme(QApplication &application, Theme theme);

/// The palette that carries a set of tokens in the roles of Qt.
[[nodiscard]] QPalette paletteOf(const Tokens &tokens);

} // namespace plimsoll
