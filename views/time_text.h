// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QString>

namespace plimsoll {

/// "14:03:20", with the date before it when it is not the day of `now`.
[[nodiscard]] QString clockText(Instant at, Instant now, bool utc, bool withSeconds = true);
[[nodiscard]] QString dateText(Instant at, bool utc); // "18 Nov 2026 UTC"

/// "41 s", "2 min 13 s": how long before `now`; never negative.
[[nodiscard]] QString ageText(Instant at, Instant now);
[[nodiscard]] QString durationText(Duration duration);

/// "since 14:01", or "since 30 Nov 14:01" for another day.
[[nodiscard]] QString sinceText(Instant at, Instant now, bool utc);

} // namespace plimsoll
