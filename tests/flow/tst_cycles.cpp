// SPDX-License-Identifier: GPL-3.0-or-later
// A thousand connections come and go: neither side keeps a thread, a socket or memory of them.
#include "app/agent/hostile_http.h"
#include "support/flow.h"
#include "support/sanitizer.h"

#include <QElapsedTimer>

#include <malloc.h>

using namespace plimsoll;
using namespace plimsoll::flow;
using namespace std::chrono_literals;

namespace {

struct Footprint
{
    std::size_t threads = 0;
    std::size_t files = 0;
    double rss = 0;
};

Footprint footprintOf(const std::string &pid)
{
    const std::string folder = "/proc/" + pid;
    return {entriesOf(folder + "/task"), entriesOf(folder + "/fd"), procBytes(folder + "/status", "VmRSS:").value_or(0)};
}

QString text(const Footprint &f)
{
    return QStringLiteral("%1 threads, %2 files, %3 MiB").arg(f.threads).arg(f.files).arg(f.rss / (1 << 20), 0, 'f', 1);
}

/// gRPC's pools breathe by a thread or two; 900 leaks would be 900.
bool isSteady(const Footprint &before, const Footprint &after)
{
    const bool isCountSteady = after.threads <= before.threads + 4 && after.files <= before.files + 4;
    return isCountSteady && (test::kIsSanitized || after.rss <= before.rss + 8 * (1 << 20)); // 9 KiB a connection
}

} // namespace

class TestCycles : public QObject
{
    Q_OBJECT

private slots:
    void thousandConnectionsLeaveNothing();
    void stopsAtOnceAfterMuchWasSent();
};

void TestCycles::thousandConnectionsLeaveNothing()
{
    const QTemporaryDir folder;
    AgentProgram agent(folder.path());
    QVERIFY(agent.start());
    HistoryOptions options;
    options.file = folder.filePath(QStringLiteral("history.sqlite")).toStdString();
    auto history = History::open(options);
    QVERIFY(history);
    std::atomic<int> live{0};
    const auto cycle = [&] {
        ChannelOptions wanted;
        wanted.endpoint = agent.endpoint();
        std::mutex mutex;
        std::condition_variable changed;
        bool isLive = false;
        const Channel channel(
            wanted, (*history)->inbox(), [&](const std::string &identity) { return (*history)->resumePoint(identity); },
            [&](const ConnectionState &state) {
                const std::lock_guard lock(mutex);
                isLive = isLive || state.phase == ConnectionPhase::Live;
                changed.notify_one();
            });
        std::unique_lock lock(mutex);
        live += changed.wait_for(lock, 20s, [&] { return isLive; }) ? 1 : 0;
    };
    const auto footprints = [&] {
        (*history)->flush();
        ::malloc_trim(0);
        return std::pair{footprintOf("self"), footprintOf(std::to_string(agent.pid()))};
    };
    for (int i = 0; i < 100; ++i)
        cycle();
    const auto before = footprints();
    const auto &ownBefore = before.first;
    const auto &agentBefore = before.second;
    QElapsedTimer watch;
    watch.start();
    for (int i = 100; i < 1000; ++i)
        cycle();
    qInfo("a cycle took %.1f ms", static_cast<double>(watch.elapsed()) / 900);
    QCOMPARE(live.load(), 1000);

    // What a closed connection leaves is cleared a moment later.
    auto after = footprints();
    const auto isSame = [&] {
        after = footprints();
        return isSteady(ownBefore, after.first) && isSteady(agentBefore, after.second);
    };
    QTRY_VERIFY2_WITH_TIMEOUT(isSame(),
                              qPrintable(QStringLiteral("own: %1, now %2; agent: %3, now %4")
                                             .arg(text(ownBefore), text(after.first), text(agentBefore), text(after.second))),
                              20'000);
    qInfo("own: %s, now %s; agent: %s, now %s", qPrintable(text(ownBefore)), qPrintable(text(after.first)),
          qPrintable(text(agentBefore)), qPrintable(text(after.second)));
    QVERIFY(agent.stop());
}

// A write that had to wait for its reader leaves gRPC polling for ten seconds: SIGTERM is not to wait for that.
void TestCycles::stopsAtOnceAfterMuchWasSent()
{
    test::HostileHttp http;
    std::string body;
    for (int i = 0; i < (test::kIsSanitized ? 5'000 : 40'000); ++i)
        body += "value{which=\"a label of some length that makes the definitions large " + std::to_string(i) + "\"} 1\n";
    http.serve("/large", body);
    for (int i = 0; i < 5; ++i) {
        const QTemporaryDir folder;
        AgentProgram agent(folder.path());
        QVERIFY(agent.start({QStringLiteral("--scrape-interval"), QStringLiteral("1s"), QStringLiteral("--scrape"),
                             QString::fromStdString(http.url("/large"))}));
        const Desktop desktop(folder.filePath(QStringLiteral("history.sqlite")).toStdString(), agent.endpoint());
        const auto hasArrived = [&] { return desktop.find([](const SeriesEntry &entry) { return isMetric(entry, "value"); }).has_value(); };
        QTRY_VERIFY_WITH_TIMEOUT(hasArrived(), 30'000);
        QElapsedTimer watch;
        watch.start();
        QVERIFY(agent.stop());
        QVERIFY2(watch.elapsed() < 5000, qPrintable(QStringLiteral("round %1: %2 ms").arg(i).arg(watch.elapsed())));
    }
}

QTEST_GUILESS_MAIN(TestCycles)
#include "tst_cycles.moc"
