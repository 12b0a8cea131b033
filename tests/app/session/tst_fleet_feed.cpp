// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/fleet_feed.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

const Instant kAt{1'790'000'000s};
constexpr double kGi = 1024.0 * 1024 * 1024;

Bytes gib(double n) { return Bytes{static_cast<std::int64_t>(n * kGi)}; }

/// A made history: entries with rising ids.
struct Made
{
    std::vector<SeriesEntry> entries;

    SeriesEntry &add(std::string_view metric, Labels labels, double value, Duration age = 0s, std::string agent = "a1")
    {
        SeriesEntry entry;
        entry.id = SeriesId{static_cast<std::uint32_t>(entries.size() + 1)};
        entry.agent = std::move(agent);
        entry.info.key = {std::string(metric), std::move(labels)};
        entry.info.interval = 1s;
        entry.lastTime = kAt - age;
        entry.lastValue = value;
        entries.push_back(std::move(entry));
        return entries.back();
    }
    void host(const std::string &name, double limit, double available, Duration age = 0s, const std::string &agent = "a1")
    {
        add(metric::kHostLimit, {{"host.name", name}}, limit * kGi, age, agent);
        add(metric::kHostAvailable, {{"host.name", name}}, available * kGi, age, agent);
    }
};

Event jobEvent(EventKind kind, const std::string &job, Duration age, const std::string &host = "n1")
{
    Event event;
    event.kind = kind;
    event.time = kAt - age;
    event.labels = Labels{{"job.id", job}, {"host.name", host}, {"team", "nlp"}, {"model.id", "rag"},
                          {"experiment.id", "e7"}, {"job.kind", "training"}};
    return event;
}

} // namespace

class TestFleetFeed : public QObject
{
    Q_OBJECT

private slots:
    void hostIsADevice();
    void hostWithoutAvailableCountsUse();
    void gpuCapacity_data();
    void gpuCapacity();
    void gpusAreJoinedByUuidNotIndex();
    void slicesReplaceTheWholeGpu();
    void unknownIsNotZero_data();
    void unknownIsNotZero();
    void freshness_data();
    void freshness();
    void awayWithItsAgent();
    void skewIsTakenOut();
    void fresherSourceWinsWithoutFlapping();
    void jobFromSeriesAndEvents();
    void jobOverTwoHostsAddsUp();
    void jobEnds_data();
    void jobEnds();
    void retoldStartKeepsTheFirst();
    void jobOfProcessesOnly();
    void jobsAreSorted();
    void oldThingsAreForgotten();
    void hostileLabelsAreKept();
    void orderOfEntriesDoesNotMatter();
};

void TestFleetFeed::hostIsADevice()
{
    Made made;
    made.host("n2", 64, 16, 0s);
    made.host("n1", 128, 100, 2s);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    QCOMPARE(fleet.at, kAt);
    QCOMPARE(fleet.nodes.size(), 2U);
    QCOMPARE(fleet.nodes[0].name, std::string("n1"));
    QCOMPARE(fleet.nodes[0].seen, std::optional(kAt - 2s));
    const DeviceState &host = fleet.nodes[1].devices.at(0);
    QCOMPARE(host.id, std::string("host:n2"));
    QCOMPARE(host.kind, DeviceKind::Host);
    QCOMPARE(host.capacity, std::optional(gib(64)));
    QCOMPARE(host.used, std::optional(gib(48)));
    QCOMPARE(host.free(), std::optional(gib(16)));
    QCOMPARE(host.load(), std::optional(0.75));
    QCOMPARE(host.capacitySeries, SeriesId{1});
    QCOMPARE(host.availableSeries, SeriesId{2});
    QCOMPARE(host.usedSeries, SeriesId{0});
}

void TestFleetFeed::hostWithoutAvailableCountsUse()
{
    Made made;
    made.add(metric::kHostLimit, {{"host.name", "n1"}}, 64 * kGi);
    made.add(metric::kHostUsage, {{"host.name", "n1"}, {"system.memory.state", "free"}}, 10 * kGi);
    made.add(metric::kHostUsage, {{"host.name", "n1"}, {"system.memory.state", "used"}}, 40 * kGi);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    QCOMPARE(fleet.nodes.at(0).devices.at(0).used, std::optional(gib(40)));
    QCOMPARE(fleet.nodes.at(0).devices.at(0).usedSeries, SeriesId{3});
}

