// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_trace.h"

#include "snapshot/levels.h"
#include "snapshot/segment_map.h"

#include <QTest>

#include <set>

using namespace plimsoll;

class SegmentMapTest : public QObject
{
    Q_OBJECT

private slots:
    void rangesEqualBruteForce_data();
    void rangesEqualBruteForce();
    void endEqualsTheBlocks_data() { rangesEqualBruteForce_data(); }
    void endEqualsTheBlocks();
    void unmappedMiddle();
    void eventsThatFitNothing();
    void keptStates();
    void rounding_data();
    void rounding();
};

namespace {

Replay replayOf(const MemorySnapshot &snapshot)
{
    return Replay(snapshot, devicesOf(snapshot)[0]);
}

} // namespace

void SegmentMapTest::rangesEqualBruteForce_data()
{
    QTest::addColumn<unsigned>("seed");
    QTest::addColumn<bool>("isExpandable");
    for (unsigned seed = 1; seed <= 3; ++seed) {
        QTest::addRow("segments %u", seed) << seed << false;
        QTest::addRow("expandable %u", seed) << seed << true;
    }
}

void SegmentMapTest::rangesEqualBruteForce()
{
    QFETCH(unsigned, seed);
    QFETCH(bool, isExpandable);
    constexpr std::uint64_t kUnit = 1U << 20U;
    RandomTraceWish wish;
    wish.isExpandable = isExpandable;
    wish.hasPending = true;
    const auto snapshot = randomTrace(seed, wish);
    const auto replay = replayOf(snapshot);
    const SegmentMap map(replay);
    QVERIFY(map.isKnown());
    QCOMPARE(map.oddEvents(), std::uint64_t{0});
    const LevelCurve reserved(replay, LevelKind::Reserved);
    const LevelCurve cached(replay, LevelKind::Cached);
    // The units that are mapped, forwards from what must have been there at the start.
    std::set<std::uint64_t> units;
    const auto apply = [&](const TraceEvent &e, bool isForwards) {
        const bool isMore = e.action == TraceAction::SegmentAlloc || e.action == TraceAction::SegmentMap;
        const bool isLess = e.action == TraceAction::SegmentFree || e.action == TraceAction::SegmentUnmap;
        for (std::uint64_t at = 0; (isMore || isLess) && at < e.size; at += kUnit) {
            if (isMore == isForwards)
                units.insert(e.address + at);
            else
                units.erase(e.address + at);
        }
    };
    for (const auto &segment : snapshot.segments)
        for (std::uint64_t at = 0; at < segment.totalSize; at += kUnit)
            units.insert(segment.address + at);
    for (auto n = replay.end(); n > 0; --n)
        apply(snapshot.events[n - 1], false);
    for (EventInstant n = 0; n <= replay.end(); ++n) {
        if (n > 0)
            apply(snapshot.events[n - 1], true);
        if (n % 4 != 0)
            continue;
        const auto state = map.at(n);
        std::set<std::uint64_t> mapped;
        std::uint64_t free = 0;
        std::uint64_t rounded = 0;
        std::size_t allocations = 0;
        for (const auto &range : state.ranges) {
            for (std::uint64_t at = 0; at < range.size; at += kUnit)
                mapped.insert(range.address + at);
            auto at = range.address;
            for (auto p = range.firstPiece; p < range.firstPiece + range.pieceCount; ++p) {
                const auto &piece = state.pieces[p];
                QCOMPARE(piece.address, at);
                QVERIFY(piece.size > 0);
                at += piece.size;
                if (piece.isFree()) {
                    free += piece.size;
                    continue;
                }
                ++allocations;
                rounded += piece.size;
                QCOMPARE(replay.addresses()[piece.allocation], piece.address);
                bool isPending = false;
                for (const auto &p2 : replay.pendingFrees())
                    isPending = isPending || (p2.allocation == piece.allocation && p2.requested <= n);
                QCOMPARE(piece.isPending, isPending);
            }
            QCOMPARE(at, range.address + range.size);
        }
        QVERIFY(mapped == units);
        QCOMPARE(state.outside.size(), std::size_t{0});
        QCOMPARE(allocations, replay.aliveAt(n).size());
        QCOMPARE(free, state.free);
        QCOMPARE(state.reserved, state.free + rounded);
        QCOMPARE(static_cast<std::int64_t>(state.reserved), reserved.at(n));
        QCOMPARE(static_cast<std::int64_t>(state.free), cached.at(n));
    }
}

void SegmentMapTest::endEqualsTheBlocks()
{
    QFETCH(unsigned, seed);
    QFETCH(bool, isExpandable);
    RandomTraceWish wish;
    wish.isExpandable = isExpandable;
    wish.hasPending = true;
    const auto snapshot = randomTrace(seed + 100, wish);
    const auto replay = replayOf(snapshot);
    const auto state = SegmentMap(replay).at(replay.end());
    QCOMPARE(state.ranges.size(), snapshot.segments.size());
    std::vector<std::tuple<std::uint64_t, std::uint64_t, bool, bool>> pieces;
    std::vector<std::tuple<std::uint64_t, std::uint64_t, bool, bool>> blocks;
    for (const auto &piece : state.pieces)
        pieces.emplace_back(piece.address, piece.size, piece.isFree(), piece.isPending);
    for (const auto &block : snapshot.blocks)
        blocks.emplace_back(block.address, block.size, block.state == BlockState::Inactive, block.state == BlockState::ActivePendingFree);
    QVERIFY(pieces == blocks);
}

