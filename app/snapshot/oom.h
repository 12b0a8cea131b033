// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "snapshot/allocator_model.h"
#include "snapshot/replay.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

/// Sizes of a hostile file are anything: sums stop at the end instead of beginning anew.
[[nodiscard]] constexpr std::uint64_t saturatedSum(std::uint64_t a, std::uint64_t b) noexcept
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

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
    StackId stack = kNoStack; // where one is to blame

    [[nodiscard]] std::optional<std::uint64_t> figure(std::string_view name) const noexcept;
};

/// Memory of one pool, stream and half at the moment of failure.
struct OomPool
{
    PoolKey key;
    bool isSmall = false;
    bool isOwn = false; // the request could use it
    std::uint64_t reserved = 0;
    std::uint64_t live = 0; // requested bytes
    std::uint64_t liveRounded = 0;
    std::size_t liveCount = 0;
    std::uint64_t pending = 0; // rounded bytes of frees that wait
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

/// What was born in profiler ranges of one name.
struct OomRange
{
    std::string name;
    std::uint64_t bytes = 0; // requested
    std::size_t count = 0;
};

/// Why one request failed. Bytes all over; "rounded" ones are estimates by the allocator's rules.
struct OomExplanation
{
    std::int32_t ordinal = 0; // of the device
    std::size_t event = 0; // within the device's list
    std::int64_t timeUs = kUnknownTime;
    StackId stack = kNoStack;
    PoolKey pool;
    bool isPoolKnown = false; // false: taken for the default pool
    bool isSmall = false; // of the small half

    std::uint64_t asked = 0; // R, rounded to 512
    std::uint64_t segmentSize = 0; // S, what the error text names
    std::optional<std::uint64_t> deviceFree; // D
    std::optional<std::uint64_t> reserved; // R0; nullopt: the file has neither segments nor events of any
    std::optional<std::uint64_t> cardLowerBound; // D + reserved
    std::optional<std::uint64_t> cardKnown; // as the caller said
    std::uint64_t live = 0; // requested, with what waits for a stream
    std::size_t liveCount = 0;
    std::uint64_t liveRounded = 0; // in blocks
    std::uint64_t roundingLoss = 0; // liveRounded − live
    std::uint64_t pending = 0; // rounded; part of live
    std::size_t pendingCount = 0;
    std::uint64_t unrequested = 0; // reserved − live: cached free and lost by rounding
    std::uint64_t cachedFree = 0; // in free pieces
    std::uint64_t usableFree = 0; // of those in the request's own half, stream and pool
    std::uint64_t largestFreeOwn = 0;
    std::uint64_t largestFreeElsewhere = 0;
    std::size_t piecesThatFit = 0; // free pieces of at least R, wherever
    std::uint64_t bytesThatFit = 0;
    std::size_t piecesTooSmall = 0;
    std::uint64_t bytesTooSmall = 0;
    std::uint64_t missing = 0; // S − D: what the driver lacked
    std::uint64_t shortfall = 0; // R − (D + unrequested): missing even without any fragmentation; 0: none

    /// In wholly free segments of the default pool, which the allocator gives back before it fails,
    /// unless a graph is being captured.
    std::uint64_t unreleased = 0;

    bool isPeak = false; // no moment of the trace has more live bytes
    std::size_t releasedNow = 0; // segments or ranges given back directly before it
    std::uint64_t releasedNowBytes = 0;
    std::size_t releasedEarlier = 0; // … the last time before
    std::uint64_t releasedEarlierBytes = 0;
    std::optional<std::size_t> releasedEarlierEvent; // the first of those
    std::uint64_t largestEarlier = 0; // the largest request before, requested
    std::size_t sameSizeCount = 0; // live allocations that round to the request's size
    std::uint64_t sameSizeBytes = 0; // requested
    std::optional<std::uint64_t> liveAtEnd; // requested, of the final allocated blocks
    std::optional<std::uint64_t> cachedAtEnd; // of the final segments
    bool isAfterUnwinding = false; // most of it had gone when the file was written

    std::vector<OomPool> pools; // by reserved bytes, largest first
    std::vector<OomHolder> holders; // largest first
    std::vector<OomRange> ranges; // by the profiler range open at birth, largest first; empty without any
    std::vector<OomPinnedSegment> pinned; // by free bytes, largest first
    std::uint64_t pinnedFree = 0; // of all such segments
    std::uint64_t pinnedLive = 0;
    std::size_t pinnedCount = 0; // live allocations that hold them
    std::size_t pinnedSegments = 0;
    std::vector<OomVerdict> verdicts; // by bytes explained
    bool isEstimate = false; // the trace begins with memory in use
};

struct OomQuestion
{
    std::size_t top = 20; // holders and pinned segments
    std::size_t most = 1'000; // events explained of a device: a program may catch any number of them
    std::optional<std::uint64_t> cardBytes; // what the card has, where it is known
};

/// All OOM events of one device, oldest first; none where there is none. Half a microsecond for each
/// allocation that lives then, and a walk over the events before. Errors: Cancelled.
[[nodiscard]] Result<std::vector<OomExplanation>> explainOoms(const Replay &replay, const OomQuestion &question = {},
                                                              std::stop_token stop = {});
/// Of all devices; those without one cost nothing.
[[nodiscard]] Result<std::vector<OomExplanation>>
explainOoms(const MemorySnapshot &snapshot, const OomQuestion &question = {}, std::stop_token stop = {});

/// The sentences, in English, made in this one place.
[[nodiscard]] std::string describe(const OomVerdict &verdict, const OomExplanation &oom);
[[nodiscard]] std::string describe(const OomExplanation &oom);

} // namespace plimsoll