void TestFleetFeed::gpuCapacity_data()
{
    QTest::addColumn<double>("limit");
    QTest::addColumn<double>("used");
    QTest::addColumn<double>("free");
    QTest::addColumn<double>("reserved");
    QTest::addColumn<double>("capacity");
    const double absent = -1;
    QTest::newRow("says its limit") << 80.0 << 30.0 << 48.0 << 1.0 << 80.0;
    QTest::newRow("sum of its parts") << absent << 30.0 << 48.0 << 2.0 << 80.0;
    QTest::newRow("older driver: no reserved") << absent << 30.0 << 50.0 << absent << 80.0;
    QTest::newRow("no free either") << absent << 30.0 << absent << absent << absent;
}

void TestFleetFeed::gpuCapacity()
{
    QFETCH(double, limit);
    QFETCH(double, used);
    QFETCH(double, free);
    QFETCH(double, reserved);
    QFETCH(double, capacity);
    Made made;
    const Labels gpu{{"host.name", "n1"}, {"hw.id", "GPU-1"}, {"gpu.index", "3"}, {"hw.model", "H100"}};
    const auto add = [&](std::string_view name, double value) {
        if (value >= 0)
            made.add(name, gpu, value * kGi);
    };
    add(metric::kGpuLimit, limit);
    add(metric::kGpuUsage, used);
    add(metric::kGpuFree, free);
    add(metric::kGpuReserved, reserved);
    made.add(metric::kGpuUtilization, gpu, 0.5);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    const DeviceState &device = fleet.nodes.at(0).devices.at(0);
    QCOMPARE(device.capacity, capacity < 0 ? std::nullopt : std::optional(gib(capacity)));
    QCOMPARE(device.used, std::optional(gib(used)));
    QCOMPARE(device.name, std::string("gpu3"));
    QCOMPARE(device.model, std::string("H100"));
    QCOMPARE(device.utilization, std::optional(0.5));
    QCOMPARE(device.id, std::string("GPU-1"));
}

void TestFleetFeed::gpusAreJoinedByUuidNotIndex()
{
    Made made;
    made.host("n1", 64, 32);
    for (const auto *const id : {"GPU-b", "GPU-a"}) // both say index 0: NVML and CUDA disagree
        made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", id}, {"gpu.index", "0"}}, kGi);
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-c"}, {"gpu.index", "10"}}, kGi);
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-d"}, {"gpu.index", "2"}}, kGi);
    // Two jobs share a GPU: the exporter repeats every series once a job.
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-d"}, {"gpu.index", "2"}, {"job.id", "j1"}}, kGi);
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-d"}, {"gpu.index", "2"}, {"job.id", "j2"}}, kGi);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    std::vector<std::string> ids;
    for (const DeviceState &device : fleet.nodes.at(0).devices)
        ids.push_back(device.id);
    QCOMPARE(ids, (std::vector<std::string>{"GPU-a", "GPU-b", "GPU-d", "GPU-c", "host:n1"}));
    QCOMPARE(fleet.nodes[0].devices[2].used, std::optional(gib(1)));
    QCOMPARE(fleet.nodes[0].devices[2].jobs, (std::vector<std::string>{"j1", "j2"}));
}

void TestFleetFeed::slicesReplaceTheWholeGpu()
{
    Made made;
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-1"}, {"gpu.index", "0"}}, 30 * kGi);
    for (const auto *const slice : {"1", "2"})
        made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-1"}, {"gpu.index", "0"}, {"gpu.mig.gi", slice}}, 15 * kGi);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    QCOMPARE(fleet.nodes.at(0).devices.size(), 2U);
    QCOMPARE(fleet.nodes[0].devices[0].kind, DeviceKind::MigSlice);
    QCOMPARE(fleet.nodes[0].devices[0].id, std::string("GPU-1/1"));
    QCOMPARE(fleet.nodes[0].devices[0].name, std::string("gpu0/1"));
}

