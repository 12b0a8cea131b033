// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/figure_strip.h"
#include "widgets/shell/inspector.h"
#include "widgets/shell/inspector_sections.h"
#include "widgets/shell/page_header.h"
#include "widgets/shell/rail_item.h"
#include "widgets/shell/segmented.h"
#include "widgets/shell/side_rail.h"
#include "widgets/shell/status_strip.h"
#include "widgets/shell/top_row.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace plimsoll;

class TestShellParts : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void choosesByMouseAndKeys();
    void keepsItemsWhileCountsCome();
    void folds();
    void marksTheCurrent_data();
    void marksTheCurrent();
    void pinsAreReached();
    void stripKeepsItsCells();
    void topRowChoosesAndCloses();
    void inspectorShowsAndCopies();
    void figuresSurviveAnything();
    void headerSurvivesAnything();
    void segmentsMove();
};

static std::vector<SideRail::Entry> entries()
{
    return {{QStringLiteral("fleet"), Icon::Fleet, QStringLiteral("Fleet"), 3},
            {QStringLiteral("jobs"), Icon::Jobs, QStringLiteral("Jobs")},
            {QStringLiteral("alerts"), Icon::Alerts, QStringLiteral("Alerts"), 5, true},
            {QStringLiteral("settings"), Icon::Settings, QStringLiteral("Settings"), 0, false, QStringLiteral("Ctrl+,"), true}};
}

void TestShellParts::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestShellParts::choosesByMouseAndKeys()
{
    SideRail rail;
    rail.setEntries(entries());
    rail.setCurrent(QStringLiteral("fleet"));
    rail.resize(168, 700);
    rail.show();
    rail.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&rail));
    QSignalSpy chosen(&rail, &SideRail::chosen);
    QTest::mouseClick(rail.item(QStringLiteral("jobs")), Qt::LeftButton);
    QCOMPARE(chosen.value(0).value(0).toString(), QStringLiteral("jobs"));

    rail.item(QStringLiteral("fleet"))->setFocus();
    QTest::keyClick(rail.item(QStringLiteral("fleet")), Qt::Key_Down);
    QCOMPARE(rail.focusWidget(), rail.item(QStringLiteral("jobs")));
    QTest::keyClick(rail.item(QStringLiteral("jobs")), Qt::Key_Return);
    QCOMPARE(chosen.count(), 2);
    QTest::keyClick(rail.item(QStringLiteral("jobs")), Qt::Key_End);
    QCOMPARE(rail.focusWidget(), rail.item(QStringLiteral("settings")));
    QTest::keyClick(rail.item(QStringLiteral("settings")), Qt::Key_Space);
    QCOMPARE(chosen.value(2).value(0).toString(), QStringLiteral("settings"));
    QTest::keyClick(rail.item(QStringLiteral("settings")), Qt::Key_Home);
    QCOMPARE(rail.focusWidget(), rail.item(QStringLiteral("fleet")));
    QTest::keyClick(rail.item(QStringLiteral("fleet")), Qt::Key_Up); // stays
    QCOMPARE(rail.focusWidget(), rail.item(QStringLiteral("fleet")));
    // Settings stands at the bottom.
    QVERIFY(rail.item(QStringLiteral("settings"))->y() > 600);
    QCOMPARE(rail.item(QStringLiteral("fleet"))->height(), 28);
}

void TestShellParts::keepsItemsWhileCountsCome()
{
    SideRail rail;
    rail.setEntries(entries());
    RailItem *alerts = rail.item(QStringLiteral("alerts"));
    QVERIFY(alerts->accessibleName().contains(QStringLiteral("5")));
    auto more = entries();
    more[2].count = 6;
    rail.setEntries(more);
    QCOMPARE(rail.item(QStringLiteral("alerts")), alerts);
    QVERIFY(alerts->accessibleName().contains(QStringLiteral("6")));
    more[2].count = 0;
    rail.setEntries(more);
    QCOMPARE(alerts->accessibleName(), QStringLiteral("Alerts"));
}

void TestShellParts::folds()
{
    SideRail rail;
    rail.setEntries(entries());
    rail.setCurrent(QStringLiteral("jobs"));
    rail.show();
    QCOMPARE(rail.width(), 168);
    rail.setFolded(true);
    QCOMPARE(rail.width(), 44);
    QSignalSpy chosen(&rail, &SideRail::chosen);
    QTest::mouseClick(rail.item(QStringLiteral("alerts")), Qt::LeftButton);
    QCOMPARE(chosen.count(), 1);
    rail.setFolded(false);
    QCOMPARE(rail.width(), 168);
    QCOMPARE(rail.current(), QStringLiteral("jobs"));
}

