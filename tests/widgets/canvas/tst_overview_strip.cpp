// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/slice_builder.h"
#include "widgets/canvas/overview_strip.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <memory>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = Instant(sys_days(2026y / 11 / 18)) + hours(8);
const TimeRange kExtent{kStart, kStart + hours(6)};

std::unique_ptr<OverviewStrip> shownStrip()
{
    auto strip = std::make_unique<OverviewStrip>();
    strip->setUtc(true);
    strip->setExtent(kExtent);
    strip->setWindow({kStart + hours(4), kStart + hours(5)});
    strip->setSilhouette(sliceOf(kExtent, sampled(kExtent, seconds(30), [](double s) { return s < 10800 ? 20.0 : 80.0; }), minutes(1)).buckets, 100);
    strip->setGaps({{{kStart + minutes(30), kStart + minutes(60)}, GapReason::Away, ""}});
    strip->resize(726, 46); // two px a minute, and the grips' room
    strip->show();
    return strip;
}

QPoint at(const OverviewStrip &strip, Instant time, int dx = 0)
{
    return {static_cast<int>(std::lround(strip.xOf(time))) + dx, 16};
}

void drag(OverviewStrip &strip, QPoint from, QPoint to)
{
    QTest::mousePress(&strip, Qt::LeftButton, {}, from);
    QTest::mouseMove(&strip, (from + to) / 2);
    QTest::mouseMove(&strip, to);
    QTest::mouseRelease(&strip, Qt::LeftButton, {}, to);
}

bool isNear(Instant a, Instant b) { return (a > b ? a - b : b - a) <= minutes(1); }

} // namespace

class TestOverviewStrip : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void gripsResize();
    void bodyMovesAndStopsAtTheEnd();
    void elsewhereJumps();
    void aClickOnTheWindowDoesNothing();
    void keysMoveTheWindow();
    void escapeTakesADragBack();
    void liveUpdatesDoNotPullTheHand();
    void silhouetteIsAsHighAsItsValue_data();
    void silhouetteIsAsHighAsItsValue();
    void nothingToShowIsHarmless();
};

void TestOverviewStrip::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestOverviewStrip::gripsResize()
{
    auto strip = shownStrip();
    QSignalSpy dragged(strip.get(), &OverviewStrip::windowDragged);
    QSignalSpy released(strip.get(), &OverviewStrip::windowReleased);
    drag(*strip, at(*strip, kStart + hours(4)), at(*strip, kStart + hours(3)));
    QCOMPARE(released.count(), 1);
    QVERIFY(dragged.count() >= 2);
    QVERIFY(isNear(strip->window().begin, kStart + hours(3)));
    QCOMPARE(strip->window().end, kStart + hours(5));
    drag(*strip, at(*strip, kStart + hours(5)), at(*strip, kStart + hours(9))); // beyond the end
    QCOMPARE(strip->window().end, kExtent.end);
    drag(*strip, at(*strip, strip->window().begin), at(*strip, kExtent.end, 50)); // over the other grip
    QVERIFY(strip->window().length() > Duration::zero());
    QCOMPARE(released.last()[0].value<TimeRange>(), strip->window());
}

void TestOverviewStrip::bodyMovesAndStopsAtTheEnd()
{
    auto strip = shownStrip();
    drag(*strip, at(*strip, kStart + minutes(270)), at(*strip, kStart + minutes(210)));
    QVERIFY(isNear(strip->window().begin, kStart + hours(3)));
    QCOMPARE(strip->window().length(), Duration(hours(1)));
    drag(*strip, at(*strip, kStart + minutes(210)), {-300, 16});
    QCOMPARE(strip->window(), (TimeRange{kStart, kStart + hours(1)}));
}

void TestOverviewStrip::elsewhereJumps()
{
    auto strip = shownStrip();
    QSignalSpy released(strip.get(), &OverviewStrip::windowReleased);
    QTest::mouseClick(strip.get(), Qt::LeftButton, {}, at(*strip, kStart + hours(2)));
    QCOMPARE(released.count(), 1);
    QVERIFY(isNear(strip->window().begin, kStart + minutes(90)));
    QCOMPARE(strip->window().length(), Duration(hours(1)));
}

