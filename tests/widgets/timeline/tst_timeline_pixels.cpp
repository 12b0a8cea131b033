// SPDX-License-Identifier: GPL-3.0-or-later
// The line is where the value is: painted geometry against the data, at several zooms, at
// scale 1 and 2, light and dark.
#include "support/slice_builder.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"
#include "widgets/timeline/timeline_painter.h"
#include "widgets/timeline/track_style.h"

#include <QImage>
#include <QTest>

#include <cmath>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = Instant(sys_days(2026y / 11 / 18)) + hours(13);
constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr QSize kSize(900, 320);

struct Picture
{
    TimelineGeometry geometry;
    QImage image;
};

Picture painted(const std::vector<Track> &tracks, TimeRange range, double ratio, bool dark, const std::vector<EventMark> &events = {})
{
    TimelineLayout layout;
    layout.size = kSize;
    layout.pixelRatio = ratio;
    layout.range = range;
    layout.isUtc = true;
    layout.caption = font(TextRole::Caption);
    layout.captionStrong = font(TextRole::CaptionStrong);
    Picture picture{buildGeometry(tracks, events, layout), {}};
    TimelinePainter painter;
    TimelinePainter::Look look;
    look.tokens = dark ? &darkTokens() : &lightTokens();
    look.caption = layout.caption;
    look.captionStrong = layout.captionStrong;
    look.isUtc = true;
    painter.paint(picture.image, kSize, picture.geometry, tracks, events, look);
    return picture;
}

/// 0 = the panel's colour, 1 = the line's, along the way from one to the other.
double likeness(QRgb pixel, const QColor &line, const QColor &panel)
{
    const double dr = line.red() - panel.red();
    const double dg = line.green() - panel.green();
    const double db = line.blue() - panel.blue();
    const double along = (qRed(pixel) - panel.red()) * dr + (qGreen(pixel) - panel.green()) * dg + (qBlue(pixel) - panel.blue()) * db;
    return along / (dr * dr + dg * dg + db * db);
}

double strongest(const Picture &picture, double x, double y, const QColor &line, const QColor &panel, int reach = 1)
{
    const double ratio = picture.geometry.pixelRatio;
    double best = 0;
    for (int dx = -reach; dx <= reach; ++dx)
        for (int dy = -reach; dy <= reach; ++dy) {
            const QPoint at(static_cast<int>(std::floor(x * ratio)) + dx, static_cast<int>(std::floor(y * ratio)) + dy);
            if (picture.image.rect().contains(at))
                best = std::max(best, likeness(picture.image.pixel(at), line, panel));
        }
    return best;
}

Track trackOf(SeriesSlice slice, bool band = false, SeriesRole role = SeriesRole::Reserved)
{
    Track track;
    track.unit = "By";
    track.lines.push_back({QStringLiteral("reserved"), role, shared(std::move(slice)), band, false, false});
    track.limits.push_back({QStringLiteral("capacity"), 79.6 * kGiB, nullptr});
    return track;
}

} // namespace

class TestTimelinePixels : public QObject
{
    Q_OBJECT

private slots:
    void lineIsWhereTheValueIs_data();
    void lineIsWhereTheValueIs();
    void gapIsAGap_data();
    void gapIsAGap();
    void oneSampleSpikeIsSeenAtAnyZoom_data();
    void oneSampleSpikeIsSeenAtAnyZoom();
    void bandReachesMinAndMax();
    void capacityIsADashedLineAtItsValue();
    void nothingIsDrawnAfterTheEnd();
};

void TestTimelinePixels::lineIsWhereTheValueIs_data()
{
    QTest::addColumn<int>("spanSeconds");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<bool>("dark");
    for (const int span : {20, 600, 7200, 86400})
        for (const double ratio : {1.0, 1.5, 2.0})
            for (const bool dark : {false, true})
                QTest::addRow("%d s, scale %.1f, %s", span, ratio, dark ? "dark" : "light") << span << ratio << dark;
}

