// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "snapshot/allocator_model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

enum class OomVerdictKind : std::uint8_t {
    TrulyFull = 1,
    Fragmentation,
    WrongPoolOrStream,
    WaitingForStreams,
    MemoryOutside,
    Limit,
    GiantRequest,
    Leak,
    Rounding,
};
[[nodiscard]] std::string_view toString(OomVerdictKind kind) noexcept; // "truly_full", …

/// A reason, with the figures that speak for it. Which figures there are depends on the kind.
struct OomVerdict
{
    OomVerdictKind kind = OomVerdictKind::TrulyFull;
    std::uint64_t bytesExplained = 0; // of the bytes that were missing
    std::vector<std::pair<std::string, std::uint64_t>> figures; // "shortfall_bytes", …: the keys of JSON
    StackId stack = kNoStack;         // where one is to blame

    [[nodiscard]] std::optional<std::uint64_t> figure(std::string_view name) const noexcept;
};

/// Memory of one pool, stream and half at the moment of failure.
struct OomPool
{
    PoolKey key;
    bool isSmall = false;
    bool isOwn = false; // the request could use it
    std::uint64_t reserved = 0;
    std::uint64_t live = 0;      // requested bytes
    std::uint64_t liveRounded = 0;
    std::size_t liveCount = 0;
    std::uint64_t pending = 0;   // rounded bytes of frees that wait
    std::uint64_t free = 0;
    std::uint64_t largestFree = 0;
    std::size_t freePieces = 0;
};

/// A segment of which little is used, and which therefore cannot be given back.
struct OomPinnedSegment
{
    AddressSpan range;
    PoolKey key;
    std::uint64_t free = 0;
    std::uint64_t live = 0; // requested bytes
    std::size_t liveCount = 0;
    std::vector<StackId> stacks; // of those, largest first, at most eight
};

struct OomHolder
{
    StackId stack = kNoStack;
    std::uint64_t bytes = 0; // requested
    std::size_t count = 0;
};

/// Why one request failed. Bytes all over; "rounded" ones are estimates by the allocator's rules.
struct OomExplanation
{
    std::size_t device = 0;       // in MemorySnapshot::devices
    std::int32_t ordinal = 0;
    std::size_t event = 0;        // within the device's list
    std::int64_t timeUs = kUnknownTime;
    StackId stack = kNoStack;
    PoolKey pool;
    bool isPoolKnown = false;

    std::uint64_t asked = 0;       // R, rounded to 512
    std::uint64_t segmentSize = 0; // S, what the error text names
    std::optional<std::uint64_t> deviceFree; // D
    std::optional<std::uint64_t> cardLowerBound; // D + reserved
    std::optional<std::uint64_t> cardKnown;  // as the caller said
    std::uint64_t live = 0;        // requested
    std::size_t liveCount = 0;
    std::uint64_t liveRounded = 0;
    std::uint64_t pending = 0;     // rounded
    std::size_t pendingCount = 0;
    std::optional<std::uint64_t> reserved; // R0; nullopt: the file has neither segments nor segment events
    std::uint64_t unrequested = 0; // reserved − live (requested): cached free, rounding and pending
    std::uint64_t cachedFree = 0;  // in free pieces
    std::uint64_t largestFreeOwn = 0;
    std::uint64_t largestFreeElsewhere = 0;
    std::size_t piecesThatFit = 0; // free pieces of at least R, wherever
    std::uint64_t bytesThatFit = 0;
    std::size_t piecesTooSmall = 0;
    std::uint64_t bytesTooSmall = 0;
    std::uint64_t shortfall = 0;   // R − (D + unrequested): missing even without fragmentation; 0: none
    std::uint64_t roundingLoss = 0;

    bool isPeak = false;           // the trace's peak of live bytes is this moment's
    std::size_t unmapsBefore = 0;  // segments that were given back for it
    std::uint64_t unmappedBefore = 0; // bytes
    std::uint64_t largestEarlier = 0; // the largest request before
    std::size_t sameSizeCount = 0; // live allocations of the request's size
    std::uint64_t sameSizeBytes = 0;
    std::uint64_t liveAtEnd = 0;   // requested, of the final blocks
    std::uint64_t cachedAtEnd = 0;
    bool isAfterUnwinding = false; // most of it had gone when the file was written

    std::vector<OomPool> pools;    // by reserved bytes, largest first
    std::vector<OomHolder> holders; // largest first
    std::vector<OomPinnedSegment> pinned; // by free bytes, largest first
    std::uint64_t pinnedFree = 0;  // of all such segments
    std::uint64_t pinnedLive = 0;
    std::size_t pinnedCount = 0;   // live allocations that hold them
    std::vector<OomVerdict> verdicts; // by bytes explained
    bool isEstimate = false;       // the trace begins with memory in use
};

struct OomQuestion
{
    std::size_t top = 20; // holders and pinned segments
    std::optional<std::uint64_t> cardBytes; // what the card has, where it is known
};

/// All OOM events of all devices, oldest first within a device. A file without one gives none.
/// Costs a walk over the trace of each device that has one. Errors: Cancelled.
[[nodiscard]] Result<std::vector<OomExplanation>> explainOoms(const MemorySnapshot &snapshot,
                                                             const OomQuestion &question = {},
                                                             std::stop_token stop = {});

/// The sentences, in English, made in this one place.
[[nodiscard]] std::string describe(const OomVerdict &verdict, const OomExplanation &oom);
[[nodiscard]] std::string describe(const OomExplanation &oom);

} // namespace plimsoll
