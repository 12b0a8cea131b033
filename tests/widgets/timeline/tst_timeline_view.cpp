// SPDX-License-Identifier: GPL-3.0-or-later
// What hands do: real mouse, wheel and key events against the signals and the state.
#include "support/slice_builder.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/track_style.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = Instant(sys_days(2026y / 11 / 18)) + hours(13);
const TimeRange kHour{kStart, kStart + hours(1)};
constexpr double kGiB = 1024.0 * 1024 * 1024;

double valueAt(double s) { return (s > 1999 && s < 2001 ? 70 : 20 + 10 * std::sin(s / 300)) * kGiB; }

std::unique_ptr<TimelineView> shownView()
{
    auto view = std::make_unique<TimelineView>();
    Track track;
    track.unit = "By";
    const std::vector<Gap> gaps{{{kStart + minutes(10), kStart + minutes(12)}, GapReason::Away, ""}};
    track.lines.push_back({QStringLiteral("reserved"), SeriesRole::Reserved, shared(sliceOf(kHour, sampled(kHour, seconds(1), valueAt), {}, gaps))});
    track.lines.push_back({QStringLiteral("swap"), SeriesRole::Swap, nullptr});
    Track host = track;
    host.unit = "By";
    host.stretch = 2;
    view->setTracks({track, host});
    view->setRange(kHour);
    view->setUtc(true);
    view->setEvents({{kStart + minutes(20), Glyph::Kill, QStringLiteral("OOM"), EventKind::OomKill},
                     {kStart + minutes(5), Glyph::Kill, QStringLiteral("OOM"), EventKind::OutOfMemory}});
    view->resize(900, 400);
    view->show();
    view->setFocus();
    return view;
}

void turnWheel(TimelineView &view, double x, int angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    const QPointF at(x, 100);
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&view, &event);
}

QPoint place(const TimelineView &view, Instant time)
{
    return {static_cast<int>(std::lround(view.xOf(time))), view.plotRect(0).center().y()};
}

bool isNear(std::optional<Instant> a, Instant b, Duration tolerance = seconds(6)) // a pixel is 5 s
{
    return a && (*a > b ? *a - b : b - *a) <= tolerance;
}

} // namespace

class TestTimelineView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void tracksShareOneMargin();
    void wheelZoomsAtTheMouse();
    void shiftWheelPans();
    void dragSelectsARange();
    void escapeTakesADragBack();
    void clickLetsGo();
    void shiftDragPans();
    void keys_data();
    void keys();
    void cursorKeysNeedACrosshair();
    void peakAndOomMoveTheCrosshair();
    void crosshairFollowsTheMouseAndDoesNotRepaintLines();
    void crosshairFromElsewhereDoesNotEcho();
    void readingsTellMeasuredValues();
    void statisticsOfSelection();
    void lockedScaleStays();
    void limitFarAboveIsNamedOnly();
    void hostileNamesStayText();
    void pixelsFollowTheTheme();
    void emptyViewsAreHarmless();
};

void TestTimelineView::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestTimelineView::tracksShareOneMargin()
{
    auto view = shownView();
    QCOMPARE(view->plotRect(0).left(), view->plotRect(1).left());
    QCOMPARE(view->plotRect(0).width(), view->plotRect(1).width());
    QVERIFY(view->plotRect(1).height() > view->plotRect(0).height() * 3 / 2); // stretch 2 to 1
    QVERIFY(view->plotRect(0).bottom() < view->plotRect(1).top());
    QVERIFY(view->eventLaneRect().top() >= view->plotRect(1).bottom());
    QCOMPARE(view->xOf(kHour.begin), static_cast<double>(view->plotRect(0).left()));
    QVERIFY(isNear(view->instantAt(view->xOf(kStart + minutes(17))), kStart + minutes(17), milliseconds(1)));
    QVERIFY(view->plotRect(7).isEmpty());
    QVERIFY(view->pixelsWanted() >= view->plotRect(0).width());
}

