// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "snapshot/allocator_requests.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace plimsoll {

/// How far our model of the allocator comes to what the trace recorded, with the file's own settings.
struct ModelAgreement
{
    std::size_t comparedEvents = 0; // allocations and frees after which reserved bytes were compared
    double worstShare = 0; // greatest |model − recorded| of reserved, in parts of recorded
    double shareAt98 = 0; // 98 of 100 events are at least as near, in parts of recorded
    double exactShare = 0; // of events with equal reserved bytes
    std::int64_t finalDifference = 0; // bytes, model − recorded
    std::uint64_t recordedPeak = 0;
    std::uint64_t modelPeak = 0;

    struct Segments // segment_alloc and segment_map are gains, segment_free and segment_unmap losses
    {
        std::size_t gains = 0;
        std::uint64_t gainedBytes = 0;
        std::size_t losses = 0;
        std::uint64_t lostBytes = 0;
    };
    Segments recorded;
    Segments predicted;

    std::size_t comparedPlaces = 0; // allocations whose place could be compared
    std::size_t equalPlaces = 0; // at the recorded address
    std::size_t refusals = 0; // allocations that the model could not place although they were
    std::size_t ooms = 0; // recorded ones
    std::size_t oomsAgreed = 0; // at which the model had no room either
    std::size_t startLost = 0; // of memory from before the trace, what could not be placed
    bool isEstimate = false; // the trace begins with memory in use
    bool hasSegmentEvents = false;
    bool areSettingsKnown = false;

    /// Near enough to believe what it says about other settings: within 2 % at 98 of 100 events.
    [[nodiscard]] bool isBelievable() const noexcept;
    /// One plain sentence.
    [[nodiscard]] std::string describe() const;
};

/// Replays the device's trace, some 0.3 µs an event. Errors: those of allocatorRequestsOf.
[[nodiscard]] Result<ModelAgreement> checkModel(const Replay &replay, std::stop_token stop = {},
                                                const ProgressSink &progress = {});
/// The same with requests that are at hand.
[[nodiscard]] Result<ModelAgreement> checkModel(const Replay &replay, const AllocatorRequests &requests,
                                                const AllocatorSettings &settings, std::stop_token stop = {},
                                                const ProgressSink &progress = {});

/// What was recorded about a request: what the driver gave, and what was given back before.
struct RecordedHints
{
    std::vector<AddressSpan> gained;
    std::vector<AddressSpan> lost;

    void read(const AllocatorRequest &request, const Replay &replay); // replaces what was there
};

} // namespace plimsoll
