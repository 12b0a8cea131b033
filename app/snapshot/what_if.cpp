// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/what_if.h"

namespace plimsoll {
} // namespace plimsoll
