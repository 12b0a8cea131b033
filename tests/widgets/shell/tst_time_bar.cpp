// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/mode_box.h"
#include "widgets/shell/range_box.h"
#include "widgets/shell/time_bar.h"
#include "widgets/theme/buttons.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

using namespace plimsoll;
using namespace std::chrono_literals;

Q_DECLARE_METATYPE(plimsoll::Duration)

class TestTimeBar : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void saysModes_data();
    void saysModes();
    void modesDiffer();
    void saysRange();
    void goesBackAndForward();
    void choosesSpans();
    void typesRanges();
    void takesAnyStrip();
    void reachesEverythingByTab();
    void mirrors();
};

static Instant end()
{
    return fromUnixNanos(1'795'010'580LL * 1'000'000'000); // 2026-11-18 14:03 UTC
}

void TestTimeBar::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestTimeBar::saysModes_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("line1");
    QTest::addColumn<QString>("line2");
    QTest::addColumn<QString>("name");
    QTest::newRow("live") << int(TimeBarMode::Live) << "" << "" << "LIVE, freezes";
    QTest::newRow("frozen") << int(TimeBarMode::Frozen) << "frozen 2 min 13 s ago" << "52,110 samples wait" << "frozen 2 min 13 s ago, 52,110 samples wait";
    QTest::newRow("travelling") << int(TimeBarMode::Travelling) << "as of 13:20:07 UTC" << "" << "as of 13:20:07 UTC, Esc returns";
    QTest::newRow("recorded") << int(TimeBarMode::Recorded) << "" << "61 s" << "RECORDED, 61 s";
}

void TestTimeBar::saysModes()
{
    QFETCH(int, mode);
    QFETCH(QString, line1);
    QFETCH(QString, line2);
    TimeBar bar;
    bar.setMode(TimeBarMode(mode), line1, line2);
    QTEST(bar.modeButton()->accessibleName(), "name");
    QCOMPARE(bar.mode(), TimeBarMode(mode));
    QCOMPARE(bar.modeButton()->sizeHint().height(), 28);
}

void TestTimeBar::modesDiffer()
{
    // Not only in colour: as grey pictures they are still four different boxes.
    QList<QImage> seen;
    for (const auto mode : {TimeBarMode::Live, TimeBarMode::Frozen, TimeBarMode::Travelling, TimeBarMode::Recorded}) {
        ModeBox box;
        box.setMode(mode, {}, QStringLiteral("x"));
        box.resize(200, 28);
        const QImage grey = box.grab().toImage().convertToFormat(QImage::Format_Mono);
        for (const QImage &other : std::as_const(seen))
            QVERIFY(grey != other);
        seen << grey;
    }
    ModeBox box;
    box.resize(200, 28);
    const Tokens &t = lightTokens();
    box.setMode(TimeBarMode::Travelling, {}, {});
    QCOMPARE(box.grab().toImage().pixelColor(100, 0).rgb(), t.accent.rgb());
    QCOMPARE(box.grab().toImage().pixelColor(190, 3).rgb(), t.sel.rgb());
    box.setMode(TimeBarMode::Recorded, {}, {});
    QCOMPARE(box.grab().toImage().pixelColor(100, 0).rgb(), t.rec.rgb());
    box.setMode(TimeBarMode::Frozen, {}, {});
    QCOMPARE(box.grab().toImage().pixelColor(190, 3).rgb(), t.track.rgb());
}

void TestTimeBar::saysRange()
{
    TimeBar bar;
    bar.setRange({end() - 1h, end()});
    QStringList words;
    for (const QLabel *label : bar.findChildren<QLabel *>())
        words << label->text();
    QVERIFY(words.contains(QString::fromUtf8("13:03 – 14:03")));
    QVERIFY(words.contains(QStringLiteral("18 Nov 2026 UTC")));
    QVERIFY(bar.rangeButton()->text().startsWith(QStringLiteral("Last 1 h")));
    bar.setMode(TimeBarMode::Frozen);
    QVERIFY(!bar.rangeButton()->text().startsWith(QStringLiteral("Last")));
    bar.setRange({end() - 1h, end()}, QStringLiteral("51.8 – 58.2 s"), QStringLiteral("18 Nov"), QStringLiteral("8 steps"));
    QCOMPARE(bar.rangeButton()->text(), QStringLiteral("8 steps"));
}

