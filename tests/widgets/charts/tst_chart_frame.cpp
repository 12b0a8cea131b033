// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_frame.h"
#include "widgets/charts/sparkline.h"
#include "widgets/charts/table_text.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/tokens.h"

#include <QApplication>
#include <QClipboard>
#include <QPainter>
#include <QPixmap>
#include <QStandardItemModel>
#include <QTest>

#include <cmath>
#include <limits>

using namespace plimsoll;

namespace {

QStandardItemModel *tableOf(const QList<QStringList> &rows, QObject *parent)
{
    auto *model = new QStandardItemModel(static_cast<int>(rows.size()) - 1, static_cast<int>(rows[0].size()), parent);
    model->setHorizontalHeaderLabels(rows[0]);
    for (int r = 1; r < rows.size(); ++r)
        for (int c = 0; c < rows[r].size(); ++c)
            model->setItem(r - 1, c, new QStandardItem(rows[r][c]));
    return model;
}

} // namespace

class TestChartFrame : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cells_data();
    void cells();
    void copies();
    void sparkline();
};

void TestChartFrame::initTestCase()
{
    applyTheme(*qApp, Theme::Light);
}

void TestChartFrame::cells_data()
{
    QTest::addColumn<QString>("cell");
    QTest::addColumn<QString>("csv");
    QTest::addColumn<QString>("tsv");
    const auto row = [](const char *name, const char *cell, const char *csv, const char *tsv) {
        QTest::newRow(name) << QString::fromUtf8(cell) << QString::fromUtf8(csv) << QString::fromUtf8(tsv);
    };
    row("plain", "71.2 GiB", "71.2 GiB", "71.2 GiB");
    row("comma", "1,007 GiB", "\"1,007 GiB\"", "1,007 GiB");
    row("quote", "a \"b\"", "\"a \"\"b\"\"\"", "a \"b\"");
    row("line end", "a\nb", "\"a\nb\"", "a b");
    row("tab", "a\tb", "a\tb", "a b");
    row("formula", "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
    row("at sign", "@SUM(A1)", "'@SUM(A1)", "'@SUM(A1)");
    row("negative number", "-2.5", "-2.5", "-2.5");
    row("empty", "", "", "");
}

void TestChartFrame::cells()
{
    QFETCH(QString, cell);
    QFETCH(QString, csv);
    QFETCH(QString, tsv);
    auto *model = tableOf({{QStringLiteral("h"), QStringLiteral("x")}, {QStringLiteral("1"), cell}}, this);
    QCOMPARE(tableText(*model, u','), QStringLiteral("h,x\r\n1,%1\r\n").arg(csv));
    QCOMPARE(tableText(*model, u'\t'), QStringLiteral("h\tx\n1\t%1\n").arg(tsv));
}

void TestChartFrame::copies()
{
    ChartFrame frame;
    frame.resize(400, 200);
    frame.show();
    frame.setTitle(QStringLiteral("<b>Step peaks</b>"));
    frame.setSentence(QStringLiteral("node-17/gpu3 has 0.9 GiB free."));
    QStandardItemModel *model = tableOf({{QStringLiteral("step")}, {QStringLiteral("1")}}, this);
    frame.setTable(model);
    QCOMPARE(frame.table(), static_cast<QAbstractItemModel *>(model));
    frame.copySentence();
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("node-17/gpu3 has 0.9 GiB free."));
    frame.setFocus();
    QTest::keyClick(&frame, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("step\n1\n"));
    const QPixmap picture = pictureOf(frame, QStringLiteral("<b>Step peaks</b>"));
    QVERIFY(picture.width() >= 400 && picture.height() > 200);
    QCOMPARE(picture.toImage().pixelColor(1, 1), tokens(&frame).panel);
}

void TestChartFrame::sparkline()
{
    QImage image(64, 24, QImage::Format_RGB32);
    const auto paint = [&](const std::vector<double> &values) {
        image.fill(Qt::white);
        QPainter painter(&image);
        paintSparkline(painter, QRectF(0, 0, 64, 24), values, Qt::black, QColor(0, 0, 0, 20));
    };
    const auto darkAt = [&](int x) { // first dark row of a column
        for (int y = 0; y < 24; ++y)
            if (qGray(image.pixel(x, y)) < 140)
                return y;
        return -1;
    };
    paint({0, 1});
    QVERIFY(darkAt(3) > 18);
    QVERIFY(darkAt(60) < 6 && darkAt(60) >= 0);
    paint({5, 5, 5});
    QVERIFY(std::abs(darkAt(30) - 12) <= 2); // flat: in the middle
    const double nan = std::numeric_limits<double>::quiet_NaN();
    paint({0, 0, 0, nan, nan, nan, nan, 1, 1, 1});
    QCOMPARE(darkAt(32), -1); // a gap is a gap
    paint({nan, nan});
    paint({});
    QCOMPARE(darkAt(32), -1);
    Sparkline widget;
    widget.setSeries(99);
    widget.setValues({1, 2, 3});
    widget.resize(64, 24);
    QVERIFY(!widget.grab().isNull());
}

QTEST_MAIN(TestChartFrame)
#include "tst_chart_frame.moc"