void SegmentMapTest::unmappedMiddle()
{
    constexpr std::uint64_t kMiB2 = 2U << 20U;
    SnapshotBuilder build;
    build.event(TraceAction::SegmentMap, 0x10000000, kMiB2 * 4);
    build.event(TraceAction::SegmentUnmap, 0x10000000 + kMiB2, kMiB2);
    for (const std::uint64_t at : {std::uint64_t{0}, kMiB2 * 2}) {
        auto &segment = build.segment(0, 0x10000000 + at);
        segment.isExpandable = true;
        build.block(at == 0 ? kMiB2 : 2 * kMiB2, BlockState::Inactive);
    }
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const SegmentMap map(replay);
    QCOMPARE(map.rangesAt(2).size(), std::size_t{2});
    const auto whole = map.rangesAt(1); // joined again
    QCOMPARE(whole.size(), std::size_t{1});
    QCOMPARE(whole[0].size, 4 * kMiB2);
    QVERIFY(whole[0].isExpandable);
    QVERIFY(map.rangesAt(0).empty());
    QCOMPARE(map.oddEvents(), std::uint64_t{0});
    QCOMPARE(map.at(2).largestFree, 2 * kMiB2);
}

void SegmentMapTest::eventsThatFitNothing()
{
    SnapshotBuilder build;
    build.event(TraceAction::SegmentAlloc, 0x5000, 4096); // nowhere at the end
    build.event(TraceAction::SegmentFree, 0x1000, 8192);  // overlaps what is there
    build.event(TraceAction::SegmentMap, UINT64_MAX - 100, UINT64_MAX - 1);
    build.event(TraceAction::SegmentUnmap, UINT64_MAX - 100, UINT64_MAX - 1);
    build.event(TraceAction::SegmentUnmap, kUnknownBytes, 7);
    build.alloc(0x9000000, 10);
    build.segment(0, 0x2000);
    build.block(4096, BlockState::ActiveAllocated, 4000);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const SegmentMap map(replay);
    QVERIFY(map.oddEvents() >= 2);
    for (EventInstant n = 0; n <= replay.end(); ++n) {
        std::uint64_t last = 0;
        for (const auto &range : map.at(n).ranges) {
            QVERIFY(range.address >= last);
            last = range.address + range.size;
        }
    }
    QCOMPARE(map.at(replay.end()).outside, (std::vector<AllocationId>{1}));
}

void SegmentMapTest::keptStates()
{
    // Far more changes than are kept between two states.
    SnapshotBuilder build(40'000);
    std::vector<std::uint64_t> expected{0};
    for (int i = 0; i < 15'000; ++i) {
        const auto isEven = i % 2 == 0;
        build.event(isEven ? TraceAction::SegmentAlloc : TraceAction::SegmentFree, 0x100000U * (1U + static_cast<unsigned>(i / 2) % 7U), 4096);
        expected.push_back(isEven ? 4096 : 0);
    }
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const SegmentMap map(replay);
    QCOMPARE(map.oddEvents(), std::uint64_t{0});
    for (const EventInstant n : {0U, 1U, 2U, 4095U, 4096U, 4097U, 7777U, 10'808U, 10'904U, 10'905U, 14'999U, 15'000U})
        QCOMPARE(map.at(n).reserved, expected[n]);
}

void SegmentMapTest::rounding_data()
{
    QTest::addColumn<quint64>("size");
    QTest::addColumn<int>("divisions");
    QTest::addColumn<quint64>("rounded");
    QTest::newRow("nothing") << quint64{0} << 0 << quint64{0};
    QTest::newRow("one byte") << quint64{1} << 0 << quint64{512};
    QTest::newRow("unit") << quint64{512} << 0 << quint64{512};
    QTest::newRow("above") << quint64{513} << 0 << quint64{1024};
    QTest::newRow("too small for divisions") << quint64{1200} << 4 << quint64{1536};
    QTest::newRow("divisions") << quint64{5000} << 4 << quint64{5120};
    QTest::newRow("power of two") << quint64{8192} << 4 << quint64{8192};
    QTest::newRow("steps of a quarter") << quint64{(5ULL << 20U) + 1} << 4 << quint64{6ULL << 20U};
    QTest::newRow("steps of an eighth") << quint64{(9ULL << 20U) + 5} << 8 << quint64{10ULL << 20U};
    QTest::newRow("off") << quint64{(5ULL << 20U) + 1} << 1 << quint64{(5ULL << 20U) + 512};
}

void SegmentMapTest::rounding()
{
    QFETCH(quint64, size);
    QFETCH(int, divisions);
    QFETCH(quint64, rounded);
    MemorySnapshot snapshot;
    std::string json = "{";
    for (int power = 0; power < 16; ++power)
        json += std::string(power == 0 ? "" : ", ") + '"' + std::to_string(1 << power) + "\": " + std::to_string(divisions);
    snapshot.settings.emplace_back("roundup_power2_divisions", json + '}');
    snapshot.events = EventColumns(1);
    snapshot.events.append({TraceAction::Alloc, 0x1000, size});
    snapshot.devices.emplace_back().eventCount = 1;
    const auto devices = devicesOf(snapshot);
    QCOMPARE(devices.size(), std::size_t{1});
    const Replay replay(snapshot, devices.front());
    QCOMPARE(replay.size(), std::size_t{1});
    QCOMPARE(static_cast<quint64>(replay.roundedSize(0)), rounded);
}

QTEST_GUILESS_MAIN(SegmentMapTest)
#include "tst_segment_map.moc"
