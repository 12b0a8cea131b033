// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/event.h"
#include "model/series.h"
#include "model/step.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll {

/// What an agent says at one sequence number. Dense: a jump is a loss.
struct Frame
{
    std::uint64_t sequence = 0; // from 1 within an epoch
    std::variant<SampleBlock, Event, StepRecord> body;

    friend bool operator==(const Frame &, const Frame &) = default;
};

/// A series as an agent numbers it; the number holds for one epoch.
struct SeriesDefinition
{
    std::uint32_t id = 0; // from 1
    SeriesInfo info;

    friend bool operator==(const SeriesDefinition &, const SeriesDefinition &) = default;
};

/// Sequence numbers the agent no longer holds.
struct LostFrames
{
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    friend bool operator==(const LostFrames &, const LostFrames &) = default;
};

/// What ingest hands to the history in one piece. Definitions come first.
struct Delivery
{
    std::string agent; // identity, the same after a restart
    std::uint64_t epoch = 0;
    std::vector<SeriesDefinition> definitions;
    std::vector<Frame> frames; // sequences rising
    std::vector<LostFrames> lost;
    std::vector<Event> notes; // written by the desktop itself (away, back): without a sequence

    /// About the bytes it occupies, for a mailbox that is bounded by them.
    [[nodiscard]] std::size_t weight() const noexcept;
};

/// Where a stream of an agent goes on: the next sequence number wanted of this epoch.
struct ResumePoint
{
    std::uint64_t epoch = 0; // 0 = never seen
    std::uint64_t nextSequence = 1;

    friend bool operator==(const ResumePoint &, const ResumePoint &) = default;
};

/// A collector or scraped endpoint and how it is doing.
struct SourceState
{
    std::string name;
    bool isHealthy = false;
    std::string problem; // empty when healthy
    std::uint64_t series = 0;
    std::uint64_t skipped = 0;

    friend bool operator==(const SourceState &, const SourceState &) = default;
};

} // namespace plimsoll