void TestTimelineView::wheelZoomsAtTheMouse()
{
    auto view = shownView();
    QSignalSpy zoomed(view.get(), &TimelineView::zoomRequested);
    const double x = view->xOf(kStart + minutes(45));
    turnWheel(*view, x, 120);
    turnWheel(*view, x, -120);
    turnWheel(*view, x, 120, Qt::ControlModifier);
    QCOMPARE(zoomed.count(), 3);
    QVERIFY(std::abs(zoomed[0][0].toDouble() - 0.8) < 1e-9);
    QVERIFY(std::abs(zoomed[1][0].toDouble() - 1.25) < 1e-9);
    QVERIFY(zoomed[2][0].toDouble() > 0.9); // fine
    QVERIFY(isNear(zoomed[0][1].value<Instant>(), kStart + minutes(45)));
    QCOMPARE(view->range(), kHour); // the owner decides
}

void TestTimelineView::shiftWheelPans()
{
    auto view = shownView();
    QSignalSpy panned(view.get(), &TimelineView::panRequested);
    QSignalSpy zoomed(view.get(), &TimelineView::zoomRequested);
    turnWheel(*view, 300, 120, Qt::ShiftModifier);
    turnWheel(*view, 300, -240, Qt::ShiftModifier);
    QCOMPARE(zoomed.count(), 0);
    QCOMPARE(panned[0][0].value<Duration>(), Duration(-minutes(6)));
    QCOMPARE(panned[1][0].value<Duration>(), Duration(minutes(12)));
}

void TestTimelineView::dragSelectsARange()
{
    auto view = shownView();
    QSignalSpy selected(view.get(), &TimelineView::selectionChanged);
    QSignalSpy cursors(view.get(), &TimelineView::cursorsChanged);
    const QPoint from = place(*view, kStart + minutes(40));
    const QPoint to = place(*view, kStart + minutes(15)); // from right to left is the same range
    QTest::mousePress(view.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.get(), from - QPoint(60, 0));
    QTest::mouseMove(view.get(), to);
    QVERIFY2(view->cursorB().has_value(), "a drag already looks like the range");
    QCOMPARE(cursors.count(), 0);
    QTest::mouseRelease(view.get(), Qt::LeftButton, {}, to);
    QCOMPARE(selected.count(), 1);
    QCOMPARE(cursors.count(), 1);
    QVERIFY(isNear(view->cursorA(), kStart + minutes(15)));
    QVERIFY(isNear(view->cursorB(), kStart + minutes(40)));
    QCOMPARE(view->selection(), selected[0][0].value<std::optional<TimeRange>>());

    QSignalSpy wanted(view.get(), &TimelineView::rangeRequested);
    QTest::keyClick(view.get(), Qt::Key_Return);
    QTest::keyClick(view.get(), Qt::Key_Z);
    QCOMPARE(wanted.count(), 2);
    QCOMPARE(wanted[0][0].value<TimeRange>(), *view->selection());
}

void TestTimelineView::escapeTakesADragBack()
{
    auto view = shownView();
    view->setCursors(kStart + minutes(1), kStart + minutes(2));
    QSignalSpy selected(view.get(), &TimelineView::selectionChanged);
    const QPoint from = place(*view, kStart + minutes(30));
    QTest::mousePress(view.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.get(), from + QPoint(100, 0));
    QTest::keyClick(view.get(), Qt::Key_Escape);
    QCOMPARE(view->cursorA(), std::optional(kStart + minutes(1)));
    QCOMPARE(view->cursorB(), std::optional(kStart + minutes(2)));
    QTest::mouseRelease(view.get(), Qt::LeftButton, {}, from + QPoint(100, 0));
    QCOMPARE(selected.count(), 0);
}

void TestTimelineView::clickLetsGo()
{
    auto view = shownView();
    view->setCursors(kStart + minutes(1), kStart + minutes(2));
    QSignalSpy selected(view.get(), &TimelineView::selectionChanged);
    QTest::mouseClick(view.get(), Qt::LeftButton, {}, place(*view, kStart + minutes(30)));
    QCOMPARE(selected.count(), 1);
    QVERIFY(!selected[0][0].value<std::optional<TimeRange>>());
    QVERIFY(!view->selection());
}

