// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/session_news.h"

#include <QString>

namespace plimsoll {

/// What happened, what still works, what to do. Plain text; foreign parts made safe. Any thread.
[[nodiscard]] QString sentenceOf(const SessionFailure &failure);

/// How the embedded agent is called: "this machine". Any thread.
[[nodiscard]] QString embeddedTitle();

} // namespace plimsoll
