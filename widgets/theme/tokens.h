// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/metrics.h"

#include <QColor>

#include <array>

class QPalette;
class QWidget;

namespace plimsoll {

/// Every colour the program draws with. Two sets, light and dark; a painter asks
/// for the set of its palette and never names a colour itself.
struct Tokens
{
    bool isDark = false;

    QColor window; // behind panels, tab row
    QColor rail;   // time bar, rail, inspector, status strip
    QColor panel;  // panels, views, editors
    QColor sunken; // group rows, code, overview strip
    QColor raised; // tips, menus, toasts, palette: with a 1 px line2 edge, no shadow
    QColor button;
    QColor hover;
    QColor sel;
    QColor track; // bar background, skeleton
    QColor grid;  // gridlines, row lines
    QColor line;  // panel edges, separators
    QColor line2; // button edges, axis line, chips; disabled text
    QColor line3; // editor, check and radio edges
    QColor text;
    QColor text2; // secondary
    QColor text3; // captions; use text2 on sel and hover
    QColor accent;
    QColor onAccent;
    QColor rec; // recorded sessions only

    QColor page; // status: marks only, words stay in text colour
    QColor warn;
    QColor fine;
    QColor onPage; // words on a badge filled with page

    std::array<QColor, 6> series;     // reserved, allocated, host, swap, cost, forecast
    std::array<QColor, 6> seriesText; // the same six as ink for text and thin lines
    std::array<QColor, 9> load;       // 0, 12.5 … 100 %
    std::array<QColor, 7> difference; // − … 0 … +
};

/// Light or dark by the palette's window colour. The reference stays valid for ever.
[[nodiscard]] const Tokens &tokens(const QPalette &palette);
[[nodiscard]] const Tokens &tokens(const QWidget *widget);

[[nodiscard]] const Tokens &lightTokens();
[[nodiscard]] const Tokens &darkTokens();

/// `share` of `top` over `bottom`, opaque: how a wash is made where a hairline must not shine through.
[[nodiscard]] QColor mixed(const QColor &bottom, const QColor &top, double share);
[[nodiscard]] QColor withAlpha(QColor colour, double alpha);

/// WCAG 2 contrast of two opaque colours, 1 … 21.
[[nodiscard]] double contrast(const QColor &a, const QColor &b);

} // namespace plimsoll
