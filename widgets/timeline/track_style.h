// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/track.h"

#include <QColor>

namespace plimsoll {

struct Tokens;

struct TrackStyle
{
    QColor line;
    QColor text; // of the name, readable on panel
    bool isDashed = false;
};

/// A metric's colour on every page; beyond the six, colours come again with dashes.
[[nodiscard]] TrackStyle trackStyle(SeriesRole role, const Tokens &tokens);

} // namespace plimsoll
