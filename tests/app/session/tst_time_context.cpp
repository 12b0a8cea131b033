// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/time_context.h"
#include "support/test_clock.h"

#include <QSignalSpy>
#include <QTest>

#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

double positionIn(const TimeRange &range, Instant t)
{
    return static_cast<double>((t - range.begin).count()) / static_cast<double>(range.length().count());
}

} // namespace

class TestTimeContext : public QObject
{
    Q_OBJECT

private slots:
    void zoomKeepsTheInstant_data();
    void zoomKeepsTheInstant();
    void zoomWhileLive_data();
    void zoomWhileLive();
    void wheelStepsAreOneStep();
    void otherKindsDoNotMerge();
    void liveFollowsTheClock();
    void panFreezesAndStaysFrozen();
    void panStopsAtNow();
    void showRangeAtNowIsLive_data();
    void showRangeAtNowIsLive();
    void spanKeepsTheRightEdge();
    void frozenSinceIsWhenItBegan();
    void travelAndReturn_data();
    void travelAndReturn();
    void openJobIsOneStep();
    void homeClearsRangeAndFilter();
    void nothingChangedNothingSaid();
    void undoGivesBackEveryState();
};

void TestTimeContext::zoomKeepsTheInstant_data()
{
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("position");
    for (const double factor : {0.1, 0.5, 0.9, 1.1, 2.0, 30.0}) {
        for (const double position : {0.0, 0.25, 0.5, 1.0})
            QTest::addRow("by %g at %g", factor, position) << factor << position;
    }
}

void TestTimeContext::zoomKeepsTheInstant()
{
    QFETCH(double, factor);
    QFETCH(double, position);
    const test::TestClock clock;
    TimeContext time(clock);
    const Instant end = clock.now() - 1h;
    time.showRange({end - 10min, end});
    const TimeRange before = time.visibleRange();
    const Instant keep = before.begin + Duration{static_cast<std::int64_t>(position * 6e11)};

    time.zoom(factor, keep);

    const TimeRange after = time.visibleRange();
    QVERIFY(std::abs(static_cast<double>(after.length().count()) / 6e11 - factor) < 1e-9);
    QVERIFY(std::abs(positionIn(after, keep) - position) < 1e-6);
    QCOMPARE(time.state().mode, TimeMode::Frozen);
}

void TestTimeContext::zoomWhileLive_data()
{
    QTest::addColumn<double>("factor");
    QTest::addColumn<int>("secondsBeforeNow");
    QTest::addColumn<bool>("staysLive");
    QTest::newRow("in, at now") << 0.5 << 0 << true;
    QTest::newRow("in, near now") << 0.5 << 60 << true;
    QTest::newRow("in, far from now") << 0.5 << 400 << false;
    QTest::newRow("out, far from now") << 2.0 << 400 << true;
}

void TestTimeContext::zoomWhileLive()
{
    QFETCH(double, factor);
    QFETCH(int, secondsBeforeNow);
    QFETCH(bool, staysLive);
    const test::TestClock clock;
    TimeContext time(clock);
    time.zoom(factor, clock.now() - std::chrono::seconds(secondsBeforeNow));
    QCOMPARE(time.state().mode == TimeMode::Live, staysLive);
    if (staysLive)
        QCOMPARE(time.visibleRange().end, clock.now());
    QCOMPARE(time.visibleRange().length(), Duration{static_cast<std::int64_t>(6e11 * factor)});
}

void TestTimeContext::wheelStepsAreOneStep()
{
    test::TestClock clock;
    TimeContext time(clock);
    time.freeze();
    const ViewState before = time.state();
    for (int i = 0; i < 10; ++i) {
        time.zoom(0.9, time.visibleRange().begin + time.visibleRange().length() / 2);
        clock.advance(100ms); // slower in sum than 0.4 s, never between two
    }
    const ViewState first = time.state();
    clock.advance(1s);
    time.zoom(0.9, time.visibleRange().begin);

    time.back();
    QCOMPARE(time.state(), first);
    time.back();
    QCOMPARE(time.state(), before);
    time.forward();
    QCOMPARE(time.state(), first);
    QVERIFY(time.canGoForward());
}

void TestTimeContext::otherKindsDoNotMerge()
{
    const test::TestClock clock;
    TimeContext time(clock);
    time.freeze();
    time.zoom(0.5, time.visibleRange().begin);
    const ViewState zoomed = time.state();
    time.pan(-1min);
    time.back();
    QCOMPARE(time.state(), zoomed);
    // A step right after going back must not eat the state it stands on.
    time.zoom(0.5, time.visibleRange().begin);
    time.back();
    QCOMPARE(time.state(), zoomed);
}

