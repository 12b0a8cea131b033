// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/headroom_list.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"
#include "widgets/timeline/track_style.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <memory>
#include <random>

using namespace plimsoll;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

HeadroomEntry entry(const std::string &id, std::optional<double> gib)
{
    HeadroomEntry made;
    made.id = id;
    made.name = QString::fromStdString(id);
    if (gib)
        made.freeBytes = *gib * kGiB;
    made.timeToFull = QStringLiteral("steady");
    return made;
}

std::vector<HeadroomEntry> some()
{
    return {entry("b", 4.5), entry("away", std::nullopt), entry("a", 0.9), entry("c", 7.25)};
}

} // namespace

class TestHeadroomList : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void leastFirstUnknownLast();
    void textsAreOneUnit_data();
    void textsAreOneUnit();
    void liveOrderKeepsTheSelection();
    void choosingAndOpening();
    void barIsWhatIsFree_data();
    void barIsWhatIsFree();
    void hostileNamesAreText();
    void narrowListsDropTheBar();
};

void TestHeadroomList::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestHeadroomList::leastFirstUnknownLast()
{
    HeadroomModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setEntries(some());
    QStringList order;
    for (int i = 0; i < model.rowCount(); ++i)
        order << model.index(i, 0).data(HeadroomModel::IdRole).toString();
    QCOMPARE(order, (QStringList{QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"), QStringLiteral("away")}));
    QVERIFY(!model.index(3, 1).data(HeadroomModel::ValueRole).isValid());
    QCOMPARE(model.index(3, 1).data().toString(), QStringLiteral("\u2013"));
    QCOMPARE(model.barTop(), 8 * kGiB);
    model.setEntries({});
    QCOMPARE(model.rowCount(), 0);
}

void TestHeadroomList::textsAreOneUnit_data()
{
    QTest::addColumn<double>("gib");
    QTest::addColumn<QString>("expected");
    QTest::newRow("under one") << 0.9 << QStringLiteral("0.9 GiB");
    QTest::newRow("some") << 42.06 << QStringLiteral("42.1 GiB");
    QTest::newRow("almost nothing says so") << 0.01 << QStringLiteral("10.2 MiB");
    QTest::newRow("zero") << 0.0 << QStringLiteral("0 B");
    QTest::newRow("over-committed") << -2.5 << QString(QChar(0x2212) + QStringLiteral("2.5 GiB"));
    QTest::newRow("a lot") << 3000.0 << QStringLiteral("2.93 TiB");
}

void TestHeadroomList::textsAreOneUnit()
{
    QFETCH(double, gib);
    QFETCH(QString, expected);
    HeadroomModel model;
    model.setEntries({entry("x", gib)});
    QCOMPARE(model.index(0, HeadroomModel::FreeColumn).data().toString().replace(QChar(0xa0), u' '), expected);
    const double ratio = model.index(0, HeadroomModel::BarColumn).data(HeadroomModel::RatioRole).toDouble();
    QVERIFY(ratio >= 0 && ratio <= 1);
}

void TestHeadroomList::liveOrderKeepsTheSelection()
{
    HeadroomList list;
    list.resize(360, 300);
    list.show();
    QAbstractItemModelTester tester(list.headroom(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    list.setEntries(some());
    list.setSelected("b");
    QSignalSpy selected(&list, &HeadroomList::selected);
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> free(0, 80);
    for (int i = 0; i < 50; ++i) {
        auto entries = some();
        for (HeadroomEntry &e : entries)
            e.freeBytes = free(random) * kGiB;
        if (i % 5 == 0) // one comes, one goes
            entries.push_back(entry("new" + std::to_string(i), free(random)));
        list.setEntries(entries);
        QCOMPARE(list.currentIndex().data(HeadroomModel::IdRole).toString(), QStringLiteral("b"));
    }
    QCOMPARE(selected.count(), 0); // live data is not a choice
}

void TestHeadroomList::choosingAndOpening()
{
    HeadroomList list;
    list.resize(360, 300);
    list.show();
    list.setEntries(some());
    list.setFocus();
    QSignalSpy selected(&list, &HeadroomList::selected);
    QSignalSpy opened(&list, &HeadroomList::opened);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.headroom()->index(1, 0)).center());
    QCOMPARE(selected.count(), 1);
    QCOMPARE(selected[0][0].value<std::string>(), std::string("b"));
    QTest::keyClick(&list, Qt::Key_Down);
    QCOMPARE(selected[1][0].value<std::string>(), std::string("c"));
    QTest::keyClick(&list, Qt::Key_Return);
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened[0][0].value<std::string>(), std::string("c"));
    list.setSelected("a");
    list.setSelected("nobody");
    QCOMPARE(selected.count(), 2);
    QCOMPARE(list.verticalHeader()->sectionSize(0), 28);
}

void TestHeadroomList::barIsWhatIsFree_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestHeadroomList::barIsWhatIsFree()
{
    QFETCH(bool, dark);
    applyTheme(*qApp, dark ? Theme::Dark : Theme::Light);
    HeadroomList list;
    list.resize(400, 200);
    list.show();
    list.setEntries({entry("quarter", 2), entry("half", 4), entry("full", 8)});
    const Tokens &colours = tokens(&list);
    const QImage picture = list.viewport()->grab().toImage();
    const QColor bar = trackStyle(SeriesRole::Reserved, colours).line;
    QList<int> lengths;
    for (int r = 0; r < 3; ++r) {
        const QRect cell = list.visualRect(list.headroom()->index(r, HeadroomModel::BarColumn));
        int length = 0;
        for (int x = cell.left(); x < cell.right(); ++x)
            length += picture.pixelColor(x, cell.center().y()) == bar ? 1 : 0;
        lengths << length;
    }
    QVERIFY2(lengths[2] > 50, qPrintable(QString::number(lengths[2])));
    QVERIFY(std::abs(lengths[1] * 2 - lengths[2]) <= 2);
    QVERIFY(std::abs(lengths[0] * 4 - lengths[2]) <= 4);
    applyTheme(*qApp, Theme::Light);
}

void TestHeadroomList::hostileNamesAreText()
{
    HeadroomList list;
    auto entries = some();
    entries[0].name = QStringLiteral("<font size=7>") + QString(3000, u'W');
    entries[0].tip = QStringLiteral("<img src='file:///etc/passwd'>");
    list.resize(300, 200);
    list.show();
    list.setEntries(entries);
    QVERIFY(!list.viewport()->grab().isNull());
    const QString tip = list.headroom()->index(list.headroom()->rowOf("b"), 0).data(Qt::ToolTipRole).toString();
    QVERIFY(!tip.contains(QStringLiteral("<img")));
    QVERIFY(list.columnWidth(HeadroomModel::NameColumn) < 300);
}

void TestHeadroomList::narrowListsDropTheBar()
{
    HeadroomList list;
    list.show();
    list.setEntries(some());
    list.resize(420, 200);
    QVERIFY(!list.isColumnHidden(HeadroomModel::BarColumn));
    list.resize(220, 200);
    QVERIFY(list.isColumnHidden(HeadroomModel::BarColumn));
    QVERIFY(list.columnWidth(HeadroomModel::NameColumn) >= 60);
}

QTEST_MAIN(TestHeadroomList)
#include "tst_headroom_list.moc"
