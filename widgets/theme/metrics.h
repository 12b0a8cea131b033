// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace plimsoll::metrics {

// Device-independent px. Everything sits on a grid of 4; inside a row 2 is allowed.
inline constexpr int kGutter = 8;        // between panels
inline constexpr int kPagePadding = 8;   // around a page, none on top
inline constexpr int kPanelPadding = 12; // inside a panel
inline constexpr int kCellPadding = 8;   // of a table cell; first and last 12

inline constexpr int kPanelRadius = 6;
inline constexpr int kControlRadius = 4;
inline constexpr int kTagRadius = 3; // strip, tag and check
inline constexpr int kCellRadius = 2; // heat cell, bar, flame frame

inline constexpr int kTopRow = 32;
inline constexpr int kTimeBar = 56;
inline constexpr int kFilterRow = 32;
inline constexpr int kStatusStrip = 24;
inline constexpr int kPanelHeader = 32;
inline constexpr int kRailWidth = 168;
inline constexpr int kRailFolded = 44;
inline constexpr int kRailItem = 28;
inline constexpr int kInspectorWidth = 264;
inline constexpr int kFoldBelow = 1280; // window width under which the rail folds

inline constexpr int kRow = 24; // table row and table header
inline constexpr int kRowTall = 28;
inline constexpr int kRowTwoLines = 44;
inline constexpr int kButton = 28;
inline constexpr int kButtonSmall = 24;
inline constexpr int kChip = 22;
inline constexpr int kTarget = 24; // smallest thing that takes a click
inline constexpr int kCheck = 14;
inline constexpr int kScrollBar = 8;
inline constexpr int kTabs = 32;
inline constexpr int kIcon = 16;
inline constexpr int kGlyphBox = 12;
inline constexpr int kPlotMargin = 44;      // left margin that stacked plots share
inline constexpr int kPlotMarginNames = 56; // the same with names in it

inline constexpr int kFoldMs = 120; // fold and toast
inline constexpr int kJumpMs = 200; // range jump, ease-out
inline constexpr int kTipDelayMs = 400;

} // namespace plimsoll::metrics
