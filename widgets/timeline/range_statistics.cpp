// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/range_statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll {
namespace {

/// Least squares through (time, mean), weighted by samples. Hours from the first point and
/// values from its value, so that no digits are lost.
class Slope
{
public:
    void add(double hours, double value, double weight)
    {
        m_weight += weight;
        const double dx = hours - m_meanX;
        m_meanX += dx * weight / m_weight;
        m_meanY += (value - m_meanY) * weight / m_weight;
        m_xx += weight * dx * (hours - m_meanX);
        m_xy += weight * dx * (value - m_meanY);
    }
    [[nodiscard]] std::optional<double> perHour() const
    {
        if (!(m_xx > 0))
            return std::nullopt;
        return m_xy / m_xx;
    }

private:
    double m_weight = 0;
    double m_meanX = 0;
    double m_meanY = 0;
    double m_xx = 0;
    double m_xy = 0;
};

struct Weighted
{
    double value;
    std::uint32_t count;
};

/// The smallest value that at least 95 % of the weight does not exceed.
double percentile95(std::vector<Weighted> &values, std::uint64_t total)
{
    std::sort(values.begin(), values.end(), [](const Weighted &a, const Weighted &b) { return a.value < b.value; });
    const auto wanted = static_cast<std::uint64_t>(std::ceil(static_cast<double>(total) * 0.95));
    std::uint64_t seen = 0;
    for (const Weighted &w : values) {
        seen += w.count;
        if (seen >= wanted)
            return w.value;
    }
    return values.back().value;
}

} // namespace

RangeStatistics statisticsOf(const SeriesSlice &slice, TimeRange range)
{
    RangeStatistics result;
    const auto begin = std::partition_point(slice.buckets.begin(), slice.buckets.end(),
                                            [&](const Bucket &b) { return b.lastTime < range.begin; });
    std::vector<Weighted> weights;
    Slope slope;
    double sum = 0;
    Instant origin;
    for (auto it = begin; it != slice.buckets.end() && it->firstTime < range.end; ++it) {
        const Bucket &b = *it;
        if (b.count == 0 || !std::isfinite(b.sum))
            continue;
        if (result.samples == 0) {
            origin = b.firstTime;
            result.first = b.first;
            result.min = b.min;
            result.max = b.max;
        }
        result.samples += b.count;
        result.min = std::min(*result.min, b.min);
        result.max = std::max(*result.max, b.max);
        result.last = b.last;
        result.isApproximate = result.isApproximate || b.count > 1;
        sum += b.sum;
        weights.push_back({b.max, b.count});
        const Duration middle = (b.firstTime - origin) + (b.lastTime - b.firstTime) / 2;
        slope.add(std::chrono::duration<double, std::ratio<3600>>(middle).count(), b.sum / b.count, b.count);
    }
    if (result.samples == 0)
        return {};
    result.mean = sum / static_cast<double>(result.samples);
    result.p95 = percentile95(weights, result.samples);
    result.delta = *result.last - *result.first;
    result.slopePerHour = slope.perHour();
    return result;
}

} // namespace plimsoll
