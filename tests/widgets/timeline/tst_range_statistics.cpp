// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/slice_builder.h"
#include "widgets/timeline/range_statistics.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = fromUnixNanos(1'763'470'980'000'000'000);

bool isNear(std::optional<double> actual, double expected)
{
    return actual && std::abs(*actual - expected) <= 1e-9 * std::max(1.0, std::abs(expected));
}

} // namespace

class TestRangeStatistics : public QObject
{
    Q_OBJECT

private slots:
    void rawAgreesWithBruteForce();
    void bucketsKeepExtremesAndMean();
    void slopeOfALineIsItsSlope();
    void nothingGivesNothing();
};

void TestRangeStatistics::rawAgreesWithBruteForce()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-5e9, 9e10);
    std::uniform_int_distribution<int> seconds_(0, 600);
    for (int round = 0; round < 100; ++round) {
        const TimeRange all{kStart, kStart + seconds(600)};
        const auto samples = sampled(all, milliseconds(700), [&](double) { return value(random); });
        const int a = seconds_(random);
        const int b = seconds_(random);
        const TimeRange range{kStart + seconds(std::min(a, b)), kStart + seconds(std::max(a, b))};
        std::vector<double> inside;
        std::vector<double> hours_;
        for (const TimedValue &s : samples)
            if (range.contains(s.time)) {
                inside.push_back(s.value);
                hours_.push_back(duration<double, std::ratio<3600>>(s.time - kStart).count());
            }
        const RangeStatistics got = statisticsOf(sliceOf(all, samples), range);
        QCOMPARE(got.samples, static_cast<std::uint64_t>(inside.size()));
        if (inside.empty())
            continue;
        QVERIFY(!got.isApproximate);
        QVERIFY(isNear(got.first, inside.front()));
        QVERIFY(isNear(got.last, inside.back()));
        QVERIFY(isNear(got.delta, inside.back() - inside.front()));
        double sum = 0;
        for (const double v : inside)
            sum += v;
        const double mean = sum / static_cast<double>(inside.size());
        QVERIFY(isNear(got.mean, mean));
        std::vector<double> sorted = inside;
        std::sort(sorted.begin(), sorted.end());
        QVERIFY(isNear(got.min, sorted.front()));
        QVERIFY(isNear(got.max, sorted.back()));
        QVERIFY(isNear(got.p95, sorted[static_cast<std::size_t>(std::ceil(static_cast<double>(sorted.size()) * 0.95)) - 1]));
        double meanX = 0;
        for (const double x : hours_)
            meanX += x / static_cast<double>(hours_.size());
        double xx = 0;
        double xy = 0;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            xx += (hours_[i] - meanX) * (hours_[i] - meanX);
            xy += (hours_[i] - meanX) * (inside[i] - mean);
        }
        QCOMPARE(got.slopePerHour.has_value(), xx > 0);
        if (xx > 0)
            QVERIFY(std::abs(*got.slopePerHour - xy / xx) <= 1e-6 * std::abs(xy / xx));
    }
}

void TestRangeStatistics::bucketsKeepExtremesAndMean()
{
    const TimeRange all{kStart, kStart + seconds(600)};
    std::mt19937 random(3);
    std::uniform_real_distribution<double> value(0, 100);
    const auto samples = sampled(all, seconds(1), [&](double) { return value(random); });
    const RangeStatistics raw = statisticsOf(sliceOf(all, samples), all);
    const RangeStatistics bucketed = statisticsOf(sliceOf(all, samples, seconds(10)), all);
    QVERIFY(bucketed.isApproximate);
    QCOMPARE(bucketed.samples, raw.samples);
    QCOMPARE(bucketed.min, raw.min);
    QCOMPARE(bucketed.max, raw.max);
    QCOMPARE(bucketed.first, raw.first);
    QCOMPARE(bucketed.last, raw.last);
    QVERIFY(isNear(bucketed.mean, *raw.mean));
    QVERIFY(*bucketed.p95 >= *raw.p95); // of bucket maxima: never too low
}

void TestRangeStatistics::slopeOfALineIsItsSlope()
{
    const TimeRange all{kStart, kStart + minutes(18)};
    const auto samples = sampled(all, seconds(1), [](double s) { return 70e9 + s * 5.5e6; });
    for (const Duration width : {Duration{}, Duration(seconds(20))}) {
        const RangeStatistics got = statisticsOf(sliceOf(all, samples, width), all);
        QVERIFY2(std::abs(*got.slopePerHour / (5.5e6 * 3600) - 1) < 1e-6, qPrintable(QString::number(*got.slopePerHour)));
    }
}

void TestRangeStatistics::nothingGivesNothing()
{
    const TimeRange all{kStart, kStart + seconds(10)};
    const SeriesSlice slice = sliceOf(all, sampled(all, seconds(1), [](double s) { return s; }));
    QCOMPARE(statisticsOf(slice, {kStart + hours(1), kStart + hours(2)}), RangeStatistics{});
    QCOMPARE(statisticsOf({}, all), RangeStatistics{});
    QCOMPARE(statisticsOf(slice, {kStart + seconds(5), kStart + seconds(5)}), RangeStatistics{});
    const RangeStatistics one = statisticsOf(slice, {kStart + seconds(5), kStart + seconds(6)});
    QCOMPARE(one.samples, std::uint64_t(1));
    QVERIFY(!one.slopePerHour);
    // A NaN that a source really sent counts as nothing, not as everything.
    SeriesSlice odd = slice;
    odd.buckets[3].sum = odd.buckets[3].min = odd.buckets[3].max = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(isNear(statisticsOf(odd, all).max, 9));
    QCOMPARE(statisticsOf(odd, all).samples, std::uint64_t(9));
}

QTEST_APPLESS_MAIN(TestRangeStatistics)
#include "tst_range_statistics.moc"
