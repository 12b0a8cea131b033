// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/slice_builder.h"
#include "widgets/canvas/text_widths.h"
#include "widgets/timeline/band_steps.h"
#include "widgets/timeline/event_lane.h"
#include "widgets/timeline/gap_shapes.h"

#include <QFont>
#include <QTest>

#include <random>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = fromUnixNanos(1'763'470'980'000'000'000);
const TimeScale kTime{{kStart, kStart + seconds(1000)}, 50, 1000}; // a pixel a second
const QRect kLane(50, 300, 1000, 20);

EventMark mark(int second, Glyph glyph, const char *text)
{
    return {kStart + seconds(second), glyph, QString::fromLatin1(text), EventKind::Unknown};
}

Track trackWith(std::vector<std::vector<Gap>> gaps)
{
    Track track;
    for (auto &own : gaps)
        track.lines.push_back({QStringLiteral("line"), SeriesRole::Host, shared(sliceOf(kTime.range, {}, {}, std::move(own)))});
    return track;
}

} // namespace

class TestEventLane : public QObject
{
    Q_OBJECT

private slots:
    void laterTextGivesWay();
    void graveTextComesFirst();
    void textsNearTheEdgeGoLeft();
    void textsNeverOverlap();
    void textsNeverLieOnGlyphs();
    void sameGlyphsThin();
    void gapsAreHatchedWhereNobodyKnows();
    void gapsSayWhy_data();
    void gapsSayWhy();
    void bandsAreCalmAndComplete();
};

void TestEventLane::laterTextGivesWay()
{
    const auto shapes = layOutEvents({mark(100, Glyph::Mark, "checkpoint 14,200"), mark(130, Glyph::Mark, "checkpoint 14,300")}, kTime, kLane, TextWidths(QFont()));
    QCOMPARE(shapes.size(), std::size_t(2));
    QVERIFY(!shapes[0].textRect.isEmpty() || !shapes[1].textRect.isEmpty());
    QCOMPARE(shapes[0].x, 150.0);
    // The first one's text would run into the second glyph, so it is the one that can't be; far apart both fit.
    const auto apart = layOutEvents({mark(100, Glyph::Mark, "a"), mark(600, Glyph::Mark, "b")}, kTime, kLane, TextWidths(QFont()));
    QVERIFY(!apart[0].textRect.isEmpty() && !apart[1].textRect.isEmpty());
}

void TestEventLane::graveTextComesFirst()
{
    const auto shapes = layOutEvents({mark(500, Glyph::Mark, "checkpoint with a long name here"), mark(700, Glyph::Kill, "OOM"),
                                      mark(712, Glyph::Mark, "another long checkpoint")},
                                     kTime, kLane, TextWidths(QFont()));
    QVERIFY(!shapes[1].textRect.isEmpty() || shapes[2].x - shapes[1].x < 20);
    QVERIFY(isGrave(mark(0, Glyph::Kill, "")));
    QVERIFY(!isGrave(mark(0, Glyph::Mark, "")));
}

void TestEventLane::textsNearTheEdgeGoLeft()
{
    const auto shapes = layOutEvents({mark(980, Glyph::Mark, "18,300")}, kTime, kLane, TextWidths(QFont()));
    QVERIFY(shapes[0].isTextLeft);
    QVERIFY(shapes[0].textRect.right() < shapes[0].x);
}

void TestEventLane::textsNeverOverlap()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> at(-50, 1050);
    std::uniform_int_distribution<int> length(0, 30);
    for (int round = 0; round < 50; ++round) {
        std::vector<EventMark> marks;
        for (int i = 0; i < 60; ++i)
            marks.push_back({kStart + seconds(at(random)), Glyph(i % 10), QString(length(random), u'x'), EventKind::Unknown});
        std::sort(marks.begin(), marks.end(), [](const EventMark &a, const EventMark &b) { return a.time < b.time; });
        const auto shapes = layOutEvents(marks, kTime, kLane, TextWidths(QFont()));
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            QVERIFY(shapes[i].x >= kLane.left() && shapes[i].x <= kLane.left() + kLane.width());
            for (std::size_t j = i + 1; j < shapes.size(); ++j)
                if (!shapes[i].textRect.isEmpty() && !shapes[j].textRect.isEmpty())
                    QVERIFY(!shapes[i].textRect.intersects(shapes[j].textRect));
        }
    }
}

void TestEventLane::textsNeverLieOnGlyphs()
{
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 50; ++round) {
        std::vector<EventMark> marks;
        for (int second = 0; second < 900; second += 7 + static_cast<int>(random() % 60)) // glyphs that touch, and that do not
            marks.push_back(mark(second, round % 2 == 0 ? Glyph::Mark : second % 2 == 0 ? Glyph::Kill : Glyph::Retry, "agent stopped"));
        const auto shapes = layOutEvents(marks, kTime, kLane, TextWidths(QFont()));
        for (const EventShape &text : shapes)
            for (const EventShape &glyph : shapes)
                QVERIFY(text.textRect.isEmpty() || text.textRect.right() <= glyph.x - 6 || text.textRect.left() >= glyph.x + 6);
    }
    const auto pair = layOutEvents({mark(500, Glyph::Mark, "agent stopped"), mark(510, Glyph::Retry, "agent started")}, kTime, kLane,
                                   TextWidths(QFont()));
    QVERIFY(pair[0].textRect.isEmpty() && !pair[1].textRect.isEmpty());
}