void TestTimelineView::shiftDragPans()
{
    auto view = shownView();
    QSignalSpy panned(view.get(), &TimelineView::panRequested);
    const QPoint from = place(*view, kStart + minutes(30));
    const QPoint to = place(*view, kStart + minutes(20));
    QTest::mousePress(view.get(), Qt::LeftButton, Qt::ShiftModifier, from);
    for (int x = from.x(); x >= to.x(); x -= 20)
        QTest::mouseMove(view.get(), {x, from.y()});
    QTest::mouseMove(view.get(), to);
    QTest::mouseRelease(view.get(), Qt::LeftButton, Qt::ShiftModifier, to);
    Duration sum{};
    for (const auto &call : panned)
        sum += call[0].value<Duration>();
    QVERIFY2(std::abs(duration<double>(sum - minutes(10)).count()) < 20, qPrintable(QString::number(duration<double>(sum).count())));
    QVERIFY(!view->selection());
}

void TestTimelineView::keys_data()
{
    QTest::addColumn<int>("key");
    QTest::addColumn<QByteArray>("signal");
    QTest::newRow("W zooms") << int(Qt::Key_W) << QByteArray("zoomRequested");
    QTest::newRow("minus zooms") << int(Qt::Key_Minus) << QByteArray("zoomRequested");
    QTest::newRow("A pans") << int(Qt::Key_A) << QByteArray("panRequested");
    QTest::newRow("right arrow pans") << int(Qt::Key_Right) << QByteArray("panRequested");
    QTest::newRow("0 fits") << int(Qt::Key_0) << QByteArray("fitRequested");
    QTest::newRow("F freezes") << int(Qt::Key_F) << QByteArray("freezeToggled");
    QTest::newRow("Space freezes") << int(Qt::Key_Space) << QByteArray("freezeToggled");
    QTest::newRow("End follows") << int(Qt::Key_End) << QByteArray("followRequested");
    QTest::newRow("T travels") << int(Qt::Key_T) << QByteArray("travelRequested");
    QTest::newRow("[ sets A") << int(Qt::Key_BracketLeft) << QByteArray("cursorsChanged");
}

void TestTimelineView::keys()
{
    QFETCH(int, key);
    QFETCH(QByteArray, signal);
    auto view = shownView();
    view->setCrosshair(kStart + minutes(15));
    QSignalSpy zoomed(view.get(), &TimelineView::zoomRequested);
    QSignalSpy panned(view.get(), &TimelineView::panRequested);
    QSignalSpy fitted(view.get(), &TimelineView::fitRequested);
    QSignalSpy frozen(view.get(), &TimelineView::freezeToggled);
    QSignalSpy followed(view.get(), &TimelineView::followRequested);
    QSignalSpy travelled(view.get(), &TimelineView::travelRequested);
    QSignalSpy cursors(view.get(), &TimelineView::cursorsChanged);
    QTest::keyClick(view.get(), Qt::Key(key));
    const QMap<QByteArray, QSignalSpy *> spies{{"zoomRequested", &zoomed}, {"panRequested", &panned}, {"fitRequested", &fitted},
                                               {"freezeToggled", &frozen}, {"followRequested", &followed},
                                               {"travelRequested", &travelled}, {"cursorsChanged", &cursors}};
    for (auto it = spies.begin(); it != spies.end(); ++it)
        QCOMPARE(it.value()->count(), it.key() == signal ? 1 : 0);
    if (signal == "zoomRequested")
        QCOMPARE(zoomed[0][1].value<Instant>(), kStart + minutes(15)); // at the crosshair
    if (signal == "travelRequested")
        QCOMPARE(travelled[0][0].value<Instant>(), kStart + minutes(15));
}

