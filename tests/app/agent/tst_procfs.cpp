// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/kill_watch.h"
#include "agent/identity.h"
#include "agent/pid_scan.h"
#include "agent/pressure.h"
#include "agent/process_reader.h"
#include "agent/procfs.h"

#include <QTest>

#include <sys/mman.h>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kMeminfo = "MemTotal:       16000 kB\nMemFree:         2000 kB\nMemAvailable:    9000 kB\n"
                                      "Buffers:          500 kB\nCached:          6500 kB\nHugePages_Total:   0\n"
                                      "SwapTotal:       4000 kB\nSwapFree:        3000 kB\n";
constexpr std::string_view kVmstat = "nr_free_pages 1\npswpin 11\npswpout 12\npgmajfault 13\noom_kill 2\nooze 9\n";

struct Collected
{
    JournalContents contents;
    SourceState state;
};

template <class Made>
Collected collectOnce(const Folder &folder)
{
    Journal journal(memorySpool());
    Made collector(journal, folder.path(), "node1", 1s);
    Readings readings;
    const Tick tick{fromUnixNanos(1'700'000'000'000'000'000), MonotonicInstant{1s}};
    collector.collect(tick, readings);
    journal.publish(tick.wall, readings);
    return {readAll(journal), collector.state()};
}

} // namespace

class TestProcfs : public QObject
{
    Q_OBJECT

private slots:
    void readsTheHost()
    {
        const Folder folder;
        folder.write("meminfo", kMeminfo);
        folder.write("vmstat", kVmstat);
        const auto [contents, state] = collectOnce<Procfs>(folder);
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        QVERIFY(state.isHealthy);
        QCOMPARE(contents.frames.size(), 1U); // one frame a tick
        const auto is = [&, &read = contents](std::string_view name, double expected, std::string_view labelName = {},
                            std::string_view labelValue = {}) {
            return read.last(name, labelName, labelValue) == expected;
        };
        QVERIFY(is(metric::kHostLimit, 16000 * 1024.0));
        QVERIFY(is(metric::kHostAvailable, 9000 * 1024.0));
        QVERIFY(is(metric::kHostUsage, 2000 * 1024.0, label::kMemoryState, "free"));
        QVERIFY(is(metric::kHostUsage, 500 * 1024.0, label::kMemoryState, "buffers"));
        QVERIFY(is(metric::kHostUsage, 6500 * 1024.0, label::kMemoryState, "cached"));
        QVERIFY(is(metric::kHostUsage, 7000 * 1024.0, label::kMemoryState, "used"));
        QVERIFY(is(metric::kHostPagingLimit, 4000 * 1024.0));
        QVERIFY(is(metric::kHostPagingUsage, 1000 * 1024.0, label::kPagingState, "used"));
        QVERIFY(is(metric::kHostOomKills, 2));
        QVERIFY(is(metric::kHostPagingOperations, 11, "system.paging.direction", "in"));
        QVERIFY(is(metric::kHostPagingOperations, 12, "system.paging.direction", "out"));
        QVERIFY(is(metric::kHostPagingFaults, 13));
        QVERIFY(contents.last(metric::kAgentRss).value() > 1e6);
        QVERIFY(contents.last(metric::kAgentCpu).value() > 0);

        const auto *available = contents.find(metric::kHostAvailable);
        QCOMPARE(available->group, std::string("host"));
        QCOMPARE(available->unit, std::string("By"));
        QVERIFY(available->kind == MetricKind::Gauge);
        QVERIFY(available->source == (Source{"/proc/meminfo MemAvailable", "kB", 1024}));
        QCOMPARE(std::string(available->key.labels.value(label::kHost)), std::string("node1"));
    }

    void leavesOutWhatIsNotThere()
    {
        const Folder folder; // an old kernel, no vmstat
        folder.write("meminfo", "MemTotal: 16000 kB\nMemFree: 2000 kB\n");
        const auto [contents, state] = collectOnce<Procfs>(folder);
        QVERIFY(state.isHealthy);
        QVERIFY(contents.last(metric::kHostLimit));
        QVERIFY(!contents.last(metric::kHostAvailable));
        QVERIFY(!contents.last(metric::kHostPagingLimit));
        QVERIFY(!contents.last(metric::kHostOomKills));
    }

