// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/coordinates.h"

#include <QTest>

#include <random>

using namespace plimsoll;
using namespace std::chrono;

class TestCoordinates : public QObject
{
    Q_OBJECT

private slots:
    void timeRoundTrip_data();
    void timeRoundTrip();
    void valueRoundTrip();
    void zoomKeepsItsInstant_data();
    void zoomKeepsItsInstant();
    void emptyScalesAreHarmless();
    void crispLinesLieOnPixelCentres();
};

void TestCoordinates::timeRoundTrip_data()
{
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("length");
    QTest::addColumn<double>("left");
    QTest::addColumn<double>("width");
    const qint64 now = 1'763'470'980'000'000'000; // in November 2025, ns
    QTest::newRow("an hour") << now << qint64(3'600'000'000'000) << 56.0 << 1062.0;
    QTest::newRow("a microsecond") << now << qint64(1'000) << 56.0 << 1000.0;
    QTest::newRow("a year") << now << qint64(31'536'000'000'000'000) << 0.0 << 1600.0;
    QTest::newRow("before 1970") << qint64(-86'400'000'000'000) << qint64(3'600'000'000'000) << 44.0 << 333.0;
    QTest::newRow("one pixel") << now << qint64(60'000'000'000) << 10.0 << 1.0;
}

void TestCoordinates::timeRoundTrip()
{
    QFETCH(qint64, begin);
    QFETCH(qint64, length);
    QFETCH(double, left);
    QFETCH(double, width);
    const TimeScale scale{{fromUnixNanos(begin), fromUnixNanos(begin + length)}, left, width};
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    for (int i = 0; i < 500; ++i) {
        const double x = left + share(random) * width;
        const double back = scale.x(scale.at(x));
        QVERIFY2(std::abs(back - x) <= 0.51 * width / static_cast<double>(length) + 1e-9 * width, qPrintable(QString::number(back - x)));
        const Instant t = fromUnixNanos(begin + static_cast<qint64>(share(random) * static_cast<double>(length)));
        // A double has 53 bits for what lies inside the range, not for the time since 1970.
        QVERIFY(std::abs((scale.at(scale.x(t)) - t).count()) <= 1 + length / 1'000'000'000'000);
    }
    QCOMPARE(scale.x(scale.range.begin), left);
    QCOMPARE(scale.x(scale.range.end), left + width);
}

void TestCoordinates::valueRoundTrip()
{
    const ValueScale scale{0, 80.0 * 1024 * 1024 * 1024, 24, 300};
    QCOMPARE(scale.y(0), 324.0);
    QCOMPARE(scale.y(scale.top), 24.0);
    for (double v = 0; v < scale.top; v += scale.top / 37)
        QVERIFY(std::abs(scale.value(scale.y(v)) - v) < 1e-3);
    QCOMPARE((ValueScale{5, 5, 10, 100}.y(5)), 110.0); // an empty span does not divide
    QCOMPARE((ValueScale{5, 9, 10, 0}.value(10)), 5.0);
}

void TestCoordinates::zoomKeepsItsInstant_data()
{
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("share");
    QTest::newRow("in at the middle") << 0.8 << 0.5;
    QTest::newRow("in at the left edge") << 0.5 << 0.0;
    QTest::newRow("out at a quarter") << 1.25 << 0.25;
    QTest::newRow("out beyond the right edge") << 2.0 << 1.2;
}

void TestCoordinates::zoomKeepsItsInstant()
{
    QFETCH(double, factor);
    QFETCH(double, share);
    const TimeRange range{fromUnixNanos(1'000'000'000'000), fromUnixNanos(1'600'000'000'000)};
    const Instant keep = range.begin + Duration{static_cast<qint64>(share * 600e9)};
    const TimeRange next = zoomed(range, factor, keep);
    QVERIFY(std::abs(static_cast<double>(next.length().count()) - factor * 600e9) <= 2);
    const TimeScale before{range, 50, 900};
    const TimeScale after{next, 50, 900};
    QVERIFY(std::abs(before.x(keep) - after.x(keep)) < 1e-4);
}

void TestCoordinates::emptyScalesAreHarmless()
{
    const Instant t = fromUnixNanos(1000);
    const TimeScale none{{t, t}, 20, 100};
    QVERIFY(!none.isValid());
    QCOMPARE(none.x(t + seconds(1)), 20.0);
    QCOMPARE(none.at(70), t);
    QCOMPARE((TimeScale{{t, t + seconds(1)}, 20, 0}.at(500)), t);
    // A mouse far outside must not overflow into another century.
    const TimeScale hour{{t, t + hours(1)}, 0, 100};
    QCOMPARE(hour.at(1e300), t + hours(2));
    QCOMPARE(hour.at(-1e300), t - hours(1));
}

void TestCoordinates::crispLinesLieOnPixelCentres()
{
    QCOMPARE(crisp(10.2), 10.5);
    QCOMPARE(crisp(10.9), 10.5);
    QCOMPARE(crisp(10.2, 2), 10.25);
    QCOMPARE(crisp(-0.2), -0.5);
}

QTEST_APPLESS_MAIN(TestCoordinates)
#include "tst_coordinates.moc"