void TestTimeContext::liveFollowsTheClock()
{
    test::TestClock clock;
    TimeContext time(clock);
    QSignalSpy moved(&time, &TimeContext::rangeChanged);
    QSignalSpy changed(&time, &TimeContext::stateChanged);
    clock.advance(5s);
    time.advance();
    QCOMPARE(time.visibleRange().end, clock.now());
    QCOMPARE(moved.size(), 1);
    QCOMPARE(changed.size(), 0); // the passing of time is no step

    time.freeze();
    const TimeRange range = time.visibleRange();
    clock.advance(5s);
    time.advance();
    QCOMPARE(time.visibleRange(), range);
    QCOMPARE(moved.size(), 1); // freezing shows the same range
    QCOMPARE(time.now(), clock.now());

    time.follow();
    QCOMPARE(time.visibleRange().end, clock.now());
    QCOMPARE(time.visibleRange().length(), range.length());
}

void TestTimeContext::panFreezesAndStaysFrozen()
{
    test::TestClock clock;
    TimeContext time(clock);
    const TimeRange live = time.visibleRange();
    time.pan(1min);
    QCOMPARE(time.state().mode, TimeMode::Live); // nothing lies behind now
    time.pan(-2min);
    QCOMPARE(time.state().mode, TimeMode::Frozen);
    QCOMPARE(time.visibleRange().end, live.end - 2min);
    time.pan(10min);
    QCOMPARE(time.visibleRange(), live);
    QCOMPARE(time.state().mode, TimeMode::Frozen);
    time.toggleFreeze();
    QCOMPARE(time.state().mode, TimeMode::Live);
}

void TestTimeContext::panStopsAtNow()
{
    test::TestClock clock;
    TimeContext time(clock);
    time.freeze();
    clock.advance(30s);
    time.pan(1h);
    QCOMPARE(time.visibleRange().end, clock.now());
    time.pan(1h);
    QCOMPARE(time.visibleRange().end, clock.now());
}

void TestTimeContext::showRangeAtNowIsLive_data()
{
    QTest::addColumn<qint64>("beginSeconds");
    QTest::addColumn<qint64>("endSeconds");
    QTest::addColumn<int>("mode");
    QTest::newRow("ends now") << qint64(-3600) << qint64(0) << int(TimeMode::Live);
    QTest::newRow("reaches past now") << qint64(-3600) << qint64(60) << int(TimeMode::Live);
    QTest::newRow("within a hundredth") << qint64(-3600) << qint64(-30) << int(TimeMode::Live);
    QTest::newRow("a minute ago") << qint64(-3600) << qint64(-60) << int(TimeMode::Frozen);
    QTest::newRow("yesterday") << qint64(-90000) << qint64(-86400) << int(TimeMode::Frozen);
}

void TestTimeContext::showRangeAtNowIsLive()
{
    QFETCH(qint64, beginSeconds);
    QFETCH(qint64, endSeconds);
    QFETCH(int, mode);
    const test::TestClock clock;
    TimeContext time(clock);
    const TimeRange range{clock.now() + std::chrono::seconds(beginSeconds), clock.now() + std::chrono::seconds(endSeconds)};
    time.showRange(range);
    QCOMPARE(int(time.state().mode), mode);
    QCOMPARE(time.visibleRange().length(), range.length());
    if (mode == int(TimeMode::Frozen))
        QCOMPARE(time.visibleRange(), range);
    else
        QCOMPARE(time.visibleRange().end, clock.now());
}

void TestTimeContext::spanKeepsTheRightEdge()
{
    const test::TestClock clock;
    TimeContext time(clock);
    time.setSpan(1h);
    QCOMPARE(time.state().mode, TimeMode::Live);
    QCOMPARE(time.visibleRange(), (TimeRange{clock.now() - 1h, clock.now()}));
    time.pan(-2h);
    time.setSpan(10min);
    QCOMPARE(time.visibleRange(), (TimeRange{clock.now() - 2h - 10min, clock.now() - 2h}));
    time.setSpan(Duration::zero());
    QVERIFY(!time.visibleRange().isEmpty());
}

void TestTimeContext::frozenSinceIsWhenItBegan()
{
    test::TestClock clock;
    TimeContext time(clock);
    QVERIFY(!time.frozenSince());
    time.freeze();
    const Instant since = clock.now();
    clock.advance(1min);
    time.pan(-1min);
    QCOMPARE(time.frozenSince(), std::optional(since));
    time.follow();
    QVERIFY(!time.frozenSince());
}

