// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/job_collector.h"

#include <QTest>

#include <sys/mman.h>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

/// A collector with a journal, ticked by hand.
class Rig
{
public:
    explicit Rig(JobOptions options) : journal(memorySpool()), collector(journal, std::move(options)) {}

    void tick(Duration step = 1s)
    {
        m_now += step;
        Readings readings;
        const Tick now{Instant{1'700'000'000s} + m_now.time_since_epoch(), m_now};
        collector.collect(now, readings);
        if (!readings.series.empty() || !readings.events.empty())
            journal.publish(now.wall, readings);
    }
    [[nodiscard]] JournalContents read() const { return readAll(journal); }

    Journal journal;
    JobCollector collector;

private:
    MonotonicInstant m_now{1000s};
};

JobOptions real(std::map<std::string, int> named = {})
{
    JobOptions options;
    options.host = "node1";
    options.named = std::move(named);
    return options;
}

void writeProcess(const Folder &folder, int pid, const std::string &environment, const std::string &name = "python",
                  std::uint64_t pages = 100, const std::string &cgroup = "/pods/a")
{
    const auto at = "proc/" + std::to_string(pid);
    folder.write(at + "/environ", environment);
    folder.write(at + "/comm", name + "\n");
    folder.write(at + "/statm", "1000 " + std::to_string(pages) + " 10 1 0 50 0\n");
    folder.write(at + "/status", "Name:\t" + name + "\nVmSwap:\t      8 kB\n");
    folder.write(at + "/smaps_rollup", "Rss: 400 kB\nPss:                 300 kB\nSwap:                  8 kB\n");
    folder.write(at + "/cgroup", "0::" + cgroup + "\n");
    folder.write(at + "/stat", std::to_string(pid) + " (" + name + ") S 1 1 1\n");
}

void writeCgroup(const Folder &folder, const std::string &path, int kills, int hits = 0)
{
    folder.write("cgroup" + path + "/memory.current", "100000\n");
    folder.write("cgroup" + path + "/memory.max", "500000\n");
    folder.write("cgroup" + path + "/memory.stat", "anon 1\ninactive_file 30000\n");
    folder.write("cgroup" + path + "/memory.events", "max " + std::to_string(hits) + "\noom_kill " + std::to_string(kills) + '\n');
}

JobOptions madeUp(const Folder &folder)
{
    folder.write("cgroup/cgroup.controllers", "memory\n");
    writeCgroup(folder, "/pods/a", 0);
    writeCgroup(folder, "/pods", 0);
    folder.write("proc/vmstat", "oom_kill 0\n");
    JobOptions options;
    options.procRoot = folder / "proc";
    options.cgroupRoot = folder / "cgroup";
    options.host = "node1";
    return options;
}

std::string environmentOf(const std::string &id)
{
    using namespace std::string_literals;
    return "PATH=/bin\0PLIMSOLL_JOB_ID="s + id + "\0PLIMSOLL_TEAM=nlp\0PLIMSOLL_KIND=training\0"s;
}

} // namespace

class TestJobCollector : public QObject
{
    Q_OBJECT

private slots:
    void findsARealJobAndItsEnd()
    {
        Rig rig(real());
        rig.tick();
        const std::string id = "real-" + std::to_string(::getpid());
        Child first(sleeper({{"PLIMSOLL_JOB_ID", id}, {"PLIMSOLL_MODEL_ID", "m1"}, {"PLIMSOLL_KIND", "inference"}}));
        Child second(sleeper({{"PLIMSOLL_JOB_ID", id}}));
        // exec replaces the environment when it likes: as the sampler would, ask again
        QTRY_VERIFY((rig.tick(), rig.read().last(metric::kJobProcesses, label::kJob, id) == 2.0));
        auto contents = rig.read();
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        const auto started = contents.events(EventKind::JobStarted);
        QCOMPARE(started.size(), 1U);
        QCOMPARE(std::string(started[0].labels.value(label::kJob)), id);
        QCOMPARE(std::string(started[0].labels.value(label::kHost)), std::string("node1"));
        const auto pid = std::to_string(first.pid());
        const auto *info = contents.find(metric::kProcessRss, label::kPid, pid);
        QVERIFY(info != nullptr);
        QCOMPARE(info->group, "job:" + id);
        QCOMPARE(std::string(info->key.labels.value(label::kProcessName)), std::string("sleep"));
        QVERIFY(contents.last(metric::kProcessRss, label::kPid, pid).value() > 100'000);
        QVERIFY(contents.last(metric::kJobRss, label::kJob, id).value() > contents.last(metric::kProcessRss, label::kPid, pid).value());
        QVERIFY(contents.last(metric::kJobSwap, label::kJob, id));

        first.end();
        rig.tick();
        contents = rig.read();
        QVERIFY(contents.last(metric::kJobProcesses, label::kJob, id) == 1.0);
        const auto before = contents.values(metric::kProcessRss, label::kPid, pid).size();
        QVERIFY(contents.events(EventKind::JobEnded).empty());
        second.kill(); // a zombie is no process of the job any more
        QTRY_VERIFY((rig.tick(), !rig.read().events(EventKind::JobEnded).empty()));
        const auto samples = rig.read().values(metric::kJobRss, label::kJob, id).size();
        rig.tick();
        rig.tick();
        contents = rig.read();
        QCOMPARE(contents.values(metric::kProcessRss, label::kPid, pid).size(), before);
        QCOMPARE(contents.values(metric::kJobRss, label::kJob, id).size(), samples); // no flat line, no zeros
        for (const double value : contents.values(metric::kJobRss, label::kJob, id))
            QVERIFY(value > 0);
        QVERIFY(contents.events(EventKind::OomKill).empty()); // killed, but not for memory
        QCOMPARE(contents.events(EventKind::JobEnded).size(), 1U);
    }

    void takesNamedProcessesAndTheirChildren()
    {
        Child parent([] {
            const pid_t child = ::fork();
            if (child == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                ::execlp("sleep", "sleep", "300", nullptr);
            }
            ::pause();
        });
        Rig rig(real({{"named", parent.pid()}}));
        QTRY_VERIFY((rig.tick(), rig.read().last(metric::kJobProcesses, label::kJob, "named") == 2.0));
        QVERIFY(rig.collector.state().isHealthy);
        parent.end();
        QTRY_VERIFY((rig.tick(), !rig.read().events(EventKind::JobEnded).empty()));
    }

    void saysThatANamedProcessIsNotThere()
    {
        const Folder folder;
        auto options = madeUp(folder);
        options.named = {{"lost", 4242}};
        writeProcess(folder, 7, environmentOf("here"));
        Rig rig(options);
        rig.tick();
        QVERIFY(!rig.collector.state().isHealthy);
        QCOMPARE(rig.collector.state().problem, std::string("There is no process 4242 to be job lost."));
        QVERIFY(rig.read().last(metric::kJobRss, label::kJob, "here")); // the others are watched
    }

    void readsEverythingOfAJob()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, environmentOf("run"), "python", 100);
        writeProcess(folder, 8, environmentOf("run"), "loader", 50);
        writeProcess(folder, 9, "PATH=/bin");
        Rig rig(options);
        rig.tick();
        const auto contents = rig.read();
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
        QVERIFY(contents.last(metric::kJobRss) == 150 * page);
        QVERIFY(contents.last(metric::kProcessRss, label::kPid, "8") == 50 * page);
        QVERIFY(contents.last(metric::kJobPss) == 600.0 * 1024);
        QVERIFY(contents.last(metric::kJobSwap) == 16.0 * 1024);
        QVERIFY(contents.last(metric::kJobProcesses) == 2.0);
        QVERIFY(contents.last(metric::kContainerUsage, label::kCgroup, "/pods/a") == 100000.0);
        QVERIFY(contents.last(metric::kContainerWorkingSet, label::kCgroup, "/pods/a") == 70000.0);
        QVERIFY(contents.last(metric::kContainerLimit, label::kCgroup, "/pods") == 500000.0);
        QVERIFY(!contents.last(metric::kContainerPeak));
        const auto *info = contents.find(metric::kContainerUsage);
        QCOMPARE(info->group, std::string("job:run"));
        QVERIFY(info->key.labels == (Labels{{"host.name", "node1"}, {"job.id", "run"}, {"job.kind", "training"}, {"team", "nlp"},
                                            {"cgroup.path", std::string(info->key.labels.value(label::kCgroup))}}));
        QVERIFY(contents.find(metric::kJobSwap)->interval == 10s);
        QVERIFY(contents.find(metric::kJobSwap)->group != info->group); // another pace, other times
    }

