// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/heat_grid.h"
#include "widgets/heatmap/heat_painter.h"
#include "widgets/heatmap/heat_table.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/scales.h"
#include "widgets/theme/tokens.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>
#include <QToolTip>

#include <memory>

using namespace plimsoll;
using namespace std::chrono;

namespace {

const TimeRange kRange{fromUnixNanos(1'763'470'980'000'000'000), fromUnixNanos(1'763'474'580'000'000'000)};

HeatCell cell(const std::string &id, std::optional<double> load, Freshness freshness = Freshness::Live)
{
    HeatCell made;
    made.id = id;
    made.name = QString::fromStdString(id.substr(id.rfind('/') + 1));
    made.load = load;
    made.freshness = freshness;
    made.tip = QStringLiteral("<b>%1</b>").arg(QString::fromStdString(id));
    return made;
}

HeatRow row(const std::string &node, int cells, double load)
{
    HeatRow made;
    made.node = node;
    made.name = QString::fromStdString(node);
    for (int i = 0; i < cells; ++i)
        made.cells.push_back(cell(node + "/gpu" + std::to_string(i), load));
    made.history.assign(60, load);
    made.freeText = QStringLiteral("13.2");
    made.jobText = QStringLiteral("vision-pre-088");
    return made;
}

std::vector<HeatGroup> fleet(int groups = 2, int rows = 3)
{
    std::vector<HeatGroup> made;
    for (int g = 0; g < groups; ++g) {
        HeatGroup group;
        group.name = QStringLiteral("r%1").arg(g);
        for (int r = 0; r < rows; ++r)
            group.rows.push_back(row("n" + std::to_string(g) + std::to_string(r), r == 1 ? 4 : 8, 0.2 + 0.1 * r));
        made.push_back(std::move(group));
    }
    return made;
}

std::unique_ptr<HeatGrid> shownGrid(std::vector<HeatGroup> groups = fleet())
{
    auto grid = std::make_unique<HeatGrid>();
    grid->setGroups(std::move(groups));
    grid->setHistoryRange(kRange);
    grid->setUtc(true);
    grid->resize(800, 400);
    grid->show();
    grid->setFocus();
    return grid;
}

QColor pixelAt(const QImage &image, QPointF logical)
{
    const QPointF device = logical * image.devicePixelRatio();
    return image.pixelColor(static_cast<int>(device.x()), static_cast<int>(device.y()));
}

} // namespace

class TestHeatGrid : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cellsHaveTheColourOfTheirLoad_data();
    void cellsHaveTheColourOfTheirLoad();
    void marks_data();
    void marks();
    void historyKeepsTheWorst_data();
    void historyKeepsTheWorst();
    void historyGapIsHatched();
    void geometryFollowsTheNumbers();
    void sizesShrinkWithTheNumberOfRows();
    void stripShowsTheWorst();
    void mouse();
    void keysWalkTheCells();
    void scrollsToWhatIsChosen();
    void crosshair();
    void tipIsPlainText();
    void hostWithoutGpusHasOneCell();
    void hostileNamesStayInTheirColumn();
    void emptyIsHarmless();
    void tableTwin();
    void selectionSurvivesLiveData();
};

void TestHeatGrid::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestHeatGrid::cellsHaveTheColourOfTheirLoad_data()
{
    QTest::addColumn<double>("load");
    QTest::addColumn<bool>("dark");
    for (const double load : {0.0, 0.05, 0.3, 0.5, 0.89, 1.0})
        for (const bool dark : {false, true})
            QTest::addRow("%.2f %s", load, dark ? "dark" : "light") << load << dark;
}

