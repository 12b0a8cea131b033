// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll {

/// Adds a sample that lies in the bucket. NaN never hides an extreme, but it is in the sum.
void addSample(Bucket &bucket, std::int64_t time, double value) noexcept;
[[nodiscard]] Bucket bucketOf(Instant begin, std::int64_t time, double value) noexcept;

/// Joins two buckets of one series that share no sample; which was first is told by their times.
void mergeInto(Bucket &bucket, const Bucket &other) noexcept;

/// Gathers samples and finer buckets, in any order but mostly rising, into buckets of a width
/// aligned to 1970; width 0 keeps each sample apart.
class BucketBuilder
{
public:
    explicit BucketBuilder(Duration width) : m_width(width) {}

    void add(std::span<const std::int64_t> times, std::span<const double> values);
    void add(const Bucket &finer);
    [[nodiscard]] std::vector<Bucket> take() { return std::move(m_buckets); }

private:
    Bucket *find(Instant begin);

    Duration m_width;
    std::vector<Bucket> m_buckets; // rising
};

[[nodiscard]] Instant bucketBegin(Instant time, Duration width) noexcept;

/// Samples of raw buckets regrouped, when they turned out to be too many.
[[nodiscard]] std::vector<Bucket> regroup(std::span<const Bucket> buckets, Duration width);

/// Width for a range on so many pixels: 0 (raw samples) or the finest allowed one that gives at
/// most two buckets a pixel.
[[nodiscard]] Duration bucketWidth(TimeRange range, int pixels, Duration interval) noexcept;
/// The same, but never raw.
[[nodiscard]] Duration coarseWidth(TimeRange range, int pixels) noexcept;

} // namespace plimsoll
