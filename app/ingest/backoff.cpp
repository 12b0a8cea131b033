// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/backoff.h"

#include <algorithm>

namespace plimsoll {

Backoff::Backoff(Duration first, Duration longest, std::uint_fast32_t seed)
    : m_first(std::max(first, Duration(1)))
    , m_longest(std::max(longest, m_first))
    , m_wait(m_first)
    , m_random(seed)
{
}

Duration Backoff::next()
{
    const Duration wait = m_wait;
    m_wait = m_wait > m_longest / 2 ? m_longest : m_wait * 2;
    std::uniform_int_distribution<Duration::rep> jitter(wait.count() / 2, wait.count());
    return Duration(jitter(m_random));
}

} // namespace plimsoll
