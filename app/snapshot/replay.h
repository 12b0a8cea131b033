// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/reserved_array.h"
#include "snapshot/allocator_options.h"
#include "snapshot/device_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace plimsoll {

/// The state after so many events of the device: 0 is the start, N the end. Event i happens at i + 1.
using EventInstant = std::uint32_t;
using AllocationId = std::uint32_t; // in birth order

enum class AllocationOrigin : std::uint8_t {
    Traced,             // its alloc is an event
    BeforeFreed,        // before the trace; seen by its free, whose stack it has
    BeforeStillThere,   // before the trace; an active block of the end, alive all the time
    BeforePending,      // the same, and it waits for a stream at the end
};

/// The lives of all allocations of one device. Written once, read from any thread. The snapshot
/// must outlive it. 28 bytes an allocation.
///
/// An allocation lives at instant t when birth ≤ t < death. What was there before the trace has
/// birth 0 and comes first; what is never freed has death N + 1. Only `free_completed` and `free`
/// end a life, `free_requested` where the trace has neither. An alloc of a live address ends the
/// old life in the same event.
///
/// A list of events without addresses (hasAllocations() is false) has levels, but no lives.
class Replay
{
public:
    Replay(const MemorySnapshot &snapshot, const SnapshotDevice &device, std::stop_token stop = {});
    [[nodiscard]] bool isCancelled() const noexcept { return m_isCancelled; } // then the lives end too early

    [[nodiscard]] const MemorySnapshot &snapshot() const noexcept { return *m_snapshot; }
    [[nodiscard]] const SnapshotDevice &device() const noexcept { return m_device; }
    [[nodiscard]] bool hasAllocations() const noexcept { return m_hasAllocations; }

    // Instants and events
    [[nodiscard]] EventInstant end() const noexcept { return m_end; } // N
    [[nodiscard]] EventInstant never() const noexcept { return m_end + 1; }
    [[nodiscard]] std::size_t rowOf(EventInstant instant) const noexcept { return m_device.firstEvent + instant - 1; } // instant ≥ 1

    // Lives
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    [[nodiscard]] std::span<const EventInstant> births() const noexcept { return {m_birth.data() + m_first, m_size}; }
    [[nodiscard]] std::span<const EventInstant> deaths() const noexcept { return {m_death.data() + m_first, m_size}; }
    [[nodiscard]] std::span<const std::uint64_t> addresses() const noexcept { return {m_address.data() + m_first, m_size}; }
    [[nodiscard]] std::span<const std::uint64_t> sizes() const noexcept { return {m_bytes.data() + m_first, m_size}; } // as asked for
    [[nodiscard]] std::span<const StackId> stacks() const noexcept { return {m_stack.data() + m_first, m_size}; }
    [[nodiscard]] AllocationOrigin origin(AllocationId id) const noexcept;
    [[nodiscard]] std::size_t beforeCount() const noexcept { return m_before; } // ids below it: before the trace
    /// Bytes of its block: known for what lives at the end, else rounded as the allocator does.
    [[nodiscard]] std::uint64_t roundedSize(AllocationId id) const noexcept;
    /// In the device's blocks, of what lives at the end.
    [[nodiscard]] std::optional<std::size_t> blockOf(AllocationId id) const noexcept;
    /// The event that tells of it: its alloc, else its free; nullopt when only a block does.
    [[nodiscard]] std::optional<std::size_t> eventOf(AllocationId id) const noexcept;
    [[nodiscard]] StreamId streamOf(AllocationId id) const noexcept;
    struct PoolOf
    {
        std::optional<std::pair<std::int64_t, std::int64_t>> pool; // nullopt: nothing says it
        bool isGuessed = false; // by the segment that holds the address at the end
        friend bool operator==(const PoolOf &, const PoolOf &) = default;
    };
    [[nodiscard]] PoolOf poolOf(AllocationId id) const;
    [[nodiscard]] PoolOf poolOfSegmentEvent(std::size_t row) const; // nullopt: its segment is gone, and nothing says it

    // States
    /// How many are born up to and including that instant.
    [[nodiscard]] std::size_t bornUpTo(EventInstant instant) const noexcept;
    /// f(AllocationId) for each that is alive, oldest first; 2 to 40 µs.
    template <class F>
    void forEachAlive(EventInstant instant, F f) const
    {
        forEachAliveOf(0, bornUpTo(instant), instant, f);
    }
    /// The same among the ids [first, last) only, all born by then: "born in A to B and alive at C".
    template <class F>
    void forEachAliveOf(std::size_t first, std::size_t last, EventInstant instant, F f) const;
    [[nodiscard]] std::vector<AllocationId> aliveAt(EventInstant instant) const;
    [[nodiscard]] std::optional<AllocationId> aliveAtAddress(std::uint64_t address, EventInstant instant) const; // the start of it

