// SPDX-License-Identifier: GPL-3.0-or-later
// A process says by its environment that it is a job. What it allocates is in the history within
// three seconds, over the real agent program and a real socket; when it exits, the job ends.
#include "session/session.h"
#include "session/slice_service.h"
#include "support/flow.h"

#include <QElapsedTimer>
#include <QSignalSpy>

#include <sys/mman.h>

#include <cstdio>
#include <cstring>

using namespace plimsoll;
using namespace plimsoll::flow;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kHeld = std::size_t{512} << 20U;

/// The job: holds 512 MiB, every page touched, until its input ends.
int holdMemory()
{
    void *const memory = ::mmap(nullptr, kHeld, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    std::memset(memory, 0x5a, kHeld);
    std::puts("holding");
    std::fflush(stdout);
    while (std::getchar() != EOF) { }
    return 0;
}

QProcessEnvironment jobEnvironment(const QString &job)
{
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PLIMSOLL_JOB_ID"), job);
    environment.insert(QStringLiteral("PLIMSOLL_MODEL_ID"), QStringLiteral("rag-7b"));
    environment.insert(QStringLiteral("PLIMSOLL_TEAM"), QStringLiteral("nlp"));
    environment.insert(QStringLiteral("PLIMSOLL_EXPERIMENT_ID"), QStringLiteral("e42"));
    environment.insert(QStringLiteral("PLIMSOLL_KIND"), QStringLiteral("training"));
    return environment;
}

const JobState *find(const Fleet &fleet, const std::string &id)
{
    for (const JobState &job : fleet.jobs) {
        if (job.id == id)
            return &job;
    }
    return nullptr;
}

} // namespace

class TestRegisteredJob : public QObject
{
    Q_OBJECT

private slots:
    void isSeenMeasuredAndEnded();
    void namedOnTheCommandLine();
};

void TestRegisteredJob::isSeenMeasuredAndEnded()
{
    const QTemporaryDir folder;
    AgentProgram agent(folder.path());
    QVERIFY(agent.start());
    SessionOptions options;
    options.hostAgent = false;
    options.historyFile = folder.filePath(QStringLiteral("history.sqlite")).toStdString();
    options.endpoints = {agent.endpoint()};
    Session session(options);
    session.start();
    QTRY_VERIFY_WITH_TIMEOUT(!session.fleet()->nodes.empty(), 5000);

    const std::string id = "flow-" + std::to_string(QCoreApplication::applicationPid());
    Program job;
    QElapsedTimer sinceHolding;
    QVERIFY(!job.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--hold")}, "holding",
                       jobEnvironment(QString::fromStdString(id)))
                 .empty());
    sinceHolding.start();
    const std::string status = "/proc/" + std::to_string(job.pid()) + "/status";
    const double rss = procBytes(status, "VmRSS:").value_or(0);
    QVERIFY(rss > static_cast<double>(kHeld));

    const auto isMeasured = [&] {
        const JobState *const state = find(*session.fleet(), id);
        return state != nullptr && state->rss && std::abs(static_cast<double>(state->rss->value) - rss) < 0.05 * rss;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isMeasured(), 3000);
    qInfo("measured %lld ms after the last page was touched", static_cast<long long>(sinceHolding.elapsed()));
    const JobState state = *find(*session.fleet(), id);
    QCOMPARE(state.kind, JobKind::Training);
    QCOMPARE(state.model, std::string("rag-7b"));
    QCOMPARE(state.team, std::string("nlp"));
    QCOMPARE(state.experiment, std::string("e42"));
    QCOMPARE(state.processes, std::optional(1U));
    QVERIFY(!state.ended);
    QTRY_VERIFY_WITH_TIMEOUT(find(*session.fleet(), id)->started.has_value(), 2000);

    QTest::qWait(2500); // a life of a few samples
    const Instant endedAfter = systemClock().now();
    QVERIFY(job.stop());
    const Instant endedBefore = systemClock().now();
    QTRY_VERIFY_WITH_TIMEOUT(find(*session.fleet(), id) && find(*session.fleet(), id)->ended, 5000);
    const JobState ended = *find(*session.fleet(), id);
    QVERIFY(*ended.ended >= endedAfter - 1s && *ended.ended <= endedBefore + 2s);
    QVERIFY(!ended.rss);

    QTest::qWait(3000); // were there a flat line, it would go on now
    std::vector<SeriesId> own;
    for (const SeriesEntry &entry : *session.series()) {
        // A series read every ten seconds is not missed yet.
        if (entry.info.key.labels.value(label::kJob) == id && entry.info.interval <= 1s)
            own.push_back(entry.id);
    }
    QVERIFY(own.size() >= 2);
    SliceFeed *const feed = session.slices()->createFeed(&session);
    QSignalSpy answered(feed, &SliceFeed::answered);
    const Instant now = systemClock().now();
    feed->ask({own, {now - 1min, now}, 10'000, true});
    QVERIFY(answered.wait(5000));
    const auto answer = answered.front().front().value<std::shared_ptr<const SliceAnswer>>();
    for (const SeriesSlice &slice : answer->slices) {
        QVERIFY(!slice.buckets.empty());
        QVERIFY2(slice.buckets.back().lastTime <= *ended.ended, "samples go on after the end");
        QVERIFY(!slice.gaps.empty());
        QCOMPARE(slice.gaps.back().reason, GapReason::Ended);
    }
    const auto count = [&](EventKind kind) {
        return std::count_if(answer->events.begin(), answer->events.end(), [&](const Event &event) {
            return event.kind == kind && event.labels.value(label::kJob) == id;
        });
    };
    QCOMPARE(count(EventKind::JobStarted), 1);
    QCOMPARE(count(EventKind::JobEnded), 1);
}

void TestRegisteredJob::namedOnTheCommandLine()
{
    Program job; // says nothing of itself
    QVERIFY(!job.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--hold")}, "holding").empty());
    const QTemporaryDir folder;
    AgentProgram agent(folder.path());
    QVERIFY(agent.start({QStringLiteral("--job"), QStringLiteral("by hand=%1").arg(job.pid())}));
    const Desktop desktop(folder.filePath(QStringLiteral("history.sqlite")).toStdString(), agent.endpoint());
    const auto rss = [&] {
        return desktop.find([](const SeriesEntry &entry) {
            return isMetric(entry, metric::kJobRss) && entry.info.key.labels.value(label::kJob) == "by hand";
        });
    };
    QTRY_VERIFY_WITH_TIMEOUT(rss() && rss()->lastValue > static_cast<double>(kHeld), 5000);
}

int main(int argc, char **argv)
{
    if (argc == 2 && std::string_view(argv[1]) == "--hold")
        return holdMemory();
    QCoreApplication application(argc, argv);
    TestRegisteredJob test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_registered_job.moc"
