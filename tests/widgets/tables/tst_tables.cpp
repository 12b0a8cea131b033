// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/chip.h"
#include "widgets/tables/copyable_table.h"
#include "widgets/tables/filter_bar.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <QWindow>

using namespace plimsoll;

class TestTables : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void chipSaysItself();
    void chipIsRemoved_data();
    void chipIsRemoved();
    void chipSurvivesHostileWords();
    void barListsFilters();
    void barHidesWhatDoesNotFit();
    void tableCopies();
    void tableCopiesSelection();
    void tableActivates();
    void tableHovers();
    void barInCellIsAsLongAsItsValue_data();
    void barInCellIsAsLongAsItsValue();
};

void TestTables::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestTables::chipSaysItself()
{
    Chip chip(QStringLiteral("team"), QStringLiteral("="), QStringLiteral("nlp"));
    QCOMPARE(chip.accessibleName(), QStringLiteral("team nlp"));
    Chip other(QStringLiteral("job"), QStringLiteral("≠"), QStringLiteral("test"));
    QCOMPARE(other.accessibleName(), QStringLiteral("job ≠ test"));
    QVERIFY(chip.sizeHint().height() >= 24);
}

void TestTables::chipIsRemoved_data()
{
    QTest::addColumn<QString>("by");
    QTest::addColumn<int>("removed");
    QTest::addColumn<int>("clicked");
    QTest::newRow("cross") << "cross" << 1 << 0;
    QTest::newRow("delete") << "delete" << 1 << 0;
    QTest::newRow("body") << "body" << 0 << 1;
    QTest::newRow("space") << "space" << 0 << 1;
    QTest::newRow("enter") << "enter" << 0 << 1;
    QTest::newRow("press on the cross, let go beside it") << "away" << 0 << 0;
}

void TestTables::chipIsRemoved()
{
    QFETCH(QString, by);
    Chip chip(QStringLiteral("team"), QStringLiteral("="), QStringLiteral("nlp"));
    chip.resize(chip.sizeHint());
    chip.show();
    QSignalSpy removed(&chip, &Chip::removeClicked);
    QSignalSpy clicked(&chip, &Chip::clicked);
    const QPoint cross = chip.crossRect().center();
    if (by == QLatin1String("cross"))
        QTest::mouseClick(&chip, Qt::LeftButton, {}, cross);
    else if (by == QLatin1String("body"))
        QTest::mouseClick(&chip, Qt::LeftButton, {}, QPoint(6, 12));
    else if (by == QLatin1String("delete"))
        QTest::keyClick(&chip, Qt::Key_Delete);
    else if (by == QLatin1String("space"))
        QTest::keyClick(&chip, Qt::Key_Space);
    else if (by == QLatin1String("enter"))
        QTest::keyClick(&chip, Qt::Key_Return);
    else {
        QTest::mousePress(&chip, Qt::LeftButton, {}, cross);
        QTest::mouseRelease(&chip, Qt::LeftButton, {}, QPoint(4, 12));
    }
    QTEST(int(removed.count()), "removed");
    QTEST(int(clicked.count()), "clicked");
}

void TestTables::chipSurvivesHostileWords()
{
    Chip chip(QString(10'000, QLatin1Char('k')), QStringLiteral("="), QStringLiteral("<b>") + QString(10'000, QLatin1Char('v')));
    QVERIFY(chip.sizeHint().width() <= 320);
    chip.resize(chip.sizeHint());
    QVERIFY(!chip.grab().isNull());
}

void TestTables::barListsFilters()
{
    FilterBar bar;
    bar.resize(900, 32);
    bar.show();
    QSignalSpy removed(&bar, &FilterBar::removeClicked);
    QSignalSpy chosen(&bar, &FilterBar::filterClicked);
    QSignalSpy added(&bar, &FilterBar::addClicked);
    bar.setFilters({{QStringLiteral("1"), QStringLiteral("team"), QStringLiteral("="), QStringLiteral("nlp")},
                    {QStringLiteral("2"), QStringLiteral("model"), QStringLiteral("="), QStringLiteral("rag-7b")}});
    QTRY_VERIFY(bar.chip(QStringLiteral("2")) != nullptr && bar.chip(QStringLiteral("2"))->isVisible());
    QTest::mouseClick(bar.chip(QStringLiteral("2")), Qt::LeftButton, {}, bar.chip(QStringLiteral("2"))->crossRect().center());
    QCOMPARE(removed.value(0).value(0).toString(), QStringLiteral("2"));
    QTest::mouseClick(bar.chip(QStringLiteral("1")), Qt::LeftButton, {}, QPoint(6, 12));
    QCOMPARE(chosen.value(0).value(0).toString(), QStringLiteral("1"));
    QTest::mouseClick(bar.addChip(), Qt::LeftButton);
    QCOMPARE(added.count(), 1);
    QVERIFY(bar.chip(QStringLiteral("3")) == nullptr);
    // Removing in answer to the click of the chip itself.
    connect(&bar, &FilterBar::removeClicked, &bar, [&bar] { bar.setFilters({}); });
    QTest::keyClick(bar.chip(QStringLiteral("1")), Qt::Key_Delete);
    QVERIFY(bar.chip(QStringLiteral("1")) == nullptr);
}

