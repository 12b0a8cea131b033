// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/address_map.h"
#include "snapshot/replay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace plimsoll {

/// One pass over the events, then one over the blocks. Births are appended, what turns out to be
/// older than the trace is written downwards in front of them. Levels wrap instead of overflowing:
/// the sizes of a hostile file are anything.
class ReplayWalk
{
public:
    explicit ReplayWalk(Replay &replay)
        : m_replay(replay), m_events(replay.m_snapshot->events), m_first(replay.m_device.firstEvent)
    {}

    void run(const std::stop_token &stop)
    {
        const auto count = m_replay.m_device.eventCount;
        countActions(count);
        makeRoom();
        for (std::size_t i = 0; i < count && !m_replay.m_isCancelled; i += kEventsBetweenStops) {
            if (m_endsAtRequest)
                walk<true>(i, std::min(count, i + kEventsBetweenStops));
            else
                walk<false>(i, std::min(count, i + kEventsBetweenStops));
            m_replay.m_isCancelled = stop.stop_requested();
        }
        matchBlocks();
        finish();
    }

    // Without addresses nothing can be matched: only the level is followed.
    void runLevels()
    {
        const auto count = m_replay.m_device.eventCount;
        const auto &list = m_replay.m_snapshot->devices[*m_replay.m_device.list];
        m_level = static_cast<std::uint64_t>(list.levelAtStart.value_or(0));
        m_replay.m_levelAtStart = m_replay.m_unseenAtStart = static_cast<std::int64_t>(m_level);
        m_replay.m_peakLevel = m_replay.m_levelAtStart;
        countActions(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % Replay::kLevelStep == 0)
                m_replay.m_levelSteps.push_back(static_cast<std::int64_t>(m_level));
            const auto row = m_first + i;
            const auto action = m_events.action[row];
            if (action == TraceAction::Alloc)
                m_level += known(m_events.sizes[row]);
            else if (isFree(action))
                m_level -= known(m_events.sizes[row]);
            notePeak(static_cast<EventInstant>(i + 1));
        }
        if (count % Replay::kLevelStep == 0)
            m_replay.m_levelSteps.push_back(static_cast<std::int64_t>(m_level));
        m_replay.m_levelAtEnd = static_cast<std::int64_t>(m_level);
        m_replay.m_oddities.endsAtRequest = m_endsAtRequest;
    }

