// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/inspector.h"

#include <optional>
#include <vector>

namespace plimsoll {

class TimelineView;
struct Event;
struct Reading;

/// Fills the inspector with what lies between the cursors: times, change, and the statistics of
/// each line of the first track (others under them). Returns false when there is no selection.
bool showSelection(Inspector &inspector, const TimelineView &view, Instant now, bool utc);

/// Readings as rows: name and value.
[[nodiscard]] Inspector::Section readingsSection(const QString &title, const std::vector<Reading> &readings);

/// The newest events first, at most `limit`.
[[nodiscard]] Inspector::Section eventsSection(const std::vector<Event> &newestLast, Instant now, bool utc, std::size_t limit = 6);

} // namespace plimsoll
