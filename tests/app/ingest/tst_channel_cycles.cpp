// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ingest/rig.h"
#include "support/sanitizer.h"

#include "model/metric.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

struct Footprint
{
    qint64 threads = 0;
    qint64 rssKiB = 0;
    qint64 files = 0;
};

Footprint footprint()
{
    Footprint now;
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return now;
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("Threads:"))
            now.threads = line.mid(8).trimmed().toLongLong();
        if (line.startsWith("VmRSS:"))
            now.rssKiB = line.mid(6).replace("kB", "").trimmed().toLongLong();
    }
    now.files = static_cast<qint64>(
        QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot).size());
    return now;
}

} // namespace

/// 1,000 times connect, hear something, disconnect: nothing is left behind.
class TestChannelCycles : public QObject
{
    Q_OBJECT

private:
    void cycle(Rig &rig, const std::string &address, int count);

private slots:
    void leaveNothingBehind_data();
    void leaveNothingBehind();
    void endInTheMiddleOfAnything();
    void aThousandAtOnceNeedNoThousandThreads();
};

void TestChannelCycles::cycle(Rig &rig, const std::string &address, int count)
{
    for (int i = 0; i < count; ++i) {
        const auto frames = rig.frameCount();
        auto channel = rig.connect(address);
        QVERIFY2(QTest::qWaitFor([&] { return rig.frameCount() > frames; }, 10'000), qPrintable(QString::number(i)));
        channel.reset();
    }
}

void TestChannelCycles::leaveNothingBehind_data()
{
    QTest::addColumn<bool>("isUnix");
    QTest::newRow("unix socket") << true;
    QTest::newRow("loopback") << false;
}

void TestChannelCycles::leaveNothingBehind()
{
    QFETCH(bool, isUnix);
    const QTemporaryDir folder;
    FakeAgent agent;
    const auto address = agent.start(isUnix ? "unix:" + folder.filePath(QStringLiteral("a.sock")).toStdString()
                                            : std::string("127.0.0.1:0"));
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    agent.push(fakeBlock({1}, systemClock().now(), {1}));
    Rig rig;
    // Pools, arenas and caches fill first. The two rows together make the 1,000.
    cycle(rig, address, 50);
    QTRY_COMPARE(agent.streamCount(), 0);
    const Footprint before = footprint();
    QVERIFY(before.threads > 0 && before.files > 0);
    const int cycles = test::kIsSanitized ? 100 : 500;
    cycle(rig, address, cycles);
    QTRY_COMPARE(agent.streamCount(), 0);
    // gRPC's own pool and the server's handlers come and go by a few.
    QTRY_VERIFY2(footprint().threads <= before.threads + 4, qPrintable(QString::number(footprint().threads)));
    QTRY_VERIFY2(footprint().files <= before.files + 2, qPrintable(QString::number(footprint().files)));
    if (!test::kIsSanitized) {
        const auto grown = footprint().rssKiB - before.rssKiB;
        qInfo("threads %lld -> %lld, files %lld -> %lld, memory grew by %lld KiB", before.threads, footprint().threads,
              before.files, footprint().files, grown);
        QVERIFY2(grown < 8 * 1024, qPrintable(QString::number(grown)));
    }
}

void TestChannelCycles::endInTheMiddleOfAnything()
{
    FakeAgent agent;
    agent.setHelloDelay(5ms);
    const auto address = agent.start();
    agent.define({fakeSeries(1, metric::kHostAvailable)});
    for (int i = 0; i < 100; ++i)
        agent.push(fakeBlock({1}, systemClock().now(), {1}));
    const int seed = 20261130;
    qInfo("seed %d", seed);
    std::minstd_rand random(static_cast<unsigned>(seed));
    std::uniform_int_distribution<int> pause(0, 20);
    Rig rig(2000); // often full
    for (int i = 0; i < (test::kIsSanitized ? 50 : 200); ++i) {
        const auto channel = rig.connect(address);
        rig.pause(i % 3 == 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(pause(random))); // the moment is the test
        if (i % 5 == 0)
            agent.dropStreams();
    }
    rig.pause(false);
    QTRY_COMPARE(agent.streamCount(), 0);
}

void TestChannelCycles::aThousandAtOnceNeedNoThousandThreads()
{
    std::string nobody;
    {
        FakeAgent agent;
        nobody = agent.start();
    }
    Rig rig;
    auto options = Rig::optionsFor(nobody);
    options.firstBackoff = 5s;
    options.longestBackoff = 15s;
    const auto before = footprint();
    const int count = test::kIsSanitized ? 100 : 1000;
    std::vector<std::unique_ptr<Channel>> channels;
    for (int i = 0; i < count; ++i)
        channels.push_back(rig.connect(options));
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(channels.begin(), channels.end(),
                                         [](const auto &channel) {
                                             return channel->state().phase == ConnectionPhase::Unreachable;
                                         }),
                             30'000);
    QVERIFY2(footprint().threads < before.threads + 40, qPrintable(QString::number(footprint().threads)));
    channels.clear();
    QTRY_VERIFY(footprint().files <= before.files + 8);
}

QTEST_GUILESS_MAIN(TestChannelCycles)
#include "tst_channel_cycles.moc"
