// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/spool.h"
#include "model/frame.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace plimsoll {

/// How a collector names a series. Reused after retire(); the series' number on
/// the wire never is.
struct SeriesSlot
{
    std::uint32_t index = 0; // 0 = none yet

    [[nodiscard]] explicit operator bool() const noexcept { return index != 0; }
    friend bool operator==(SeriesSlot, SeriesSlot) = default;
};

/// What one tick has gathered: one value a series, all of one time.
struct Readings
{
    std::vector<SeriesSlot> series;
    std::vector<double> values;
    std::vector<Event> events;

    void add(SeriesSlot slot, double value)
    {
        series.push_back(slot);
        values.push_back(value);
    }
    void add(SeriesSlot slot, std::uint64_t value) { add(slot, static_cast<double>(value)); }
    void clear()
    {
        series.clear();
        values.clear();
        events.clear();
    }
};

/// The agent's one stream of frames: numbers series and frames, writes them into
/// the spool, then wakes whoever watches. Any thread.
class Journal
{
public:
    explicit Journal(Spool spool);
    Journal(const Journal &) = delete;
    Journal &operator=(const Journal &) = delete;
    ~Journal();

    /// The same series (all of its definition) keeps its number over a restart of the agent.
    [[nodiscard]] SeriesSlot define(const SeriesInfo &info);
    void retire(SeriesSlot slot); // its series has ended; none is given back

    void publish(Instant time, const Readings &readings); // the events first
    void publish(const Event &event);

    /// Called after each publish, on its thread, without a lock held. Set before the first.
    void setWake(std::function<void()> wake) { m_wake = std::move(wake); }

    [[nodiscard]] SpoolItem read(SpoolCursor &cursor, std::string &payload) const; // payload: a WatchMessage
    struct Bounds
    {
        std::uint64_t epoch = 0;
        std::uint64_t oldest = 0;
        std::uint64_t newest = 0;
    };
    [[nodiscard]] Bounds bounds() const;
    [[nodiscard]] std::string agentId() const;
    [[nodiscard]] SourceState spoolState() const;
    void close();

private:
    struct Slot
    {
        std::string definition;    // a serialised SeriesDefinition; empty = free
        std::uint32_t id = 0;
        std::uint64_t segment = 0; // serial of the one that last defined it
    };
    struct Buffers; // protobuf messages, kept so that a tick allocates nothing

    void write(const Frame &frame, std::span<const SeriesSlot> series);
    [[nodiscard]] bool writeDefinitions(std::uint64_t segment, std::span<const SeriesSlot> series);
    [[nodiscard]] bool flushDefinitions();
    void learnIds();

    mutable std::mutex m_mutex;
    Spool m_spool;
    std::vector<Slot> m_slots; // [0] is none
    std::vector<std::uint32_t> m_free;
    std::unordered_map<std::uint64_t, std::uint32_t> m_knownIds; // hash of a definition → id, from before the restart
    std::uint32_t m_nextId = 1;
    std::uint64_t m_series = 0;
    std::unique_ptr<Buffers> m_buffers;
    std::function<void()> m_wake;
};

} // namespace plimsoll