void TestEventLane::sameGlyphsThin()
{
    std::vector<EventMark> marks;
    for (int i = 0; i < 900; ++i)
        marks.push_back(mark(i, Glyph::Mark, ""));
    QVERIFY(layOutEvents(marks, kTime, kLane, TextWidths(QFont())).size() <= 160);
    for (EventMark &m : marks)
        m.glyph = Glyph::Kill;
    QCOMPARE(layOutEvents(marks, kTime, kLane, TextWidths(QFont())).size(), marks.size()); // no kill is hidden
}

void TestEventLane::gapsAreHatchedWhereNobodyKnows()
{
    const QRect plot(50, 20, 1000, 200);
    const Gap early{{kStart + seconds(100), kStart + seconds(300)}, GapReason::Away, ""};
    const Gap late{{kStart + seconds(200), kStart + seconds(400)}, GapReason::Restarted, "restarted"};
    QCOMPARE(gapShapes(trackWith({{early}}), kTime, plot, TextWidths(QFont())).size(), std::size_t(1));
    QVERIFY(gapShapes(trackWith({{early}, {}}), kTime, plot, TextWidths(QFont())).empty());
    const auto both = gapShapes(trackWith({{early}, {late}}), kTime, plot, TextWidths(QFont()));
    QCOMPARE(both.size(), std::size_t(1));
    QCOMPARE(both[0].rect, QRectF(250, 20, 100, 200));
    QCOMPARE(both[0].text, QStringLiteral("restarted")); // who says more
    const Gap ended{{kStart + seconds(200), kStart + seconds(900)}, GapReason::Ended, ""};
    QVERIFY(gapShapes(trackWith({{ended}}), kTime, plot, TextWidths(QFont())).empty());
    // A gap of less than two pixels only breaks the line.
    const Gap tiny{{kStart + seconds(200), kStart + milliseconds(201500)}, GapReason::Away, ""};
    QVERIFY(gapShapes(trackWith({{tiny}}), kTime, plot, TextWidths(QFont())).empty());
}

void TestEventLane::gapsSayWhy_data()
{
    QTest::addColumn<int>("reason");
    QTest::addColumn<QByteArray>("note");
    QTest::addColumn<QString>("expected");
    QTest::newRow("away") << int(GapReason::Away) << QByteArray() << QStringLiteral("away 52 s");
    QTest::newRow("not sampled") << int(GapReason::NotSampled) << QByteArray() << QStringLiteral("not sampled for 52 s");
    QTest::newRow("a note says it better") << int(GapReason::Dropped) << QByteArray("dropped 1,204") << QStringLiteral("dropped 1,204");
    QTest::newRow("markup stays text") << int(GapReason::Away) << QByteArray("<b>x</b>") << QStringLiteral("<b>x</b>");
}

void TestEventLane::gapsSayWhy()
{
    QFETCH(int, reason);
    QFETCH(QByteArray, note);
    QFETCH(QString, expected);
    QCOMPARE(gapText({{kStart, kStart + seconds(52)}, GapReason(reason), note.toStdString()}), expected);
}

void TestEventLane::bandsAreCalmAndComplete()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(0, 100);
    const auto samples = sampled(kTime.range, milliseconds(200), [&](double) { return value(random); });
    const std::vector<Gap> gaps{{{kStart + seconds(400), kStart + seconds(420)}, GapReason::Away, ""}};
    const SeriesSlice slice = sliceOf(kTime.range, samples, milliseconds(500), gaps);
    const auto steps = bandSteps(slice, 0, slice.buckets.size(), seconds(1));
    QVERIFY(steps.size() < 400); // about three pixels each
    double least = 1e9;
    double most = -1e9;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        QVERIFY(i == 0 || steps[i].begin > steps[i - 1].end);
        QVERIFY(!gaps[0].range.contains(steps[i].begin) && !gaps[0].range.contains(steps[i].end));
        QVERIFY(steps[i].end < gaps[0].range.begin || steps[i].begin >= gaps[0].range.end);
        least = std::min(least, steps[i].min);
        most = std::max(most, steps[i].max);
    }
    QCOMPARE(std::count_if(steps.begin(), steps.end(), [](const BandStep &s) { return s.isAfterGap; }), 1);
    for (const Bucket &b : slice.buckets) {
        least = std::min(least, b.min);
        most = std::max(most, b.max);
    }
    for (std::size_t i = 0; i < slice.buckets.size(); ++i) { // each bucket lies within its piece
        const BandStep step = bandStepAt(slice, i, seconds(1));
        QVERIFY(step.min <= slice.buckets[i].min && step.max >= slice.buckets[i].max);
        QVERIFY(std::any_of(steps.begin(), steps.end(), [&](const BandStep &s) {
            return s.begin == step.begin && s.end == step.end && s.min == step.min && s.max == step.max;
        }));
    }
}

QTEST_MAIN(TestEventLane)
#include "tst_event_lane.moc"
