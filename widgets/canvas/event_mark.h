// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/event.h"
#include "widgets/theme/glyphs.h"

#include <QString>

namespace plimsoll {

/// A point in time that a canvas marks. `text` has crossed the border (shown()): plain and bounded.
struct EventMark
{
    Instant time;
    Glyph glyph = Glyph::Mark;
    QString text;
    EventKind kind = EventKind::Unknown;

    friend bool operator==(const EventMark &, const EventMark &) = default;
};

} // namespace plimsoll
