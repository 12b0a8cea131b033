// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/memory_timeline.h"

#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

Result<MemoryTimeline> readText(const std::string &text)
{
    const auto source = bytesOf(text);
    return readMemoryTimeline(*source, {});
}

} // namespace

class MemoryTimelineTest : public QObject
{
    Q_OBJECT

private slots:
    void rawRows();
    void oneRawRow();
    void rows();
    void nothing_data();
    void nothing();
    void picture();
    void truncatedAnywhere();
    void others_data();
    void others();
};

void MemoryTimelineTest::rawRows()
{
    const auto timeline = readText("[[-1, 1, 1000, 0], [2000000, 2, 500, 4], [3000000, 3, -1000, 0], [3000000, 3, 1000, 5],"
                                   " [5000000, 4, -500, 4], [4000000, 2, 7, 7], [6000000, 9, 1, 99]]");
    QVERIFY2(timeline.has_value(), timeline ? "" : timeline.error().detail.c_str());
    QVERIFY(timeline->isRaw);
    const auto &snapshot = timeline->snapshot;
    QCOMPARE(snapshot.events.size(), std::size_t{7});
    QCOMPARE(timeline->existingBytes, std::uint64_t{1000});
    QCOMPARE(timeline->newVersions, std::uint64_t{1});
    QCOMPARE(timeline->peakBytes, std::uint64_t{1507});
    QCOMPARE(snapshot.events.timeUs[0], kUnknownTime);
    QCOMPARE(snapshot.events.timeUs[4], std::int64_t{4000}); // in order of time
    QVERIFY(snapshot.events.action[5] == TraceAction::Free);
    QCOMPARE(snapshot.events.sizes[5], std::uint64_t{500});
    const auto &context = snapshot.contexts[snapshot.events.context[5]];
    QCOMPARE(std::string(snapshot.texts[context.attributes[0].second]), std::string("activation"));
    QCOMPARE(snapshot.actionNames[static_cast<std::size_t>(snapshot.events.action[2])], std::string("new_version"));
    QVERIFY(!snapshot.devices[0].hasAddresses);
    QCOMPARE(snapshot.warnings.size(), std::size_t{1});
}

void MemoryTimelineTest::oneRawRow()
{
    const auto timeline = readText("[[1000, 2, 512, 3]]");
    QVERIFY(timeline.has_value());
    QVERIFY(timeline->isRaw);
    QCOMPARE(timeline->snapshot.events.size(), std::size_t{1});
}

void MemoryTimelineTest::rows()
{
    const auto timeline = readText("[[1690000000000000, 1690000000000010.5, 1690000000000020, 1690000000000030],"
                                   "[[0,1,2,3,4,5,6,7,8],[0,10,0,0,0,0,0,0,100],[0,1,0,0,0,0,0,0,0],[0,110,0,0,0,0,0,0,0]]]");
    QVERIFY2(timeline.has_value(), timeline ? "" : timeline.error().detail.c_str());
    QVERIFY(!timeline->isRaw);
    QCOMPARE(timeline->moments.size(), std::size_t{4});
    QCOMPARE(timeline->moments[0].bytes[7], std::uint64_t{8});
    QCOMPARE(timeline->moments[1].timeUs, std::int64_t{1690000000000010});
    QCOMPARE(timeline->peakMoment, std::optional<std::size_t>(1));
    QCOMPARE(timeline->peakBytes, std::uint64_t{110});
    QCOMPARE(toString(TimelineCategory::OptimizerState), std::string_view("optimizer_state"));
}

void MemoryTimelineTest::nothing_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("raw") << QByteArray("[]");
    QTest::newRow("rows") << QByteArray("[[], []]");
}

void MemoryTimelineTest::nothing()
{
    QFETCH(QByteArray, text);
    const auto timeline = readText(text.toStdString());
    QVERIFY2(timeline.has_value(), timeline ? "" : timeline.error().detail.c_str());
    QCOMPARE(timeline->peakBytes, std::uint64_t{0});
}

void MemoryTimelineTest::picture()
{
    const auto timeline = readText("<html><body><img src=\"data:image/png;base64,iVBOR\"></body></html>");
    QVERIFY(!timeline);
    QVERIFY(timeline.error().code == Error::Code::Unsupported);
    QVERIFY(timeline.error().detail.find("picture") != std::string::npos);
}

void MemoryTimelineTest::truncatedAnywhere()
{
    for (const std::string text : {"[[-1, 1, 1000, 0], [2000000, 2, 500, 4], [3000000, 4, -1000, 0]]",
                                   "[[10, 20, 30, 40], [[0,1,2,3,4,5,6,7,8],[0,1,2,3,4,5,6,7,8]]]"})
        for (std::size_t length = 0; length < text.size(); ++length) {
            const auto timeline = readText(text.substr(0, length));
            if (timeline)
                QVERIFY(timeline->snapshot.origin.truncatedAt.has_value());
            else
                QVERIFY(!timeline.error().detail.empty());
        }
}

void MemoryTimelineTest::others_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray("");
    QTest::newRow("object") << QByteArray("{\"segments\":[]}");
    QTest::newRow("list of objects") << QByteArray("[{\"ph\":\"i\"}]");
    QTest::newRow("short rows") << QByteArray("[[1,2,3],[4,5,6]]");
    QTest::newRow("text") << QByteArray("[[1,2,3,\"x\"]]");
    QTest::newRow("short row of categories") << QByteArray("[[1],[[0,1,2]]]");
    QTest::newRow("deep") << QByteArray("[[") + QByteArray(1000, '[');
}

void MemoryTimelineTest::others()
{
    QFETCH(QByteArray, text);
    QVERIFY(!readText(text.toStdString()));
}

QTEST_APPLESS_MAIN(MemoryTimelineTest)
#include "tst_memory_timeline.moc"
