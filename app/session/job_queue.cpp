// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/job_queue.h"

#include <utility>

namespace plimsoll {

JobQueue::JobQueue(unsigned threads) : m_running(threads)
{
    m_threads.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i)
        m_threads.emplace_back([this, i](std::stop_token closing) { run(std::move(closing), i); });
}

JobQueue::~JobQueue()
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.clear();
        for (std::jthread &thread : m_threads)
            thread.request_stop();
        for (std::stop_source &stop : m_running)
            stop.request_stop();
    }
    m_threads.clear(); // joins while the mutex still lives
}

std::stop_source JobQueue::post(Job job)
{
    std::stop_source stop;
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back({std::move(job), stop});
    }
    m_arrived.notify_one();
    return stop;
}

void JobQueue::run(std::stop_token closing, std::size_t thread)
{
    for (;;) {
        Entry entry;
        {
            std::unique_lock lock(m_mutex);
            if (!m_arrived.wait(lock, closing, [this] { return !m_waiting.empty(); }) || closing.stop_requested())
                return;
            entry = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_running[thread] = entry.stop;
        }
        if (!entry.stop.stop_requested())
            entry.job(entry.stop.get_token());
    }
}

} // namespace plimsoll