    // Levels, in requested bytes
    [[nodiscard]] std::int64_t levelAtStart() const noexcept { return m_levelAtStart; }
    /// Part of it that no allocation stands for: running totals of a profiler say more than is freed later.
    [[nodiscard]] std::int64_t unseenAtStart() const noexcept { return m_unseenAtStart; }
    [[nodiscard]] std::int64_t levelAtEnd() const noexcept { return m_levelAtEnd; }
    [[nodiscard]] std::int64_t levelAt(EventInstant instant) const;
    /// First instant of the highest level.
    [[nodiscard]] EventInstant peakInstant() const noexcept { return m_peakInstant; }
    [[nodiscard]] std::int64_t peakLevel() const noexcept { return m_peakLevel; }

    /// Frees that were asked for and not carried out in the next event: they waited for a stream.
    struct PendingFree
    {
        EventInstant requested = 0;
        AllocationId allocation = 0;
        friend bool operator==(const PendingFree &, const PendingFree &) = default;
    };
    [[nodiscard]] std::span<const PendingFree> pendingFrees() const noexcept { return m_pending; } // by time

    struct Oddities
    {
        std::uint64_t allocsOfLiveAddress = 0;
        std::uint64_t freesWithoutAlloc = 0;
        std::uint64_t eventsWithoutAddress = 0;
        std::uint64_t liveNotInBlocks = 0; // alive at the end, though no active block says so
        bool endsAtRequest = false;        // the trace has no completed frees: requests end lives
    };
    [[nodiscard]] const Oddities &oddities() const noexcept { return m_oddities; }
    [[nodiscard]] std::size_t bytes() const noexcept; // of memory that it takes

private:
    friend class ReplayWalk;
    static constexpr unsigned kFanBits = 5;
    static constexpr std::size_t kFan = std::size_t{1} << kFanBits;
    static constexpr EventInstant kLevelStep = 32;

    void buildPyramid();
    void sortSegments();
    [[nodiscard]] const MemorySegment *segmentOf(std::uint64_t address) const noexcept; // of the end

    const MemorySnapshot *m_snapshot;
    SnapshotDevice m_device;
    AllocatorOptions m_allocator; // the file's own, for sizes that nothing says
    bool m_hasAllocations = true;
    bool m_isCancelled = false;
    EventInstant m_end = 0;

    // What lies before the trace is found while walking and is written downwards from the front.
    std::size_t m_first = 0;
    std::size_t m_size = 0;
    std::size_t m_before = 0;
    std::size_t m_blocksBefore = 0;  // of those: known from blocks of the end; they come first
    std::size_t m_pendingBefore = 0; // of those: wait for a stream; they come last
    ReservedArray<EventInstant> m_birth;
    ReservedArray<EventInstant> m_death;
    ReservedArray<std::uint64_t> m_address;
    ReservedArray<std::uint64_t> m_bytes;
    ReservedArray<StackId> m_stack;
    std::vector<std::vector<EventInstant>> m_lastDeath; // pyramid: [0] of 32 allocations, then of 32 of those, …

    std::vector<std::pair<AllocationId, std::size_t>> m_blockOf; // by id; of what lives at the end
    std::vector<PendingFree> m_pending;
    std::vector<std::size_t> m_segmentsByAddress;
    std::int64_t m_levelAtStart = 0;
    std::int64_t m_unseenAtStart = 0;
    std::int64_t m_levelAtEnd = 0;
    std::int64_t m_peakLevel = 0;
    EventInstant m_peakInstant = 0;
    std::vector<std::int64_t> m_levelSteps; // without allocations only: every 32 instants
    Oddities m_oddities;
};

template <class F>
void Replay::forEachAliveOf(std::size_t first, std::size_t last, EventInstant instant, F f) const
{
    const EventInstant *death = m_death.data() + m_first;
    std::size_t i = first;
    while (i < last) {
        if ((i & (kFan - 1)) == 0 && !m_lastDeath.empty()) {
            // Skip the widest stretch that begins here and is dead as a whole.
            std::size_t skip = 0;
            for (std::size_t level = 0; level < m_lastDeath.size(); ++level) {
                const auto bits = kFanBits * (level + 1);
                if ((i & ((std::size_t{1} << bits) - 1)) != 0 || m_lastDeath[level][i >> bits] > instant)
                    break;
                skip = std::size_t{1} << bits;
            }
            if (skip != 0) {
                i += skip;
                continue;
            }
        }
        const auto stop = std::min(last, (i & ~(kFan - 1)) + kFan);
        for (; i < stop; ++i)
            if (death[i] > instant)
                f(static_cast<AllocationId>(i));
    }
}

} // namespace plimsoll
