// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/collector.h"
#include "base/time.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll {

/// When something that happens every `interval` is due. Whole multiples of the
/// interval on the monotonic clock, so that everything of one pace falls together;
/// what was missed is skipped, never made up for in a burst.
class Schedule
{
public:
    explicit Schedule(Duration interval) : m_interval(std::max(interval, Duration(1))) {}

    [[nodiscard]] Duration interval() const noexcept { return m_interval; }
    /// The first due time after `now`.
    [[nodiscard]] MonotonicInstant after(MonotonicInstant now) const noexcept
    {
        return MonotonicInstant{(now.time_since_epoch() / m_interval + 1) * m_interval};
    }

private:
    Duration m_interval;
};

/// Runs the collectors, each at its own pace, and publishes what they read as one
/// frame a tick. Notices when the wall clock was moved.
class Sampler
{
public:
    Sampler(Journal &journal, std::string host, const Clock &clock = systemClock());
    Sampler(const Sampler &) = delete;
    Sampler &operator=(const Sampler &) = delete;
    ~Sampler(); // stops

    void add(std::unique_ptr<Collector> collector); // before start()
    void start();
    void stop(); // joins

    /// Collects what is due now; says when to come again. Called by the thread; by tests without one.
    MonotonicInstant step();

    [[nodiscard]] std::vector<SourceState> states() const; // any thread

private:
    struct Entry
    {
        std::unique_ptr<Collector> collector;
        Schedule schedule;
        MonotonicInstant due{}; // at once, then aligned
    };

    void run(const std::stop_token &stop);
    void noticeClockJump(const Tick &tick);

    Journal &m_journal;
    std::string m_host;
    const Clock &m_clock;
    std::vector<Entry> m_entries;
    Readings m_readings;
    std::optional<Duration> m_wallAhead; // wall clock minus monotonic clock
    mutable std::mutex m_statesMutex;
    std::vector<SourceState> m_states;
    std::mutex m_sleepMutex;
    std::condition_variable_any m_sleep;
    std::jthread m_thread;
};

} // namespace plimsoll
