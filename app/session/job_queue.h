// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace plimsoll {

/// A few threads that take work in the order in which it was posted. Whoever
/// posts may stop a piece of work; one that was stopped before its turn never
/// runs. The destructor stops all work and waits for what is running.
class JobQueue
{
public:
    using Job = std::function<void(std::stop_token)>;

    explicit JobQueue(unsigned threads);
    JobQueue(const JobQueue &) = delete;
    JobQueue &operator=(const JobQueue &) = delete;
    ~JobQueue();

    std::stop_source post(Job job); // any thread

private:
    struct Entry
    {
        Job job;
        std::stop_source stop;
    };
    void run(std::stop_token closing, std::size_t thread);

    std::mutex m_mutex; // guards the queue and what runs
    std::condition_variable_any m_arrived;
    std::deque<Entry> m_waiting;
    std::vector<std::stop_source> m_running; // one a thread
    std::vector<std::jthread> m_threads;
};

} // namespace plimsoll
