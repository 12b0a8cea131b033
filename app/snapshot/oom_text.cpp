// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"
#include "snapshot/oom.h"

#include <algorithm>

namespace plimsoll {
namespace {

std::string bytes(std::uint64_t value) { return formatBytes(static_cast<double>(value)).text(); }

std::string count(std::uint64_t value, const std::string &one, const std::string &many)
{
    return formatExact(static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX))) + ' '
        + (value == 1 ? one : many);
}

std::string trulyFull(const OomVerdict &v, const OomExplanation &oom)
{
    std::string text = "The card is truly full: " + bytes(oom.live) + " are in use, and with the "
        + bytes(oom.segmentSize) + " that this request needs that is " + bytes(v.figure("over_bytes").value_or(0))
        + " more than the " + bytes(v.figure("available_bytes").value_or(0))
        + " that are free or reserved. No allocator setting would have helped.";
    if (oom.sameSizeCount > 1)
        text += " " + count(oom.sameSizeCount, "allocation", "allocations")
            + " in use are of the same size as the request (" + bytes(oom.sameSizeBytes)
            + " together): the same tensor again.";
    return text;
}

std::string fragmentation(const OomExplanation &oom)
{
    std::string text = "Fragmentation: " + bytes(oom.usableFree)
        + " are cached and free where the request could use them, but the largest piece is " + bytes(oom.largestFreeOwn)
        + " and " + bytes(oom.asked) + " were asked for.";
    if (oom.pinnedCount > 0)
        text += " " + count(oom.pinnedCount, "allocation", "allocations") + " (" + bytes(oom.pinnedLive)
            + (oom.pinnedCount == 1 ? ") keeps " : ") keep ") + bytes(oom.pinnedFree) + " in "
            + count(oom.pinnedSegments, "segment", "segments") + " from being given back.";
    return text + " expandable_segments:True, a max_split_size_mb or fewer distinct sizes may help.";
}

std::string memoryOutside(const OomVerdict &v)
{
    return "Memory outside: " + bytes(v.figure("outside_bytes").value_or(0)) + " of the card's "
        + bytes(v.figure("card_bytes").value_or(0))
        + " belong neither to this allocator nor to the free memory: other processes, the driver's context or other "
          "libraries.";
}

std::string giant(const OomVerdict &v, const OomExplanation &oom)
{
    std::string text = "One giant request: " + bytes(oom.asked) + " at once";
    const auto card = v.figure("card_bytes").value_or(0);
    if (card > 0)
        text += ", of a card with " + std::string(oom.cardKnown ? "" : "at least ") + bytes(card);
    const auto earlier = v.figure("largest_earlier_bytes").value_or(0);
    if (earlier > 0)
        text += "; the largest before was " + bytes(earlier);
    return text + ". Probably a wrong shape.";
}

std::string leak(const OomVerdict &v)
{
    std::string text = "Probably a leak: the memory in use came down to a higher level in each of "
        + count(v.figure("periods").value_or(0), "period", "periods") + ", by "
        + bytes(v.figure("growth_bytes").value_or(0)) + " in all.";
    if (v.figure("stack_allocations").value_or(0) > 0)
        text += " The call site that left most behind: "
            + count(*v.figure("stack_allocations"), "allocation", "allocations") + ", "
            + bytes(v.figure("stack_bytes").value_or(0)) + ".";
    return text;
}

} // namespace

std::string_view toString(OomVerdictKind kind) noexcept
{
    switch (kind) {
    case OomVerdictKind::TrulyFull: return "truly_full";
    case OomVerdictKind::Fragmentation: return "fragmentation";
    case OomVerdictKind::WrongPoolOrStream: return "wrong_pool_or_stream";
    case OomVerdictKind::WaitingForStreams: return "waiting_for_streams";
    case OomVerdictKind::MemoryOutside: return "memory_outside";
    case OomVerdictKind::Limit: return "limit";
    case OomVerdictKind::GiantRequest: return "giant_request";
    case OomVerdictKind::Leak: return "leak";
    case OomVerdictKind::Rounding: return "rounding";
    }
    return "unknown";
}

std::optional<std::uint64_t> OomVerdict::figure(std::string_view name) const noexcept
{
    for (const auto &[key, value] : figures)
        if (key == name)
            return value;
    return std::nullopt;
}

std::string describe(const OomVerdict &verdict, const OomExplanation &oom)
{
    switch (verdict.kind) {
    case OomVerdictKind::TrulyFull: return trulyFull(verdict, oom);
    case OomVerdictKind::Fragmentation: return fragmentation(oom);
    case OomVerdictKind::WrongPoolOrStream:
        return "Wrong pool or stream: " + bytes(verdict.figure("free_elsewhere_bytes").value_or(0))
            + " are cached and free in private pools, for other streams or in the other half of the pool, where this "
              "request may not use them (largest piece "
            + bytes(oom.largestFreeElsewhere) + ").";
    case OomVerdictKind::WaitingForStreams:
        return "Waiting for other streams: " + bytes(oom.pending) + " in "
            + count(oom.pendingCount, "allocation", "allocations")
            + " were freed by the program but are still in use by another stream (record_stream, or a graph being "
              "captured).";
    case OomVerdictKind::MemoryOutside: return memoryOutside(verdict);
    case OomVerdictKind::Limit:
        return "A limit: the driver still had " + bytes(oom.deviceFree.value_or(0)) + " free, enough for the "
            + bytes(oom.segmentSize) + " needed. A per-process memory fraction is probably set.";
    case OomVerdictKind::GiantRequest: return giant(verdict, oom);
    case OomVerdictKind::Leak: return leak(verdict);
    case OomVerdictKind::Rounding:
        return "Rounding: the blocks in use are " + bytes(oom.roundingLoss)
            + " larger than what was asked for, by roundup_power2_divisions or by rests that were not split off.";
    }
    return {};
}

std::string describe(const OomExplanation &oom)
{
    std::string text = "Device " + std::to_string(oom.ordinal) + " had no room for " + bytes(oom.asked)
        + " (a segment of " + bytes(oom.segmentSize) + ") at event " + formatExact(static_cast<std::int64_t>(oom.event))
        + ". In use: " + bytes(oom.live) + " in " + count(oom.liveCount, "allocation", "allocations");
    if (oom.reserved)
        text += " of " + bytes(*oom.reserved) + " reserved";
    if (oom.deviceFree)
        text += "; free on the card: " + bytes(*oom.deviceFree);
    text += ".";
    if (oom.shortfall > 0)
        text += " Missing even without any fragmentation: " + bytes(oom.shortfall) + ".";
    if (oom.cardLowerBound && !oom.cardKnown)
        text += " The card has at least " + bytes(*oom.cardLowerBound) + ".";
    if (oom.releasedEarlier > 0 && oom.releasedEarlierEvent)
        text += " The cache had been released before, at event "
            + formatExact(static_cast<std::int64_t>(*oom.releasedEarlierEvent)) + ".";
    if (oom.unreleased > 0)
        text += " " + bytes(oom.unreleased)
            + " in wholly free segments were not given back: probably a graph was being captured.";
    if (oom.isAfterUnwinding && oom.liveAtEnd)
        text += " The file was written after the exception had unwound: at its end only " + bytes(*oom.liveAtEnd)
            + " are in use.";
    if (oom.isEstimate)
        text += " The trace begins with memory in use; what lay where is partly an estimate.";
    return text;
}

} // namespace plimsoll
