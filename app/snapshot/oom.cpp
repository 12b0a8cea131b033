// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/oom.h"

namespace plimsoll {
} // namespace plimsoll
