// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancel.h"
#include "snapshot/model_check.h"
#include "snapshot/oom.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// Another way in which the same program could have been run.
struct WhatIfVariant
{
    std::string name; // "expandable_segments:True", "empty_cache before the request"
    AllocatorOptions options;
    bool emptiesCacheBefore = false; // empty_cache() right before the request that failed
};

struct WhatIfAnswer
{
    WhatIfVariant variant;
    bool fits = false; // the request finds a place, and so did all before it
    std::optional<std::size_t> failedEarlierAt; // event of the device's list at which it would have failed instead
    std::uint64_t peakReserved = 0; // bytes, before the request
    std::uint64_t peakActive = 0; // in blocks, before the request
    std::uint64_t reservedAtRequest = 0; // just before it
    std::optional<std::uint64_t> reservedAfter; // with it, where it fits
    std::uint64_t largestFreeAtRequest = 0; // in the request's own pool
    /// Only of expandable segments after a lost beginning: whether it fits when what was there before
    /// is laid out in the new way too (`fits` leaves it where it was).
    std::optional<bool> fitsIfLaidOutAnew;
};

struct WhatIfReport
{
    std::size_t event = 0; // within the device's list, the OOM
    std::uint64_t asked = 0;
    std::uint64_t capacity = 0; // bytes this process could have: free on the card + reserved at that moment
    std::uint64_t recordedPeak = 0; // of reserved bytes up to the OOM, as recorded
    WhatIfAnswer baseline; // the file's own settings: must fail as recorded
    std::vector<WhatIfAnswer> answers;
    ModelAgreement agreement;
    /// The model agrees with the record, and with the file's settings it fails where the program did.
    bool isBelievable = false;
};

/// The variants worth trying for a file's settings: expandable segments, split limits, garbage
/// collection, rounding, empty_cache.
[[nodiscard]] std::vector<WhatIfVariant> usualVariants(const AllocatorOptions &own);

/// What all questions about one device's trace need. For a trace with several OOMs make it once.
struct WhatIfGround
{
    AllocatorSettings settings;
    AllocatorRequests requests;
    ModelAgreement agreement;
};
/// Errors: those of allocatorRequestsOf and checkModel.
[[nodiscard]] Result<WhatIfGround> whatIfGround(const Replay &replay, std::stop_token stop = {});

/// Replays the trace of the OOM's device up to it, once for each variant (about 0.3 µs an event each).
/// Errors: BadInput (the event is no OOM of the replay, or says nothing of the device's free bytes),
/// Cancelled, those of allocatorRequestsOf.
[[nodiscard]] Result<WhatIfReport> whatIf(const Replay &replay, const OomExplanation &oom,
                                          const std::vector<WhatIfVariant> &variants, std::stop_token stop = {},
                                          const ProgressSink &progress = {});
[[nodiscard]] Result<WhatIfReport> whatIf(const Replay &replay, const WhatIfGround &ground, const OomExplanation &oom,
                                          const std::vector<WhatIfVariant> &variants, std::stop_token stop = {},
                                          const ProgressSink &progress = {});
/// The usual ones.
[[nodiscard]] Result<WhatIfReport> whatIf(const Replay &replay, const OomExplanation &oom, std::stop_token stop = {},
                                          const ProgressSink &progress = {});

/// "With expandable_segments:True this request fits; peak reserved before it 71.2 GiB → 64.0 GiB."
[[nodiscard]] std::string describe(const WhatIfAnswer &answer, const WhatIfReport &report);
/// How far the answers can be believed, with the model's agreement.
[[nodiscard]] std::string describeBelief(const WhatIfReport &report);

} // namespace plimsoll