void TestTimelinePixels::lineIsWhereTheValueIs()
{
    QFETCH(int, spanSeconds);
    QFETCH(double, ratio);
    QFETCH(bool, dark);
    const TimeRange range{kStart, kStart + seconds(spanSeconds)};
    const auto value = [&](double s) { return (40 + 30 * std::sin(s / spanSeconds * 9)) * kGiB; };
    const Duration width = spanSeconds > 2000 ? Duration(seconds(spanSeconds / 1600)) : Duration{};
    const Picture picture = painted({trackOf(sliceOf(range, sampled(range, seconds(1), value), width))}, range, ratio, dark);
    const Tokens &tokens = dark ? darkTokens() : lightTokens();
    const QColor line = trackStyle(SeriesRole::Reserved, tokens).line;
    const TrackShape &shape = picture.geometry.tracks[0];
    int checked = 0;
    for (int i = 1; i < 40; ++i) {
        const auto s = static_cast<double>(spanSeconds * i / 40);
        const Instant t = kStart + seconds(static_cast<int>(s));
        const double x = picture.geometry.time.x(t);
        const double y = shape.scale.y(value(s));
        QVERIFY2(strongest(picture, x, y, line, tokens.panel) > 0.75, qPrintable(QStringLiteral("at second %1: %2").arg(s).arg(strongest(picture, x, y, line, tokens.panel))));
        // … and nowhere near: ten pixels above and below there is ground, where the slope is gentle.
        if (std::abs(std::cos(s / spanSeconds * 9)) < 0.3) {
            QVERIFY(strongest(picture, x, y - 14, line, tokens.panel) < 0.5);
            QVERIFY(strongest(picture, x, y + 14, line, tokens.panel) < 0.5);
            ++checked;
        }
    }
    QVERIFY(checked >= 5);
}

void TestTimelinePixels::gapIsAGap_data()
{
    QTest::addColumn<double>("ratio");
    QTest::addColumn<bool>("dark");
    QTest::addColumn<bool>("band");
    for (const double ratio : {1.0, 2.0})
        for (const bool dark : {false, true})
            for (const bool band : {false, true})
                QTest::addRow("scale %.0f, %s, %s", ratio, dark ? "dark" : "light", band ? "band" : "line") << ratio << dark << band;
}

void TestTimelinePixels::gapIsAGap()
{
    QFETCH(double, ratio);
    QFETCH(bool, dark);
    QFETCH(bool, band);
    const TimeRange range{kStart, kStart + minutes(10)};
    const std::vector<Gap> gaps{{{kStart + seconds(200), kStart + seconds(320)}, GapReason::Away, ""}};
    const auto value = [](double s) { return (20 + s / 20) * kGiB; };
    Track track = trackOf(sliceOf(range, sampled(range, seconds(1), value), {}, gaps), band, SeriesRole::Allocated);
    track.lines[0].isArea = !band;
    const Picture picture = painted({track}, range, ratio, dark);
    const Tokens &tokens = dark ? darkTokens() : lightTokens();
    const QColor line = trackStyle(SeriesRole::Allocated, tokens).line;
    const TrackShape &shape = picture.geometry.tracks[0];
    QCOMPARE(shape.gaps.size(), std::size_t(1));
    QVERIFY(shape.gaps[0].text.contains(QStringLiteral("2 min")));
    QVERIFY(!shape.gaps[0].textRect.isEmpty());
    // No pixel with the series' hue: the hatch is grey, the line would be amber.
    const int left = static_cast<int>((picture.geometry.time.x(gaps[0].range.begin) + 1) * ratio);
    const int right = static_cast<int>((picture.geometry.time.x(gaps[0].range.end) - 2) * ratio);
    int hatch = 0;
    for (int y = static_cast<int>((shape.plot.top() + 2) * ratio); y < static_cast<int>((shape.plot.bottom() - 1) * ratio); ++y)
        for (int x = left; x < right; ++x) {
            const QColor pixel(picture.image.pixel(x, y));
            QVERIFY2(pixel.red() - pixel.blue() < 24, qPrintable(QStringLiteral("%1 at %2, %3").arg(pixel.name()).arg(x).arg(y)));
            hatch += std::abs(pixel.lightness() - tokens.panel.lightness()) > 20 ? 1 : 0;
        }
    QVERIFY(hatch > 500);
    // On both sides of it the line is there.
    for (const int s : {198, 322})
        QVERIFY(strongest(picture, picture.geometry.time.x(kStart + seconds(s)), shape.scale.y(value(s)), line, tokens.panel) > 0.6);
}

void TestTimelinePixels::oneSampleSpikeIsSeenAtAnyZoom_data()
{
    QTest::addColumn<int>("hoursShown");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<bool>("band");
    for (const int hours : {1, 3, 24})
        for (const double ratio : {1.0, 2.0})
            for (const bool band : {false, true})
                QTest::addRow("%d h, scale %.0f, %s", hours, ratio, band ? "band" : "line") << hours << ratio << band;
}