void TestShellParts::marksTheCurrent_data()
{
    QTest::addColumn<bool>("isRtl");
    QTest::newRow("left to right") << false;
    QTest::newRow("right to left") << true;
}

void TestShellParts::marksTheCurrent()
{
    QFETCH(bool, isRtl);
    SideRail rail;
    rail.setLayoutDirection(isRtl ? Qt::RightToLeft : Qt::LeftToRight);
    rail.setEntries(entries());
    rail.setCurrent(QStringLiteral("jobs"));
    rail.resize(168, 700);
    rail.show();
    RailItem *jobs = rail.item(QStringLiteral("jobs"));
    const QImage image = jobs->grab().toImage();
    QCOMPARE(image.pixelColor(isRtl ? image.width() - 1 : 0, 14).rgb(), lightTokens().accent.rgb());
    QCOMPARE(image.pixelColor(image.width() / 2, 2).rgb(), lightTokens().sel.rgb());
    QVERIFY(!jobs->accessibleDescription().isEmpty());
    QVERIFY(rail.item(QStringLiteral("fleet"))->accessibleDescription().isEmpty());
}

void TestShellParts::pinsAreReached()
{
    SideRail rail;
    rail.setEntries(entries());
    rail.setPins({{QStringLiteral("Pinned"), {{QStringLiteral("p"), QStringLiteral("<b>") + QString(10'000, QLatin1Char('n')), Glyph::Page}}}});
    rail.resize(168, 700);
    rail.show();
    QSignalSpy chosen(&rail, &SideRail::pinChosen);
    QTest::mouseClick(rail.item(QStringLiteral("p")), Qt::LeftButton);
    QCOMPARE(chosen.value(0).value(0).toString(), QStringLiteral("p"));
    QCOMPARE(rail.width(), 168);
    QVERIFY(!rail.grab().isNull());
}

void TestShellParts::stripKeepsItsCells()
{
    StatusStrip strip;
    strip.resize(1000, 24);
    strip.show();
    QSignalSpy clicked(&strip, &StatusStrip::clicked);
    strip.setCells({{QStringLiteral("18 agents live"), Glyph::Fine, {}, QStringLiteral("agents")}, {QStringLiteral("cache 2.1 GiB")}},
                   {{QStringLiteral("F1 keys"), {}, {}, QStringLiteral("keys")}});
    QAbstractButton *agents = strip.cell(QStringLiteral("agents"));
    QTest::mouseClick(agents, Qt::LeftButton);
    QCOMPARE(clicked.value(0).value(0).toString(), QStringLiteral("agents"));
    QTest::keyClick(strip.cell(QStringLiteral("keys")), Qt::Key_Space);
    QCOMPARE(clicked.count(), 2);
    strip.setCells({{QStringLiteral("19 agents live"), Glyph::Trend, {}, QStringLiteral("agents")}});
    QCOMPARE(strip.cell(QStringLiteral("agents")), agents);
    QVERIFY(agents->accessibleName().contains(QStringLiteral("19")));
    QVERIFY(agents->accessibleName().contains(QStringLiteral("warning"))); // the glyph in words
    QVERIFY(strip.cell(QStringLiteral("keys")) == nullptr);
    QCOMPARE(strip.height(), 24);
}

void TestShellParts::topRowChoosesAndCloses()
{
    TopRow row;
    row.resize(1400, 32);
    row.show();
    row.setSessions({{QStringLiteral("a"), QStringLiteral("prod-eu"), QStringLiteral("live"), false, false},
                     {QStringLiteral("b"), QStringLiteral("night.plim"), {}, true, true}});
    row.setCurrent(QStringLiteral("a"));
    QCoreApplication::processEvents();
    QSignalSpy chosen(&row, &TopRow::sessionChosen);
    QSignalSpy closed(&row, &TopRow::sessionCloseClicked);
    QSignalSpy searched(&row, &TopRow::searchClicked);
    QTest::mouseClick(row.tab(QStringLiteral("b")), Qt::LeftButton, {}, QPoint(20, 14));
    QCOMPARE(chosen.value(0).value(0).toString(), QStringLiteral("b"));
    QTest::mouseClick(row.tab(QStringLiteral("b")), Qt::MiddleButton, {}, QPoint(20, 14));
    QTest::keyClick(row.tab(QStringLiteral("b")), Qt::Key_Delete);
    QCOMPARE(closed.count(), 2);
    QTest::keyClick(row.tab(QStringLiteral("a")), Qt::Key_Delete); // cannot be closed
    QCOMPARE(closed.count(), 2);
    QTest::mouseClick(row.searchButton(), Qt::LeftButton);
    QCOMPARE(searched.count(), 1);
    QCOMPARE(row.tab(QStringLiteral("a"))->grab().toImage().pixelColor(40, 0).rgb(), lightTokens().fine.rgb());
    row.setCurrent(QStringLiteral("b"));
    QCOMPARE(row.tab(QStringLiteral("b"))->grab().toImage().pixelColor(40, 0).rgb(), lightTokens().rec.rgb());
}

void TestShellParts::inspectorShowsAndCopies()
{
    Inspector inspector;
    inspector.resize(264, 800);
    inspector.show();
    QCOMPARE(inspector.width(), 264);
    int opened = 0;
    inspector.setHeadline(QStringLiteral("node-17/<b>gpu3</b>"), QStringLiteral("rank 5"), {"78.7", "GiB"}, QStringLiteral("of 79.6 GiB"), QStringLiteral("98.9 %"), 0.989);
    inspector.setSections({{QStringLiteral("Now"), {{QStringLiteral("Reserved"), QStringLiteral("78.7 GiB")}, {QStringLiteral("13:57:11"), QStringLiteral("OOM"), Glyph::Kill}}}});
    inspector.setActions({{QStringLiteral("Open job"), [&opened] { ++opened; }, true}});
    auto *sections = inspector.findChild<InspectorSections *>();
    QTRY_VERIFY(sections->isVisible());
    QCOMPARE(sections->sizeHint().height(), 10 + 3 * 20 + 10);
    QTest::keyClick(sections, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Now\nReserved\t78.7 GiB\n13:57:11\tOOM\n"));
    QTest::mouseClick(inspector.findChild<QPushButton *>(), Qt::LeftButton);
    QCOMPARE(opened, 1);
    inspector.setEmpty(QStringLiteral("Nothing"));
    QVERIFY(!sections->isVisible());
    inspector.setSections({{QString(10'000, QLatin1Char('t')), {{QString(10'000, QLatin1Char('k')), QString(10'000, QLatin1Char('v'))}}}});
    QVERIFY(!inspector.grab().isNull());
    QCOMPARE(inspector.width(), 264);
}

void TestShellParts::figuresSurviveAnything()
{
    FigureStrip strip;
    strip.resize(900, 68);
    QVERIFY(!strip.grab().isNull()); // no cells
    FigureStrip::Cell cell;
    cell.caption = QString(10'000, QLatin1Char('c'));
    cell.figure = {std::string(3000, '9'), "GiB"};
    cell.note = QStringLiteral("<b>note</b>");
    cell.spark = {std::nan(""), 1, 1, INFINITY, -INFINITY, 1e300, -1e300, std::nan("")};
    cell.series = 99;
    strip.setCells({cell, {}});
    QVERIFY(!strip.grab().isNull());
    cell = {};
    cell.caption = QStringLiteral("Least headroom");
    cell.figure = {"0.9", "GiB"};
    strip.setCells({cell});
    QVERIFY(strip.accessibleName().contains(QStringLiteral("Least headroom 0.9")));
}

void TestShellParts::headerSurvivesAnything()
{
    PageHeader header;
    header.setName(QStringLiteral("<b>") + QString(10'000, QLatin1Char('n')), QString(10'000, QLatin1Char('s')));
    header.setFacts({{QStringLiteral("memory"), QString(10'000, QLatin1Char('9')), QStringLiteral("GiB")}});
    header.resize(800, header.height());
    header.show();
    QVERIFY(header.minimumSizeHint().width() < 800);
    QVERIFY(header.height() >= 52 && header.height() <= 68);
    QVERIFY(!header.grab().isNull());
}

void TestShellParts::segmentsMove()
{
    Segmented choice({QStringLiteral("daily"), QStringLiteral("cumulative")});
    choice.show();
    QSignalSpy changed(&choice, &Segmented::currentChanged);
    QCOMPARE(choice.current(), 0);
    choice.setCurrent(0);
    QCOMPARE(changed.count(), 0);
    choice.setCurrent(1);
    QCOMPARE(changed.count(), 1);
    const auto buttons = choice.findChildren<QAbstractButton *>();
    QTest::mouseClick(buttons.at(0), Qt::LeftButton);
    QCOMPARE(choice.current(), 0);
    choice.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&choice));
    buttons.at(0)->setFocus();
    QTest::keyClick(buttons.at(0), Qt::Key_Right);
    QCOMPARE(choice.current(), 1);
    QVERIFY(choice.sizeHint().height() >= 24);
}

QTEST_MAIN(TestShellParts)
#include "tst_shell_parts.moc"