private:
    static constexpr std::size_t kEventsBetweenStops = std::size_t{1} << 18U; // 2 to 6 ms

    [[nodiscard]] static std::uint64_t known(std::uint64_t bytes) noexcept { return bytes == kUnknownBytes ? 0 : bytes; }

    [[nodiscard]] bool isFree(TraceAction action) const noexcept
    {
        return action == TraceAction::FreeCompleted || action == TraceAction::Free
            || (m_endsAtRequest && action == TraceAction::FreeRequested);
    }

    void countActions(std::size_t count)
    {
        std::size_t requests = 0;
        for (std::size_t row = m_first; row < m_first + count; ++row) {
            const auto action = m_events.action[row];
            m_allocs += action == TraceAction::Alloc ? 1 : 0;
            m_frees += action == TraceAction::FreeCompleted || action == TraceAction::Free ? 1 : 0;
            requests += action == TraceAction::FreeRequested ? 1 : 0;
        }
        m_endsAtRequest = m_frees == 0 && requests > 0;
        if (m_endsAtRequest)
            m_frees = requests;
    }

    void makeRoom()
    {
        std::size_t active = 0;
        const auto segments = m_replay.m_device.segmentsOf(*m_replay.m_snapshot);
        for (const auto index : m_replay.m_device.segments)
            active += segments[index].blockCount;
        m_replay.m_first = m_frees + active;
        const auto capacity = m_replay.m_first + m_allocs;
        m_replay.m_birth = ReservedArray<EventInstant>(capacity);
        m_replay.m_death = ReservedArray<EventInstant>(capacity);
        m_replay.m_address = ReservedArray<std::uint64_t>(capacity);
        m_replay.m_bytes = ReservedArray<std::uint64_t>(capacity);
        m_replay.m_stack = ReservedArray<StackId>(capacity);
        m_front = m_next = m_replay.m_first;
    }

    template <bool endsAtRequest>
    void walk(std::size_t from, std::size_t to)
    {
        // The columns as plain pointers: what is written here can't be what is read there.
        const auto *actions = m_events.action.data() + m_first;
        const auto *addresses = m_events.address.data() + m_first;
        const auto *sizes = m_events.sizes.data() + m_first;
        const auto *stacks = m_events.stack.data() + m_first;
        auto *births = m_replay.m_birth.data();
        auto *deaths = m_replay.m_death.data();
        auto *places = m_replay.m_address.data();
        auto *bytes = m_replay.m_bytes.data();
        auto *makers = m_replay.m_stack.data();
        const auto never = m_replay.never();
        const auto count = m_replay.m_device.eventCount;
        auto level = m_level;
        auto peak = m_peak;
        for (auto i = from; i < to; ++i) {
            const auto instant = static_cast<EventInstant>(i + 1);
            const auto action = actions[i];
            if (action == TraceAction::Alloc) {
                const auto address = addresses[i];
                if (address == kUnknownBytes) {
                    ++m_replay.m_oddities.eventsWithoutAddress;
                    continue;
                }
                const auto id = static_cast<AllocationId>(m_next++);
                const auto size = known(sizes[i]);
                births[id] = instant;
                deaths[id] = never;
                places[id] = address;
                bytes[id] = size;
                makers[id] = stacks[i];
                if (const auto old = m_live.put(address, id)) {
                    ++m_replay.m_oddities.allocsOfLiveAddress;
                    deaths[*old] = instant;
                    level -= bytes[*old];
                }
                level += size;
                if (static_cast<std::int64_t>(level) > peak) {
                    peak = static_cast<std::int64_t>(level);
                    m_peakInstant = instant;
                }
            } else if (action == TraceAction::FreeCompleted || action == TraceAction::Free
                       || (endsAtRequest && action == TraceAction::FreeRequested)) {
                const auto address = addresses[i];
                if (address == kUnknownBytes) {
                    ++m_replay.m_oddities.eventsWithoutAddress;
                    continue;
                }
                if (const auto old = m_live.take(address)) {
                    deaths[*old] = instant;
                    level -= bytes[*old];
                    continue;
                }
                level -= before(instant, address, known(sizes[i]), stacks[i]);
            } else if (!endsAtRequest && action == TraceAction::FreeRequested) {
                const bool isCarriedOutNext = i + 1 < count && actions[i + 1] == TraceAction::FreeCompleted
                    && addresses[i + 1] == addresses[i];
                if (!isCarriedOutNext && addresses[i] != kUnknownBytes)
                    wait(instant, addresses[i]);
            }
        }
        m_level = level;
        m_peak = peak;
    }

    /// The free of something that was there before the trace began.
    std::uint64_t before(EventInstant death, std::uint64_t address, std::uint64_t size, StackId stack)
    {
        ++m_replay.m_oddities.freesWithoutAlloc;
        const auto id = putInFront(death, address, size, stack);
        m_start += size;
        if (const auto waiting = m_waiting.take(address))
            m_replay.m_pending.push_back({*waiting, id});
        return size;
    }

    AllocationId putInFront(EventInstant death, std::uint64_t address, std::uint64_t size, StackId stack)
    {
        const auto id = --m_front;
        m_replay.m_birth[id] = 0;
        m_replay.m_death[id] = death;
        m_replay.m_address[id] = address;
        m_replay.m_bytes[id] = size;
        m_replay.m_stack[id] = stack;
        return static_cast<AllocationId>(id);
    }

    void wait(EventInstant instant, std::uint64_t address)
    {
        if (const auto *id = m_live.find(address))
            m_replay.m_pending.push_back({instant, *id});
        else
            m_waiting.put(address, instant);
    }

    void matchBlocks()
    {
        const auto segments = m_replay.m_device.segmentsOf(*m_replay.m_snapshot);
        const auto blocks = m_replay.m_device.blocksOf(*m_replay.m_snapshot);
        for (const auto state : {BlockState::ActivePendingFree, BlockState::ActiveAllocated}) { // what comes last lies first
            for (const auto index : m_replay.m_device.segments) {
                const auto &segment = segments[index];
                const bool hasAddress = segment.address != kUnknownBytes; // a heap profile has sizes and stacks only
                auto address = segment.address;
                for (auto b = segment.firstBlock; b < segment.firstBlock + segment.blockCount; address += blocks[b++].size)
                    if (blocks[b].state == state)
                        matchBlock(b, blocks[b], hasAddress ? address : kUnknownBytes);
            }
        }
        m_replay.m_oddities.liveNotInBlocks = m_live.size() - std::min(m_matched, m_live.size());
    }

    void matchBlock(std::size_t index, const MemoryBlock &block, std::uint64_t address)
    {
        const bool hasAddress = address != kUnknownBytes;
        const bool isPending = block.state == BlockState::ActivePendingFree;
        const auto size = block.requested == kUnknownBytes ? block.size : block.requested;
        if (const auto *id = hasAddress ? m_live.find(address) : nullptr) {
            m_matched += isPending ? 0 : 1;
            m_replay.m_blockOf.emplace_back(*id, index);
            return;
        }
        if (const auto *id = hasAddress ? m_fromBlocks.find(address) : nullptr) {
            m_start += size - m_replay.m_bytes[*id];
            m_replay.m_bytes[*id] = size;
            m_replay.m_stack[*id] = block.stack;
            return;
        }
        const auto id = putInFront(m_replay.never(), address, size, block.stack);
        m_start += size;
        m_pendingBlocks += isPending ? 1 : 0;
        m_replay.m_blockOf.emplace_back(id, index);
        if (!hasAddress)
            return;
        m_fromBlocks.put(address, id);
        if (const auto waiting = m_waiting.take(address))
            m_replay.m_pending.push_back({*waiting, id});
        else if (isPending)
            m_replay.m_pending.push_back({0, id}); // since before the trace
    }

    void finish()
    {
        auto &r = m_replay;
        r.m_before = r.m_first - m_front;
        r.m_pendingBefore = m_pendingBlocks;
        r.m_blocksBefore = r.m_before - static_cast<std::size_t>(r.m_oddities.freesWithoutAlloc);
        const auto shift = static_cast<AllocationId>(m_front);
        for (auto &[id, block] : r.m_blockOf)
            id -= shift;
        std::sort(r.m_blockOf.begin(), r.m_blockOf.end());
        for (auto &pending : r.m_pending)
            pending.allocation -= shift;
        std::sort(r.m_pending.begin(), r.m_pending.end(), [](const auto &a, const auto &b) {
            return std::pair(a.requested, a.allocation) < std::pair(b.requested, b.allocation);
        });
        r.m_first = m_front;
        r.m_size = m_next - m_front;
        // A profiler's running totals know the level better than what is freed later tells.
        auto start = m_start;
        if (r.m_device.list) {
            if (const auto &said = r.m_snapshot->devices[*r.m_device.list].levelAtStart)
                start = *said;
        }
        r.m_unseenAtStart = static_cast<std::int64_t>(start - m_start);
        r.m_levelAtStart = static_cast<std::int64_t>(start);
        r.m_levelAtEnd = static_cast<std::int64_t>(start + m_level);
        r.m_peakLevel = static_cast<std::int64_t>(start + static_cast<std::uint64_t>(m_peak));
        r.m_peakInstant = m_peakInstant;
        r.m_oddities.endsAtRequest = m_endsAtRequest;
    }

    void notePeak(EventInstant instant)
    {
        if (static_cast<std::int64_t>(m_level) <= m_replay.m_peakLevel)
            return;
        m_replay.m_peakLevel = static_cast<std::int64_t>(m_level);
        m_replay.m_peakInstant = instant;
    }

    Replay &m_replay;
    const EventColumns &m_events;
    std::size_t m_first;
    std::size_t m_allocs = 0;
    std::size_t m_frees = 0;
    bool m_endsAtRequest = false;
    std::size_t m_front = 0;
    std::size_t m_next = 0;
    std::size_t m_pendingBlocks = 0;
    AddressMap<AllocationId> m_live;
    AddressMap<AllocationId> m_fromBlocks; // of two blocks at one address the last counts
    std::size_t m_matched = 0;
    AddressMap<EventInstant> m_waiting; // frees asked for, of what was not seen yet
    std::uint64_t m_start = 0; // bytes of what lies before the trace
    std::uint64_t m_level = 0; // to the start
    std::int64_t m_peak = 0;
    EventInstant m_peakInstant = 0;
};

} // namespace plimsoll
