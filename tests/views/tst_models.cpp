// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connections/connections_model.h"
#include "views/events_model.h"
#include "views/job/process_model.h"
#include "views/jobs_model.h"
#include "widgets/tables/value_delegate.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace plimsoll;

namespace {

const Instant kNow{std::chrono::seconds(1'790'000'000)};

JobState job(std::string id, std::int64_t rss)
{
    JobState out;
    out.id = std::move(id);
    out.rss = Bytes{rss};
    out.started = kNow - std::chrono::minutes(5);
    return out;
}

QString cell(const QAbstractItemModel &model, int row, int column)
{
    return model.index(row, column).data().toString();
}

} // namespace

class TestModels : public QObject
{
    Q_OBJECT

private slots:
    void jobsKeepTheirSelection()
    {
        JobsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setJobs({job("a", 1), job("b", 3)}, kNow);
        const QPersistentModelIndex b = model.index(1, JobsModel::JobColumn);
        model.setJobs({job("c", 9), job("b", 4), job("a", 2)}, kNow);
        QCOMPARE(model.rowCount(), 3);
        QVERIFY(b.isValid());
        QCOMPARE(b.row(), 1);
        QCOMPARE(b.data(JobsModel::IdRole).toString(), QStringLiteral("b"));
        model.setJobs({job("a", 2)}, kNow);
        QVERIFY(!b.isValid());
    }
    void jobsShareOnOneScale()
    {
        JobsModel model;
        model.setJobs({job("a", 3 * kGiB), job("b", kGiB)}, kNow);
        QCOMPARE(model.index(0, JobsModel::ShareColumn).data(cellRole::Ratio).toDouble(), 1.0);
        QCOMPARE(model.index(0, JobsModel::ShareColumn).data(cellRole::RatioText).toString().left(2), QStringLiteral("75"));
        QVERIFY(model.index(0, JobsModel::RssColumn).data(cellRole::Sort).toLongLong()
                > model.index(1, JobsModel::RssColumn).data(cellRole::Sort).toLongLong());
    }
    void endedJobsHaveNoFigures()
    {
        JobsModel model;
        auto ended = job("a", kGiB);
        ended.ended = kNow;
        model.setJobs({ended}, kNow);
        QCOMPARE(cell(model, 0, JobsModel::RssColumn), QStringLiteral("\u2013"));
        QVERIFY(cell(model, 0, JobsModel::StateColumn).startsWith(QStringLiteral("ended")));
        QVERIFY(!model.index(0, JobsModel::ShareColumn).data(cellRole::Ratio).isValid());
    }
    void unknownIsADash()
    {
        JobsModel model;
        JobState bare;
        bare.id = "x";
        model.setJobs({bare}, kNow);
        for (const int column : {JobsModel::TeamColumn, JobsModel::ModelColumn, JobsModel::ProcessesColumn, JobsModel::RssColumn})
            QCOMPARE(cell(model, 0, column), QStringLiteral("\u2013"));
    }
    void foreignNamesAreHarmless()
    {
        JobsModel model;
        model.setJobs({job("evil\u202e<font size=7>\n", 1)}, kNow);
        const QString name = cell(model, 0, JobsModel::JobColumn);
        QVERIFY(!name.contains(QChar(0x202e)));
        QVERIFY(!name.contains(u'\n'));
        const QString tip = model.index(0, JobsModel::JobColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(!tip.contains(QStringLiteral("<font")), qPrintable(tip));
    }
    void eventsGrowAtTheTop()
    {
        EventsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        Event first;
        first.time = kNow;
        first.kind = EventKind::JobStarted;
        Event second = first;
        second.time += std::chrono::seconds(1);
        second.kind = EventKind::OomKill;
        model.setEvents({first}, kNow);
        model.setEvents({first, second}, kNow);
        QCOMPARE(inserted.count(), 2);
        QCOMPARE(reset.count(), 0);
        QVERIFY(model.eventAt(0).kind == EventKind::OomKill);
        model.setEvents({second}, kNow);
        QCOMPARE(model.rowCount(), 1);
    }
    void processesSortByValue()
    {
        ProcessModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setProcesses({{"9", "big", "n", 4.0 * kGiB, {}, {}, {}}, {"10", "", "n", 1.0 * kGiB, {}, {}, {}}});
        QCOMPARE(cell(model, 1, ProcessModel::NameColumn), QStringLiteral("unnamed"));
        QCOMPARE(cell(model, 0, ProcessModel::PssColumn), QStringLiteral("\u2013"));
        QVERIFY(model.index(0, ProcessModel::PidColumn).data(cellRole::Sort).toLongLong()
                < model.index(1, ProcessModel::PidColumn).data(cellRole::Sort).toLongLong());
        QCOMPARE(model.index(1, ProcessModel::BarColumn).data(cellRole::Ratio).toDouble(), 0.25);
        model.setProcesses({});
        QCOMPARE(model.rowCount(), 0);
    }
    void connectionsSayWhatIsWrong()
    {
        ConnectionsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        ConnectionState broken;
        broken.endpoint.address = "node:7443";
        broken.phase = ConnectionPhase::Unreachable;
        broken.since = kNow;
        broken.problem = "Nothing listens at node:7443.";
        ConnectionState lagging;
        lagging.endpoint.address = "other:7443";
        lagging.phase = ConnectionPhase::Lagging;
        lagging.lag = std::chrono::seconds(12);
        model.setConnections({broken, lagging}, kNow);
        QVERIFY(cell(model, 0, ConnectionsModel::StateColumn).startsWith(QStringLiteral("unreachable since")));
        QCOMPARE(model.index(0, ConnectionsModel::AddressColumn).data(cellRole::SubText).toString(),
                 QStringLiteral("Nothing listens at node:7443."));
        QCOMPARE(cell(model, 0, ConnectionsModel::RateColumn), QStringLiteral("\u2013"));
        QCOMPARE(cell(model, 1, ConnectionsModel::StateColumn), QStringLiteral("lags 12 s"));
        QCOMPARE(model.rowOf("other:7443"), 1);
        QCOMPARE(model.rowOf("none"), -1);
    }
    void sourcesSayWhatIsWrong()
    {
        SourcesModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSources({{"procfs", true, "", 120, 0}, {"http://x:1/metrics", false, "The exporter answered 500.", 0, 3}});
        QCOMPARE(cell(model, 0, SourcesModel::ProblemColumn), QStringLiteral("fine"));
        QCOMPARE(cell(model, 1, SourcesModel::ProblemColumn), QStringLiteral("The exporter answered 500."));
        QCOMPARE(cell(model, 1, SourcesModel::SkippedColumn), QStringLiteral("3"));
    }
};

QTEST_MAIN(TestModels)
#include "tst_models.moc"
