// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/state_board.h"

#include "base/format.h"

namespace plimsoll {

void StateBoard::setHealth(HistoryState::Health health, std::string detail)
{
    const std::lock_guard lock(m_mutex);
    m_state.health = health;
    m_detail = std::move(detail);
}

void StateBoard::drop(std::uint64_t samples, const std::string &why)
{
    if (samples == 0)
        return;
    const std::lock_guard lock(m_mutex);
    m_state.dropped += samples;
    m_drops[why] += samples;
}

void StateBoard::addDuplicates(std::uint64_t samples)
{
    const std::lock_guard lock(m_mutex);
    m_state.duplicates += samples;
}

void StateBoard::committed(std::uint64_t samples, Bytes size, MonotonicInstant now)
{
    const std::lock_guard lock(m_mutex);
    m_state.samples += samples;
    m_state.size = size;
    m_sinceRate += samples;
    updateRate(now);
}

void StateBoard::tick(MonotonicInstant now)
{
    const std::lock_guard lock(m_mutex);
    updateRate(now);
}

// Over about two seconds, so that a commit that slips by a little does not make the figure jump.
void StateBoard::updateRate(MonotonicInstant now)
{
    if (m_rateAt == MonotonicInstant{})
        m_rateAt = now;
    const double seconds = std::chrono::duration<double>(now - m_rateAt).count();
    if (seconds < 1.95)
        return;
    m_state.samplesPerSecond = static_cast<double>(m_sinceRate) / seconds;
    m_sinceRate = 0;
    m_rateAt = now;
}

void StateBoard::setSeries(std::uint64_t series)
{
    const std::lock_guard lock(m_mutex);
    m_state.series = series;
}

void StateBoard::setSize(Bytes size)
{
    const std::lock_guard lock(m_mutex);
    m_state.size = size;
}

HistoryState StateBoard::state() const
{
    const std::lock_guard lock(m_mutex);
    HistoryState state = m_state;
    state.detail = m_detail;
    for (const auto &[why, samples] : m_drops) {
        if (!state.detail.empty())
            state.detail += "; ";
        state.detail += "dropped " + formatExact(static_cast<std::int64_t>(samples)) + ": " + why;
    }
    return state;
}

} // namespace plimsoll
