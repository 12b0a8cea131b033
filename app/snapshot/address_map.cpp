// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/address_map.h"

#include <random>

namespace plimsoll {

std::uint64_t addressMultiplier()
{
    static const std::uint64_t multiplier = [] {
        std::random_device random;
        return (static_cast<std::uint64_t>(random()) << 32U) | random() | 1U;
    }();
    return multiplier;
}

} // namespace plimsoll
