// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/format.h"
#include "base/time.h"

#include <QString>

#include <string_view>

namespace plimsoll {

/// The border for text from outside (labels, names, errors of a peer): UTF-8
/// without control or bidi-override characters and of bounded length, the middle
/// left out. Still plain text: give it to labels with Qt::PlainText only.
[[nodiscard]] QString shown(std::string_view utf8, int maxChars = 120);

/// Number, no-break space, unit.
[[nodiscard]] QString figureText(const Figure &figure);

enum class TimeText { Minutes, Seconds, Date, Full /*date and seconds*/ };

/// 14:03, 14:03:07, 18 Nov 2026; without a zone, see zoneText.
[[nodiscard]] QString timeText(Instant instant, bool utc, TimeText kind = TimeText::Seconds);

/// "UTC", or the local zone's abbreviation at that time.
[[nodiscard]] QString zoneText(Instant instant, bool utc);

/// 13:03 – 14:03, with dates where the ends lie on different days.
[[nodiscard]] QString rangeText(TimeRange range, bool utc);

/// Tool tips guess rich text; this makes any text show as it stands.
[[nodiscard]] QString plainTip(const QString &text);

} // namespace plimsoll
