// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/slice_builder.h"
#include "widgets/timeline/timeline_table.h"
#include "widgets/timeline/timeline_view.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono;

namespace {

const Instant kStart = Instant(sys_days(2026y / 11 / 18)) + hours(13);
constexpr double kGiB = 1024.0 * 1024 * 1024;

std::vector<Track> tracks()
{
    const TimeRange range{kStart, kStart + seconds(10)};
    Track track;
    track.unit = "By";
    track.lines.push_back({QStringLiteral("reserved"), SeriesRole::Reserved,
                           shared(sliceOf(range, sampled(range, seconds(1), [](double s) { return s * kGiB; })))});
    track.lines.push_back({QStringLiteral("allocated"), SeriesRole::Allocated,
                           shared(sliceOf(range, sampled(range, milliseconds(500), [](double s) { return s * kGiB; }), seconds(2))), true});
    track.lines.push_back({QStringLiteral("none yet"), SeriesRole::Swap, nullptr});
    return {track};
}

} // namespace

class TestTimelineTable : public QObject
{
    Q_OBJECT

private slots:
    void isAProperModel();
    void saysWhatThePictureShows();
    void viewKeepsItsTwinUpToDate();
};

void TestTimelineTable::isAProperModel()
{
    TimelineTable table;
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.setTracks(tracks(), {kStart, kStart + seconds(10)}, true);
    QVERIFY(table.rowCount() > 0);
    table.setTracks({}, {kStart, kStart + seconds(10)}, true);
    QCOMPARE(table.rowCount(), 0);
}

void TestTimelineTable::saysWhatThePictureShows()
{
    TimelineTable table;
    table.setTracks(tracks(), {kStart, kStart + seconds(5)}, true);
    QCOMPARE(table.columnCount(), 3);
    QCOMPARE(table.headerData(1, Qt::Horizontal).toString(), QStringLiteral("reserved"));
    QCOMPARE(table.rowCount(), 8); // 0 … 4 s, and the ends of three buckets at 1.5, 3.5, 5.5 s
    QCOMPARE(table.index(3, 1).data(TimelineTable::ValueRole).toDouble(), 2 * kGiB);
    QVERIFY(!table.index(2, 1).data(TimelineTable::ValueRole).isValid()); // not measured then
    const QString band = table.index(2, 2).data().toString();
    QVERIFY2(band.contains(QStringLiteral(" to ")) && band.contains(QStringLiteral("1.50")), qPrintable(band));
    QVERIFY(table.index(0, 0).data().toString().contains(QStringLiteral("13:00:00")));
}

void TestTimelineTable::viewKeepsItsTwinUpToDate()
{
    TimelineView view;
    view.setRange({kStart, kStart + seconds(5)});
    view.setTracks(tracks());
    QAbstractTableModel *twin = view.tableTwin();
    QCOMPARE(twin, view.tableTwin());
    QCOMPARE(twin->rowCount(), 8);
    view.setRange({kStart, kStart + seconds(3)});
    QVERIFY(twin->rowCount() < 8);
    view.setTracks({});
    QCOMPARE(twin->rowCount(), 0);
}

QTEST_MAIN(TestTimelineTable)
#include "tst_timeline_table.moc"