void TestHeatGrid::cellsHaveTheColourOfTheirLoad()
{
    QFETCH(double, load);
    QFETCH(bool, dark);
    applyTheme(*qApp, dark ? Theme::Dark : Theme::Light);
    std::vector<HeatGroup> groups = fleet(1, 1);
    groups[0].rows[0].cells = {cell("a/gpu0", load), cell("a/gpu1", load)};
    auto grid = shownGrid(groups);
    const QImage picture = grid->viewport()->grab().toImage();
    const QRect rect = grid->cellRect("a/gpu1");
    const QColor expected = loadColour(load, tokens(grid.get()));
    QCOMPARE(pixelAt(picture, rect.topLeft() + QPointF(3.5, 11.5)).rgb(), expected.rgb());
    // Pale cells have an edge, others are filled to theirs.
    const QColor edge = pixelAt(picture, QPointF(rect.left() + 0.5, rect.top() + 7.5));
    if (load < kPaleLoad)
        QVERIFY(edge != expected);
    else
        QCOMPARE(edge.rgb(), expected.rgb());
    applyTheme(*qApp, Theme::Light);
}

void TestHeatGrid::marks_data()
{
    QTest::addColumn<double>("load");
    QTest::addColumn<int>("freshness");
    QTest::addColumn<bool>("corner");
    QTest::addColumn<bool>("exclamation");
    QTest::addColumn<bool>("cross");
    QTest::newRow("89.9 %") << 0.899 << int(Freshness::Live) << false << false << false;
    QTest::newRow("90 %") << 0.90 << int(Freshness::Live) << true << false << false;
    QTest::newRow("97.9 %") << 0.979 << int(Freshness::Live) << true << false << false;
    QTest::newRow("98 %") << 0.98 << int(Freshness::Live) << false << true << false;
    QTest::newRow("over the brim") << 1.2 << int(Freshness::Live) << false << true << false;
    QTest::newRow("away") << 0.99 << int(Freshness::Away) << false << false << true;
    QTest::newRow("never seen") << -1.0 << int(Freshness::Live) << false << false << true;
}

