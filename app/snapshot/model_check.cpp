// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/model_check.h"

namespace plimsoll {
} // namespace plimsoll
