// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/event.h"

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

/// The newest events, each once, rising in time.
class RecentEvents
{
public:
    explicit RecentEvents(std::size_t most = 500) : m_most(most) {}

    /// Events of a range that may overlap what is known. True when something is new.
    bool add(std::span<const Event> events);
    [[nodiscard]] const std::vector<Event> &all() const noexcept { return m_events; }

private:
    std::size_t m_most;
    std::vector<Event> m_events;
};

} // namespace plimsoll