void TestFleetFeed::unknownIsNotZero_data()
{
    QTest::addColumn<double>("value");
    QTest::newRow("absent") << absentValue();
    QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity();
    QTest::newRow("negative") << -1.0;
    QTest::newRow("no memory is that large") << 1e300;
}

void TestFleetFeed::unknownIsNotZero()
{
    QFETCH(double, value);
    Made made;
    made.add(metric::kGpuLimit, {{"host.name", "n1"}, {"hw.id", "GPU-1"}}, 80 * kGi);
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-1"}}, value);
    made.add(metric::kHostLimit, {{"host.name", "n1"}}, 64 * kGi);
    made.add(metric::kHostAvailable, {{"host.name", "n1"}}, value);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    for (const DeviceState &device : fleet.nodes.at(0).devices) {
        QVERIFY(device.capacity);
        QVERIFY(!device.used);
        QVERIFY(!device.load());
        QVERIFY(!device.free());
    }
}

void TestFleetFeed::freshness_data()
{
    QTest::addColumn<int>("intervalMs");
    QTest::addColumn<int>("ageMs");
    QTest::addColumn<int>("expected");
    QTest::newRow("now") << 1000 << 0 << int(Freshness::Live);
    QTest::newRow("from a clock ahead") << 1000 << -5000 << int(Freshness::Live);
    QTest::newRow("three intervals") << 1000 << 3000 << int(Freshness::Live);
    QTest::newRow("more than three") << 1000 << 3001 << int(Freshness::Stale);
    QTest::newRow("ten") << 1000 << 10000 << int(Freshness::Stale);
    QTest::newRow("more than ten") << 1000 << 10001 << int(Freshness::Away);
    QTest::newRow("a slow exporter is not late") << 30000 << 60000 << int(Freshness::Live);
}

void TestFleetFeed::freshness()
{
    QFETCH(int, intervalMs);
    QFETCH(int, ageMs);
    QFETCH(int, expected);
    Made made;
    made.host("n1", 64, 32, std::chrono::milliseconds(ageMs));
    for (SeriesEntry &entry : made.entries)
        entry.info.interval = std::chrono::milliseconds(intervalMs);
    QCOMPARE(int(FleetFeed().build(made.entries, kAt).nodes.at(0).freshness), expected);
    QCOMPARE(freshnessOf(std::nullopt, 1s, kAt), Freshness::Away);
}

void TestFleetFeed::awayWithItsAgent()
{
    Made made;
    made.host("n1", 64, 32, 1s, "a1");
    made.host("n2", 64, 32, 1s, "a2");
    made.add(metric::kHostLimit, {}, 64 * kGi, 1s, "a3"); // says no host
    FleetFeed feed;
    feed.setAgents({{"a1", {true, "n1", {}}}, {"a2", {false, "n2", {}}}, {"a3", {false, "n3", {}}}});
    const Fleet fleet = feed.build(made.entries, kAt);
    QCOMPARE(fleet.nodes.size(), 3U);
    QCOMPARE(fleet.nodes[0].freshness, Freshness::Away);
    QCOMPARE(fleet.nodes[0].seen, std::optional(kAt - 1s)); // its last value is still known
    QCOMPARE(fleet.nodes[1].freshness, Freshness::Live);
    QCOMPARE(fleet.nodes[2].name, std::string("n3"));
}

void TestFleetFeed::skewIsTakenOut()
{
    Made made;
    made.host("n1", 64, 32, 1h, "a1"); // its clock is an hour behind, less a second
    FleetFeed feed;
    feed.setAgents({{"a1", {false, {}, 1s - 1h}}});
    const Fleet fleet = feed.build(made.entries, kAt);
    QCOMPARE(fleet.nodes.at(0).freshness, Freshness::Live);
    QCOMPARE(fleet.nodes[0].seen, std::optional(kAt - 1s));
}

