// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/cgroup.h"
#include "agent/cgroup_table.h"

#include <QTest>

using namespace plimsoll;
using namespace plimsoll::test;
using Version = CgroupMount::Version;

namespace {

constexpr std::string_view kV1Stat = "cache 100\nrss 1\ninactive_file 1\ntotal_cache 400\ntotal_rss 70000\n"
                                     "total_inactive_file 30000\ntotal_swap 5000\n";
constexpr std::string_view kV2Stat = "anon 70000\nfile 40000\ninactive_anon 5\ninactive_file 30000\n";

void writeV1(const Folder &folder, const std::string &path)
{
    folder.write(path + "/memory.usage_in_bytes", "100000\n");
    folder.write(path + "/memory.max_usage_in_bytes", "200000\n");
    folder.write(path + "/memory.limit_in_bytes", "9223372036854771712\n");
    folder.write(path + "/memory.failcnt", "7\n");
    folder.write(path + "/memory.stat", kV1Stat);
    folder.write(path + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
}

void writeV2(const Folder &folder, const std::string &path)
{
    folder.write(path + "/memory.current", "100000\n");
    folder.write(path + "/memory.peak", "200000\n");
    folder.write(path + "/memory.max", "max\n");
    folder.write(path + "/memory.stat", kV2Stat);
    folder.write(path + "/memory.events", "low 0\nhigh 0\nmax 7\noom 4\noom_kill 3\noom_group_kill 0\n");
    folder.write(path + "/memory.swap.current", "5000\n");
}

CgroupMemory full()
{
    return {100000, 70000, 70000, 200000, std::nullopt, 5000, 7, 3};
}

std::optional<CgroupMemory> readOf(const Folder &folder, Version version, const std::string &path)
{
    std::string buffer;
    return CgroupReader({version, folder.path(), {}}, path).read(buffer);
}

} // namespace

class TestCgroup : public QObject
{
    Q_OBJECT

private slots:
    void goesWhereTheMemoryControllerIs()
    {
        const Folder none;
        QVERIFY(findMemoryCgroups(none.path(), none.path()).version == Version::None);

        const Folder v1;
        writeV1(v1, "memory");
        QVERIFY(findMemoryCgroups(v1.path(), v1.path()) == (CgroupMount{Version::V1, v1 / "memory", {}}));

        const Folder v2;
        v2.write("cgroup.controllers", "cpuset cpu io memory hugetlb pids\n");
        QVERIFY(findMemoryCgroups(v2.path(), v2.path()) == (CgroupMount{Version::V2, v2.path(), {}}));

        const Folder noController;
        noController.write("cgroup.controllers", "cpuset cpu io\n");
        QVERIFY(findMemoryCgroups(noController.path(), noController.path()).version == Version::None);

        const Folder hybrid; // systemd's: version 2 is mounted, and has no controllers
        writeV1(hybrid, "memory");
        hybrid.write("unified/cgroup.controllers", "");
        QVERIFY(findMemoryCgroups(hybrid.path(), hybrid.path()) == (CgroupMount{Version::V1, hybrid / "memory", {}}));

        const Folder otherHybrid; // some controllers on version 1, memory on version 2
        otherHybrid.write("cpu/cpu.shares", "1024\n");
        otherHybrid.write("unified/cgroup.controllers", "memory\n");
        QVERIFY(findMemoryCgroups(otherHybrid.path(), otherHybrid.path())
                == (CgroupMount{Version::V2, otherHybrid / "unified", {}}));
    }

    void knowsThatOnlyAPartIsMounted()
    {
        const Folder folder;
        writeV1(folder, "memory");
        folder.write("self/mountinfo", "30 22 0:27 / /sys rw - tmpfs tmpfs rw\n34 30 0:31 /docker/abc " + (folder / "memory").string()
                                           + " ro,nosuid - cgroup cgroup rw,memory\n");
        const auto mount = findMemoryCgroups(folder.path(), folder.path());
        QCOMPARE(mount.prefix, std::string("/docker/abc"));
        QVERIFY(memoryCgroupOf("4:memory:/docker/abc/job\n", mount) == "/job");
        QVERIFY(memoryCgroupOf("4:memory:/docker/abc\n", mount) == "/");
        QVERIFY(memoryCgroupOf("4:memory:/docker/abcd\n", mount) == "/docker/abcd");
    }