void TestHeatGrid::marks()
{
    QFETCH(double, load);
    QFETCH(int, freshness);
    QFETCH(bool, corner);
    QFETCH(bool, exclamation);
    QFETCH(bool, cross);
    for (const double ratio : {1.0, 2.0}) {
        QImage image(QSize(15, 15) * ratio, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(ratio);
        const Tokens &tokens = lightTokens();
        image.fill(tokens.panel);
        QPainter painter(&image);
        const HeatCell shown = cell("x", load < 0 ? std::nullopt : std::optional(load), Freshness(freshness));
        paintHeatCell(painter, QRectF(0, 0, 15, 15), shown, tokens);
        const QColor ground = pixelAt(image, {3.5, 11.5});
        paintHeatMark(painter, QRectF(0, 0, 15, 15), shown, tokens);
        painter.end();
        const auto differs = [&](QPointF at) { return std::abs(pixelAt(image, at).lightness() - ground.lightness()) > 60; };
        QCOMPARE(differs({12.5, 1.5}), corner);
        QCOMPARE(differs({7.4, 4.5}), exclamation);
        QCOMPARE(isAway(shown), cross);
        if (cross)
            QVERIFY(std::abs(pixelAt(image, {7.4, 7.4}).lightness() - tokens.panel.lightness()) > 60);
    }
}

void TestHeatGrid::historyKeepsTheWorst_data()
{
    QTest::addColumn<int>("buckets");
    QTest::newRow("fewer than pixels") << 40;
    QTest::newRow("as many") << 300;
    QTest::newRow("a day of seconds") << 86400;
}

void TestHeatGrid::historyKeepsTheWorst()
{
    QFETCH(int, buckets);
    const Tokens &tokens = lightTokens();
    std::vector<std::optional<double>> history(static_cast<std::size_t>(buckets), 0.3);
    const int hot = buckets * 2 / 3;
    history[static_cast<std::size_t>(hot)] = 1.0;
    history[0].reset();
    QImage image(300, 20, QImage::Format_ARGB32_Premultiplied);
    image.fill(tokens.panel);
    paintHistory(image, QRect(0, 2, 300, 15), history, tokens);
    const int x = static_cast<int>((hot + 0.5) / buckets * 300);
    QCOMPARE(image.pixel(x, 8), loadColour(1.0, tokens).rgb()); // one hot second of a day is not averaged away
    QCOMPARE(image.pixel(280, 8), loadColour(0.3, tokens).rgb());
    QCOMPARE(image.pixel(x, 8), image.pixel(x, 16));
    QCOMPARE(image.pixel(x, 0), tokens.panel.rgb());
    if (buckets <= 300)
        QCOMPARE(image.pixel(0, 8), tokens.track.rgb()); // unknown is not zero
}

void TestHeatGrid::historyGapIsHatched()
{
    std::vector<HeatGroup> groups = fleet(1, 1);
    groups[0].rows[0].history.assign(60, 1.0);
    groups[0].rows[0].gaps.push_back({{kRange.begin + minutes(45), kRange.end}, GapReason::Away, ""});
    auto grid = shownGrid(groups);
    const QImage picture = grid->viewport()->grab().toImage();
    const QRect strip = grid->historyRect("n00");
    QVERIFY(strip.width() > 120);
    const QColor full = loadColour(1.0, tokens(grid.get()));
    QCOMPARE(pixelAt(picture, QPointF(strip.left() + strip.width() / 2, strip.center().y())).rgb(), full.rgb());
    for (int x = strip.left() + strip.width() * 3 / 4 + 2; x < strip.right() - 2; ++x)
        QVERIFY(pixelAt(picture, QPointF(x + 0.5, strip.center().y())).rgb() != full.rgb());
}

void TestHeatGrid::geometryFollowsTheNumbers()
{
    auto grid = shownGrid();
    QCOMPARE(grid->cellSize(), 15);
    QCOMPARE(grid->cellRect("n00/gpu0").size(), QSize(15, 15));
    QCOMPARE(grid->cellRect("n00/gpu1").left() - grid->cellRect("n00/gpu0").left(), 17);
    QCOMPARE(grid->cellRect("n01/gpu0").top() - grid->cellRect("n00/gpu0").top(), 17);
    QCOMPARE(grid->cellRect("n10/gpu0").top() - grid->cellRect("n02/gpu0").top(), 17 + 8); // another rack
    QCOMPARE(grid->historyRect("n00").top(), grid->cellRect("n00/gpu0").top()); // on the same row
    QVERIFY(grid->cellRect("nobody").isEmpty());
}

void TestHeatGrid::sizesShrinkWithTheNumberOfRows()
{
    QList<int> sizes;
    for (const int rows : {5, 9, 12, 16, 60}) {
        auto grid = shownGrid(fleet(2, rows));
        sizes << grid->cellSize();
    }
    QCOMPARE(sizes, (QList<int>{15, 15, 11, 8, 3}));
    auto map = shownGrid(fleet(2, 60));
    map->setMode(HeatMode::MapOnly);
    QVERIFY(map->cellSize() >= 8); // its cells are what it is for
    QVERIFY(map->historyRect("n00").isEmpty());
}

void TestHeatGrid::stripShowsTheWorst()
{
    std::vector<HeatGroup> groups = fleet(2, 60);
    groups[1].rows[7].cells[3].load = 0.99;
    groups[1].rows[7].cells[0].load.reset();
    auto grid = shownGrid(groups);
    QCOMPARE(grid->cellSize(), 3);
    const QRect strip = grid->cellRect("n17/gpu3");
    QVERIFY(!strip.isEmpty()); // the node's strip is its worst device
    QVERIFY(grid->cellRect("n17/gpu0").isEmpty());
    QVERIFY(strip.width() > 30);
}

void TestHeatGrid::mouse()
{
    auto grid = shownGrid();
    QSignalSpy hovered(grid.get(), &HeatGrid::hovered);
    QSignalSpy selected(grid.get(), &HeatGrid::selected);
    QSignalSpy activated(grid.get(), &HeatGrid::activated);
    const QPoint at = grid->cellRect("n01/gpu2").center();
    QTest::mouseMove(grid->viewport(), at);
    QTRY_COMPARE(hovered.count(), 1);
    QCOMPARE(hovered[0][0].value<std::string>(), std::string("n01/gpu2"));
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, at); // again is no news
    QCOMPARE(selected.count(), 1);
    QCOMPARE(grid->selectedId(), std::string("n01/gpu2"));
    QTest::mouseDClick(grid->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(activated.count(), 1);
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, QPoint(790, 390)); // nowhere
    QCOMPARE(grid->selectedId(), std::string("n01/gpu2"));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(grid->viewport(), &leave);
    QCOMPARE(hovered.last()[0].value<std::string>(), std::string());
    grid->setSelected("n00/gpu0"); // from elsewhere: no echo
    QCOMPARE(selected.count(), 1);
}

