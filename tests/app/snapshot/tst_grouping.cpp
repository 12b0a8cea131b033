// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_trace.h"

#include "snapshot/frame_filter.h"
#include "snapshot/grouping.h"

#include <QTest>

using namespace plimsoll;

class GroupingTest : public QObject
{
    Q_OBJECT

private slots:
    void groupsAddUp();
    void ownFrames_data();
    void ownFrames();
    void annotations();
    void contexts();
    void poolsAndStreams();
    void bands();
};

namespace {

Replay replayOf(const MemorySnapshot &snapshot)
{
    return Replay(snapshot, devicesOf(snapshot)[0]);
}

std::map<std::string, std::int64_t> alive(const Replay &replay, GroupBy by, EventInstant instant)
{
    std::map<std::string, std::int64_t> all;
    const auto grouping = groupAllocations(replay, by);
    for (const auto &total : aliveByGroup(replay, grouping, instant))
        all[grouping.names[total.group]] = total.bytes;
    return all;
}

using Expected = std::map<std::string, std::int64_t>;

} // namespace

void GroupingTest::groupsAddUp()
{
    RandomTraceWish wish;
    wish.pools = wish.streams = 3;
    const auto snapshot = randomTrace(4, wish);
    const auto replay = replayOf(snapshot);
    for (const auto by : {GroupBy::OwnLine, GroupBy::Category, GroupBy::Pool, GroupBy::Stream, GroupBy::SizeClass, GroupBy::Annotation,
                          GroupBy::CompileContext, GroupBy::UserMetadata}) {
        const auto grouping = groupAllocations(replay, by);
        QCOMPARE(grouping.of.size(), replay.size());
        for (EventInstant n = 0; n <= replay.end(); n += 37) {
            std::int64_t bytes = 0;
            std::int64_t count = 0;
            std::int64_t last = INT64_MAX;
            for (const auto &total : aliveByGroup(replay, grouping, n)) {
                QVERIFY(total.bytes <= last);
                last = total.bytes;
                bytes += total.bytes;
                count += total.count;
            }
            QCOMPARE(bytes, replay.levelAt(n));
            QCOMPARE(count, static_cast<std::int64_t>(replay.aliveAt(n).size()));
        }
    }
}

void GroupingTest::ownFrames_data()
{
    QTest::addColumn<QList<QByteArray>>("frames");
    QTest::addColumn<QByteArray>("own");
    QTest::newRow("behind a library") << QList<QByteArray>{"??:0 at::empty", "/v/site-packages/torch/nn/linear.py:7 forward", "/home/user/train.py:5 step",
                                                           "/home/user/main.py:1 main"}
                                      << QByteArray("/home/user/train.py:5 step");
    QTest::newRow("windows") << QList<QByteArray>{"C:\\v\\Lib\\site-packages\\torch\\a.py:7 f", "C:\\code\\train.py:5 step"} << QByteArray("C:\\code\\train.py:5 step");
    QTest::newRow("notebook") << QList<QByteArray>{"/v/dist-packages/torch/a.py:7 f", "<ipython-input-3>:2 <module>"} << QByteArray("<ipython-input-3>:2 <module>");
    QTest::newRow("library only") << QList<QByteArray>{"??:0 at::empty", "/v/site-packages/torch/a.py:7 f", "/v/site-packages/torch/b.py:7 g"}
                                  << QByteArray("/v/site-packages/torch/a.py:7 f");
    QTest::newRow("c++ only") << QList<QByteArray>{"??:0 torch::unwind::unwind()", "x.cpp:3 my::Loader::load()"} << QByteArray("x.cpp:3 my::Loader::load()");
    QTest::newRow("allocator only") << QList<QByteArray>{"??:0 torch::unwind::unwind()"} << QByteArray("??:0 torch::unwind::unwind()");
    QTest::newRow("generated") << QList<QByteArray>{"/tmp/torchinductor_user/ab/cab.py:9 call", "/home/user/t.py:1 main"} << QByteArray("/home/user/t.py:1 main");
}

