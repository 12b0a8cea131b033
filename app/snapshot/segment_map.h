// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace plimsoll {

/// Memory that the allocator held of the device at an instant.
struct MappedRange
{
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    StreamId stream = 0;
    std::optional<std::pair<std::int64_t, std::int64_t>> pool;
    std::optional<bool> isLarge;
    bool isExpandable = false;
    StackId stack = kNoStack;
    std::size_t firstPiece = 0; // in SegmentState::pieces, by address, without gaps
    std::size_t pieceCount = 0;
};

struct MappedPiece
{
    static constexpr AllocationId kFree = UINT32_MAX;

    std::uint64_t address = 0;
    std::uint64_t size = 0; // bytes; of an allocation rounded
    AllocationId allocation = kFree;
    bool isPending = false; // freed by the program, waiting for a stream

    [[nodiscard]] bool isFree() const noexcept { return allocation == kFree; }
    friend bool operator==(const MappedPiece &, const MappedPiece &) = default;
};

struct SegmentState
{
    std::vector<MappedRange> ranges; // by address
    std::vector<MappedPiece> pieces; // of each range tile it
    std::vector<AllocationId> outside; // alive, and in no known range
    std::uint64_t reserved = 0;
    std::uint64_t free = 0;
    std::uint64_t largestFree = 0;
};

/// The address space at any instant: the final segments, from which the segment events are undone
/// backwards. A microsecond an event undone, kept every few thousand. Any thread.
class SegmentMap
{
public:
    explicit SegmentMap(const Replay &replay, std::stop_token stop = {}); // when stopped, it is not known
    [[nodiscard]] bool isKnown() const noexcept { return m_isKnown; } // false: no segments and no events of any
    [[nodiscard]] SegmentState at(EventInstant instant) const;
    [[nodiscard]] std::vector<MappedRange> rangesAt(EventInstant instant) const; // without the pieces
    /// Segment events that fit nothing that was known: a foreign or torn trace.
    [[nodiscard]] std::uint64_t oddEvents() const noexcept { return m_oddEvents; }

private:
    struct Change
    {
        EventInstant instant;
        std::size_t row;
    };
    struct Kept
    {
        std::size_t change; // state before this one and all later ones were undone up to here
        std::vector<MappedRange> ranges;
    };
    const Replay *m_replay;
    bool m_isKnown = false;
    std::vector<Change> m_changes; // oldest first
    std::vector<Kept> m_kept;      // the end first
    std::uint64_t m_oddEvents = 0;
};

} // namespace plimsoll
