// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/time.h"
#include "model/labels.h"
#include "model/metric.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll {

/// Where a series' numbers come from: "DCGM_FI_DEV_FB_USED, MiB × 1048576".
struct Source
{
    std::string name; // the exporter's or the file's name for it
    std::string unit; // as the source counts; empty = as ours
    double factor = 1; // value = source value × factor

    friend bool operator==(const Source &, const Source &) = default;
};

struct SeriesKey
{
    std::string metric; // canonical, or the source's own name when unmapped
    Labels labels;

    friend bool operator==(const SeriesKey &, const SeriesKey &) = default;
    friend auto operator<=>(const SeriesKey &, const SeriesKey &) = default;
};

/// Everything about a series but its samples.
struct SeriesInfo
{
    SeriesKey key;
    std::string unit; // UCUM; empty = unknown
    MetricKind kind = MetricKind::Unknown;
    std::string group; // series of one group share their times
    Duration interval = std::chrono::seconds(1);
    Source source;

    friend bool operator==(const SeriesInfo &, const SeriesInfo &) = default;
};

/// "Not there at this time", told from a NaN that a source really sent by its bits
/// (Prometheus' stale marker). Compare with isAbsent, never with ==.
inline constexpr std::uint64_t kAbsentBits = 0x7ff0000000000002ULL;
[[nodiscard]] inline double absentValue() noexcept { return std::bit_cast<double>(kAbsentBits); }
[[nodiscard]] inline bool isAbsent(double value) noexcept { return std::bit_cast<std::uint64_t>(value) == kAbsentBits; }

/// rows × columns samples that share their times, column by column.
struct SampleBlock
{
    std::vector<Instant> times;         // one a row, rising
    std::vector<std::uint32_t> columns; // the agent's series ids
    std::vector<double> values;         // values[column × rows + row]

    [[nodiscard]] std::size_t rows() const noexcept { return times.size(); }
    [[nodiscard]] std::size_t samples() const noexcept { return values.size(); }
    friend bool operator==(const SampleBlock &, const SampleBlock &) = default;
};

} // namespace plimsoll
