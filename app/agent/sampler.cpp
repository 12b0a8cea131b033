// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/sampler.h"

#include "base/format.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

// More than any slewing does between two ticks, less than anyone would notice in a chart.
constexpr Duration kJump = std::chrono::milliseconds(500);

} // namespace

Sampler::Sampler(Journal &journal, std::string host, const Clock &clock)
    : m_journal(journal), m_host(std::move(host)), m_clock(clock)
{}

Sampler::~Sampler()
{
    stop();
}

void Sampler::add(std::unique_ptr<Collector> collector)
{
    m_states.push_back(collector->state());
    const Schedule schedule(collector->interval());
    m_entries.push_back({std::move(collector), schedule});
}

void Sampler::start()
{
    m_thread = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

void Sampler::stop()
{
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
}

void Sampler::run(const std::stop_token &stop)
{
    while (!stop.stop_requested()) {
        const auto next = step();
        std::unique_lock lock(m_sleepMutex);
        m_sleep.wait_until(lock, stop, next, [] { return false; });
    }
}

MonotonicInstant Sampler::step()
{
    const Tick tick{m_clock.now(), m_clock.monotonicNow()};
    noticeClockJump(tick);
    m_readings.clear();
    auto next = MonotonicInstant::max();
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        auto &entry = m_entries[i];
        if (tick.monotonic >= entry.due) {
            entry.collector->collect(tick, m_readings);
            entry.due = entry.schedule.after(tick.monotonic);
            auto state = entry.collector->state();
            const std::lock_guard lock(m_statesMutex);
            if (m_states[i] != state)
                m_states[i] = std::move(state);
        }
        next = std::min(next, entry.due);
    }
    if (!m_readings.series.empty() || !m_readings.events.empty())
        m_journal.publish(tick.wall, m_readings);
    return next;
}

void Sampler::noticeClockJump(const Tick &tick)
{
    const Duration ahead = tick.wall.time_since_epoch() - tick.monotonic.time_since_epoch();
    const auto before = std::exchange(m_wallAhead, ahead);
    if (!before || std::chrono::abs(ahead - *before) < kJump)
        return;
    const Duration jump = ahead - *before;
    const double seconds = std::chrono::duration<double>(jump).count();
    m_journal.publish(Event{tick.wall, EventKind::ClockJump, Labels{{std::string(label::kHost), m_host}},
                            "The clock of " + m_host + " moved " + (seconds > 0 ? "forward" : "back") + " by "
                                + formatDuration(std::chrono::abs(jump)) + ": it was set, or the machine slept.",
                            seconds});
}

std::vector<SourceState> Sampler::states() const
{
    const std::lock_guard lock(m_statesMutex);
    return m_states;
}

} // namespace plimsoll
