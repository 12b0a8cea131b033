// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <QString>

#include <optional>

namespace plimsoll {

/// Reads a time as people type it, with or without the leading @:
/// 14:03, 14:03:07 (the last such time before now), -2h, -90 s, -1 d 4 h,
/// now, 2026-11-18, 2026-11-18 14:03[:07], 18 Nov 14:03. nullopt when it is none.
[[nodiscard]] std::optional<Instant> parseTypedTime(const QString &text, Instant now, bool utc);

/// Two such times with "–", "..", " to " or " - " between them, or a length alone
/// ("6 h": the last six hours).
[[nodiscard]] std::optional<TimeRange> parseTypedRange(const QString &text, Instant now, bool utc);

} // namespace plimsoll