void TestHeatGrid::keysWalkTheCells()
{
    auto grid = shownGrid();
    QSignalSpy activated(grid.get(), &HeatGrid::activated);
    QTest::keyClick(grid.get(), Qt::Key_Return);
    QCOMPARE(activated.count(), 0); // nothing is chosen yet
    const auto press = [&](Qt::Key key) {
        QTest::keyClick(grid.get(), key);
        return QString::fromStdString(grid->selectedId());
    };
    QCOMPARE(press(Qt::Key_Right), QStringLiteral("n00/gpu0"));
    QCOMPARE(press(Qt::Key_Left), QStringLiteral("n00/gpu0")); // the row's beginning
    QCOMPARE(press(Qt::Key_Right), QStringLiteral("n00/gpu1"));
    QCOMPARE(press(Qt::Key_Down), QStringLiteral("n01/gpu1"));
    QCOMPARE(press(Qt::Key_End), QStringLiteral("n12/gpu7"));
    QCOMPARE(press(Qt::Key_Up), QStringLiteral("n11/gpu3")); // a shorter row: its nearest
    QCOMPARE(press(Qt::Key_Up), QStringLiteral("n10/gpu3"));
    QCOMPARE(press(Qt::Key_Up), QStringLiteral("n02/gpu3")); // over the gap of the rack
    QCOMPARE(press(Qt::Key_Home), QStringLiteral("n00/gpu0"));
    QTest::keyClick(grid.get(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QVERIFY(grid->accessibleDescription().contains(QStringLiteral("n00")));
    QVERIFY(grid->accessibleDescription().contains(QStringLiteral("%")));
}

void TestHeatGrid::scrollsToWhatIsChosen()
{
    auto grid = shownGrid(fleet(10, 60));
    grid->resize(800, 200);
    QVERIFY(grid->verticalScrollBar()->maximum() > 0);
    QTest::keyClick(grid.get(), Qt::Key_Down);
    QTest::keyClick(grid.get(), Qt::Key_End);
    QVERIFY(grid->verticalScrollBar()->value() > 0);
    QVERIFY(grid->viewport()->rect().contains(grid->cellRect(grid->selectedId())));
    QTest::keyClick(grid.get(), Qt::Key_Home);
    QCOMPARE(grid->verticalScrollBar()->value(), 0);
    grid->viewport()->grab();
}

void TestHeatGrid::crosshair()
{
    auto grid = shownGrid();
    QSignalSpy moved(grid.get(), &HeatGrid::crosshairMoved);
    const QRect strip = grid->historyRect("n00");
    QTest::mouseMove(grid->viewport(), strip.center());
    QTRY_COMPARE(moved.count(), 1);
    const auto at = moved[0][0].value<std::optional<Instant>>();
    QVERIFY(at && std::abs(duration<double>(*at - (kRange.begin + minutes(30))).count()) < 20);
    QTest::mouseMove(grid->viewport(), QPoint(strip.left() - 20, strip.center().y()));
    QTRY_COMPARE(moved.count(), 2);
    QVERIFY(!moved[1][0].value<std::optional<Instant>>());
    grid->setCrosshair(kRange.begin + minutes(15));
    QCOMPARE(moved.count(), 2);
    const QImage picture = grid->viewport()->grab().toImage();
    int dark = 0;
    for (int y = strip.top(); y < grid->historyRect("n12").bottom(); ++y)
        dark += pixelAt(picture, QPointF(strip.left() + strip.width() / 4.0, y + 0.5)).lightness() < 60 ? 1 : 0;
    QVERIFY(dark > 20);
}

void TestHeatGrid::tipIsPlainText()
{
    auto grid = shownGrid();
    const QPoint at = grid->cellRect("n00/gpu0").center();
    QHelpEvent help(QEvent::ToolTip, at, grid->viewport()->mapToGlobal(at));
    QApplication::sendEvent(grid->viewport(), &help);
    QTRY_VERIFY(QToolTip::isVisible());
    QVERIFY2(QToolTip::text().contains(QStringLiteral("&lt;b&gt;")) || !Qt::mightBeRichText(QToolTip::text()), qPrintable(QToolTip::text()));
    QToolTip::hideText();
}

void TestHeatGrid::hostWithoutGpusHasOneCell()
{
    HeatGroup group;
    HeatRow host = row("build-01", 0, 0.42);
    host.cells.push_back(cell("host:build-01", 0.42));
    host.cells[0].kind = DeviceKind::Host;
    group.rows.push_back(host);
    auto grid = shownGrid({group});
    QCOMPARE(grid->cellRect("host:build-01").size(), QSize(15, 15));
    QVERIFY(grid->historyRect("build-01").width() > 300);
    QCOMPARE(pixelAt(grid->viewport()->grab().toImage(), grid->cellRect("host:build-01").center()).rgb(),
             loadColour(0.42, tokens(grid.get())).rgb());
}

void TestHeatGrid::hostileNamesStayInTheirColumn()
{
    std::vector<HeatGroup> groups = fleet();
    const QString markup = QStringLiteral("<img src=x>") + QString(4000, u'W');
    groups[0].name = markup;
    groups[0].rows[0].name = markup;
    groups[0].rows[0].jobText = markup;
    groups[0].rows[0].freeText = markup;
    auto grid = shownGrid(groups);
    QVERIFY(grid->cellRect("n00/gpu7").right() < 450);
    QVERIFY(grid->historyRect("n00").width() >= 120);
    QVERIFY(!grid->viewport()->grab().isNull());
}

void TestHeatGrid::emptyIsHarmless()
{
    HeatGrid grid;
    grid.resize(500, 200);
    grid.show();
    grid.viewport()->grab();
    QTest::keyClick(&grid, Qt::Key_Down);
    QTest::mouseMove(grid.viewport(), QPoint(10, 30));
    grid.setGroups({HeatGroup{}, HeatGroup{QStringLiteral("r"), {HeatRow{}}}});
    grid.setSelected("gone");
    grid.resize(3, 3);
    grid.viewport()->grab();
    grid.setMode(HeatMode::MapOnly);
    grid.viewport()->grab();
    QVERIFY(grid.cellAt({1, 1}).empty());
}

void TestHeatGrid::tableTwin()
{
    auto grid = shownGrid();
    QAbstractTableModel *twin = grid->tableTwin();
    QAbstractItemModelTester tester(twin, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(twin->rowCount(), 2 * (8 + 4 + 8));
    QCOMPARE(twin->index(9, HeatTable::NodeColumn).data().toString(), QStringLiteral("n01"));
    QCOMPARE(twin->index(9, HeatTable::LoadColumn).data(HeatTable::ValueRole).toDouble(), 0.3);
    auto groups = fleet();
    groups[0].rows[0].cells[0].load.reset();
    grid->setGroups(groups);
    QVERIFY(!twin->index(0, HeatTable::LoadColumn).data(HeatTable::ValueRole).isValid()); // unknown, not 0
    QCOMPARE(twin->index(0, HeatTable::StateColumn).data().toString(), QStringLiteral("away"));
    grid->setGroups({});
    QCOMPARE(twin->rowCount(), 0);
}

void TestHeatGrid::selectionSurvivesLiveData()
{
    auto grid = shownGrid();
    grid->setSelected("n02/gpu1");
    QSignalSpy selected(grid.get(), &HeatGrid::selected);
    auto groups = fleet();
    groups[0].rows.erase(groups[0].rows.begin());
    grid->setGroups(groups);
    QCOMPARE(grid->selectedId(), std::string("n02/gpu1"));
    QVERIFY(!grid->cellRect("n02/gpu1").isEmpty());
    QCOMPARE(selected.count(), 0);
}

QTEST_MAIN(TestHeatGrid)
#include "tst_heat_grid.moc"
