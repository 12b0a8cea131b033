// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "snapshot/allocator_model.h"
#include "snapshot/replay.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace plimsoll {

enum class RequestKind : std::uint8_t { Allocate, RequestFree, CompleteFree, EmptyCache, ReleasePool, OutOfMemory };

/// One thing that the program asked of the allocator; size and address stand in the event.
struct AllocatorRequest
{
    std::uint32_t event = 0; // within the device's list
    RequestId id = 0; // the replay's AllocationId; kNoRequest where it is about none
    std::uint32_t segmentEvents = 0; // rows directly before `event` that it may have caused
    PoolIndex pool = 0; // in AllocatorRequests::pools
    RequestKind kind = RequestKind::Allocate;
    DriverAnswer driver = DriverAnswer::Unknown;
};
inline constexpr RequestId kNoRequest = UINT32_MAX;

/// A segment that was there before the first event.
struct StartSegment
{
    AddressSpan range;
    PoolIndex pool = 0;
    bool isSmall = false;
    bool isExpandable = false;
    std::size_t firstBlock = 0; // in AllocatorRequests::startBlocks
    std::size_t blockCount = 0;
};

/// A device's trace turned back into what the program asked: the input of an allocator model.
/// What the allocator did on its own (segments, releases before a retry) is left out. A free that
/// is completed in the next event is one request.
struct AllocatorRequests
{
    std::vector<PoolKey> pools;
    std::vector<AllocatorRequest> requests; // 16 bytes each
    std::vector<StartSegment> startSegments; // in address order
    std::vector<StartBlock> startBlocks;
    std::uint64_t reservedAtStart = 0;
    std::size_t lostAtStart = 0; // live before the trace, and in no segment that we know
    bool hasPrehistory = false; // the trace begins with memory in use: what follows is an estimate
    bool hasSegmentEvents = false; // without, only what was there can be compared
    std::size_t guessedPools = 0; // allocations whose pool nothing told: taken for the default
    std::size_t ooms = 0;
};

/// Errors: Unsupported (no addresses, not an accelerator's memory, no events), Cancelled.
/// Some 20 ns an event.
[[nodiscard]] Result<AllocatorRequests> allocatorRequestsOf(const Replay &replay, const AllocatorOptions &options,
                                                            std::stop_token stop = {});

/// A model with the memory that was there before the trace.
[[nodiscard]] AllocatorModel modelAtStart(const AllocatorRequests &requests, const AllocatorOptions &options,
                                          const ModelCard &card = {});

} // namespace plimsoll