void TestFleetFeed::fresherSourceWinsWithoutFlapping()
{
    Made made;
    made.host("n1", 64, 32, 60s, "old");
    made.host("n1", 64, 30, 900ms, "a1"); // ids 3, 4
    made.host("n1", 64, 31, 100ms, "a2"); // newer by a blink, not better
    made.add(metric::kHostAvailable, {{"host.name", "n1"}, {"scrape.url", "x"}}, 29 * kGi).info.interval = 5s;
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    QCOMPARE(fleet.nodes.at(0).devices.size(), 1U);
    QCOMPARE(fleet.nodes[0].devices[0].availableSeries, SeriesId{4});
    FleetFeed feed;
    feed.setAgents({{"a1", {true, {}, {}}}});
    QCOMPARE(feed.build(made.entries, kAt).nodes.at(0).devices.at(0).availableSeries, SeriesId{6});
}

void TestFleetFeed::jobFromSeriesAndEvents()
{
    Made made;
    made.host("n1", 64, 32);
    const Labels job{{"host.name", "n1"}, {"job.id", "j1"}, {"team", "nlp"}};
    made.add(metric::kJobRss, job, 5 * kGi, 1s);
    made.add(metric::kJobSwap, job, 1 * kGi, 1s);
    made.add(metric::kJobProcesses, job, 9, 1s);
    made.add(metric::kProcessRss, {{"host.name", "n1"}, {"job.id", "j1"}, {"process.pid", "7"}}, 3 * kGi, 1s);
    made.add(metric::kTorchReserved, {{"host.name", "n1"}, {"job.id", "j1"}, {"hw.id", "GPU-1"}}, kGi);
    made.add(metric::kGpuUsage, {{"host.name", "n1"}, {"hw.id", "GPU-1"}}, kGi);
    FleetFeed feed;
    feed.addEvents(std::vector{jobEvent(EventKind::JobStarted, "j1", 60s), jobEvent(EventKind::OomKill, "j1", 50s)});
    const Fleet fleet = feed.build(made.entries, kAt);
    QCOMPARE(fleet.jobs.size(), 1U);
    const JobState &state = fleet.jobs[0];
    QCOMPARE(state.id, std::string("j1"));
    QCOMPARE(state.kind, JobKind::Training);
    QCOMPARE(state.model, std::string("rag"));
    QCOMPARE(state.team, std::string("nlp"));
    QCOMPARE(state.experiment, std::string("e7"));
    QCOMPARE(state.nodes, std::vector<std::string>{"n1"});
    QCOMPARE(state.devices, std::vector<std::string>{"GPU-1"});
    QCOMPARE(state.started, std::optional(kAt - 60s));
    QVERIFY(!state.ended);
    QCOMPARE(state.rss, std::optional(gib(5))); // the sum that the agent made, not again its parts
    QCOMPARE(state.swap, std::optional(gib(1)));
    QCOMPARE(state.processes, std::optional(9U));
    QCOMPARE(state.seen, std::optional(kAt));
    for (const DeviceState &device : fleet.nodes.at(0).devices)
        QCOMPARE(device.jobs, std::vector<std::string>{"j1"});
}

void TestFleetFeed::jobOverTwoHostsAddsUp()
{
    Made made;
    for (const auto *const host : {"n1", "n2"}) {
        made.host(host, 64, 32);
        made.add(metric::kJobRss, {{"host.name", host}, {"job.id", "j1"}}, 5 * kGi);
        made.add(metric::kJobProcesses, {{"host.name", host}, {"job.id", "j1"}}, 4);
    }
    FleetFeed feed;
    feed.addEvents(std::vector{jobEvent(EventKind::JobStarted, "j1", 60s, "n1"), jobEvent(EventKind::JobStarted, "j1", 70s, "n2")});
    Fleet fleet = feed.build(made.entries, kAt);
    QCOMPARE(fleet.jobs.at(0).rss, std::optional(gib(10)));
    QCOMPARE(fleet.jobs[0].processes, std::optional(8U));
    QCOMPARE(fleet.jobs[0].started, std::optional(kAt - 70s));
    QCOMPARE(fleet.jobs[0].nodes, (std::vector<std::string>{"n1", "n2"}));

    feed.addEvents(std::vector{jobEvent(EventKind::JobEnded, "j1", 0s, "n1")});
    fleet = feed.build(made.entries, kAt);
    QVERIFY(!fleet.jobs.at(0).ended); // it runs on n2
    QCOMPARE(fleet.jobs[0].rss, std::optional(gib(5)));
    feed.addEvents(std::vector{jobEvent(EventKind::JobEnded, "j1", 0s, "n2")});
    fleet = feed.build(made.entries, kAt);
    QCOMPARE(fleet.jobs.at(0).ended, std::optional(kAt));
    QVERIFY(!fleet.jobs[0].rss);
}

