// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/diff.h"

namespace plimsoll {
} // namespace plimsoll
