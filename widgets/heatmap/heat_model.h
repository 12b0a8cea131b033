// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"
#include "model/series_slice.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// One device now. Texts have crossed the border (shown()).
struct HeatCell
{
    std::string id;
    QString name;               // "gpu3"
    std::optional<double> load; // 0…1; nullopt = unknown, drawn as away
    Freshness freshness = Freshness::Live;
    bool isIdle = false;
    DeviceKind kind = DeviceKind::Gpu;
    QString tip; // plain text, at most four lines

    friend bool operator==(const HeatCell &, const HeatCell &) = default;
};

/// A node: its cells, and its worst value over the history range in buckets of equal length.
struct HeatRow
{
    std::string node;
    QString name;
    std::vector<HeatCell> cells;
    std::vector<std::optional<double>> history; // 0…1, oldest first, over the whole history range
    std::vector<Gap> gaps; // hatched
    QString freeText;      // "13.2"; the header says the unit
    QString jobText;
    Freshness freshness = Freshness::Live;

    friend bool operator==(const HeatRow &, const HeatRow &) = default;
};

/// A rack, team or job.
struct HeatGroup
{
    QString name;
    std::vector<HeatRow> rows;

    friend bool operator==(const HeatGroup &, const HeatGroup &) = default;
};

/// A load that has crossed a line gets a mark, not only a colour.
enum class HeatMark { None, High, Full };
inline constexpr double kHighLoad = 0.90;
inline constexpr double kFullLoad = 0.98;
inline constexpr double kPaleLoad = 0.12; // below it a cell needs an edge

[[nodiscard]] constexpr HeatMark heatMark(std::optional<double> load) noexcept
{
    if (!load || *load < kHighLoad)
        return HeatMark::None;
    return *load >= kFullLoad ? HeatMark::Full : HeatMark::High;
}

} // namespace plimsoll
