// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/ruler.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace plimsoll;
using namespace std::chrono;

namespace {

const Instant kStart = Instant(sys_days(2026y / 11 / 18)) + hours(13) + minutes(3) + seconds(7);
constexpr double kGiB = 1024.0 * 1024 * 1024;

QStringList labels(const std::vector<TimeTick> &ticks)
{
    QStringList list;
    for (const TimeTick &tick : ticks)
        list << tick.label;
    return list;
}

} // namespace

class TestRuler : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void timeLabels_data();
    void timeLabels();
    void timeTicksKeepTheirDistance();
    void localTimeFollowsTheZone();
    void tagIsAsFineAsAPixel();
    void axes_data();
    void axes();
    void axesSurviveAnything();
};

void TestRuler::initTestCase()
{
    QLocale::setDefault(QLocale::c());
    qputenv("TZ", "Europe/Berlin");
}

void TestRuler::timeLabels_data()
{
    QTest::addColumn<qint64>("length");
    QTest::addColumn<double>("width");
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    const auto row = [](const char *name, auto length, double width, const char *first, const char *second) {
        QTest::newRow(name) << qint64(Duration(length).count()) << width << QString::fromLatin1(first) << QString::fromLatin1(second);
    };
    row("an hour on a wide plot", hours(1), 1062, "13:05", "13:10");
    row("an hour on a narrow plot", hours(1), 240, "13:15", "13:30");
    row("ten minutes", minutes(10), 1000, "13:04", "13:05");
    row("one minute", minutes(1), 900, "13:03:10", "13:03:15");
    row("two seconds", seconds(2), 900, "13:03:07.0", "13:03:07.5");
    row("ten milliseconds", milliseconds(10), 900, "13:03:07.000", "13:03:07.002");
    row("a day passes midnight", hours(24), 900, "14:00", "16:00");
    row("a week", hours(24 * 7), 900, "19 Nov", "12:00");
    row("a fortnight", hours(24 * 14), 900, "19 Nov", "20 Nov");
    row("a quarter", hours(24 * 92), 900, "23 Nov", "30 Nov");
    row("three years", hours(24 * 1096), 900, "Jan 2027", "Apr 2027");
}

void TestRuler::timeLabels()
{
    QFETCH(qint64, length);
    QFETCH(double, width);
    QFETCH(QString, first);
    QFETCH(QString, second);
    const auto ticks = timeTicks({kStart, kStart + Duration{length}}, width, true);
    QVERIFY2(ticks.size() >= 2, "at least two labels fit");
    QVERIFY2(ticks[0].label == first, qPrintable(labels(ticks).join(QStringLiteral(" | "))));
    QVERIFY2(ticks[1].label == second, qPrintable(labels(ticks).join(QStringLiteral(" | "))));
}

void TestRuler::timeTicksKeepTheirDistance()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> magnitude(4.5, 18.3); // 30 µs … 60 years
    std::uniform_int_distribution<int> pixels(200, 3000);
    for (int i = 0; i < 200; ++i) {
        const Duration length{static_cast<qint64>(std::pow(10, magnitude(random)))};
        const int width = pixels(random);
        const auto ticks = timeTicks({kStart, kStart + length}, width, i % 2 == 0);
        QVERIFY(ticks.size() <= static_cast<std::size_t>(width / 40 + 2));
        for (std::size_t k = 1; k < ticks.size(); ++k) {
            const double apart = static_cast<double>((ticks[k].time - ticks[k - 1].time).count()) / static_cast<double>(length.count()) * width;
            QVERIFY2(apart > 38, qPrintable(QStringLiteral("%1 px at %2 ns over %3").arg(apart).arg(length.count()).arg(width)));
            QVERIFY(apart < 500);
        }
        for (const TimeTick &tick : ticks)
            QVERIFY(tick.time >= kStart && tick.time <= kStart + length);
    }
    QVERIFY(timeTicks({kStart, kStart}, 500, true).empty());
    QVERIFY(timeTicks({kStart, kStart + hours(1)}, 0, true).empty());
    QVERIFY(timeTicks({kStart, kStart + hours(1)}, std::numeric_limits<double>::quiet_NaN(), true).empty());
}

