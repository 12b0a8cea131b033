// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"
#include "ingest/connection_state.h"
#include "widgets/theme/glyphs.h"

#include <QString>

namespace plimsoll {

[[nodiscard]] QString connectionTitle(const ConnectionState &connection); // its name, host or address
/// One connection in a few words: "live", "lags 12 s", "unreachable since 14:01".
[[nodiscard]] QString phaseText(const ConnectionState &connection, Instant now, bool utc);
[[nodiscard]] Glyph phaseGlyph(ConnectionPhase phase);
/// "4 sources", "3 of 4 sources".
[[nodiscard]] QString sourcesText(const ConnectionState &connection);
/// What is wrong with the history, as a sentence; empty when nothing is.
[[nodiscard]] QString historySentence(const HistoryState &history);

} // namespace plimsoll
