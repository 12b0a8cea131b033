// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"
#include "support/small_disk.h"

#include "agent/spool.h"
#include "agent/spool_state.h"

#include <QTest>

#include <sys/stat.h>

#include <random>

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

SpoolOptions inFolder(const fs::path &folder, std::string boot = "boot-1")
{
    SpoolOptions options;
    options.folder = folder;
    options.bootId = std::move(boot);
    options.limit = Bytes{2 * kMiB};
    return options;
}

Spool opened(const SpoolOptions &options)
{
    auto spool = Spool::open(options);
    if (!spool)
        qFatal("%s", spool.error().detail.c_str());
    return std::move(*spool);
}

std::uint64_t put(Spool &spool, const std::string &text)
{
    std::ignore = spool.prepare(1);
    const auto sequence = spool.nextSequence();
    while (!spool.append(RecordKind::Frame, text))
        std::ignore = spool.prepare(1);
    return sequence;
}

struct Contents
{
    std::vector<std::pair<std::uint64_t, std::string>> frames;
    std::vector<LostFrames> lost;

    friend bool operator==(const Contents &, const Contents &) = default;
};

Contents readFrom(const Spool &spool, std::uint64_t next = 1)
{
    Contents contents;
    SpoolCursor cursor{next, 0, 0};
    std::string payload;
    for (;;) {
        const auto item = spool.read(cursor, payload);
        if (item.kind == SpoolItem::Kind::End)
            return contents;
        if (item.kind == SpoolItem::Kind::Lost)
            contents.lost.push_back({item.first, item.last});
        if (item.kind == SpoolItem::Kind::Frame)
            contents.frames.emplace_back(item.first, payload);
    }
}