void TestRuler::localTimeFollowsTheZone()
{
    const auto utc = timeTicks({kStart, kStart + hours(1)}, 1000, true);
    const auto local = timeTicks({kStart, kStart + hours(1)}, 1000, false);
    QCOMPARE(utc.size(), local.size());
    QCOMPARE(utc[0].time, local[0].time); // an hour's shift is a whole number of steps
    QCOMPARE(utc[0].label, QStringLiteral("13:05"));
    QCOMPARE(local[0].label, QStringLiteral("14:05"));
    // On 25 October 2026 the clock goes back: six-hour labels stay round on both sides.
    const Instant before = Instant(sys_days(2026y / 10 / 24)) + hours(12);
    for (const TimeTick &tick : timeTicks({before, before + hours(48)}, 640, false))
        QVERIFY2(tick.label.endsWith(QStringLiteral(":00")) || tick.label.contains(QStringLiteral("Oct")), qPrintable(tick.label));
}

void TestRuler::tagIsAsFineAsAPixel()
{
    QCOMPARE(timeTagText(kStart, seconds(3), true), QStringLiteral("13:03:07"));
    QCOMPARE(timeTagText(kStart + milliseconds(250), milliseconds(5), true), QStringLiteral("13:03:07.250"));
    QCOMPARE(timeTagText(kStart, minutes(5), true), QStringLiteral("13:03"));
    QCOMPARE(timeTagText(kStart, hours(3), true), QStringLiteral("18 Nov 13:03"));
}

void TestRuler::axes_data()
{
    QTest::addColumn<double>("min");
    QTest::addColumn<double>("max");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<double>("height");
    QTest::addColumn<double>("limit");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, double min, double max, const char *unit, double height, double limit, const char *expected) {
        QTest::newRow(name) << min << max << QString::fromLatin1(unit) << height << limit << QString::fromUtf8(expected);
    };
    row("the capacity's number replaces the top label", 14 * kGiB, 78 * kGiB, "By", 160, 79.6 * kGiB, "GiB: 0 20 40 60 79.6");
    row("a host of a terabyte stays in GiB", 300 * kGiB, 412 * kGiB, "By", 80, 1007 * kGiB, "GiB: 0 500 1,007");
    row("no limit: a round top", 0, 55 * kGiB, "By", 160, 0, "GiB: 0 20 40 60");
    row("half a GiB is MiB", 0, 0.4 * kGiB, "By", 160, 0, "MiB: 0 100 200 300 400 500");
    row("a little over a GiB in tenths", 0, 1.3 * kGiB, "By", 160, 1.5 * kGiB, "GiB: 0 0.5 1.0 1.5");
    row("over the limit the limit is marked", 0, 90 * kGiB, "By", 160, 79.6 * kGiB, "GiB: 0 20 40 60 79.6 100");
    row("a ratio in per cent", 0, 0.62, "1", 160, 0, "%: 0 20 40 60 80");
    row("milliseconds", 0, 0.184, "s", 160, 0, "ms: 0 50 100 150 200");
    row("zero alone", 0, 0, "By", 160, 0, "B: 0 0.2 0.4 0.6 0.8 1.0");
}

void TestRuler::axes()
{
    QFETCH(double, min);
    QFETCH(double, max);
    QFETCH(QString, unit);
    QFETCH(double, height);
    QFETCH(double, limit);
    QFETCH(QString, expected);
    ValueAxisWish wish{min, max, unit.toStdString(), height, true, std::nullopt};
    if (limit > 0)
        wish.limit = limit;
    const ValueAxis axis = valueAxis(wish);
    QStringList said;
    for (const ValueTick &tick : axis.ticks)
        said << tick.label;
    QString text = axis.unit + QStringLiteral(": ") + said.join(u' ');
    QCOMPARE(text, expected);
    QVERIFY(axis.bottom <= min && axis.top >= max);
    for (std::size_t i = 1; i < axis.ticks.size(); ++i)
        QVERIFY(axis.ticks[i].value > axis.ticks[i - 1].value);
}

void TestRuler::axesSurviveAnything()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    for (const double min : {nan, inf, -inf, 0.0, -5.0, 1e300, -1e300, 1e-300})
        for (const double max : {nan, inf, -inf, 0.0, 5.0, 1e300, 1e-300})
            for (const double height : {0.0, 1.0, 200.0, 1e6})
                for (const std::optional<double> limit : {std::optional<double>(), std::optional<double>(nan), std::optional<double>(7.0)}) {
                    const ValueAxis axis = valueAxis({min, max, "By", height, height > 1, limit});
                    QVERIFY(std::isfinite(axis.bottom) && std::isfinite(axis.top));
                    QVERIFY(axis.top > axis.bottom);
                    QVERIFY(axis.ticks.size() < 300);
                }
    // A foreign unit is only text.
    QCOMPARE(valueAxis({0, 3, "<b>\u202ex</b>", 100, true, {}}).unit.contains(QChar(0x202e)), false);
}

QTEST_GUILESS_MAIN(TestRuler)
#include "tst_ruler.moc"