void TestOverviewStrip::aClickOnTheWindowDoesNothing()
{
    auto strip = shownStrip();
    QSignalSpy released(strip.get(), &OverviewStrip::windowReleased);
    QTest::mouseClick(strip.get(), Qt::LeftButton, {}, at(*strip, kStart + minutes(270)));
    QTest::mouseClick(strip.get(), Qt::RightButton, {}, at(*strip, kStart + hours(1)));
    QCOMPARE(released.count(), 0);
}

void TestOverviewStrip::keysMoveTheWindow()
{
    auto strip = shownStrip();
    QSignalSpy released(strip.get(), &OverviewStrip::windowReleased);
    strip->setFocus();
    QTest::keyClick(strip.get(), Qt::Key_Left);
    QCOMPARE(strip->window().begin, kStart + hours(4) - minutes(6));
    QTest::keyClick(strip.get(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(strip->window().begin, kStart + hours(4) + minutes(24));
    for (int i = 0; i < 30; ++i)
        QTest::keyClick(strip.get(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(strip->window().end, kExtent.end);
    QVERIFY(released.count() < 10); // at the end there is no further step
}

void TestOverviewStrip::escapeTakesADragBack()
{
    auto strip = shownStrip();
    QSignalSpy released(strip.get(), &OverviewStrip::windowReleased);
    QTest::mousePress(strip.get(), Qt::LeftButton, {}, at(*strip, kStart + minutes(270)));
    QTest::mouseMove(strip.get(), at(*strip, kStart + minutes(100)));
    QTest::keyClick(strip.get(), Qt::Key_Escape);
    QCOMPARE(strip->window(), (TimeRange{kStart + hours(4), kStart + hours(5)}));
    QTest::mouseRelease(strip.get(), Qt::LeftButton, {}, at(*strip, kStart + minutes(100)));
    QCOMPARE(released.count(), 0);
}

void TestOverviewStrip::liveUpdatesDoNotPullTheHand()
{
    auto strip = shownStrip();
    QTest::mousePress(strip.get(), Qt::LeftButton, {}, at(*strip, kStart + minutes(270)));
    QTest::mouseMove(strip.get(), at(*strip, kStart + minutes(150)));
    const TimeRange held = strip->window();
    strip->setWindow({kStart + hours(5), kStart + hours(6)}); // live goes on meanwhile
    QCOMPARE(strip->window(), held);
    QTest::mouseRelease(strip.get(), Qt::LeftButton, {}, at(*strip, kStart + minutes(150)));
    strip->setWindow({kStart + hours(5), kStart + hours(6)});
    QCOMPARE(strip->window().begin, kStart + hours(5));
}

void TestOverviewStrip::silhouetteIsAsHighAsItsValue_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestOverviewStrip::silhouetteIsAsHighAsItsValue()
{
    QFETCH(bool, dark);
    applyTheme(*qApp, dark ? Theme::Dark : Theme::Light);
    auto strip = shownStrip();
    strip->setWindow({kStart, kStart + minutes(5)});
    const QImage picture = strip->grab().toImage();
    const auto topOf = [&](Instant t) {
        const int x = static_cast<int>(strip->xOf(t));
        const QRgb ground = picture.pixel(x, 3);
        for (int y = 4; y < 30; ++y)
            if (std::abs(qGray(picture.pixel(x, y)) - qGray(ground)) > 6)
                return y;
        return 30;
    };
    const int low = topOf(kStart + hours(2));
    const int high = topOf(kStart + hours(5));
    QVERIFY2(std::abs(low - (31 - 0.2 * 22)) <= 2, qPrintable(QString::number(low)));
    QVERIFY2(std::abs(high - (31 - 0.8 * 22)) <= 2, qPrintable(QString::number(high)));
    applyTheme(*qApp, Theme::Light);
}

void TestOverviewStrip::nothingToShowIsHarmless()
{
    OverviewStrip strip;
    QSignalSpy released(&strip, &OverviewStrip::windowReleased);
    strip.resize(300, 46);
    strip.show();
    strip.grab();
    QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(100, 10));
    QTest::keyClick(&strip, Qt::Key_Left);
    strip.setExtent({kStart, kStart});
    strip.setSilhouette({}, 0);
    strip.resize(1, 1);
    strip.grab();
    QCOMPARE(released.count(), 0);
}

QTEST_MAIN(TestOverviewStrip)
#include "tst_overview_strip.moc"
