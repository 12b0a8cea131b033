// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_requests.h"

namespace plimsoll {
} // namespace plimsoll
