// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/loop.h"

namespace plimsoll {

Loop::Loop() : m_thread([this](const std::stop_token &stop) { run(stop); }) {}

Loop::~Loop() = default;

std::shared_ptr<Loop::Threads> Loop::shared()
{
    static std::mutex mutex;
    static std::weak_ptr<Threads> threads;
    const std::lock_guard lock(mutex);
    auto held = threads.lock();
    if (!held) {
        held = std::make_shared<Threads>();
        threads = held;
    }
    return held;
}

void Loop::postAt(const void *owner, MonotonicInstant at, Task task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.emplace(at, Entry{owner, std::move(task)});
    }
    m_changed.notify_one();
}

void Loop::forget(const void *owner)
{
    std::multimap<MonotonicInstant, Entry> dropped; // destroyed without the lock: a task may own much
    std::unique_lock lock(m_mutex);
    for (auto at = m_tasks.begin(); at != m_tasks.end();) {
        const auto next = std::next(at);
        if (at->second.owner == owner)
            dropped.insert(m_tasks.extract(at));
        at = next;
    }
    if (std::this_thread::get_id() != m_thread.get_id())
        m_idle.wait(lock, [&] { return m_running != owner; });
}

std::size_t Loop::waiting() const
{
    const std::lock_guard lock(m_mutex);
    return m_tasks.size();
}

void Loop::run(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        if (m_tasks.empty()) {
            m_changed.wait(lock, stop, [this] { return !m_tasks.empty(); });
            continue;
        }
        const MonotonicInstant due = m_tasks.begin()->first;
        if (due > std::chrono::steady_clock::now()) {
            m_changed.wait_until(lock, stop, due,
                                 [&] { return m_tasks.empty() || m_tasks.begin()->first < due; });
            continue;
        }
        {
            auto node = m_tasks.extract(m_tasks.begin());
            m_running = node.mapped().owner;
            lock.unlock();
            node.mapped().task(stop);
            node.mapped().task = nullptr; // what it held goes before forget() returns
            lock.lock();
            m_running = nullptr;
        }
        m_idle.notify_all();
    }
}

} // namespace plimsoll
