// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_options.h"

namespace plimsoll {
} // namespace plimsoll
