// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/event.h"
#include "widgets/theme/glyphs.h"

#include <QString>

namespace plimsoll {

[[nodiscard]] QString eventTitle(EventKind kind);   // "out of memory, killed"
[[nodiscard]] Glyph eventGlyph(EventKind kind);
/// Whom it concerns: the job, else the device or host, ready to show.
[[nodiscard]] QString eventSubject(const Event &event);
/// What the source said, ready to show; falls back to the value.
[[nodiscard]] QString eventDetail(const Event &event);
/// True for what a person should see in a time chart, not only in the log.
[[nodiscard]] bool isMarkedEvent(EventKind kind);
[[nodiscard]] bool concernsJob(const Event &event, std::string_view job);

} // namespace plimsoll
