// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace plimsoll {

/// One thread that runs tasks at their time, for all channels together: their
/// states are touched on it only and need no locks. Tasks are short.
class Loop
{
public:
    using Task = std::function<void(const std::stop_token &)>;

    Loop();
    Loop(const Loop &) = delete;
    Loop &operator=(const Loop &) = delete;
    ~Loop(); // stops and joins; what has not run is dropped

    /// The two threads of ingest live as long as somebody holds them: `control` for
    /// the state machines, `blocking` for what may wait (probing an unreachable peer).
    struct Threads;
    [[nodiscard]] static std::shared_ptr<Threads> shared();

    void post(const void *owner, Task task) { postAt(owner, MonotonicInstant::min(), std::move(task)); }
    void postAt(const void *owner, MonotonicInstant at, Task task);

    /// Drops the tasks of this owner and waits for one that runs, unless called on the loop itself.
    void forget(const void *owner);

    [[nodiscard]] std::size_t waiting() const;

private:
    struct Entry
    {
        const void *owner;
        Task task;
    };
    void run(const std::stop_token &stop);

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::condition_variable m_idle;
    std::multimap<MonotonicInstant, Entry> m_tasks; // equal times keep their order
    const void *m_running = nullptr;
    std::jthread m_thread; // last: it uses all of the above
};

struct Loop::Threads
{
    Loop control;
    Loop blocking;
};

} // namespace plimsoll
