// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/headroom.h"

#include <QTest>

#include <functional>
#include <limits>
#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

constexpr double kGi = 1024.0 * 1024 * 1024;
const Instant kEnd{1'790'000'000s};

std::vector<HeadroomPoint> made(int seconds, const std::function<double(int)> &used)
{
    std::vector<HeadroomPoint> points;
    for (int i = 0; i < seconds; ++i)
        points.push_back({kEnd - std::chrono::seconds(seconds - 1 - i), used(i)});
    return points;
}

double secondsOf(Duration d) { return std::chrono::duration<double>(d).count(); }

} // namespace

class TestHeadroom : public QObject
{
    Q_OBJECT

private slots:
    void straightLineIsExact();
    void noiseWidensTheRange();
    void outliersDoNotMoveIt();
    void onlyTheLastTenMinutesCount();
    void steadyOrUnknown_data();
    void steadyOrUnknown();
    void alreadyFull();
    void hostsCountWhatIsAvailable();
};

void TestHeadroom::straightLineIsExact()
{
    // 10 GiB of 80, 0.1 GiB a second, now at 10 + 59.9.
    const auto points = made(600, [](int i) { return (10 + 0.1 * i) * kGi; });
    const auto range = timeToFull(points, 80 * kGi);
    QVERIFY(range);
    QVERIFY(std::abs(secondsOf(range->first) - 101) < 0.01);
    QVERIFY(std::abs(secondsOf(range->second) - 101) < 0.01);
}

void TestHeadroom::noiseWidensTheRange()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.5 * kGi);
    int held = 0;
    for (int round = 0; round < 200; ++round) {
        const auto points = made(600, [&](int i) { return (10 + 0.01 * i) * kGi + noise(random); });
        const auto range = timeToFull(points, 80 * kGi);
        QVERIFY(range);
        QVERIFY(range->first < range->second);
        const double truth = (70 - 5.99) / 0.01;
        held += secondsOf(range->first) < truth && truth < secondsOf(range->second) ? 1 : 0;
    }
    // The slope's range is one of 95 %; the level's own error is not in it.
    QVERIFY2(held > 160, qPrintable(QString::number(held)));
}

void TestHeadroom::outliersDoNotMoveIt()
{
    const auto points = made(600, [](int i) { return i % 10 == 3 ? 79 * kGi : (10 + 0.05 * i) * kGi; });
    const auto range = timeToFull(points, 80 * kGi);
    QVERIFY(range);
    const double truth = (70 - 0.05 * 599) / 0.05;
    QVERIFY(secondsOf(range->first) < truth * 1.02 && secondsOf(range->first) > truth * 0.8);
    QVERIFY(secondsOf(range->second) > truth * 0.98 && secondsOf(range->second) < truth * 1.2);
}

void TestHeadroom::onlyTheLastTenMinutesCount()
{
    const auto points = made(3600, [](int i) { return (i < 2900 ? 70.0 - 0.02 * i : 12 + 0.01 * (i - 2900)) * kGi; });
    const auto range = timeToFull(points, 80 * kGi);
    QVERIFY(range);
    QVERIFY(std::abs(secondsOf(range->first) - (68 - 6.99) / 0.01) < 5);
}

void TestHeadroom::steadyOrUnknown_data()
{
    using Points = std::vector<HeadroomPoint>;
    QTest::addColumn<Points>("points");
    QTest::addColumn<double>("capacity");
    const auto rising = [](int i) { return (10 + 0.1 * i) * kGi; };
    QTest::newRow("nothing") << Points{} << 80 * kGi;
    QTest::newRow("seven points") << made(7, rising) << 80 * kGi;
    QTest::newRow("under a minute") << made(50, rising) << 80 * kGi;
    QTest::newRow("constant") << made(600, [](int) { return 50 * kGi; }) << 80 * kGi;
    QTest::newRow("falling") << made(600, [](int i) { return (60 - 0.01 * i) * kGi; }) << 80 * kGi;
    QTest::newRow("saw-tooth") << made(600, [](int i) { return (40 + i % 30) * kGi; }) << 80 * kGi;
    QTest::newRow("creeping less than a page") << made(600, [](int i) { return 40 * kGi + i; }) << 80 * kGi;
    QTest::newRow("no capacity") << made(600, rising) << 0.0;
    QTest::newRow("capacity unknown") << made(600, rising) << std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("only NaN") << made(600, [](int) { return std::numeric_limits<double>::quiet_NaN(); }) << 80 * kGi;
    QTest::newRow("all at one instant") << Points(50, HeadroomPoint{kEnd, kGi}) << 80 * kGi;
}

void TestHeadroom::steadyOrUnknown()
{
    QFETCH(std::vector<HeadroomPoint>, points);
    QFETCH(double, capacity);
    QVERIFY(!timeToFull(points, capacity));
}

void TestHeadroom::alreadyFull()
{
    const auto points = made(600, [](int i) { return (50 + 0.1 * i) * kGi; });
    const auto range = timeToFull(points, 80 * kGi);
    QVERIFY(range);
    QCOMPARE(range->first, Duration::zero());
}

void TestHeadroom::hostsCountWhatIsAvailable()
{
    SeriesSlice available;
    for (const HeadroomPoint &point : made(600, [](int i) { return (60 - 0.05 * i) * kGi; })) {
        Bucket bucket;
        bucket.begin = bucket.firstTime = bucket.lastTime = point.time;
        bucket.min = bucket.max = bucket.first = bucket.last = bucket.sum = point.used;
        bucket.count = 1;
        available.buckets.push_back(bucket);
    }
    const auto range = timeToFullOfAvailable(available, 64 * kGi);
    QVERIFY(range);
    QVERIFY(std::abs(secondsOf(range->first) - (60 - 0.05 * 599) / 0.05) < 0.01);
    QVERIFY(!timeToFull(available, 64 * kGi)); // as use it would be falling
}

QTEST_APPLESS_MAIN(TestHeadroom)
#include "tst_headroom.moc"
