// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/allocator_model.h"
#include "snapshot/replay.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace plimsoll {

/// What the allocator held of a device, from the start of its trace forwards: the final segments
/// with all segment events undone, then done again one by one. One thread.
class RecordedRanges
{
public:
    struct Range
    {
        std::uint64_t end = 0;
        PoolKey key;
        bool isSmall = false;
        bool isExpandable = false;
        bool isPoolKnown = false; // false: taken for the default pool
    };

    explicit RecordedRanges(const Replay &replay);

    /// False: the file has neither segments of this device nor events of any.
    [[nodiscard]] bool isKnown() const noexcept { return m_isKnown; }
    [[nodiscard]] bool hasEvents() const noexcept { return !m_gains.empty() || m_losses > 0; }
    [[nodiscard]] bool hasPrivatePools() const noexcept { return m_hasPrivatePools; }
    /// Segment events that fit nothing known: a foreign or torn trace.
    [[nodiscard]] std::size_t oddEvents() const noexcept { return m_oddEvents; }

    /// The next row of the trace; rows in order, each once.
    void apply(std::size_t row);

    [[nodiscard]] const std::map<std::uint64_t, Range> &ranges() const noexcept { return m_ranges; } // by address
    [[nodiscard]] const Range *find(std::uint64_t address) const noexcept;
    [[nodiscard]] std::uint64_t reserved() const noexcept { return m_reserved; }

private:
    bool add(const AddressSpan &span, const Range &range);
    std::pair<std::uint64_t, Range> remove(const AddressSpan &span); // how much of it was there, and what it was
    void undo(std::size_t row);
    [[nodiscard]] Range lostRange(std::size_t row) const;

    const MemorySnapshot *m_snapshot;
    std::map<std::uint64_t, Range> m_ranges;
    std::vector<std::pair<std::size_t, Range>> m_gains; // by row: what a segment_alloc or segment_map brought
    std::size_t m_nextGain = 0;
    std::size_t m_losses = 0;
    std::uint64_t m_reserved = 0;
    std::size_t m_oddEvents = 0;
    bool m_isKnown = false;
    bool m_hasPrivatePools = false;
};

} // namespace plimsoll