void TestFleetFeed::jobEnds_data()
{
    QTest::addColumn<int>("endEventAge"); // s, −1 = none
    QTest::addColumn<int>("sampleAge");
    QTest::addColumn<int>("hostAge");
    QTest::addColumn<int>("endedAge"); // −1 = runs
    QTest::newRow("runs") << -1 << 1 << 0 << -1;
    QTest::newRow("said so") << 5 << 6 << 0 << 5;
    QTest::newRow("died while nobody looked") << -1 << 30 << 0 << 30;
    QTest::newRow("a little late") << -1 << 8 << 0 << -1;
    QTest::newRow("its whole host is silent") << -1 << 30 << 30 << -1;
    QTest::newRow("samples after its end: a new run") << 20 << 1 << 0 << -1;
}

void TestFleetFeed::jobEnds()
{
    QFETCH(int, endEventAge);
    QFETCH(int, sampleAge);
    QFETCH(int, hostAge);
    QFETCH(int, endedAge);
    Made made;
    made.host("n1", 64, 32, std::chrono::seconds(hostAge));
    made.add(metric::kJobRss, {{"host.name", "n1"}, {"job.id", "j1"}}, kGi, std::chrono::seconds(sampleAge));
    FleetFeed feed;
    feed.addEvents(std::vector{jobEvent(EventKind::JobStarted, "j1", 100s)});
    if (endEventAge >= 0)
        feed.addEvents(std::vector{jobEvent(EventKind::JobEnded, "j1", std::chrono::seconds(endEventAge))});
    const Fleet fleet = feed.build(made.entries, kAt);
    QCOMPARE(fleet.jobs.at(0).ended, endedAge < 0 ? std::nullopt : std::optional<Instant>(kAt - std::chrono::seconds(endedAge)));
    QCOMPARE(fleet.nodes.at(0).devices.at(0).jobs.size(), endedAge < 0 ? 1U : 0U);
}

void TestFleetFeed::retoldStartKeepsTheFirst()
{
    FleetFeed feed;
    // First run, then a second one during which the agent was restarted and told of it again.
    feed.addEvents(std::vector{jobEvent(EventKind::JobStarted, "j1", 400s), jobEvent(EventKind::JobEnded, "j1", 300s),
                               jobEvent(EventKind::JobStarted, "j1", 100s), jobEvent(EventKind::JobStarted, "j1", 200s),
                               jobEvent(EventKind::JobStarted, "j1", 200s)});
    Fleet fleet = feed.build({}, kAt);
    QCOMPARE(fleet.jobs.at(0).started, std::optional(kAt - 200s));
    QVERIFY(!fleet.jobs[0].ended);
    feed.addEvents(std::vector{jobEvent(EventKind::JobEnded, "j1", 50s)});
    fleet = feed.build({}, kAt);
    QCOMPARE(fleet.jobs.at(0).started, std::optional(kAt - 200s));
    QCOMPARE(fleet.jobs[0].ended, std::optional(kAt - 50s));
}

