// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/time.h"
#include "support/test_clock.h"

#include <QTest>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

TimeRange range(std::int64_t begin, std::int64_t end) { return {fromUnixNanos(begin), fromUnixNanos(end)}; }

} // namespace

class TestTime : public QObject
{
    Q_OBJECT

private slots:
    void rangesAreHalfOpen();
    void rangesOverlapAndMeet();
    void nanosAreExact();
    void systemClockRuns();
    void testClockStands();
};

void TestTime::rangesAreHalfOpen()
{
    const auto r = range(10, 20);
    QVERIFY(r.contains(fromUnixNanos(10)));
    QVERIFY(r.contains(fromUnixNanos(19)));
    QVERIFY(!r.contains(fromUnixNanos(20)));
    QVERIFY(!r.contains(fromUnixNanos(9)));
    QCOMPARE(r.length(), Duration(10ns));
    QVERIFY(range(10, 10).isEmpty());
    QVERIFY(range(11, 10).isEmpty());
}

void TestTime::rangesOverlapAndMeet()
{
    QVERIFY(!range(0, 10).overlaps(range(10, 20)));
    QVERIFY(range(0, 11).overlaps(range(10, 20)));
    QVERIFY(range(0, 100).intersected(range(10, 20)) == range(10, 20));
    QVERIFY(range(0, 15).intersected(range(10, 20)) == range(10, 15));
    QVERIFY(range(0, 5).intersected(range(10, 20)).isEmpty());
}

void TestTime::nanosAreExact()
{
    for (const std::int64_t nanos : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'790'000'000'123'456'789}})
        QCOMPARE(toUnixNanos(fromUnixNanos(nanos)), nanos);
}

void TestTime::systemClockRuns()
{
    const auto before = systemClock().monotonicNow();
    QVERIFY(toUnixNanos(systemClock().now()) > 1'600'000'000'000'000'000); // after 2020
    QVERIFY(systemClock().monotonicNow() >= before);
}

void TestTime::testClockStands()
{
    test::TestClock clock;
    const auto wall = clock.now();
    const auto monotonic = clock.monotonicNow();
    QVERIFY(clock.now() == wall);
    clock.advance(3s);
    QVERIFY(clock.now() == wall + 3s);
    QVERIFY(clock.monotonicNow() == monotonic + 3s);
}

QTEST_APPLESS_MAIN(TestTime)
#include "tst_time.moc"