    void saysWhenThereIsNothing_data()
    {
        QTest::addColumn<QByteArray>("meminfo");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("garbage") << QByteArray("\xff\xfe\0\nMemTotal\nMemTotal:\nMemTotal: x kB\n:::\n", 43);
        QTest::newRow("too large") << QByteArray("MemTotal: 99999999999999999 kB\nMemAvailable: 99999999999999999999999 kB\n");
        QTest::newRow("negative") << QByteArray("MemTotal: -5 kB\n");
    }
    void saysWhenThereIsNothing()
    {
        QFETCH(QByteArray, meminfo);
        const Folder folder;
        folder.write("meminfo", meminfo.toStdString());
        const auto [contents, state] = collectOnce<Procfs>(folder);
        QVERIFY(!state.isHealthy);
        QVERIFY(state.problem.starts_with("/proc/meminfo "));
        QVERIFY(!contents.last(metric::kHostLimit));
        QVERIFY(contents.last(metric::kAgentRss)); // the rest goes on
    }

    void agreesWithThisMachine()
    {
        Journal journal(memorySpool());
        Procfs procfs(journal, "/proc", "here", 1s);
        Readings readings;
        procfs.collect({}, readings);
        journal.publish(systemClock().now(), readings);
        const auto contents = readAll(journal);
        const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
        QCOMPARE(*contents.last(metric::kHostLimit), pages);
        const auto available = *contents.last(metric::kHostAvailable);
        QVERIFY(available > 0 && available <= pages);
    }

    void readsPressure()
    {
        const Folder folder;
        folder.write("pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n"
                                        "full avg10=0.00 avg60=0.00 avg300=0.00 total=250000\n");
        const auto [contents, state] = collectOnce<Pressure>(folder);
        QVERIFY(state.isHealthy);
        QVERIFY(contents.last(metric::kPressureSome) == 1.5);
        QVERIFY(contents.last(metric::kPressureFull) == 0.25);
        QVERIFY(contents.find(metric::kPressureSome)->kind == MetricKind::Counter);

        const Folder none;
        Journal journal(memorySpool());
        QVERIFY(!Pressure(journal, none.path(), "x", 1s).isAvailable());
        QVERIFY(!pressureTotal("some avg10=0.00"));
        QVERIFY(!pressureTotal("some total=x"));
    }

    void knowsWhoSaysThatItIsAJob()
    {
        using namespace std::string_literals;
        QVERIFY(!identityOf(""));
        QVERIFY(!identityOf("PATH=/bin\0HOME=/\0"s));
        QVERIFY(!identityOf("PLIMSOLL_JOB_ID=\0"s));
        QVERIFY(!identityOf("XPLIMSOLL_JOB_ID=a\0"s));
        QVERIFY(!identityOf("NOTE=PLIMSOLL_JOB_ID=a\0"s));
        QVERIFY(identityOf("A=1\0PLIMSOLL_JOB_ID=run-7\0PLIMSOLL_MODEL_ID=m\0PLIMSOLL_TEAM=t\0PLIMSOLL_EXPERIMENT_ID=e\0"
                           "PLIMSOLL_KIND=training\0B=2"s)
                == (JobIdentity{"run-7", "training", "m", "t", "e"}));
        QVERIFY(identityOf("PLIMSOLL_JOB_ID=a=b\0PLIMSOLL_KIND=sleeping\0"s) == (JobIdentity{"a=b", "", "", "", ""}));
        const auto broken = identityOf("PLIMSOLL_JOB_ID=\xff\xfe" + std::string(9000, 'x') + "\0"s);
        QVERIFY(broken->id.size() <= 256);
        QVERIFY(labelsOf({"a", "", "", "t", ""}, "h") == (Labels{{"host.name", "h"}, {"job.id", "a"}, {"team", "t"}}));
    }

