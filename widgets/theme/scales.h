// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace plimsoll {

struct Tokens;

/// Colour of a load of 0 … 1, interpolated between the nine stops; outside it is clamped.
[[nodiscard]] QColor loadColour(double ratio, const Tokens &tokens);

/// Black or white, whichever reads on loadColour(ratio).
[[nodiscard]] QColor inkOn(double ratio, const Tokens &tokens);

/// Colour of a difference of −1 … 1; only where something is compared.
[[nodiscard]] QColor differenceColour(double ratio, const Tokens &tokens);

} // namespace plimsoll
