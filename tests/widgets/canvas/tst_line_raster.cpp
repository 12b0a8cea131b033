// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/line_raster.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace plimsoll;

namespace {

QImage blank(int width = 200, int height = 100)
{
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(Qt::white);
    return image;
}

double darkness(const QImage &image, int x, int y) { return 1 - qGray(image.pixel(x, y)) / 255.0; }

double columnDarkness(const QImage &image, int x)
{
    double sum = 0;
    for (int y = 0; y < image.height(); ++y)
        sum += darkness(image, x, y);
    return sum;
}

void stroke(QImage &image, const std::vector<QPointF> &points, double width = 1.75)
{
    LineRaster raster;
    LineRaster::Pen pen;
    pen.width = width;
    raster.stroke(image, image.rect(), points, pen);
}

} // namespace

class TestLineRaster : public QObject
{
    Q_OBJECT

private slots:
    void flatLineHasItsWidth_data();
    void flatLineHasItsWidth();
    void spikeBetweenColumnsIsSeen();
    void slopesLookLikeThoseOfQPainter_data();
    void slopesLookLikeThoseOfQPainter();
    void staysInsideItsClip();
    void liftsThePen();
    void loneSampleIsADot();
    void dashes();
    void fillsBelowALine();
    void fillsBetweenTwoLines();
    void dotsAColumn();
    void survivesAnything();
};

void TestLineRaster::flatLineHasItsWidth_data()
{
    QTest::addColumn<double>("y");
    QTest::addColumn<double>("width");
    QTest::newRow("on a centre") << 50.5 << 1.0;
    QTest::newRow("between two pixels") << 50.0 << 1.0;
    QTest::newRow("main line") << 50.3 << 1.75;
    QTest::newRow("main line at scale 2") << 50.8 << 3.5;
}

void TestLineRaster::flatLineHasItsWidth()
{
    QFETCH(double, y);
    QFETCH(double, width);
    QImage image = blank();
    stroke(image, {{-5, y}, {205, y}}, width);
    for (int x = 0; x < image.width(); ++x) {
        QVERIFY2(std::abs(columnDarkness(image, x) - width) < 0.06, qPrintable(QString::number(columnDarkness(image, x))));
        double centre = 0;
        for (int row = 0; row < image.height(); ++row)
            centre += (row + 0.5) * darkness(image, x, row);
        QVERIFY(std::abs(centre / columnDarkness(image, x) - y) < 0.05); // where the value is
    }
}

void TestLineRaster::spikeBetweenColumnsIsSeen()
{
    for (double at = 100; at < 101; at += 0.07) {
        QImage image = blank();
        stroke(image, {{0, 90}, {at, 90}, {at, 10}, {at, 90}, {199, 90}});
        double strongest = 0;
        for (int x = 98; x <= 102; ++x)
            strongest = std::max(strongest, darkness(image, x, 40));
        QVERIFY2(strongest > 0.6, qPrintable(QStringLiteral("%1 at %2").arg(strongest).arg(at)));
    }
}

void TestLineRaster::slopesLookLikeThoseOfQPainter_data()
{
    QTest::addColumn<double>("rise");
    QTest::newRow("gentle") << 12.0;
    QTest::newRow("half") << 45.0;
    QTest::newRow("steep") << 300.0;
}

void TestLineRaster::slopesLookLikeThoseOfQPainter()
{
    QFETCH(double, rise);
    const std::vector<QPointF> points{{20, 350}, {120, 350 - rise}, {180, 350 - rise}};
    QImage ours = blank(200, 400);
    stroke(ours, points);
    QImage theirs = blank(200, 400);
    QPainter painter(&theirs);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Qt::black, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(points.data(), static_cast<int>(points.size()));
    painter.end();
    double difference = 0;
    double ink = 0;
    for (int y = 0; y < ours.height(); ++y)
        for (int x = 0; x < ours.width(); ++x) {
            difference += std::abs(darkness(ours, x, y) - darkness(theirs, x, y));
            ink += darkness(theirs, x, y);
        }
    QVERIFY2(difference / ink < 0.12, qPrintable(QString::number(difference / ink)));
}

void TestLineRaster::staysInsideItsClip()
{
    QImage image = blank();
    LineRaster raster;
    const QRect clip(50, 20, 60, 40);
    raster.stroke(image, clip, std::vector<QPointF>{{-500, -500}, {60, 30}, {80, 5000}, {90, -5000}, {700, 40}}, {});
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (!clip.contains(x, y))
                QCOMPARE(image.pixel(x, y), qRgb(255, 255, 255));
    QVERIFY(columnDarkness(image, 84) + columnDarkness(image, 85) > 20);
}

