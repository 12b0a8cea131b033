// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

/// Where openJob() goes.
inline constexpr const char *kJobPage = "jobs";

enum class TimeMode : std::uint8_t { Live, Frozen, Travelling, Recorded };

/// `team=nlp`: what is counted. Several chips must all hold.
struct FilterChip
{
    std::string label; // canonical label name
    std::string value;

    friend bool operator==(const FilterChip &, const FilterChip &) = default;
};

/// Where a person stands: page, range, mode, filter, selection. A value, so that
/// every step can be undone, linked and restored.
struct ViewState
{
    std::string page = "fleet"; // id of a page
    TimeMode mode = TimeMode::Live;
    Duration span = std::chrono::minutes(10); // live: the range is [now − span, now]
    TimeRange range{};          // frozen, travelling, recorded
    std::optional<Instant> travelTo;
    std::vector<FilterChip> filter;
    std::string job;    // selected job id
    std::string device; // selected device id
    std::optional<Instant> cursorA;
    std::optional<Instant> cursorB;

    friend bool operator==(const ViewState &, const ViewState &) = default;
};

} // namespace plimsoll
