// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/recent_events.h"

#include <algorithm>

namespace plimsoll {
namespace {

bool isEarlier(const Event &a, const Event &b) { return a.time < b.time; }

} // namespace

bool RecentEvents::add(std::span<const Event> events)
{
    bool isNew = false;
    for (const Event &event : events) {
        const bool isTooOld = m_events.size() >= m_most && event.time < m_events.front().time;
        const auto [first, after] = std::equal_range(m_events.begin(), m_events.end(), event, isEarlier);
        if (isTooOld || std::find(first, after, event) != after)
            continue;
        m_events.insert(after, event);
        isNew = true;
        if (m_events.size() > m_most)
            m_events.erase(m_events.begin());
    }
    return isNew;
}

} // namespace plimsoll