std::vector<fs::path> segmentsIn(const fs::path &folder)
{
    std::vector<fs::path> paths;
    for (const auto &entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".segment")
            paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string slurp(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void spew(const fs::path &path, std::string_view bytes)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace

class TestSpool : public QObject
{
    Q_OBJECT

private slots:
    void readsBackWhatWasWritten()
    {
        const Folder folder;
        for (const auto &options : {SpoolOptions{}, inFolder(folder / "spool")}) {
            auto spool = opened(options);
            QCOMPARE(spool.newestSequence(), 0U);
            QCOMPARE(put(spool, "one"), 1U);
            QCOMPARE(put(spool, std::string(100'000, 'x')), 2U);
            QCOMPARE(put(spool, ""), 3U);
            const Contents expected{{{1, "one"}, {2, std::string(100'000, 'x')}, {3, ""}}, {}};
            QVERIFY(readFrom(spool) == expected);
            QVERIFY(readFrom(spool, 3) == (Contents{{{3, ""}}, {}}));
            QVERIFY(readFrom(spool, 4) == Contents{});
            QCOMPARE(spool.oldestSequence(), 1U);
            QCOMPARE(spool.newestSequence(), 3U);
        }
    }

    void isARingThatTellsWhatFellOut()
    {
        const Folder folder;
        auto memory = SpoolOptions{};
        memory.memoryLimit = Bytes{2 * kMiB};
        for (const auto &options : {memory, inFolder(folder / "spool")}) {
            auto spool = opened(options);
            SpoolCursor slow; // stands at the beginning while all goes on
            const std::string text(10'000, 'x');
            for (int i = 0; i < 1000; ++i)
                put(spool, text);
            QVERIFY2(spool.bytes() <= 2 * kMiB + 256 * kKiB, qPrintable(QString::number(spool.bytes())));
            QVERIFY(spool.bytes() > kMiB);
            const auto oldest = spool.oldestSequence();
            QVERIFY(oldest > 700 && oldest < 900);
            std::string payload;
            const auto item = spool.read(slow, payload);
            QVERIFY(item.kind == SpoolItem::Kind::Lost);
            QCOMPARE(item.first, 1U);
            QCOMPARE(item.last, oldest - 1);
            const auto contents = readFrom(spool, 1);
            QCOMPARE(contents.frames.size(), 1000 - oldest + 1);
            QCOMPARE(contents.frames.back().first, 1000U);
            if (!options.folder.empty()) {
                std::uintmax_t onDisk = 0;
                for (const auto &path : segmentsIn(options.folder))
                    onDisk += fs::file_size(path);
                QCOMPARE(onDisk, spool.bytes());
            }
        }
    }

    void goesOnAfterKill()
    {
        const Folder folder;
        std::string id;
        std::uint64_t epoch = 0;
        {
            auto spool = opened(inFolder(folder / "spool"));
            id = spool.agentId();
            epoch = spool.epoch();
            put(spool, "one");
            put(spool, "two");
        } // not closed: as after kill -9
        auto spool = opened(inFolder(folder / "spool"));
        QCOMPARE(spool.agentId(), id);
        QCOMPARE(spool.epoch(), epoch);
        QCOMPARE(put(spool, "three"), 3U);
        QVERIFY(readFrom(spool) == (Contents{{{1, "one"}, {2, "two"}, {3, "three"}}, {}}));
        QVERIFY(spool.problem().empty());
    }

    void goesOnAfterAnOrderlyRestartOfTheMachine()
    {
        const Folder folder;
        {
            auto spool = opened(inFolder(folder / "spool", "boot-1"));
            put(spool, "one");
            spool.close();
        }
        auto spool = opened(inFolder(folder / "spool", "boot-2"));
        QCOMPARE(put(spool, "two"), 2U);
    }

    void leavesAHoleAfterACrashOfTheMachine()
    {
        const Folder folder;
        std::uint64_t epoch = 0;
        std::uint32_t seriesIds = 0;
        {
            auto spool = opened(inFolder(folder / "spool", "boot-1"));
            epoch = spool.epoch();
            seriesIds = spool.nextSeriesId();
            put(spool, "one");
        }
        auto spool = opened(inFolder(folder / "spool", "boot-2"));
        QCOMPARE(spool.epoch(), epoch);
        QVERIFY(spool.nextSeriesId() >= seriesIds + 100'000);
        const auto next = put(spool, "after");
        QVERIFY(next > 1'000'000);
        const Contents expected{{{1, "one"}, {next, "after"}}, {{2, next - 1}}};
        QVERIFY(readFrom(spool) == expected);
        // And the hole stays one over the next kill.
        auto options = inFolder(folder / "spool", "boot-2");
        spool = opened(SpoolOptions{});
        spool = opened(options);
        QCOMPARE(put(spool, "more"), next + 1);
        QVERIFY(readFrom(spool, 2).lost == (std::vector<LostFrames>{{2, next - 1}}));
    }

    // kill -9 may cut the last write anywhere: every whole frame before it survives,
    // and the next number is one that was never given.
    void survivesATornEndAtEveryOffset()
    {
        const Folder folder;
        const auto original = folder / "original";
        std::vector<std::size_t> ends; // file size after each frame
        std::uint64_t epoch = 0;
        {
            auto spool = opened(inFolder(original));
            epoch = spool.epoch();
            for (int i = 0; i < 6; ++i) {
                put(spool, std::string(static_cast<std::size_t>(i * 7), static_cast<char>('a' + i)));
                ends.push_back(fs::file_size(segmentsIn(original).back()));
            }
        }
        const auto bytes = slurp(segmentsIn(original).back());
        for (std::size_t length = 0; length <= bytes.size(); ++length) {
            const auto copy = folder / ("cut-" + std::to_string(length));
            fs::copy(original, copy, fs::copy_options::recursive);
            spew(segmentsIn(copy).back(), std::string_view(bytes).substr(0, length));
            auto spool = opened(inFolder(copy));
            const auto whole = static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), [&](auto end) { return end <= length; }));
            QVERIFY2(spool.problem().empty() && spool.notice().empty(), spool.notice().c_str());
            QCOMPARE(readFrom(spool).frames.size(), whole);
            if (length >= Segment::kFileHeaderBytes)
                QCOMPARE(spool.epoch(), epoch);
            const auto sequence = put(spool, "next");
            QVERIFY(spool.epoch() != epoch || sequence == whole + 1);
            QCOMPARE(readFrom(spool).frames.back().second, std::string("next"));
            fs::remove_all(copy);
        }
    }

    // Whatever is damaged: no crash, no frame that was not written, and it goes on.
    void survivesDamageAnywhere()
    {
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        const Folder folder;
        const auto original = folder / "original";
        Contents written;
        std::uint64_t epoch = 0;
        {
            auto spool = opened(inFolder(original));
            epoch = spool.epoch();
            for (int i = 0; i < 200; ++i) {
                std::string text(random() % 3000, static_cast<char>('a' + i % 26));
                const auto sequence = put(spool, text);
                written.frames.emplace_back(sequence, std::move(text));
            }
        }
        const auto paths = segmentsIn(original);
        QVERIFY(paths.size() > 1);
        for (int round = 0; round < 150; ++round) {
            const auto copy = folder / "copy";
            fs::copy(original, copy, fs::copy_options::recursive);
            const auto victim = copy / (round % 7 == 0 ? fs::path("state") : paths[random() % paths.size()].filename());
            auto bytes = slurp(victim);
            const int flips = 1 + static_cast<int>(random() % 4);
            for (int i = 0; i < flips; ++i)
                bytes[random() % bytes.size()] = static_cast<char>(random());
            spew(victim, bytes);
            auto spool = opened(inFolder(copy));
            const auto contents = readFrom(spool);
            for (const auto &frame : contents.frames) {
                const auto &original_ = written.frames.at(frame.first - 1);
                QVERIFY2(frame == original_, std::to_string(frame.first).c_str());
            }
            const auto sequence = put(spool, "next");
            QVERIFY(spool.epoch() != epoch || sequence > 200 || !contents.frames.empty());
            QCOMPARE(readFrom(spool, sequence).frames.size(), 1U);
            if (spool.epoch() != epoch && !spool.notice().empty())
                QVERIFY(fs::exists(copy / "set-aside"));
            fs::remove_all(copy);
        }
    }

    void setsDamageAside()
    {
        const Folder folder;
        const auto path = folder / "spool";
        std::uint64_t epoch = 0;
        {
            auto spool = opened(inFolder(path));
            epoch = spool.epoch();
            for (int i = 0; i < 3; ++i)
                put(spool, "some text");
        }
        auto bytes = slurp(segmentsIn(path).back());
        bytes[Segment::kFileHeaderBytes + Segment::kRecordHeaderBytes + 2] ^= 1; // in the first of three
        spew(segmentsIn(path).back(), bytes);
        auto spool = opened(inFolder(path));
        QVERIFY(spool.epoch() != epoch);
        QVERIFY(readFrom(spool) == Contents{});
        QVERIFY2(spool.notice().find("set aside") != std::string::npos, spool.notice().c_str());
        QCOMPARE(segmentsIn(path / "set-aside").size(), 1U);
        QCOMPARE(put(spool, "new"), 1U);
    }

    void isOfOneAgentOnly()
    {
        const Folder folder;
        const auto first = opened(inFolder(folder / "spool"));
        const auto second = Spool::open(inFolder(folder / "spool"));
        QVERIFY(!second);
        QVERIFY(second.error().code == Error::Code::Busy);
    }

    void keepsItsFilesFromOthers()
    {
        const Folder folder;
        auto spool = opened(inFolder(folder / "spool"));
        put(spool, "secret");
        struct stat status{};
        QCOMPARE(::stat((folder / "spool").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0077U, 0U);
    }

    void goesOnInMemoryWhereItMayNotWrite()
    {
        const Folder folder;
        folder.write("file", "in the way");
        auto spool = opened(inFolder(folder / "file" / "spool"));
        QVERIFY2(spool.problem().starts_with("Samples are kept in memory only: "), spool.problem().c_str());
        QCOMPARE(put(spool, "one"), 1U);
        QVERIFY(readFrom(spool) == (Contents{{{1, "one"}}, {}}));
    }

    void goesOnInMemoryOnAReadOnlyDisk()
    {
        const Folder folder;
        const SmallDisk disk(folder / "disk", "1m");
        if (!disk.isMounted())
            QSKIP("Only root may mount a small file system.");
        {
            auto spool = opened(inFolder(folder / "disk/spool"));
            put(spool, "one");
            spool.close();
        }
        QVERIFY(disk.makeReadOnly());
        {
            auto spool = opened(inFolder(folder / "disk/spool"));
            QVERIFY2(spool.problem().find("Read-only") != std::string::npos, spool.problem().c_str());
            put(spool, "two");
            QCOMPARE(readFrom(spool).frames.size(), 1U);
        }
    }

    void goesOnInMemoryWhileTheDiskIsFull()
    {
        const Folder folder;
        const SmallDisk disk(folder / "disk", "512k");
        if (!disk.isMounted())
            QSKIP("Only root may mount a small file system.");
        std::uint64_t epoch = 0;
        std::uint64_t last = 0;
        {
            auto spool = opened(inFolder(folder / "disk/spool"));
            epoch = spool.epoch();
            put(spool, "before");
            disk.fill();
            const std::string text(3000, 'y');
            for (int i = 0; i < 60; ++i)
                last = put(spool, text);
            QVERIFY2(spool.problem().find("No space left") != std::string::npos, spool.problem().c_str());
            auto contents = readFrom(spool);
            QCOMPARE(contents.frames.size(), 61U);
            QVERIFY(contents.lost.empty());
            disk.tidy(); // it is tried again with the next segment
            for (int i = 0; i < 60; ++i)
                last = put(spool, text);
            QVERIFY2(spool.problem().empty(), spool.problem().c_str());
            QCOMPARE(readFrom(spool).frames.back().first, last);
        } // kill -9: what was only in memory is lost, and said to be
        {
            auto spool = opened(inFolder(folder / "disk/spool"));
            QCOMPARE(spool.epoch(), epoch);
            QCOMPARE(put(spool, "after"), last + 1);
            const auto contents = readFrom(spool);
            QCOMPARE(contents.lost.size(), 1U);
            QCOMPARE(contents.frames.front().second, std::string("before"));
            QCOMPARE(contents.frames.back().second, std::string("after"));
        }
    }

    void givesNoNumberTwiceWhenKilledWhileTheDiskIsFull()
    {
        const Folder folder;
        const SmallDisk disk(folder / "disk", "256k");
        if (!disk.isMounted())
            QSKIP("Only root may mount a small file system.");
        std::uint64_t epoch = 0;
        {
            auto spool = opened(inFolder(folder / "disk/spool"));
            epoch = spool.epoch();
            put(spool, "before");
            disk.fill();
            for (int i = 0; i < 30; ++i)
                put(spool, std::string(3000, 'y'));
        }
        disk.tidy();
        auto spool = opened(inFolder(folder / "disk/spool"));
        const auto next = put(spool, "after");
        QVERIFY(spool.epoch() != epoch || next > 1'000'000);
    }
};

QTEST_APPLESS_MAIN(TestSpool)
#include "tst_spool.moc"