void TestFleetFeed::jobOfProcessesOnly()
{
    Made made;
    for (const auto *const pid : {"7", "8"})
        made.add(metric::kProcessRss, {{"host.name", "n1"}, {"job.id", "j1"}, {"process.pid", pid}}, 2 * kGi);
    made.add(metric::kProcessRss, {{"host.name", "n1"}, {"job.id", "j1"}, {"process.pid", "9"}}, 2 * kGi, 60s); // gone
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    QCOMPARE(fleet.jobs.at(0).rss, std::optional(gib(4)));
    QCOMPARE(fleet.jobs[0].processes, std::optional(2U));
    QVERIFY(!fleet.jobs[0].swap);
}

void TestFleetFeed::jobsAreSorted()
{
    FleetFeed feed;
    std::vector<Event> events;
    for (const int age : {50, 200, 100})
        events.push_back(jobEvent(EventKind::JobStarted, "run" + std::to_string(age), std::chrono::seconds(age)));
    for (const int age : {90, 20}) {
        events.push_back(jobEvent(EventKind::JobStarted, "done" + std::to_string(age), 300s));
        events.push_back(jobEvent(EventKind::JobEnded, "done" + std::to_string(age), std::chrono::seconds(age)));
    }
    feed.addEvents(events);
    std::vector<std::string> ids;
    for (const JobState &job : feed.build({}, kAt).jobs)
        ids.push_back(job.id);
    QCOMPARE(ids, (std::vector<std::string>{"run50", "run100", "run200", "done20", "done90"}));
}

void TestFleetFeed::oldThingsAreForgotten()
{
    Made made;
    made.host("n1", 64, 32, 25h);
    made.add(metric::kJobRss, {{"host.name", "n1"}, {"job.id", "j1"}}, kGi, 25h);
    made.entries.emplace_back(); // defined, never sampled
    FleetFeed feed;
    feed.addEvents(std::vector{jobEvent(EventKind::JobStarted, "j1", 30h), jobEvent(EventKind::JobEnded, "j1", 25h)});
    const Fleet fleet = feed.build(made.entries, kAt);
    QVERIFY(fleet.nodes.empty());
    QVERIFY(fleet.jobs.empty());
}

void TestFleetFeed::hostileLabelsAreKept()
{
    Made made;
    const std::string host = "<b>\xe2\x80\xae\xff host";
    made.host(host, 64, 32);
    made.add(metric::kJobRss, {{"host.name", host}, {"job.id", std::string(100'000, 'x')}}, kGi);
    made.add(metric::kGpuUsage, {{"host.name", host}, {"hw.id", "GPU-1"}, {"gpu.index", "999999999999999999"}}, kGi);
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    QCOMPARE(fleet.nodes.at(0).name, host); // views make it safe; the picture keeps what joins
    QCOMPARE(fleet.jobs.at(0).id.size(), 100'000U);
    QCOMPARE(fleet.nodes[0].devices.size(), 2U);
}

void TestFleetFeed::orderOfEntriesDoesNotMatter()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    Made made;
    for (int i = 0; i < 300; ++i) {
        const Labels labels{{"host.name", "n" + std::to_string(random() % 4)}, {"hw.id", "GPU-" + std::to_string(random() % 8)},
                            {"job.id", "j" + std::to_string(random() % 5)}};
        const std::string_view names[] = {metric::kGpuUsage, metric::kGpuLimit, metric::kHostLimit, metric::kHostAvailable,
                                          metric::kJobRss, metric::kJobSwap};
        made.add(names[random() % std::size(names)], labels, static_cast<double>(random() % 1000),
                 std::chrono::milliseconds(random() % 20'000), "a" + std::to_string(random() % 3));
    }
    // A GPU that two hosts claim is told twice: give each host its own ones.
    std::erase_if(made.entries, [](const SeriesEntry &e) {
        return (e.info.key.labels.value("hw.id").back() - '0') % 4 != e.info.key.labels.value("host.name").back() - '0';
    });
    const Fleet fleet = FleetFeed().build(made.entries, kAt);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(made.entries.begin(), made.entries.end(), random);
        QVERIFY(FleetFeed().build(made.entries, kAt) == fleet);
    }
}

QTEST_APPLESS_MAIN(TestFleetFeed)
#include "tst_fleet_feed.moc"