void TestLineRaster::liftsThePen()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QImage image = blank();
    stroke(image, {{0, 50}, {60, 50}, {nan, nan}, {140, 50}, {199, 50}});
    for (int x = 63; x < 137; ++x)
        QCOMPARE(columnDarkness(image, x), 0.0);
    QVERIFY(columnDarkness(image, 58) > 1);
    QVERIFY(columnDarkness(image, 142) > 1);
}

void TestLineRaster::loneSampleIsADot()
{
    QImage image = blank();
    stroke(image, {{100.5, 50.5}});
    QVERIFY(darkness(image, 100, 50) > 0.9);
    double ink = 0;
    for (int x = 0; x < image.width(); ++x)
        ink += columnDarkness(image, x);
    QVERIFY2(ink > 3 && ink < 9, qPrintable(QString::number(ink)));
}

void TestLineRaster::dashes()
{
    QImage image = blank();
    LineRaster raster;
    LineRaster::Pen pen;
    pen.dashOn = 5;
    pen.dashOff = 3;
    raster.stroke(image, image.rect(), std::vector<QPointF>{{0, 50}, {199, 50}}, pen);
    int on = 0;
    for (int x = 0; x < 160; ++x)
        on += columnDarkness(image, x) > 0.5 ? 1 : 0;
    QCOMPARE(on, 100);
}

void TestLineRaster::fillsBelowALine()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QImage image = blank();
    LineRaster raster;
    raster.fillBelow(image, image.rect(), std::vector<QPointF>{{10, 20}, {60, 20}, {nan, nan}, {120, 50}, {180, 50}}, 80, qRgb(0, 0, 0), 0.5);
    for (const int x : {12, 30, 58})
        QVERIFY2(std::abs(columnDarkness(image, x) - 30) < 0.6, qPrintable(QString::number(columnDarkness(image, x)))); // 60 rows at a half
    for (const int x : {130, 178})
        QVERIFY(std::abs(columnDarkness(image, x) - 15) < 0.6);
    for (const int x : {0, 5, 70, 100, 115, 190})
        QCOMPARE(columnDarkness(image, x), 0.0); // beside it and where the pen is lifted
    QCOMPARE(darkness(image, 30, 85), 0.0);
    QCOMPARE(darkness(image, 30, 15), 0.0);
}

void TestLineRaster::fillsBetweenTwoLines()
{
    QImage image = blank();
    LineRaster raster;
    raster.fillBetween(image, QRect(0, 0, 100, 100), std::vector<QPointF>{{0, 30}, {199, 30}}, std::vector<QPointF>{{0, 70}, {199, 70}},
                       qRgb(0, 0, 0), 1);
    QCOMPARE(columnDarkness(image, 50), 40.0);
    QCOMPARE(columnDarkness(image, 150), 0.0); // outside the clip
    raster.fillBetween(image, image.rect(), {}, {}, qRgb(0, 0, 0), 1);
}

void TestLineRaster::dotsAColumn()
{
    QImage image = blank();
    LineRaster::dottedColumn(image, QRect(0, 20, 200, 40), 77, qRgb(0, 0, 0), 1, 2, 2);
    QCOMPARE(columnDarkness(image, 77), 20.0);
    QCOMPARE(columnDarkness(image, 76), 0.0);
    QCOMPARE(darkness(image, 77, 10), 0.0);
    LineRaster::dottedColumn(image, image.rect(), 5000, qRgb(0, 0, 0), 1, 2, 2);
    LineRaster::dottedColumn(image, image.rect(), -1, qRgb(0, 0, 0), 1, 2, 2);
}

void TestLineRaster::survivesAnything()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const std::array values{0.0, -1.0, 1e12, -1e12, 1e308, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 50.0};
    std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
    std::uniform_real_distribution<double> step(0, 9);
    for (int round = 0; round < 200; ++round) {
        QImage image = blank(64, 32);
        std::vector<QPointF> points;
        double x = -50;
        for (int i = 0; i < 40; ++i) {
            points.emplace_back(x, values[pick(random)]);
            x += step(random);
        }
        stroke(image, points);
        LineRaster raster;
        raster.fillBelow(image, image.rect(), points, values[pick(random)], qRgb(9, 9, 9), 0.3);
        raster.fillBetween(image, image.rect(), points, points, qRgb(9, 9, 9), 0.3);
    }
    QImage none;
    stroke(none, {{0, 0}, {1, 1}});
    QImage image = blank();
    stroke(image, {});
}

QTEST_APPLESS_MAIN(TestLineRaster)
#include "tst_line_raster.moc"