void TestTimelineView::cursorKeysNeedACrosshair()
{
    auto view = shownView();
    QSignalSpy cursors(view.get(), &TimelineView::cursorsChanged);
    QSignalSpy travelled(view.get(), &TimelineView::travelRequested);
    view->setCrosshair(std::nullopt);
    QTest::keyClick(view.get(), Qt::Key_BracketLeft);
    QTest::keyClick(view.get(), Qt::Key_T);
    QCOMPARE(cursors.count() + travelled.count(), 0);
    QSignalSpy selected(view.get(), &TimelineView::selectionChanged);
    view->setCrosshair(kStart + minutes(5));
    QTest::keyClick(view.get(), Qt::Key_BracketLeft);
    view->setCrosshair(kStart + minutes(25));
    QTest::keyClick(view.get(), Qt::Key_BracketRight);
    QCOMPARE(cursors.count(), 2);
    QCOMPARE(selected.count(), 1);
    QCOMPARE(view->selection(), std::optional(TimeRange{kStart + minutes(5), kStart + minutes(25)}));
}

void TestTimelineView::peakAndOomMoveTheCrosshair()
{
    auto view = shownView();
    QSignalSpy moved(view.get(), &TimelineView::crosshairMoved);
    QTest::keyClick(view.get(), Qt::Key_P);
    QCOMPARE(view->crosshair(), std::optional(kStart + seconds(2000)));
    view->setCrosshair(std::nullopt);
    QTest::keyClick(view.get(), Qt::Key_O);
    QCOMPARE(view->crosshair(), std::optional(kStart + minutes(5)));
    QTest::keyClick(view.get(), Qt::Key_O);
    QCOMPARE(view->crosshair(), std::optional(kStart + minutes(20)));
    QTest::keyClick(view.get(), Qt::Key_O); // and round again
    QCOMPARE(view->crosshair(), std::optional(kStart + minutes(5)));
    QCOMPARE(moved.count(), 4);
}

void TestTimelineView::crosshairFollowsTheMouseAndDoesNotRepaintLines()
{
    auto view = shownView();
    view->grab();
    QSignalSpy moved(view.get(), &TimelineView::crosshairMoved);
    QTest::mouseMove(view.get(), place(*view, kStart + minutes(33)));
    QTRY_COMPARE(moved.count(), 1);
    QVERIFY(isNear(view->crosshair(), kStart + minutes(33)));
    QTest::mouseMove(view.get(), QPoint(3, 100)); // in the margin there is no time
    QTRY_COMPARE(moved.count(), 2);
    QVERIFY(!view->crosshair());
    QTest::mouseMove(view.get(), place(*view, kStart + minutes(10)));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view.get(), &leave);
    QVERIFY(!view->crosshair());
}

void TestTimelineView::crosshairFromElsewhereDoesNotEcho()
{
    auto view = shownView();
    QSignalSpy moved(view.get(), &TimelineView::crosshairMoved);
    QSignalSpy cursors(view.get(), &TimelineView::cursorsChanged);
    view->setCrosshair(kStart + minutes(3));
    view->setCursors(kStart, kStart + minutes(1));
    QCOMPARE(moved.count() + cursors.count(), 0);
}

void TestTimelineView::readingsTellMeasuredValues()
{
    auto view = shownView();
    const auto readings = view->readingsAt(kStart + seconds(1000) + milliseconds(300));
    QCOMPARE(readings.size(), std::size_t(4)); // a line without data is told too, without a value
    QCOMPARE(readings[0].value, std::optional(valueAt(1000)));
    QCOMPARE(readings[0].at, kStart + seconds(1000));
    QCOMPARE(readings[0].name, QStringLiteral("reserved"));
    QVERIFY(!readings[1].value);
    QCOMPARE(readings[3].track, 1);
    QVERIFY2(!view->readingsAt(kStart + minutes(11))[0].value, "inside a gap nothing is known");
    QVERIFY(!view->readingsAt(kStart + hours(5))[0].value);
}

void TestTimelineView::statisticsOfSelection()
{
    auto view = shownView();
    const RangeStatistics statistics = view->statistics(0, 0, {kStart + seconds(1990), kStart + seconds(2010)});
    QCOMPARE(statistics.samples, std::uint64_t(20));
    QCOMPARE(statistics.max, std::optional(70 * kGiB));
    QCOMPARE(view->statistics(0, 1, kHour).samples, std::uint64_t(0));
    QCOMPARE(view->statistics(-1, 0, kHour).samples, std::uint64_t(0));
    QCOMPARE(view->statistics(0, 9, kHour).samples, std::uint64_t(0));
}

