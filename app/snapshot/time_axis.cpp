// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/time_axis.h"

#include <algorithm>

namespace plimsoll {

TimeAxis::TimeAxis(const Replay &replay)
    : m_replay(&replay)
    , m_times(replay.snapshot().events.timeUs.data() + replay.device().firstEvent)
    , m_count(replay.device().eventCount)
{
    // Without branches, so that the compiler takes several at a time. An unknown time is lower than any.
    unsigned known = 0;
    unsigned descents = 0;
    for (std::size_t i = 0; i < m_count; ++i)
        known |= m_times[i] != kUnknownTime ? 1U : 0U;
    for (std::size_t i = 1; i < m_count; ++i)
        descents |= m_times[i] < m_times[i - 1] ? 1U : 0U;
    m_hasTimes = known != 0;
    const bool isAscending = descents == 0 && m_count > 0 && m_times[0] != kUnknownTime;
    if (!m_hasTimes)
        return;
    if (!isAscending) {
        m_ascending.assign(m_times, m_times + m_count);
        // An event without a time gets that of the one before; the first ones that of the first that has one.
        auto last = *std::find_if(m_ascending.begin(), m_ascending.end(), [](auto t) { return t != kUnknownTime; });
        for (auto &time : m_ascending)
            last = time = time == kUnknownTime ? last : std::max(time, last);
        m_times = m_ascending.data();
    }
    m_firstUs = m_times[0];
    m_lastUs = m_times[m_count - 1];
}

EventInstant TimeAxis::instantAt(std::int64_t timeUs) const noexcept
{
    if (!m_hasTimes)
        return 0;
    return static_cast<EventInstant>(std::upper_bound(m_times, m_times + m_count, timeUs) - m_times);
}

std::optional<std::int64_t> TimeAxis::timeOf(EventInstant instant) const noexcept
{
    if (!m_hasTimes || instant == 0)
        return std::nullopt;
    return m_times[instant - 1];
}

} // namespace plimsoll