void TestTimeBar::goesBackAndForward()
{
    TimeBar bar;
    bar.resize(1200, 56);
    bar.show();
    QSignalSpy back(&bar, &TimeBar::backClicked);
    QSignalSpy forward(&bar, &TimeBar::forwardClicked);
    QSignalSpy home(&bar, &TimeBar::homeClicked);
    QSignalSpy mode(&bar, &TimeBar::modeClicked);
    QTest::mouseClick(bar.backButton(), Qt::LeftButton);
    QCOMPARE(back.count(), 0); // nothing to go back to
    bar.setCanGoBack(true);
    bar.setCanGoForward(true);
    QTest::mouseClick(bar.backButton(), Qt::LeftButton);
    QTest::mouseClick(bar.forwardButton(), Qt::LeftButton);
    QTest::keyClick(bar.homeButton(), Qt::Key_Space);
    QTest::mouseClick(bar.modeButton(), Qt::LeftButton);
    QCOMPARE(back.count(), 1);
    QCOMPARE(forward.count(), 1);
    QCOMPARE(home.count(), 1);
    QCOMPARE(mode.count(), 1);
}

void TestTimeBar::choosesSpans()
{
    TimeBar bar;
    bar.resize(1200, 56);
    bar.show();
    QSignalSpy spans(&bar, &TimeBar::spanChosen);
    QTest::mouseClick(bar.rangeButton(), Qt::LeftButton);
    auto *menu = bar.rangeButton()->findChild<QMenu *>();
    QTRY_VERIFY(menu->isVisible());
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Return);
    QCOMPARE(spans.count(), 1);
    QCOMPARE(spans.value(0).value(0).value<Duration>(), Duration(15min));
    QVERIFY(!menu->isVisible());
}

void TestTimeBar::typesRanges()
{
    TimeBar bar;
    bar.resize(1200, 56);
    bar.show();
    QSignalSpy typed(&bar, &TimeBar::customRangeTyped);
    auto *menu = bar.rangeButton()->findChild<QMenu *>();
    auto *edit = menu->findChild<QLineEdit *>();
    QTest::mouseClick(bar.rangeButton(), Qt::LeftButton);
    QTRY_VERIFY(menu->isVisible());
    edit->setFocus();
    QTest::keyClicks(edit, QStringLiteral("next week"));
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(typed.count(), 0);
    QVERIFY(isInvalid(edit));
    QVERIFY(menu->isVisible());
    edit->selectAll();
    QTest::keyClicks(edit, QStringLiteral("90 min"));
    QVERIFY(!isInvalid(edit));
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(typed.count(), 1);
    QCOMPARE(typed.value(0).value(0).toString(), QStringLiteral("90 min"));
    QVERIFY(!menu->isVisible());
}

void TestTimeBar::takesAnyStrip()
{
    TimeBar bar;
    bar.resize(1600, 56);
    bar.show();
    QPointer<QWidget> first = new QWidget;
    bar.setStrip(first);
    QTRY_VERIFY(first->width() > 900); // it fills
    QVERIFY(first->x() > bar.rangeButton()->geometry().right());
    QVERIFY(first->geometry().right() < bar.modeButton()->x());
    auto *second = new QWidget;
    bar.setStrip(second);
    QVERIFY(first.isNull());
    QCOMPARE(bar.strip(), second);
    bar.setStrip(nullptr);
    QVERIFY(bar.strip() == nullptr);
    QTRY_VERIFY(bar.modeButton()->geometry().right() > 1580);
}

void TestTimeBar::reachesEverythingByTab()
{
    TimeBar bar;
    bar.resize(1200, 56);
    bar.setCanGoBack(true);
    bar.setCanGoForward(true);
    bar.show();
    bar.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&bar));
    bar.backButton()->setFocus(Qt::TabFocusReason);
    for (QAbstractButton *wanted : {bar.forwardButton(), bar.homeButton(), bar.rangeButton(), bar.modeButton()}) {
        QTest::keyClick(&bar, Qt::Key_Tab);
        QCOMPARE(bar.focusWidget(), wanted);
        QVERIFY(!wanted->accessibleName().isEmpty());
    }
}

void TestTimeBar::mirrors()
{
    TimeBar bar;
    bar.setLayoutDirection(Qt::RightToLeft);
    bar.resize(1200, 56);
    bar.show();
    QTRY_VERIFY(bar.modeButton()->x() < bar.rangeButton()->x());
    QVERIFY(!bar.grab().isNull());
}

QTEST_MAIN(TestTimeBar)
#include "tst_time_bar.moc"