void GroupingTest::ownFrames()
{
    QFETCH(QList<QByteArray>, frames);
    QFETCH(QByteArray, own);
    SnapshotBuilder build;
    std::vector<FrameId> ids;
    for (const auto &frame : frames)
        ids.push_back(build.frame(frame.toStdString()));
    const auto stack = build.snapshot().stacks.internStack(ids);
    const auto snapshot = build.take();
    QCOMPARE(QByteArray::fromStdString(frameText(snapshot, *ownFrame(snapshot, stack))), own);
    QVERIFY(!ownFrame(snapshot, kNoStack));
    QVERIFY(!ownFrame(snapshot, kEmptyStack));
}

void GroupingTest::annotations()
{
    SnapshotBuilder build;
    const auto start = build.clock();
    for (unsigned i = 1; i <= 8; ++i)
        build.alloc(0x1000U * i, 1ULL << i); // at start + 10 · i
    build.annotation(0, start + 20, true, "outer");
    build.annotation(0, start + 35, true, "inner");
    build.annotation(0, start + 50, false, "inner");
    build.annotation(0, start + 65, false, "outer");
    build.segment(0, 0x100000);
    build.block(512, BlockState::ActiveAllocated, 1);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const Expected expected{{"before the trace", 1}, {"outside all ranges", 2 + 128 + 256}, {"outer", 4 + 8 + 64}, {"inner", 16 + 32}};
    QVERIFY(alive(replay, GroupBy::Annotation, 8) == expected);
}

void GroupingTest::contexts()
{
    SnapshotBuilder build;
    EventContext context;
    auto &texts = build.snapshot().texts;
    context.attributes.emplace_back(texts.intern("compile_context"), texts.intern("Torch-Compiled Region: 0/0"));
    const auto compiled = build.context(context);
    build.event({TraceAction::Alloc, 0x1000, 5, 1, kNoStack, 0, compiled});
    build.alloc(0x2000, 7);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QVERIFY(alive(replay, GroupBy::CompileContext, 2) == (Expected{{"Torch-Compiled Region: 0/0", 5}, {"not compiled", 7}}));
    QVERIFY(alive(replay, GroupBy::UserMetadata, 2) == (Expected{{"no metadata", 12}}));
}

void GroupingTest::poolsAndStreams()
{
    SnapshotBuilder build;
    const auto stream = build.stream(0xabc0);
    EventContext context;
    context.pool = {0, 3};
    const auto pooled = build.context(context);
    build.event({TraceAction::Alloc, 0x1000, 5, 1, kNoStack, stream, pooled});
    build.alloc(0x100000, 700);
    build.alloc(0x900000, 1500);
    build.segment(0, 0x100000);
    build.block(1024, BlockState::ActiveAllocated, 700);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QVERIFY(alive(replay, GroupBy::Pool, 3) == (Expected{{"pool (0, 3)", 5}, {"default pool", 700}, {"unknown pool", 1500}}));
    QVERIFY(alive(replay, GroupBy::Stream, 3) == (Expected{{"stream 0xabc0", 5}, {"default stream", 2200}}));
    QVERIFY(alive(replay, GroupBy::SizeClass, 3) == (Expected{{"below 512 B", 5}, {"from 512 B", 700}, {"from 1 KiB", 1500}}));
}

void GroupingTest::bands()
{
    const auto snapshot = randomTrace(2);
    const auto replay = replayOf(snapshot);
    const auto grouping = groupAllocations(replay, GroupBy::SizeClass);
    std::vector<std::uint32_t> groups;
    const auto bands = bandsOfGroups(replay, grouping, 3, groups);
    QCOMPARE(groups.size(), std::size_t{3});
    QCOMPARE(bands.count, std::size_t{4});
    const LevelCurve curve(replay, LevelKind::Requested);
    const auto picture = bandPicture(curve, bands, eventBorders(0, curve.size(), 40));
    for (std::size_t c = 0; c < picture.columns.size(); ++c) {
        std::int64_t rest = picture.columns[c].total;
        for (const auto &total : aliveByGroup(replay, grouping, picture.columns[c].at)) {
            const auto at = std::find(groups.begin(), groups.end(), total.group);
            if (at == groups.end())
                continue;
            QCOMPARE(picture.level(c, static_cast<std::size_t>(at - groups.begin())), total.bytes);
            rest -= total.bytes;
        }
        QCOMPARE(picture.level(c, 3), rest);
    }
}

QTEST_GUILESS_MAIN(GroupingTest)
#include "tst_grouping.moc"
