// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace plimsoll {

/// A queue between threads, bounded by weight. Nothing is dropped: when it is
/// full the sender keeps its item, and is called once when there is room again,
/// so that a stream can stop reading and let the network push back.
/// Any thread may send; one thread receives.
template <class T>
class Mailbox
{
public:
    explicit Mailbox(std::size_t capacity) : m_capacity(capacity) {}

    /// Takes the item, or leaves it untouched and returns false. An item heavier
    /// than the whole box is taken when the box is empty.
    [[nodiscard]] bool tryPost(T &item, std::size_t weight)
    {
        {
            const std::lock_guard lock(m_mutex);
            if (m_isClosed || (!m_items.empty() && m_weight + weight > m_capacity))
                return false;
            m_items.emplace_back(std::move(item), weight);
            m_weight += weight;
        }
        m_arrived.notify_one();
        return true;
    }

    /// Calls `retry` once, on the receiver's thread, after the next take; at once when the box is
    /// empty, never when it is closed. `owner` names it for forget().
    void callWhenRoom(const void *owner, std::function<void()> retry)
    {
        {
            const std::lock_guard lock(m_mutex);
            if (m_isClosed)
                return;
            if (!m_items.empty()) {
                m_waiting.emplace_back(owner, std::move(retry));
                return;
            }
        }
        retry();
    }

    /// After it returns no retry of this owner is running or will run.
    void forget(const void *owner)
    {
        const std::lock_guard calling(m_callMutex);
        const std::lock_guard lock(m_mutex);
        std::erase_if(m_waiting, [owner](const auto &waiting) { return waiting.first == owner; });
    }

    /// Everything there is; waits for something until `deadline`, a stop or close(). May return empty.
    template <class TimePoint>
    [[nodiscard]] std::vector<T> takeUntil(TimePoint deadline, std::stop_token stop)
    {
        std::vector<T> taken;
        {
            std::unique_lock lock(m_mutex);
            m_arrived.wait_until(lock, stop, deadline, [this] { return !m_items.empty() || m_isClosed; });
            taken.reserve(m_items.size());
            for (auto &[item, weight] : m_items)
                taken.push_back(std::move(item));
            m_items.clear();
            m_weight = 0;
        }
        callWaiting();
        return taken;
    }

    /// From now on every post is refused; who waits for room is forgotten.
    void close()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_isClosed = true;
            m_waiting.clear();
        }
        m_arrived.notify_all();
    }

    [[nodiscard]] std::size_t weight() const
    {
        const std::lock_guard lock(m_mutex);
        return m_weight;
    }

private:
    void callWaiting()
    {
        const std::lock_guard calling(m_callMutex);
        std::vector<std::pair<const void *, std::function<void()>>> waiting;
        {
            const std::lock_guard lock(m_mutex);
            waiting.swap(m_waiting);
        }
        for (const auto &[owner, retry] : waiting)
            retry();
    }

    const std::size_t m_capacity;
    mutable std::mutex m_mutex;
    std::mutex m_callMutex; // held while retries run: forget() waits for them
    std::condition_variable_any m_arrived;
    std::deque<std::pair<T, std::size_t>> m_items;
    std::vector<std::pair<const void *, std::function<void()>>> m_waiting;
    std::size_t m_weight = 0;
    bool m_isClosed = false;
};

} // namespace plimsoll