    void seesProcessesComeAndGo()
    {
        const Folder folder;
        folder.write("1/comm", "init\n");
        folder.write("20/comm", "x\n");
        folder.write("7up/comm", "no process\n");
        folder.write("sys/comm", "no process\n");
        PidScan scan(folder.path());
        QVERIFY(scan.update());
        QVERIFY(scan.appeared() == (std::vector<int>{1, 20}));
        folder.write("3/comm", "x\n");
        fs::remove_all(folder / "20");
        QVERIFY(scan.update());
        QVERIFY(scan.appeared() == std::vector<int>{3});
        QVERIFY(scan.vanished() == std::vector<int>{20});
        QVERIFY(!PidScan(folder / "nothing").update());

        PidScan real("/proc"); // where most looks are spared
        QVERIFY(real.update());
        QVERIFY(real.update());
        const Child child(sleeper({}));
        QVERIFY(real.update());
        QVERIFY(std::find(real.appeared().begin(), real.appeared().end(), child.pid()) != real.appeared().end());
    }

    void readsAProcess()
    {
        constexpr std::size_t kBytes = 64 << 20;
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        Child child([&] {
            void *memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            std::fill_n(static_cast<char *>(memory), kBytes, '\1');
            [[maybe_unused]] const auto written = ::write(ready[1], "x", 1);
            ::pause();
        });
        char c = 0;
        QCOMPARE(::read(ready[0], &c, 1), 1);
        ::close(ready[0]);
        ::close(ready[1]);
        ProcessReader reader("/proc", child.pid());
        const auto rss = reader.readRss();
        QVERIFY(rss && *rss > kBytes);
        std::string buffer;
        const auto slow = reader.readSlow(MonotonicInstant{100s}, true, true, buffer);
        QVERIFY(slow.swap);
        QVERIFY(slow.pss && *slow.pss > kBytes);
        QVERIFY(slow.pssCost > 0ns);
        QVERIFY(!reader.readSlow(MonotonicInstant{101s}, true, true, buffer).pss); // not so soon again
        QVERIFY(reader.readSlow(MonotonicInstant{101s}, true, true, buffer).swap);
        QCOMPARE(reader.readName(buffer), std::string("tst_agent_procf")); // the kernel keeps 15
        QVERIFY(parentOf("/proc", child.pid(), buffer) == ::getpid());
        child.kill();
        QTRY_VERIFY(!reader.readRss()); // a zombie has no memory, not none of it
        child.end();
        QVERIFY(!reader.readRss());
        QVERIFY(!parentOf("/proc", -5, buffer));
    }

    void readsParentsOfOddNames()
    {
        const Folder folder;
        std::string buffer;
        folder.write("7/stat", "7 (a) S 9 (b)) R 42 7 7\n");
        QVERIFY(parentOf(folder.path(), 7, buffer) == 42);
        for (const auto *bad : {"", "7", "7 (a)", "7 (a) R", "7 (a) R x"}) {
            folder.write("7/stat", bad);
            QVERIFY2(!parentOf(folder.path(), 7, buffer), bad);
        }
    }

    void matchesKillsWithDeaths()
    {
        KillWatch watch;
        const MonotonicInstant now{100s};
        QVERIFY(!watch.take("/pod/a", {"/pod"}));
        watch.note("/pod/a", 1, now);
        watch.note("/pod", 1, now);
        watch.note("", 1, now);
        QVERIFY(watch.take("/pod/a", {"/pod"}));
        QVERIFY(!watch.take("/pod", {})); // used up everywhere
        QVERIFY(!watch.take("", {}));

        watch.note("", 2, now); // of nobody we know
        QCOMPARE(watch.takeStrangers(now + 1s), 0U);
        QCOMPARE(watch.takeStrangers(now + 4s), 2U);
        QCOMPARE(watch.takeStrangers(now + 5s), 0U);

        watch.note("/pod/a", 1, now); // one of ours, large: it takes a while to die
        watch.note("", 1, now);
        QCOMPARE(watch.takeStrangers(now + 10s), 0U);
        QVERIFY(watch.take("/pod/a", {}));
        QCOMPARE(watch.takeStrangers(now + 40s), 0U);
    }
};

QTEST_GUILESS_MAIN(TestProcfs)
#include "tst_procfs.moc"
