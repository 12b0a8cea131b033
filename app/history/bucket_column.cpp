// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/bucket_column.h"

#include "history/integer_column.h"
#include "history/value_column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace plimsoll {
namespace {

constexpr std::uint8_t kRaw = 15;
constexpr std::int64_t kMilli = 1'000'000;
using Integers = std::vector<std::int64_t>;

std::int64_t nanos(Instant t) noexcept { return toUnixNanos(t); }
std::int64_t minus(std::int64_t a, std::int64_t b) noexcept
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t plus(std::int64_t a, std::int64_t b) noexcept
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t times(std::int64_t a, std::uint64_t b) noexcept
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * b);
}

// 10^k times the sum, when that loses no more than adding doubles did.
std::optional<std::int64_t> scaledSum(double sum, int decimals) noexcept
{
    const double raised = sum * std::pow(10.0, decimals);
    if (!(std::fabs(raised) < 9e18))
        return std::nullopt;
    const auto whole = static_cast<std::int64_t>(std::nearbyint(raised));
    const double back = unscaled(whole, decimals);
    return std::fabs(back - sum) <= 1e-9 * std::fabs(sum) + 1e-300 ? std::optional(whole) : std::nullopt;
}

struct Scaled
{
    std::array<Integers, 5> columns;
};

bool scale(std::span<const Bucket> buckets, int decimals, Scaled &into)
{
    for (auto &column : into.columns)
        column.clear();
    std::int64_t previous = 0;
    for (const auto &bucket : buckets) {
        const auto first = scaledExactly(bucket.first, decimals);
        const auto min = scaledExactly(bucket.min, decimals);
        const auto max = scaledExactly(bucket.max, decimals);
        const auto last = scaledExactly(bucket.last, decimals);
        const auto sum = scaledSum(bucket.sum, decimals);
        if (!first || !min || !max || !last || !sum)
            return false;
        into.columns[0].push_back(*first - previous);
        into.columns[1].push_back(*first - *min);
        into.columns[2].push_back(*max - *first);
        into.columns[3].push_back(*last - *first);
        into.columns[4].push_back(minus(*sum, times(*first, bucket.count)));
        previous = *last;
    }
    return true;
}

constexpr std::array kMembers{&Bucket::first, &Bucket::min, &Bucket::max, &Bucket::last, &Bucket::sum};

bool decodeRaw(ByteReader &from, std::span<Bucket> into)
{
    std::vector<double> values(into.size());
    for (const auto member : kMembers) {
        const auto length = from.take<std::uint32_t>();
        const auto bytes = from.takeBytes(length);
        if (from.isBad() || bytes.empty() || !decodeValues(bytes, values))
            return false;
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i].*member = values[i];
    }
    return true;
}

} // namespace

void encodeAxis(std::span<const Bucket> buckets, const BucketAxis &axis, Blob &out)
{
    Integers places;
    Integers counts;
    Integers firsts;
    Integers lasts;
    bool isMillis = true;
    for (const auto &bucket : buckets) {
        places.push_back((nanos(bucket.begin) - axis.origin) / axis.width);
        counts.push_back(bucket.count);
        firsts.push_back(nanos(bucket.firstTime) - nanos(bucket.begin));
        lasts.push_back(nanos(bucket.lastTime) - nanos(bucket.firstTime));
        isMillis = isMillis && firsts.back() % kMilli == 0 && lasts.back() % kMilli == 0;
    }
    if (isMillis) {
        for (auto *column : {&firsts, &lasts}) {
            for (auto &v : *column)
                v /= kMilli;
        }
    }
    out.push_back(isMillis ? 1 : 0);
    for (const auto *column : {&places, &counts, &firsts, &lasts})
        encodeIntegers(*column, out);
}

bool decodeAxis(ByteReader &from, const BucketAxis &axis, std::span<Bucket> into)
{
    const auto unit = from.take<std::uint8_t>();
    if (from.isBad() || unit > 1 || axis.width <= 0)
        return false;
    const std::int64_t step = unit == 1 ? kMilli : 1;
    std::array<Integers, 4> columns;
    for (auto &column : columns) {
        column.resize(into.size());
        if (!decodeIntegers(from, column))
            return false;
    }
    std::int64_t before = INT64_MIN;
    for (std::size_t i = 0; i < into.size(); ++i) {
        const auto place = columns[0][i];
        std::int64_t begin = 0;
        std::int64_t first = 0;
        std::int64_t last = 0;
        if (place < 0 || place <= before || columns[1][i] < 1 || columns[1][i] > UINT32_MAX || columns[2][i] < 0
            || columns[3][i] < 0 || __builtin_mul_overflow(place, axis.width, &begin)
            || __builtin_add_overflow(begin, axis.origin, &begin)
            || __builtin_mul_overflow(columns[2][i], step, &first) || first >= axis.width
            || __builtin_mul_overflow(columns[3][i], step, &last) || last >= axis.width - first
            || begin > INT64_MAX - axis.width)
            return false;
        before = place;
        into[i].begin = fromUnixNanos(begin);
        into[i].count = static_cast<std::uint32_t>(columns[1][i]);
        into[i].firstTime = fromUnixNanos(begin + first);
        into[i].lastTime = fromUnixNanos(begin + first + last);
    }
    return true;
}

void encodeBucketValues(std::span<const Bucket> buckets, Blob &out)
{
    Scaled scaled;
    for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
        if (!scale(buckets, decimals, scaled))
            continue;
        out.push_back(static_cast<std::uint8_t>(decimals));
        for (const auto &column : scaled.columns)
            encodeIntegers(column, out);
        return;
    }
    out.push_back(kRaw);
    std::vector<double> values(buckets.size());
    for (const auto member : kMembers) {
        for (std::size_t i = 0; i < buckets.size(); ++i)
            values[i] = buckets[i].*member;
        const auto at = out.size();
        append(out, std::uint32_t{0});
        encodeValues(values, out);
        storeLittle(out.data() + at, static_cast<std::uint32_t>(out.size() - at - 4));
    }
}

bool decodeBucketValues(ByteReader &from, std::span<Bucket> into)
{
    const auto head = from.take<std::uint8_t>();
    if (from.isBad())
        return false;
    if (head == kRaw)
        return decodeRaw(from, into);
    if (head > kMaxDecimals)
        return false;
    std::array<Integers, 5> columns;
    for (auto &column : columns) {
        column.resize(into.size());
        if (!decodeIntegers(from, column))
            return false;
    }
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < into.size(); ++i) {
        const auto first = plus(previous, columns[0][i]);
        const auto last = plus(first, columns[3][i]);
        into[i].first = unscaled(first, head);
        into[i].min = unscaled(minus(first, columns[1][i]), head);
        into[i].max = unscaled(plus(first, columns[2][i]), head);
        into[i].last = unscaled(last, head);
        into[i].sum = unscaled(plus(columns[4][i], times(first, into[i].count)), head);
        previous = last;
    }
    return true;
}

bool haveSameAxis(std::span<const Bucket> a, std::span<const Bucket> b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Bucket &x, const Bucket &y) {
        return x.begin == y.begin && x.count == y.count && x.firstTime == y.firstTime && x.lastTime == y.lastTime;
    });
}

} // namespace plimsoll
