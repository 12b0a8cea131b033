// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

namespace plimsoll {

/// Sizes stand for a 12 px system font and scale with it; nothing is smaller than 11 px.
enum class TextRole {
    Body,            // 12 / 16, 400
    BodyStrong,      // 12 / 16, 500: names
    BodyHeavy,       // 12 / 16, 600: sums, what is chosen
    Caption,         // 11 / 16, 400
    CaptionStrong,   // 11 / 16, 500: values in captions
    PanelTitle,      // 13 / 20, 600
    HeaderFigure,    // 15 / 18, 600
    Headline,        // 20 / 24, 600
    InspectorFigure, // 24 / 28, 600
    Mono             // 11 / 16: stacks and addresses
};

[[nodiscard]] QFont font(TextRole role); // from the application's font
[[nodiscard]] QFont font(TextRole role, const QFont &base);

/// Height of a line of that role, px; what layouts count with.
[[nodiscard]] int lineHeight(TextRole role);

/// Inter where it is installed, at the size of the system's font.
[[nodiscard]] QFont bodyFont(const QFont &system);

/// Width of a column that holds `digits` figures and `extra` other characters, px. Before
/// Qt 6.7 there are no tabular figures, so columns are measured with 0 and right-aligned.
[[nodiscard]] int figureWidth(const QFont &font, int digits, int extra = 0);

} // namespace plimsoll
