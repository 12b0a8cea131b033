// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"
#include "widgets/canvas/event_mark.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// What a line means decides its colour; a metric keeps it on every page.
/// The first six are the series colours; Cgroup usage, available and the others
/// repeat them with dashes or in ink (trackColour() in track_style.h).
enum class SeriesRole : std::uint8_t {
    Reserved, Allocated, Host, Swap, Cost, Forecast, CgroupUsage, Available, Limit, Other1, Other2, Other3, Other4,
};

/// One series of a track. The slice is shared, made once and never written again;
/// nullptr while it has not come yet. Names have crossed the border (shown()).
struct TrackLine
{
    QString name;
    SeriesRole role = SeriesRole::Host;
    std::shared_ptr<const SeriesSlice> slice;
    bool isBand = false;   // filled from min to max, a thin line at max
    bool isArea = false;   // lightly filled down to the axis
    bool isDashed = false;
};

/// A capacity, limit or cap: dashed, with its name. A constant, or a slice when it changes.
struct LimitLine
{
    QString name; // "capacity"
    double value = 0;
    std::shared_ptr<const SeriesSlice> slice;
};

/// Lines that share one vertical axis.
struct Track
{
    QString id;
    QString title;    // caption above the plot; may be empty
    std::string unit; // UCUM
    std::vector<TrackLine> lines;
    std::vector<LimitLine> limits;
    int stretch = 1;       // share of the height
    bool isFromZero = true; // else the axis fits the data closely
};

/// One line's value at the crosshair. `at` is the time of the value told, for it is
/// never interpolated; nothing inside a gap.
struct Reading
{
    int track = 0;
    int line = 0;
    QString name;
    SeriesRole role = SeriesRole::Host;
    std::string unit;
    std::optional<double> value; // last of the bucket; of a band its maximum
    double min = 0;              // of the bucket; with `value` only
    double max = 0;
    Instant at;

    friend bool operator==(const Reading &, const Reading &) = default;
};

} // namespace plimsoll
