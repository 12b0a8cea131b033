// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/buckets.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;
constexpr std::array<Duration, 15> kWidths{1s, 2s, 5s, 10s, 15s, 30s, 1min, 2min, 5min, 10min, 20min, 30min, 1h, 2h, 6h};

bool isBelow(double a, double b) noexcept { return a < b || (std::isnan(b) && !std::isnan(a)); }
bool isAbove(double a, double b) noexcept { return a > b || (std::isnan(b) && !std::isnan(a)); }

std::int64_t bucketsIn(TimeRange range, Duration width) noexcept
{
    const auto first = bucketBegin(range.begin, width);
    const auto last = bucketBegin(range.end - Duration(1), width);
    return (last - first) / width + 1;
}

} // namespace

void addSample(Bucket &bucket, std::int64_t time, double value) noexcept
{
    const Instant when = fromUnixNanos(time);
    if (isBelow(value, bucket.min))
        bucket.min = value;
    if (isAbove(value, bucket.max))
        bucket.max = value;
    if (when < bucket.firstTime) {
        bucket.firstTime = when;
        bucket.first = value;
    }
    if (when >= bucket.lastTime) {
        bucket.lastTime = when;
        bucket.last = value;
    }
    bucket.sum += value;
    ++bucket.count;
}

Bucket bucketOf(Instant begin, std::int64_t time, double value) noexcept
{
    return {begin, value, value, value, value, value, 1, fromUnixNanos(time), fromUnixNanos(time)};
}

void mergeInto(Bucket &bucket, const Bucket &other) noexcept
{
    if (isBelow(other.min, bucket.min))
        bucket.min = other.min;
    if (isAbove(other.max, bucket.max))
        bucket.max = other.max;
    if (other.firstTime < bucket.firstTime) {
        bucket.firstTime = other.firstTime;
        bucket.first = other.first;
    }
    if (other.lastTime >= bucket.lastTime) {
        bucket.lastTime = other.lastTime;
        bucket.last = other.last;
    }
    bucket.sum += other.sum;
    bucket.count += other.count;
}

Instant bucketBegin(Instant time, Duration width) noexcept
{
    auto steps = time.time_since_epoch() / width;
    if (time.time_since_epoch() % width < Duration::zero())
        --steps;
    return Instant(steps * width);
}

// The bucket with this begin, or nullptr with m_buckets ready for it at the end or in between.
Bucket *BucketBuilder::find(Instant begin)
{
    if (m_buckets.empty() || m_buckets.back().begin < begin)
        return nullptr;
    const auto at = std::lower_bound(m_buckets.begin(), m_buckets.end(), begin,
                                     [](const Bucket &bucket, Instant t) { return bucket.begin < t; });
    return at->begin == begin ? &*at : nullptr;
}

void BucketBuilder::add(std::span<const std::int64_t> times, std::span<const double> values)
{
    if (m_width == Duration::zero()) {
        for (std::size_t i = 0; i < times.size(); ++i)
            m_buckets.push_back(bucketOf(fromUnixNanos(times[i]), times[i], values[i]));
        return;
    }
    Bucket *bucket = nullptr;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const Instant when = fromUnixNanos(times[i]);
        if (bucket == nullptr || when < bucket->begin || when >= bucket->begin + m_width) {
            const Instant begin = bucketBegin(when, m_width);
            bucket = find(begin);
            if (bucket == nullptr) {
                const auto at = std::upper_bound(m_buckets.begin(), m_buckets.end(), begin,
                                                 [](Instant t, const Bucket &b) { return t < b.begin; });
                bucket = &*m_buckets.insert(at, bucketOf(begin, times[i], values[i]));
                continue;
            }
        }
        addSample(*bucket, times[i], values[i]);
    }
}

void BucketBuilder::add(const Bucket &finer)
{
    const Instant begin = bucketBegin(finer.begin, m_width);
    if (auto *bucket = find(begin))
        return mergeInto(*bucket, finer);
    const auto at = std::upper_bound(m_buckets.begin(), m_buckets.end(), begin,
                                     [](Instant t, const Bucket &b) { return t < b.begin; });
    m_buckets.insert(at, finer)->begin = begin;
}

std::vector<Bucket> regroup(std::span<const Bucket> buckets, Duration width)
{
    BucketBuilder builder(width);
    for (const auto &bucket : buckets)
        builder.add(bucket);
    return builder.take();
}

Duration coarseWidth(TimeRange range, int pixels) noexcept
{
    const std::int64_t most = 2 * std::int64_t{std::max(pixels, 1)};
    for (const auto width : kWidths) {
        if (bucketsIn(range, width) <= most)
            return width;
    }
    Duration width = kWidths.back();
    while (bucketsIn(range, width) > most && width < Duration::max() / 4)
        width *= 2;
    return width;
}

Duration bucketWidth(TimeRange range, int pixels, Duration interval) noexcept
{
    const Duration pace = interval > Duration::zero() ? interval : Duration(std::chrono::seconds(1));
    if (range.length() / pace <= 2 * std::int64_t{std::max(pixels, 1)})
        return Duration::zero();
    return coarseWidth(range, pixels);
}

} // namespace plimsoll
