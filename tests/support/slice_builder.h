// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace plimsoll::test {

struct TimedValue
{
    Instant time;
    double value;
};

/// One value a step from a function of the seconds since the beginning.
inline std::vector<TimedValue> sampled(TimeRange range, Duration step, const std::function<double(double)> &value)
{
    std::vector<TimedValue> samples;
    for (Instant t = range.begin; t < range.end; t += step)
        samples.push_back({t, value(std::chrono::duration<double>(t - range.begin).count())});
    return samples;
}

/// What a history would answer: raw for width 0, else buckets aligned to `width`.
inline SeriesSlice sliceOf(TimeRange range, const std::vector<TimedValue> &samples, Duration width = {}, std::vector<Gap> gaps = {})
{
    SeriesSlice slice;
    slice.range = range;
    slice.width = width;
    slice.gaps = std::move(gaps);
    for (const TimedValue &sample : samples) {
        const bool isMissing = std::any_of(slice.gaps.begin(), slice.gaps.end(),
                                           [&](const Gap &gap) { return gap.range.contains(sample.time); });
        if (isMissing)
            continue;
        const auto nanos = toUnixNanos(sample.time);
        const Instant begin = width.count() > 0 ? fromUnixNanos(nanos - nanos % width.count()) : sample.time;
        if (slice.buckets.empty() || slice.buckets.back().begin != begin || width.count() == 0) {
            slice.buckets.push_back({begin, sample.value, sample.value, sample.value, sample.value, 0, 0, sample.time, sample.time});
        }
        Bucket &b = slice.buckets.back();
        b.min = std::min(b.min, sample.value);
        b.max = std::max(b.max, sample.value);
        b.last = sample.value;
        b.lastTime = sample.time;
        b.sum += sample.value;
        ++b.count;
    }
    return slice;
}

inline std::shared_ptr<const SeriesSlice> shared(SeriesSlice slice)
{
    return std::make_shared<const SeriesSlice>(std::move(slice));
}

} // namespace plimsoll::test
