// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/periods.h"

#include <algorithm>
#include <limits>

namespace plimsoll {

Periods::Periods(std::vector<Era> eras) : m_eras(std::move(eras))
{
    if (m_eras.empty() || m_eras.front().since != 0)
        m_eras.insert(m_eras.begin(), Era{});
}

Period Periods::at(GroupId group, std::int64_t nanos) const noexcept
{
    const std::int64_t second = nanos / kSecond;
    const auto next = std::upper_bound(m_eras.begin(), m_eras.end(), second,
                                       [](std::int64_t s, const Era &era) { return s < era.since; });
    const Era &era = *std::prev(next);
    const std::int64_t shift = group.value % (era.seconds / 60) * 60;
    // Below the first cut lies a short period that begins with the era.
    const std::int64_t steps = second >= shift ? (second - shift) / era.seconds : -1;
    const std::int64_t begin = steps * era.seconds + shift;
    const std::int64_t limit = next == m_eras.end() ? std::numeric_limits<std::int64_t>::max() : next->since;
    return {std::max(begin, era.since), std::min(begin + era.seconds, limit)};
}

Period Periods::next(GroupId group, const Period &period) const noexcept
{
    return at(group, period.end * kSecond);
}

} // namespace plimsoll