void TestTimeContext::travelAndReturn_data()
{
    QTest::addColumn<bool>("fromFrozen");
    QTest::addColumn<bool>("inRange");
    QTest::newRow("from live, in sight") << false << true;
    QTest::newRow("from live, out of sight") << false << false;
    QTest::newRow("from frozen, in sight") << true << true;
    QTest::newRow("from frozen, out of sight") << true << false;
}

void TestTimeContext::travelAndReturn()
{
    QFETCH(bool, fromFrozen);
    QFETCH(bool, inRange);
    test::TestClock clock;
    TimeContext time(clock);
    time.openJob("rag");
    if (fromFrozen)
        time.pan(-5min);
    const ViewState before = time.state();
    const TimeRange seen = time.visibleRange();
    const Instant at = inRange ? seen.begin + 1min : seen.begin - 3h;

    time.travelTo(at);
    QCOMPARE(time.state().mode, TimeMode::Travelling);
    QCOMPARE(time.state().travelTo, std::optional(at));
    QVERIFY(time.visibleRange().contains(at));
    if (inRange)
        QCOMPARE(time.visibleRange(), seen);
    QCOMPARE(time.visibleRange().length(), seen.length());

    time.setPage("fleet"); // looks around there
    time.zoom(0.5, at);
    QCOMPARE(time.state().mode, TimeMode::Travelling);
    clock.advance(10s);
    time.returnFromTravel();
    QCOMPARE(time.state(), before);
    if (!fromFrozen)
        QCOMPARE(time.visibleRange().end, clock.now());
    time.back(); // and the travel can be had again
    QCOMPARE(time.state().travelTo, std::optional(at));
}

void TestTimeContext::openJobIsOneStep()
{
    const test::TestClock clock;
    TimeContext time(clock);
    const ViewState before = time.state();
    time.openJob("rag");
    QCOMPARE(time.state().job, std::string("rag"));
    QCOMPARE(time.state().page, std::string(kJobPage));
    time.back();
    QCOMPARE(time.state(), before);
    QVERIFY(!time.canGoBack());
}

void TestTimeContext::homeClearsRangeAndFilter()
{
    const test::TestClock clock;
    TimeContext time(clock);
    time.setPage("jobs");
    time.setFilter({{"team", "nlp"}});
    time.travelTo(clock.now() - 1h);
    time.home();
    QCOMPARE(time.state().mode, TimeMode::Live);
    QVERIFY(time.state().filter.empty());
    QVERIFY(!time.state().travelTo);
    QCOMPARE(time.state().span, ViewState{}.span);
    QCOMPARE(time.state().page, std::string("jobs"));
}

void TestTimeContext::nothingChangedNothingSaid()
{
    const test::TestClock clock;
    TimeContext time(clock);
    QSignalSpy changed(&time, &TimeContext::stateChanged);
    QSignalSpy history(&time, &TimeContext::historyChanged);
    time.setPage(time.state().page);
    time.follow();
    time.setCursors({}, {});
    time.zoom(0, clock.now());
    time.zoom(std::numeric_limits<double>::quiet_NaN(), clock.now());
    time.showRange({});
    time.back();
    time.forward();
    QCOMPARE(changed.size() + history.size(), 0);
}

void TestTimeContext::undoGivesBackEveryState()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    test::TestClock clock;
    TimeContext time(clock);
    std::vector<ViewState> seen{time.state()};
    for (int i = 0; i < 150; ++i) {
        clock.advance(1s); // nothing merges
        const auto n = std::chrono::seconds(random() % 5000);
        const TimeRange range = time.visibleRange();
        switch (random() % 8) {
        case 0: time.zoom(static_cast<double>(random() % 300 + 1) / 100, range.begin + n); break;
        case 1: time.pan(-Duration(n)); break;
        case 2: time.pan(n); break;
        case 3: time.travelTo(clock.now() - n); break;
        case 4: time.returnFromTravel(); break;
        case 5: time.toggleFreeze(); break;
        case 6: time.showRange({clock.now() - n - 1min, clock.now() - n}); break;
        default: time.setSpan(n); break;
        }
        QVERIFY(!time.visibleRange().isEmpty());
        if (time.state() != seen.back())
            seen.push_back(time.state());
    }
    for (auto state = seen.rbegin() + 1; state != seen.rend(); ++state) {
        time.back();
        QCOMPARE(time.state(), *state);
    }
    QVERIFY(!time.canGoBack());
}

QTEST_GUILESS_MAIN(TestTimeContext)
#include "tst_time_context.moc"
