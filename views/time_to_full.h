// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"

#include <QString>

#include <optional>

namespace plimsoll {

struct DeviceTrack;

/// How long until nothing is free if it goes on like this: always a range, or "steady".
struct TimeToFull
{
    enum class Kind { Unknown, Steady, Filling }; // Unknown: too little seen to say anything
    Kind kind = Kind::Unknown;
    Duration soonest{};
    Duration latest{};
    std::optional<double> bytesPerHour; // growth of what is used

    friend bool operator==(const TimeToFull &, const TimeToFull &) = default;
};

/// From the device's recent past; what fills later than two days counts as steady.
[[nodiscard]] TimeToFull timeToFullOf(const DeviceTrack &track, const SeriesSlice &slice);

[[nodiscard]] QString timeToFullText(const TimeToFull &estimate); // "2–4 min", "steady", "–"

} // namespace plimsoll