    void followsExec()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, "PATH=/bin", "bash");
        Rig rig(options);
        rig.tick();
        QVERIFY(rig.read().events().empty());
        writeProcess(folder, 7, environmentOf("run"), "bash"); // exec with another environment
        rig.tick();
        QVERIFY(rig.read().last(metric::kProcessRss, label::kProcessName, "bash"));
        writeProcess(folder, 7, environmentOf("run"), "python"); // and once more
        rig.tick();
        QVERIFY(rig.read().last(metric::kProcessRss, label::kProcessName, "python"));
        writeProcess(folder, 7, environmentOf("other"), "python");
        rig.tick();
        rig.tick();
        const auto contents = rig.read();
        QCOMPARE(contents.events(EventKind::JobStarted).size(), 2U);
        QCOMPARE(contents.events(EventKind::JobEnded).size(), 1U);
        QCOMPARE(contents.values(metric::kJobProcesses, label::kJob, "other").size(), 2U);
        QVERIFY(contents.faults.empty());
    }

    void looksAtOldProcessesRarely()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, "PATH=/bin");
        Rig rig(options);
        for (int i = 0; i < 8; ++i)
            rig.tick();
        folder.write("proc/7/environ", environmentOf("late"));
        rig.tick();
        QVERIFY(rig.read().events().empty());
        for (int i = 0; i < 60; ++i)
            rig.tick();
        QCOMPARE(rig.read().events(EventKind::JobStarted).size(), 1U);
    }

    void tellsAKillByItsCgroup()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, environmentOf("run"), "python", 100);
        writeProcess(folder, 8, environmentOf("run"), "loader", 10);
        Rig rig(options);
        rig.tick();
        fs::remove_all(folder / "proc/8"); // ends by itself, at the same time
        fs::remove_all(folder / "proc/7");
        writeCgroup(folder, "/pods/a", 1);
        writeCgroup(folder, "/pods", 1);
        folder.write("proc/vmstat", "oom_kill 1\n");
        rig.tick();
        for (int i = 0; i < 10; ++i)
            rig.tick();
        const auto contents = rig.read();
        const auto kills = contents.events(EventKind::OomKill);
        QCOMPARE(kills.size(), 1U); // once, though three counters rose
        QCOMPARE(std::string(kills[0].labels.value(label::kPid)), std::string("7"));
        QCOMPARE(std::string(kills[0].labels.value(label::kJob)), std::string("run"));
        QVERIFY(kills[0].value == 1.0);
        QCOMPARE(contents.events(EventKind::JobEnded).size(), 1U);
    }

    void tellsAKillByTheParentWhenTheCgroupIsGone()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, environmentOf("run"));
        Rig rig(options);
        rig.tick();
        fs::remove_all(folder / "proc/7");
        folder.write("cgroup/pods/a/memory.current", ""); // what a removed group's open files say
        writeCgroup(folder, "/pods", 1);
        folder.write("proc/vmstat", "oom_kill 1\n");
        rig.tick();
        const auto contents = rig.read();
        QCOMPARE(contents.events(EventKind::OomKill).size(), 1U);
        const auto ended = contents.events(EventKind::JobEnded);
        QCOMPARE(ended.size(), 1U);
        QVERIFY(ended[0].text.find("lack of memory") != std::string::npos);
    }

    void doesNotTakeAnothersKillForOurs()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, environmentOf("run"));
        Rig rig(options);
        rig.tick();
        fs::remove_all(folder / "proc/7"); // ends by itself, while somebody else is killed
        folder.write("proc/vmstat", "oom_kill 1\n");
        for (int i = 0; i < 6; ++i)
            rig.tick();
        const auto kills = rig.read().events(EventKind::OomKill);
        QCOMPARE(kills.size(), 1U);
        QVERIFY(!kills[0].labels.find(label::kJob));
        QVERIFY(kills[0].text.find("none of them of a watched job") != std::string::npos);
    }

    void tellsLimitsOnceAMinute()
    {
        const Folder folder;
        auto options = madeUp(folder);
        writeProcess(folder, 7, environmentOf("run"));
        Rig rig(options);
        rig.tick();
        for (int i = 1; i <= 70; ++i) {
            writeCgroup(folder, "/pods/a", 0, i * 10);
            writeCgroup(folder, "/pods", 0, i * 10); // counts those below too
            rig.tick();
        }
        const auto hits = rig.read().events(EventKind::LimitHit);
        QCOMPARE(hits.size(), 2U);
        QVERIFY(hits[0].value == 10.0);
        QVERIFY(hits[1].value == 600.0);
        QCOMPARE(std::string(hits[0].labels.value(label::kCgroup)), std::string("/pods/a"));
        QCOMPARE(std::string(hits[0].labels.value(label::kJob)), std::string("run"));
    }

    void survivesGarbage()
    {
        const Folder folder;
        auto options = madeUp(folder);
        for (int pid = 10; pid < 30; ++pid) {
            const auto at = "proc/" + std::to_string(pid);
            folder.write(at + "/environ", environmentOf("job-\xff\x01\n" + std::to_string(pid)));
            folder.write(at + "/comm", pid % 2 == 0 ? "\xfe\xff\n" : "");
            const char *statm[] = {"", "x y z\n", "1 2\n", "18446744073709551615 18446744073709551615\n", "0 0 0 0\n"};
            folder.write(at + "/statm", statm[pid % 5]);
            folder.write(at + "/cgroup", "0::/../..\n::::\n");
            folder.write(at + "/stat", ")");
        }
        Rig rig(options);
        for (int i = 0; i < 15; ++i)
            rig.tick();
        const auto contents = rig.read();
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        QVERIFY(contents.events(EventKind::JobStarted).size() >= 4);
    }

    void countsProcessesThatAreNotOursToRead()
    {
        Rig rig(JobOptions{"/proc/nothing", "/nothing", "h", 1s, {}});
        rig.tick();
        QVERIFY(!rig.collector.state().isHealthy);
        QVERIFY(rig.collector.state().problem.find("cannot be read") != std::string::npos);
    }

    // A kernel that really kills: a small cgroup, and a process that wants more.
    void tellsARealKill()
    {
        const auto mount = findMemoryCgroups("/sys/fs/cgroup", "/proc");
        std::string buffer;
        const auto own = memoryCgroupOf(readOnce("/proc/self/cgroup", buffer).value_or(""), mount);
        if (mount.version != CgroupMount::Version::V1 || !own)
            QSKIP("This test makes a cgroup of version 1.");
        const auto group = mount.root / ("." + *own) / ("plimsoll-test-" + std::to_string(::getpid()));
        std::error_code error;
        if (!fs::create_directory(group, error))
            QSKIP("Only root may make a cgroup.");
        std::ofstream(group / "memory.limit_in_bytes") << 32 * kMiB;
        const std::string id = "hungry-" + std::to_string(::getpid());
        int go[2];
        QCOMPARE(::pipe(go), 0);
        const std::string fd = "/proc/self/fd/" + std::to_string(go[0]);
        Child child([&] {
            std::ofstream(group / "cgroup.procs") << ::getpid() << std::flush;
            ::setenv("PLIMSOLL_JOB_ID", id.c_str(), 1);
            ::execlp("sh", "sh", "-c", ("read x < " + fd + "; exec tail /dev/zero").c_str(), nullptr);
        });
        Rig rig(real());
        QTRY_VERIFY((rig.tick(), rig.read().last(metric::kContainerLimit, label::kJob, id).has_value()));
        QCOMPARE(::write(go[1], "go\n", 3), 3); // eats until it is stopped
        QTRY_VERIFY_WITH_TIMEOUT((rig.tick(), !rig.read().events(EventKind::JobEnded).empty()), 20'000);
        const auto contents = rig.read();
        child.end();
        ::close(go[0]);
        ::close(go[1]);
        fs::remove(group, error);
        std::vector<Event> kills = contents.events(EventKind::OomKill);
        std::erase_if(kills, [&](const Event &event) { return event.labels.value(label::kJob) != id; });
        QCOMPARE(kills.size(), 1U);
        QVERIFY(!contents.events(EventKind::LimitHit).empty());
    }
};

QTEST_GUILESS_MAIN(TestJobCollector)
#include "tst_job_collector.moc"
