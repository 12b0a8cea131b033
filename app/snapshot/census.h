// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

struct BlockSum
{
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t requested = 0; // of inactive ones 0: what they say is stale

    friend bool operator==(const BlockSum &, const BlockSum &) = default;
};

struct OomEvent
{
    std::size_t index = 0; // in the device's events
    std::uint64_t size = 0; // bytes, rounded
    std::optional<std::uint64_t> deviceFree;
    std::optional<std::int64_t> timeUs;

    friend bool operator==(const OomEvent &, const OomEvent &) = default;
};

/// The numbers that a walk over the events gives. Only `free_completed` and `free` end a life
/// here; Replay also serves traces that have neither. Levels are signed: a trace of a foreign
/// generator may free more than it got.
struct TraceCensus
{
    std::uint64_t allocBytes = 0;
    std::uint64_t freeCompletedBytes = 0;
    std::uint64_t freesWithoutAlloc = 0; // allocated before the trace began
    std::uint64_t freesWithoutAllocBytes = 0;
    std::uint64_t allocsOfLiveAddress = 0;
    std::uint64_t freesNotRightAfterRequest = 0;
    std::uint64_t timeGoesBack = 0;
    std::uint64_t eventsWithoutFrames = 0; // the key is absent
    std::uint64_t eventsWithoutAddress = 0; // an alloc or free that names no address: left out
    std::uint64_t endLive = 0;
    std::int64_t endLiveBytes = 0;
    std::int64_t endRelative = 0; // requested bytes, to the start
    std::int64_t peakRelative = 0;
    std::optional<std::size_t> peakIndex; // first event that reaches it; nullopt: the start (−1 in expected.json)
    std::uint64_t blocksNeverInTrace = 0; // active_allocated, alive all the time
    std::uint64_t blocksNeverInTraceBytes = 0; // requested
    std::int64_t peakAbsolute = 0;
    std::uint64_t liveNotInBlocks = 0; // after the walk, without an active_allocated block
    std::int64_t reservedAtStart = 0;  // negative: segment events are missing
    std::vector<OomEvent> ooms;
    std::optional<std::int64_t> firstTimeUs;
    std::optional<std::int64_t> lastTimeUs;

    // Beyond the definitions: blocks that wait for a stream and whose alloc lies before the trace.
    // They were active all the time, so a true peak is peakAbsolute + pendingBeforeTraceBytes.
    std::uint64_t pendingBeforeTrace = 0;
    std::uint64_t pendingBeforeTraceBytes = 0;

    friend bool operator==(const TraceCensus &, const TraceCensus &) = default;
};

/// What a device's memory and history add up to, by the definitions that all readers share.
struct DeviceCensus
{
    MemoryKind kind = MemoryKind::Accelerator;
    std::int32_t ordinal = 0;
    std::size_t segments = 0;
    std::size_t segmentsNotTiled = 0; // whose blocks don't add up to them
    std::size_t expandableSegments = 0;
    std::uint64_t reserved = 0;
    std::uint64_t segmentAllocatedSum = 0; // as the segments say it
    std::uint64_t segmentActiveSum = 0;
    std::array<BlockSum, 4> byState; // index: BlockState
    std::int64_t roundingWaste = 0;  // bytes beyond what was asked for, of active blocks
    std::uint64_t freeInFreeSegments = 0;
    std::uint64_t freePieces = 0; // free blocks in partly used segments
    std::uint64_t freePiecesBytes = 0;
    std::uint64_t largestFree = 0;
    std::vector<std::pair<std::string, std::uint64_t>> reservedByPool; // "(0, 0)", "None"; in the order met
    std::size_t streams = 0;
    std::size_t events = 0;
    std::vector<std::pair<std::string, std::uint64_t>> eventsByAction; // in the order met
    TraceCensus trace;

    [[nodiscard]] const BlockSum &of(BlockState state) const noexcept { return byState[static_cast<std::size_t>(state)]; }
    [[nodiscard]] std::uint64_t allocated() const noexcept { return of(BlockState::ActiveAllocated).bytes; }
    [[nodiscard]] std::uint64_t active() const noexcept { return allocated() + of(BlockState::ActivePendingFree).bytes; }
    [[nodiscard]] std::uint64_t requested() const noexcept
    {
        return of(BlockState::ActiveAllocated).requested + of(BlockState::ActivePendingFree).requested;
    }
    [[nodiscard]] std::uint64_t inactive() const noexcept { return of(BlockState::Inactive).bytes; }
    /// 0: all free memory is one block, or none is free; towards 1: crumbs.
    [[nodiscard]] double fragmentation() const noexcept;

    friend bool operator==(const DeviceCensus &, const DeviceCensus &) = default;
};

/// One walk, 10 ns an event. Any thread. When stopped, the numbers of the trace are those so far.
[[nodiscard]] DeviceCensus censusOf(const MemorySnapshot &snapshot, const SnapshotDevice &device, std::stop_token stop = {});
/// The same numbers from a replay that was made anyway: 1 ns an event.
[[nodiscard]] DeviceCensus censusOf(const Replay &replay, std::stop_token stop = {});

/// Sums over the accelerators, for a line about the whole file.
struct FileCensus
{
    std::vector<DeviceCensus> devices;
    std::uint64_t reserved = 0;
    std::map<std::string, std::uint64_t> eventsByAction;
    std::int64_t peakAbsolute = 0; // of the devices, added up; their peaks need not be at one time
};
[[nodiscard]] FileCensus censusOf(const MemorySnapshot &snapshot, std::stop_token stop = {});
[[nodiscard]] FileCensus sumOf(std::vector<DeviceCensus> devices);

} // namespace plimsoll
