// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/channel.h"
#include "support/fake_agent.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace plimsoll {

/// The receiving end that tests put behind a Channel: takes Deliveries as the
/// history would, remembers them, answers where to resume.
class Rig
{
public:
    explicit Rig(std::size_t capacity = 48U << 20U) : inbox(capacity)
    {
        m_thread = std::jthread([this](const std::stop_token &stop) { run(stop); });
    }

    [[nodiscard]] static ChannelOptions optionsFor(const std::string &address)
    {
        ChannelOptions options;
        options.endpoint.address = address;
        options.firstBackoff = std::chrono::milliseconds(20);
        options.longestBackoff = std::chrono::milliseconds(200);
        options.helloDeadline = std::chrono::seconds(2);
        return options;
    }

    [[nodiscard]] std::unique_ptr<Channel> connect(ChannelOptions options, const Clock &clock = systemClock())
    {
        return std::make_unique<Channel>(
            std::move(options), inbox, [this](const std::string &agent) { return committed(agent); },
            [this](const ConnectionState &state) {
                const std::lock_guard lock(m_mutex);
                m_states.push_back(state);
            },
            clock);
    }

    [[nodiscard]] std::unique_ptr<Channel> connect(const std::string &address) { return connect(optionsFor(address)); }

    void pause(bool isPaused) { m_isPaused = isPaused; }
    void commit(const std::string &agent, ResumePoint point)
    {
        const std::lock_guard lock(m_mutex);
        m_committed[agent] = point;
    }

    [[nodiscard]] std::vector<Delivery> deliveries() const { return locked(m_deliveries); }
    [[nodiscard]] std::vector<ConnectionState> states() const { return locked(m_states); }

    // Counted and copied in part only: a test polls these while megabytes arrive.
    [[nodiscard]] std::vector<std::uint64_t> sequences(std::uint64_t epoch = 0) const
    {
        std::vector<std::uint64_t> all;
        const std::lock_guard lock(m_mutex);
        for (const auto &delivery : m_deliveries)
            for (const auto &frame : delivery.frames)
                if (epoch == 0 || delivery.epoch == epoch)
                    all.push_back(frame.sequence);
        return all;
    }
    [[nodiscard]] std::size_t frameCount() const { return m_frames; }

    [[nodiscard]] std::vector<LostFrames> lost() const
    {
        std::vector<LostFrames> all;
        const std::lock_guard lock(m_mutex);
        for (const auto &delivery : m_deliveries)
            all.insert(all.end(), delivery.lost.begin(), delivery.lost.end());
        return all;
    }
    [[nodiscard]] std::vector<Event> notes() const
    {
        std::vector<Event> all;
        const std::lock_guard lock(m_mutex);
        for (const auto &delivery : m_deliveries)
            all.insert(all.end(), delivery.notes.begin(), delivery.notes.end());
        return all;
    }

    /// Each frame's columns were defined before it, in the same epoch.
    [[nodiscard]] bool isEveryColumnDefined() const
    {
        std::map<std::uint64_t, std::set<std::uint32_t>> defined;
        for (const auto &delivery : deliveries()) {
            for (const auto &definition : delivery.definitions)
                defined[delivery.epoch].insert(definition.id);
            for (const auto &frame : delivery.frames)
                if (const auto *block = std::get_if<SampleBlock>(&frame.body))
                    for (const auto id : block->columns)
                        if (!defined[delivery.epoch].contains(id))
                            return false;
        }
        return true;
    }

    Mailbox<Delivery> inbox;

private:
    void run(const std::stop_token &stop)
    {
        while (!stop.stop_requested()) {
            const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
            if (m_isPaused) {
                std::this_thread::sleep_until(deadline);
                continue;
            }
            auto taken = inbox.takeUntil(deadline, stop);
            const std::lock_guard lock(m_mutex);
            for (auto &delivery : taken) {
                m_frames += delivery.frames.size();
                m_deliveries.push_back(std::move(delivery));
            }
        }
    }

    ResumePoint committed(const std::string &agent) const
    {
        const std::lock_guard lock(m_mutex);
        const auto at = m_committed.find(agent);
        return at == m_committed.end() ? ResumePoint{} : at->second;
    }

    template <class T>
    T locked(const T &value) const
    {
        const std::lock_guard lock(m_mutex);
        return value;
    }

    mutable std::mutex m_mutex;
    std::vector<Delivery> m_deliveries;
    std::vector<ConnectionState> m_states;
    std::map<std::string, ResumePoint> m_committed;
    std::atomic<std::size_t> m_frames{0};
    std::atomic<bool> m_isPaused{false};
    std::jthread m_thread;
};

} // namespace plimsoll
