// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <random>

namespace plimsoll {

/// How long to wait before the next attempt: doubles with each failure up to the
/// longest, each time a random half of it taken off, so that a thousand windows do
/// not knock together when an agent comes back.
class Backoff
{
public:
    Backoff(Duration first, Duration longest, std::uint_fast32_t seed);

    [[nodiscard]] Duration next(); // in (longest/2 … longest] in the long run
    void reset() noexcept { m_wait = m_first; }

private:
    Duration m_first;
    Duration m_longest;
    Duration m_wait;
    std::minstd_rand m_random;
};

} // namespace plimsoll
