// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/job/job_plan.h"

#include "views/job/job_facts.h"

#include <QtTest>

using namespace plimsoll;

namespace {

const Instant kNow{std::chrono::seconds(1'790'000'000)};

SeriesEntry entry(std::uint32_t id, std::string_view metric, Labels labels, double value = 1, Instant at = kNow)
{
    SeriesEntry out;
    out.id = SeriesId{id};
    out.info.key = {std::string(metric), std::move(labels)};
    out.lastTime = at;
    out.lastValue = value;
    return out;
}

JobState demo()
{
    JobState job;
    job.id = "demo";
    job.nodes = {"n1"};
    job.devices = {"GPU-1"};
    return job;
}

QStringList names(const JobPlan &plan)
{
    QStringList out;
    for (const auto &track : plan.tracks) {
        QStringList lines;
        for (const auto &line : track.lines)
            lines << line.name;
        for (const auto &limit : track.limits)
            lines << QStringLiteral("|") + limit.name;
        out << track.title + QStringLiteral(": ") + lines.join(QStringLiteral(", "));
    }
    return out;
}

} // namespace

class TestJobPlan : public QObject
{
    Q_OBJECT

private slots:
    void laysOutWhatThereIs()
    {
        const std::vector<SeriesEntry> series{
            entry(1, metric::kJobSwap, {{"job.id", "demo"}, {"host.name", "n1"}}),
            entry(2, metric::kJobRss, {{"job.id", "demo"}, {"host.name", "n1"}, {"cgroup.path", "/demo"}}),
            entry(3, metric::kContainerUsage, {{"cgroup.path", "/demo"}, {"host.name", "n1"}}),
            entry(4, metric::kContainerLimit, {{"cgroup.path", "/demo"}, {"host.name", "n1"}}, 12e9),
            entry(5, metric::kHostAvailable, {{"host.name", "n1"}}),
            entry(6, metric::kHostLimit, {{"host.name", "n1"}}, 64e9),
            entry(7, metric::kGpuUsage, {{"hw.id", "GPU-1"}, {"gpu.index", "3"}, {"host.name", "n1"}}),
            entry(8, metric::kGpuLimit, {{"hw.id", "GPU-1"}, {"host.name", "n1"}}, 80e9),
            entry(9, metric::kJobRss, {{"job.id", "other"}, {"host.name", "n1"}}),
            entry(10, metric::kHostAvailable, {{"host.name", "n2"}}),
            entry(11, metric::kContainerUsage, {{"cgroup.path", "/other"}, {"host.name", "n1"}}),
        };
        const JobPlan plan = planJob(demo(), series);
        QCOMPARE(names(plan), (QStringList{QStringLiteral("GPU 3: GPU used, |capacity"),
                                           QStringLiteral("Job: RSS, swap, cgroup, |cgroup limit"),
                                           QStringLiteral("Host: host available, |host memory")}));
        const auto ids = plan.series();
        QCOMPARE(ids.size(), std::size_t{8});
        QVERIFY(std::find(ids.begin(), ids.end(), SeriesId{9}) == ids.end());
    }
    void nothingOfAnotherJob()
    {
        const JobPlan plan = planJob(demo(), {entry(9, metric::kJobRss, {{"job.id", "other"}, {"host.name", "n9"}})});
        QVERIFY(plan.isEmpty());
        QVERIFY(plan.series().empty());
    }
    void unlimitedCgroupHasNoLimitLine()
    {
        const JobPlan plan = planJob(demo(), {entry(2, metric::kJobRss, {{"job.id", "demo"}, {"host.name", "n1"}}),
                                              entry(4, metric::kContainerLimit, {{"job.id", "demo"}, {"host.name", "n1"}}, 0)});
        QCOMPARE(plan.tracks.size(), std::size_t{1});
        QVERIFY(plan.tracks.front().limits.empty());
    }
    void cgroupsAreToldApart_data()
    {
        QTest::addColumn<double>("parentLimit");
        QTest::addColumn<QString>("expected");
        // A parent without a limit is full of others' memory and says nothing.
        QTest::newRow("free parent") << 0.0 << QStringLiteral("Job: RSS, cgroup one.scope, cgroup two.scope, |limit of one.scope");
        QTest::newRow("limited parent")
            << 64e9 << QStringLiteral("Job: RSS, cgroup one.scope, cgroup two.scope, cgroup pod.slice, |limit of one.scope, |limit of pod.slice");
    }
    void cgroupsAreToldApart()
    {
        QFETCH(double, parentLimit);
        QFETCH(QString, expected);
        const auto labels = [](const char *path) {
            return Labels{{"job.id", "demo"}, {"host.name", "n1"}, {"cgroup.path", path}};
        };
        const JobPlan plan = planJob(demo(), {entry(1, metric::kJobRss, {{"job.id", "demo"}, {"host.name", "n1"}}),
                                              entry(2, metric::kContainerUsage, labels("/pod.slice")),
                                              entry(3, metric::kContainerLimit, labels("/pod.slice"), parentLimit),
                                              entry(4, metric::kContainerUsage, labels("/pod.slice/one.scope")),
                                              entry(5, metric::kContainerLimit, labels("/pod.slice/one.scope"), 12e9),
                                              entry(6, metric::kContainerWorkingSet, labels("/pod.slice/one.scope")),
                                              entry(7, metric::kContainerUsage, labels("/pod.slice/two.scope")),
                                              entry(8, metric::kContainerUsage, labels("/"))});
        QCOMPARE(names(plan), QStringList{expected});
    }
    void slicesFindTheirLines()
    {
        const JobPlan plan = planJob(demo(), {entry(2, metric::kJobRss, {{"job.id", "demo"}, {"host.name", "n1"}}),
                                              entry(1, metric::kJobSwap, {{"job.id", "demo"}, {"host.name", "n1"}})});
        SliceAnswer answer;
        SeriesSlice slice;
        slice.series = SeriesId{1};
        answer.slices = {slice};
        const auto tracks = timelineTracks(plan, answer);
        QCOMPARE(tracks.size(), std::size_t{1});
        QVERIFY(!tracks.front().lines[0].slice); // RSS has not come
        QVERIFY(tracks.front().lines[1].slice);
        QCOMPARE(tracks.front().lines[1].slice->series, SeriesId{1});
    }
    void processesThatEndedAreGone()
    {
        const Labels one{{"job.id", "demo"}, {"host.name", "n1"}, {"process.pid", "1"}, {"process.name", "python"}};
        const Labels two{{"job.id", "demo"}, {"host.name", "n1"}, {"process.pid", "2"}, {"process.name", "loader"}};
        const Labels gone{{"job.id", "demo"}, {"host.name", "n1"}, {"process.pid", "3"}};
        const auto processes = processesOf("demo",
                                           {entry(1, metric::kProcessRss, one, 10), entry(2, metric::kProcessPss, one, 8),
                                            entry(3, metric::kProcessRss, two, 20),
                                            entry(4, metric::kProcessRss, gone, 90, kNow - std::chrono::seconds(60))},
                                           kNow);
        QCOMPARE(processes.size(), std::size_t{2});
        QCOMPARE(processes[0].pid, std::string("2"));
        QVERIFY(!processes[0].pss);
        QCOMPARE(processes[1].pss, std::optional<double>(8));
    }
    void limitIsMetByTheWorkingSet()
    {
        const Labels cgroup{{"cgroup.path", "/demo"}, {"host.name", "n1"}};
        const std::vector<SeriesEntry> series{
            entry(2, metric::kJobRss, {{"job.id", "demo"}, {"host.name", "n1"}, {"cgroup.path", "/demo"}}),
            entry(3, metric::kContainerUsage, cgroup, 11e9), entry(4, metric::kContainerLimit, cgroup, 12e9),
            entry(5, metric::kContainerWorkingSet, cgroup, 6e9)};
        const auto limit = tightestLimit(demo(), series);
        QVERIFY(limit);
        QCOMPARE(limit->used, 6e9);
        QCOMPARE(limit->limit, 12e9);
    }
};

QTEST_APPLESS_MAIN(TestJobPlan)
#include "tst_job_plan.moc"