void TestTimelineView::lockedScaleStays()
{
    auto view = shownView();
    const double before = view->yOf(0, 10 * kGiB);
    view->setScaleLocked(true);
    view->setRange({kStart, kStart + minutes(5)}); // where all values are low
    QCOMPARE(view->yOf(0, 10 * kGiB), before);
    view->setScaleLocked(false);
    QVERIFY(view->yOf(0, 10 * kGiB) < before - 10); // the plot is used again
}

void TestTimelineView::limitFarAboveIsNamedOnly()
{
    auto view = shownView();
    auto tracks = view->tracks();
    tracks[0].limits.push_back({QStringLiteral("capacity"), 100'000 * kGiB, nullptr});
    const double before = view->yOf(0, 40 * kGiB);
    view->setTracks(tracks);
    QCOMPARE(view->yOf(0, 40 * kGiB), before);
    tracks[0].limits[0].value = 80 * kGiB;
    view->setTracks(tracks);
    QCOMPARE(view->yOf(0, 80 * kGiB), static_cast<double>(view->plotRect(0).top()));
}

void TestTimelineView::hostileNamesStayText()
{
    auto view = shownView();
    auto tracks = view->tracks();
    const QString markup = QStringLiteral("<font size=7>&amp;%1</font>") + QString(5000, u'W');
    tracks[0].title = markup;
    tracks[0].lines[0].name = markup;
    tracks[0].limits.push_back({markup, 50 * kGiB, nullptr});
    tracks[1].unit = "\xff\xfe<b>";
    view->setTracks(tracks);
    view->setEvents({{kStart + minutes(20), Glyph::Mark, markup, EventKind::Unknown}});
    const QImage picture = view->grab().toImage();
    QVERIFY(view->plotRect(0).width() > 500); // a name of any length takes no more than its margin
    QVERIFY(!picture.isNull());
}

void TestTimelineView::pixelsFollowTheTheme()
{
    auto view = shownView();
    for (const Theme theme : {Theme::Dark, Theme::Light}) {
        applyTheme(*qApp, theme);
        QCoreApplication::processEvents();
        const Tokens &colours = tokens(view.get());
        QCOMPARE(colours.isDark, theme == Theme::Dark);
        const QImage picture = view->grab().toImage();
        QCOMPARE(QColor(picture.pixel(2, 2)), colours.panel);
        const QColor line = trackStyle(SeriesRole::Reserved, colours).line;
        const int x = static_cast<int>(view->xOf(kStart + seconds(2700)));
        const int y = static_cast<int>(view->yOf(0, valueAt(2700)));
        int best = 1000;
        for (int dy = -1; dy <= 1; ++dy) {
            const QColor pixel(picture.pixel(x, y + dy));
            best = std::min(best, std::abs(pixel.red() - line.red()) + std::abs(pixel.green() - line.green()) + std::abs(pixel.blue() - line.blue()));
        }
        QVERIFY2(best < 90, qPrintable(QString::number(best)));
    }
}

void TestTimelineView::emptyViewsAreHarmless()
{
    TimelineView view;
    view.resize(900, 400);
    view.show();
    view.grab();
    QVERIFY(view.readingsAt(kStart).empty());
    QTest::mouseMove(&view, QPoint(300, 100));
    QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(300, 100));
    turnWheel(view, 300, 120);
    QTest::keyClick(&view, Qt::Key_W);
    QTest::keyClick(&view, Qt::Key_P);
    view.setRange(kHour);
    view.setTracks({Track{}});
    view.resize(20, 10);
    view.grab();
    view.setTracks(std::vector<Track>(40));
    view.setStale(true);
    view.grab();
    QVERIFY(view.pixelsWanted() >= 1);
}

QTEST_MAIN(TestTimelineView)
#include "tst_timeline_view.moc"