    void findsTheGroupOfAProcess_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("version");
        QTest::addColumn<QByteArray>("path"); // "-" = none
        QTest::newRow("v1") << QByteArray("9:name=systemd:/x\n4:memory:/user/a\n0::/y\n") << 1 << QByteArray("/user/a");
        QTest::newRow("v1, mounted together") << QByteArray("4:cpu,memory:/a\n") << 1 << QByteArray("/a");
        QTest::newRow("v1, a name like it") << QByteArray("4:memoryx:/a\n3:name=memory:/b\n") << 1 << QByteArray("-");
        QTest::newRow("v2") << QByteArray("4:memory:/old\n0::/user.slice/a.scope\n") << 2 << QByteArray("/user.slice/a.scope");
        QTest::newRow("v2 root") << QByteArray("0::/\n") << 2 << QByteArray("/");
        QTest::newRow("colons in the path") << QByteArray("0::/a:b:c\n") << 2 << QByteArray("/a:b:c");
        QTest::newRow("deleted") << QByteArray("0::/a (deleted)\n") << 2 << QByteArray("/a");
        QTest::newRow("outside of the namespace") << QByteArray("0::/../other\n") << 2 << QByteArray("-");
        QTest::newRow("two dots in a name") << QByteArray("0::/..a/b\n") << 2 << QByteArray("/..a/b");
        QTest::newRow("empty") << QByteArray("") << 2 << QByteArray("-");
        QTest::newRow("garbage") << QByteArray("\xff\0:::\n0\n0:\n", 11) << 2 << QByteArray("-");
    }
    void findsTheGroupOfAProcess()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, version);
        QFETCH(QByteArray, path);
        const CgroupMount mount{version == 1 ? Version::V1 : Version::V2, "/", {}};
        QCOMPARE(QByteArray::fromStdString(memoryCgroupOf(text.toStdString(), mount).value_or("-")), path);
    }

    void knowsParents()
    {
        QVERIFY(parentCgroup("/a/b") == "/a");
        QVERIFY(parentCgroup("/a") == "/");
        QVERIFY(!parentCgroup("/"));
        QVERIFY(!parentCgroup(""));
    }

    void readsVersion1()
    {
        const Folder folder;
        writeV1(folder, "job");
        QVERIFY(readOf(folder, Version::V1, "/job") == full());
        folder.write("job/memory.limit_in_bytes", "1073741824\n");
        QVERIFY(readOf(folder, Version::V1, "/job")->limit == 1073741824U);
        folder.write("job/memory.stat", "total_inactive_file 999999999\n");
        QVERIFY(readOf(folder, Version::V1, "/job")->workingSet == 0U);
    }

    void readsVersion2()
    {
        const Folder folder;
        writeV2(folder, "job");
        QVERIFY(readOf(folder, Version::V2, "/job") == full());
        folder.write("job/memory.max", "1073741824\n");
        QVERIFY(readOf(folder, Version::V2, "/job")->limit == 1073741824U);
    }

    void saysNothingWhereTheKernelSaysNothing()
    {
        const Folder folder;
        folder.write("job/memory.current", "5\n"); // before 5.19, without swap
        const auto memory = readOf(folder, Version::V2, "/job");
        QVERIFY(memory == (CgroupMemory{5, {}, {}, {}, {}, {}, {}, {}}));
        QVERIFY(!readOf(folder, Version::V2, "/gone"));
        folder.write("root/cgroup.procs", "1\n");
        QVERIFY(!readOf(folder, Version::V2, "/root"));
    }

    void survivesGarbage()
    {
        const Folder folder;
        for (const std::string version : {"v1", "v2"}) {
            for (const auto *name : {"memory.usage_in_bytes", "memory.current", "memory.stat", "memory.events", "memory.max",
                                     "memory.limit_in_bytes", "memory.failcnt", "memory.oom_control"})
                folder.write(version + '/' + name, std::string("\xff\xfe -1 99999999999999999999999 \0 max\n::\n", 38));
        }
        QVERIFY(!readOf(folder, Version::V1, "/v1"));
        QVERIFY(!readOf(folder, Version::V2, "/v2"));
        folder.write("v2/memory.current", "12\n");
        folder.write("v2/memory.stat", "inactive_file -3\nanon x\nanon\n\n:\n");
        QVERIFY(readOf(folder, Version::V2, "/v2") == (CgroupMemory{12, {}, {}, {}, {}, {}, {}, {}}));
    }

    void countsIncreases()
    {
        const Folder folder;
        writeV2(folder, "job");
        std::string buffer;
        CgroupTable table({Version::V2, folder.path(), {}});
        table.acquire("/job", buffer);
        table.acquire("/job", buffer);
        table.readAll(buffer);
        QCOMPARE(table.find("/job")->newKills, 0U); // what was before we came is not news
        folder.write("job/memory.events", "max 17\noom_kill 4\n");
        table.readAll(buffer);
        QCOMPARE(table.find("/job")->newKills, 1U);
        QCOMPARE(table.find("/job")->newHits, 10U);
        table.readAll(buffer);
        QCOMPARE(table.find("/job")->newKills, 0U);
        table.release("/job");
        QVERIFY(table.find("/job") != nullptr);
        table.release("/job");
        QVERIFY(table.find("/job") == nullptr);
    }

    void readsThisMachine()
    {
        const auto mount = findMemoryCgroups("/sys/fs/cgroup", "/proc");
        if (mount.version == Version::None)
            QSKIP("This machine has no memory controller.");
        std::string buffer;
        const auto text = readOnce("/proc/self/cgroup", buffer);
        QVERIFY(text);
        const auto path = memoryCgroupOf(*text, mount);
        if (!path || (mount.version == Version::V2 && *path == "/"))
            QSKIP("This process is in no memory group that is visible here.");
        const auto memory = CgroupReader(mount, *path).read(buffer);
        QVERIFY2(memory, path->c_str());
        QVERIFY(*memory->usage > 0);
        QVERIFY(memory->workingSet && *memory->workingSet <= *memory->usage);
    }
};

QTEST_APPLESS_MAIN(TestCgroup)
#include "tst_cgroup.moc"