void TestTables::barHidesWhatDoesNotFit()
{
    FilterBar bar;
    bar.resize(1200, 32);
    bar.show();
    std::vector<FilterBar::Filter> filters;
    for (int i = 0; i < 12; ++i)
        filters.push_back({QString::number(i), QStringLiteral("label"), QStringLiteral("="), QStringLiteral("value number %1").arg(i)});
    bar.setFilters(filters);
    QVERIFY(bar.chip(QStringLiteral("0"))->isVisible());
    QVERIFY(!bar.chip(QStringLiteral("11"))->isVisible());
    QVERIFY(bar.minimumSizeHint().width() < 1200 || bar.width() == 1200);
    bar.resize(4000, 32);
    QTRY_VERIFY(bar.chip(QStringLiteral("11"))->isVisible());
}

static void fill(QStandardItemModel &model)
{
    model.setHorizontalHeaderLabels({QStringLiteral("Job"), QStringLiteral("Memory"), QStringLiteral("Share")});
    for (int row = 0; row < 3; ++row) {
        auto *name = new QStandardItem(row == 1 ? QStringLiteral("two\tlines\nhere") : QStringLiteral("job %1").arg(row));
        auto *value = new QStandardItem(QString::number(row));
        value->setData(QStringLiteral("GiB"), cellRole::Unit);
        auto *share = new QStandardItem;
        share->setData(row * 0.25, cellRole::Ratio);
        share->setData(QStringLiteral("%1 %").arg(row * 25), cellRole::RatioText);
        model.appendRow({name, value, share});
    }
}

void TestTables::tableCopies()
{
    QStandardItemModel model;
    fill(model);
    QAbstractItemModelTester tester(&model);
    CopyableTable table;
    table.setModel(&model);
    table.resize(500, 200);
    table.show();
    table.clearSelection();
    QCOMPARE(table.toTsv(), QStringLiteral("Job\tMemory\tShare\njob 0\t0 GiB\t0 %\ntwo lines here\t1 GiB\t25 %\njob 2\t2 GiB\t50 %\n"));
    QCOMPARE(table.rowHeight(0), 24);
    QCOMPARE(table.horizontalHeader()->height(), 24);
}

void TestTables::tableCopiesSelection()
{
    QStandardItemModel model;
    fill(model);
    CopyableTable table;
    table.setModel(&model);
    table.resize(500, 200);
    table.show();
    table.selectRow(2);
    table.hideColumn(2);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Job\tMemory\njob 2\t2 GiB\n"));
}

void TestTables::tableActivates()
{
    QStandardItemModel model;
    fill(model);
    CopyableTable table;
    table.setModel(&model);
    table.resize(500, 200);
    table.show();
    table.activateWindow();
    QSignalSpy activated(&table, &CopyableTable::activated);
    table.setFocus();
    table.selectRow(0);
    QTest::keyClick(&table, Qt::Key_Down);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated.value(0).value(0).toModelIndex().row(), 1);
    QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(model.index(2, 0)).center());
    QVERIFY(activated.count() >= 1);
}

void TestTables::tableHovers()
{
    QStandardItemModel model;
    fill(model);
    CopyableTable table;
    table.setModel(&model);
    table.resize(500, 200);
    table.show();
    QSignalSpy hovered(&table, &CopyableTable::hovered);
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    QTest::mouseMove(table.windowHandle(), table.viewport()->mapTo(&table, QPoint(4, 4)));
    QTest::mouseMove(table.windowHandle(), table.viewport()->mapTo(&table, table.visualRect(model.index(1, 0)).center()));
    QTRY_COMPARE(table.hoveredRow(), 1);
    QVERIFY(hovered.count() >= 1);
    // The whole row, also where no cell is.
    const QImage image = table.viewport()->grab().toImage();
    const QRect row = table.visualRect(model.index(1, 2));
    QCOMPARE(image.pixelColor(row.right() - 2, row.top() + 2).rgb(), lightTokens().hover.rgb());
}

void TestTables::barInCellIsAsLongAsItsValue_data()
{
    QTest::addColumn<double>("ratio");
    QTest::addColumn<double>("scale");
    for (const double scale : {1.0, 2.0}) {
        for (const double ratio : {0.0, 0.25, 0.5, 1.0, 7.0, std::nan("")})
            QTest::addRow("%g at %gx", ratio, scale) << ratio << scale;
    }
}

void TestTables::barInCellIsAsLongAsItsValue()
{
    QFETCH(double, ratio);
    QFETCH(double, scale);
    QStandardItemModel model(1, 1);
    model.setData(model.index(0, 0), ratio, cellRole::Ratio);
    model.setData(model.index(0, 0), 4, cellRole::BarSeries);
    CopyableTable table;
    table.setModel(&model);
    table.resize(224, 60);
    table.show();
    QImage image(table.viewport()->size() * scale, QImage::Format_ARGB32);
    image.setDevicePixelRatio(scale);
    table.viewport()->render(&image);
    const QRect cell = table.visualRect(model.index(0, 0)).adjusted(12, 0, -12, 0);
    const int y = int(cell.center().y() * scale);
    int inked = 0;
    int track = 0;
    for (int x = 0; x < image.width(); ++x) {
        inked += image.pixelColor(x, y).rgb() == lightTokens().series[4].rgb();
        track += image.pixelColor(x, y).rgb() == lightTokens().track.rgb();
    }
    const double share = std::isfinite(ratio) ? std::clamp(ratio, 0.0, 1.0) : 0;
    QVERIFY2(std::abs(inked - cell.width() * share * scale) <= 2, qPrintable(QStringLiteral("%1 of %2").arg(inked).arg(cell.width() * scale)));
    QVERIFY(std::abs(inked + track - cell.width() * scale) <= 3);
}

QTEST_MAIN(TestTables)
#include "tst_tables.moc"