void TestTimelinePixels::oneSampleSpikeIsSeenAtAnyZoom()
{
    QFETCH(int, hoursShown);
    QFETCH(double, ratio);
    QFETCH(bool, band);
    const TimeRange all{kStart, kStart + hours(24)};
    const int spike = 2113; // second, in sight at every zoom
    const auto samples = sampled(all, seconds(1), [&](double s) { return (static_cast<int>(s) == spike ? 75.0 : 30.0) * kGiB; });
    const TimeRange range{kStart, kStart + hours(hoursShown)};
    const Duration width = Duration(range.length() / 1800);
    const Picture picture = painted({trackOf(sliceOf(all, samples, width), band)}, range, ratio, false);
    const Tokens &tokens = lightTokens();
    const QColor line = trackStyle(SeriesRole::Reserved, tokens).line;
    const TrackShape &shape = picture.geometry.tracks[0];
    const double x = picture.geometry.time.x(kStart + seconds(spike));
    // Its top is drawn at its value; a band is as wide as three pixels there.
    QVERIFY2(strongest(picture, x, shape.scale.y(75 * kGiB), line, tokens.panel, 4) > 0.5,
             qPrintable(QString::number(strongest(picture, x, shape.scale.y(75 * kGiB), line, tokens.panel, 4))));
    QVERIFY(strongest(picture, x + 40, shape.scale.y(75 * kGiB), line, tokens.panel, 4) < 0.4);
}

void TestTimelinePixels::bandReachesMinAndMax()
{
    const TimeRange range{kStart, kStart + hours(1)};
    const auto samples = sampled(range, seconds(1), [](double s) { return (static_cast<int>(s) % 2 == 0 ? 20.0 : 60.0) * kGiB; });
    const Picture picture = painted({trackOf(sliceOf(range, samples, seconds(2)), true)}, range, 1, false);
    const Tokens &tokens = lightTokens();
    const QColor line = trackStyle(SeriesRole::Reserved, tokens).line;
    const TrackShape &shape = picture.geometry.tracks[0];
    for (int x = shape.plot.left() + 20; x < shape.plot.right() - 20; x += 17) {
        QVERIFY(strongest(picture, x, shape.scale.y(60 * kGiB), line, tokens.panel) > 0.5);
        const double inside = likeness(picture.image.pixel(x, static_cast<int>(shape.scale.y(37 * kGiB))), line, tokens.panel);
        QVERIFY2(inside > 0.12 && inside < 0.4, qPrintable(QString::number(inside)));
        QVERIFY(strongest(picture, x, shape.scale.y(10 * kGiB), line, tokens.panel) < 0.1);
    }
}

void TestTimelinePixels::capacityIsADashedLineAtItsValue()
{
    const TimeRange range{kStart, kStart + minutes(10)};
    const Picture picture = painted({trackOf(sliceOf(range, sampled(range, seconds(1), [](double) { return 30 * kGiB; })))}, range, 1, false);
    const TrackShape &shape = picture.geometry.tracks[0];
    const int y = static_cast<int>(std::floor(shape.scale.y(79.6 * kGiB)));
    int dark = 0;
    int changes = 0;
    bool was = false;
    for (int x = shape.plot.left(); x < shape.plot.right(); ++x) {
        const bool is = qGray(picture.image.pixel(x, y)) < 80;
        dark += is ? 1 : 0;
        changes += is != was ? 1 : 0;
        was = is;
    }
    const double share = static_cast<double>(dark) / shape.plot.width();
    QVERIFY2(share > 0.5 && share < 0.7, qPrintable(QString::number(share))); // 6 of 10
    QVERIFY(changes > shape.plot.width() / 6);
}

void TestTimelinePixels::nothingIsDrawnAfterTheEnd()
{
    // A job that ended: no flat line goes on, and no hatch either.
    const TimeRange range{kStart, kStart + minutes(10)};
    const std::vector<Gap> gaps{{{kStart + seconds(240), range.end}, GapReason::Ended, ""}};
    Track track = trackOf(sliceOf(range, sampled(range, seconds(1), [](double) { return 30 * kGiB; }), {}, gaps));
    track.lines[0].name.clear();
    track.limits.clear();
    const Picture picture = painted({track}, range, 1, false);
    const TrackShape &shape = picture.geometry.tracks[0];
    QVERIFY(shape.gaps.empty());
    const Tokens &tokens = lightTokens();
    const int left = static_cast<int>(picture.geometry.time.x(kStart + seconds(243)));
    for (int y = shape.plot.top() + 1; y < shape.plot.bottom(); ++y)
        for (int x = left; x < shape.plot.right(); ++x) {
            const QRgb pixel = picture.image.pixel(x, y);
            QVERIFY(pixel == tokens.panel.rgb() || pixel == tokens.grid.rgb());
        }
}

QTEST_MAIN(TestTimelinePixels)
#include "tst_timeline_pixels.moc"
