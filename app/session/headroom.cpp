// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/headroom.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::size_t kFewest = 8;
constexpr std::size_t kMost = 120; // 7,140 pairs: well under a millisecond
constexpr Duration kShortest = std::chrono::minutes(1);
constexpr Duration kHorizon = std::chrono::hours(24 * 30); // later than that is "steady"
constexpr double kLeastRise = 0.001; // of the capacity over the points: below it a slope is noise

struct Point
{
    double t = 0; // seconds before the last point, ≤ 0
    double y = 0;
};

double medianOf(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Those of the window that are finite. More than kMost become medians of equal
/// blocks: picking every n-th would meet a saw-tooth always at the same tooth height.
std::vector<Point> chosen(std::span<const HeadroomPoint> points)
{
    const Instant end = points.back().time;
    std::vector<Point> all;
    for (const HeadroomPoint &point : points) {
        if (point.time >= end - kHeadroomWindow && std::isfinite(point.used))
            all.push_back({std::chrono::duration<double>(point.time - end).count(), point.used});
    }
    if (all.size() <= kMost)
        return all;
    std::vector<Point> blocks;
    blocks.reserve(kMost);
    for (std::size_t i = 0; i < kMost; ++i) {
        const std::size_t begin = i * all.size() / kMost;
        const std::size_t after = (i + 1) * all.size() / kMost;
        std::vector<double> values;
        for (std::size_t k = begin; k < after; ++k)
            values.push_back(all[k].y);
        blocks.push_back({(all[begin].t + all[after - 1].t) / 2, medianOf(std::move(values))});
    }
    return blocks;
}

struct Slope
{
    double low = 0;
    double middle = 0;
    double high = 0;
};

/// Neighbours that resemble each other say less than their number promises: the
/// factor by which the confidence range must be wider.
double wideningOf(const std::vector<Point> &points, double slope)
{
    std::vector<double> rest;
    rest.reserve(points.size());
    for (const Point &point : points)
        rest.push_back(point.y - slope * point.t);
    const double level = medianOf(rest);
    double own = 0;
    double shared = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        own += (rest[i] - level) * (rest[i] - level);
        if (i > 0)
            shared += (rest[i] - level) * (rest[i - 1] - level);
    }
    const double likeness = own > 0 ? std::clamp(shared / own, 0.0, 0.95) : 0;
    return std::sqrt((1 + likeness) / (1 - likeness));
}

/// Sen's confidence range: the ranks around the median that hold the true slope
/// with 95 %, from the variance of Kendall's statistic.
std::optional<Slope> slopeOf(const std::vector<Point> &points)
{
    std::vector<double> slopes;
    slopes.reserve(points.size() * (points.size() - 1) / 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t k = i + 1; k < points.size(); ++k) {
            if (points[k].t > points[i].t)
                slopes.push_back((points[k].y - points[i].y) / (points[k].t - points[i].t));
        }
    }
    if (slopes.empty())
        return std::nullopt;
    std::sort(slopes.begin(), slopes.end());
    const double middle = slopes[slopes.size() / 2];
    const auto n = static_cast<double>(points.size());
    const double spread = 1.96 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18) * wideningOf(points, middle);
    const auto count = static_cast<double>(slopes.size());
    const auto at = [&](double rank) { return slopes[static_cast<std::size_t>(std::clamp(rank, 0.0, count - 1))]; };
    return Slope{at((count - spread) / 2), middle, at((count + spread) / 2)};
}

std::optional<Duration> secondsUntil(double bytes, double perSecond)
{
    const double seconds = bytes / perSecond;
    if (seconds > std::chrono::duration<double>(kHorizon).count())
        return std::nullopt;
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

} // namespace

std::optional<std::pair<Duration, Duration>> timeToFull(std::span<const HeadroomPoint> points, double capacity)
{
    if (points.empty() || !std::isfinite(capacity) || capacity <= 0)
        return std::nullopt;
    const std::vector<Point> used = chosen(points);
    if (used.size() < kFewest)
        return std::nullopt;
    const double length = used.back().t - used.front().t;
    const auto slope = slopeOf(used);
    if (!slope || length < std::chrono::duration<double>(kShortest).count())
        return std::nullopt;
    if (slope->low <= 0 || slope->middle * length < kLeastRise * capacity)
        return std::nullopt;

    // Where the line is now, not where the last, maybe odd, sample is.
    std::vector<double> levels;
    levels.reserve(used.size());
    for (const Point &point : used)
        levels.push_back(point.y - slope->middle * point.t);
    const double left = std::max(0.0, capacity - medianOf(std::move(levels)));
    const auto earliest = secondsUntil(left, slope->high);
    if (!earliest)
        return std::nullopt;
    return std::pair{*earliest, secondsUntil(left, slope->low).value_or(kHorizon)};
}

std::optional<std::pair<Duration, Duration>> timeToFull(const SeriesSlice &used, double capacity)
{
    std::vector<HeadroomPoint> points;
    points.reserve(used.buckets.size());
    for (const Bucket &bucket : used.buckets)
        points.push_back({bucket.lastTime, bucket.last});
    return timeToFull(points, capacity);
}

std::optional<std::pair<Duration, Duration>> timeToFullOfAvailable(const SeriesSlice &available, double capacity)
{
    std::vector<HeadroomPoint> points;
    points.reserve(available.buckets.size());
    for (const Bucket &bucket : available.buckets)
        points.push_back({bucket.lastTime, capacity - bucket.last});
    return timeToFull(points, capacity);
}

} // namespace plimsoll
