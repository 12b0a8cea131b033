// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_trace.h"

#include "snapshot/census.h"
#include "snapshot/levels.h"
#include "snapshot/peaks.h"
#include "snapshot/replay.h"

#include <QTest>

using namespace plimsoll;

class ReplayTest : public QObject
{
    Q_OBJECT

private slots:
    void statesEqualBruteForce_data();
    void statesEqualBruteForce();
    void levelsEqualBruteForce_data();
    void levelsEqualBruteForce();
    void peaksEqualBruteForce();
    void groupsAddUp();
    void allocOfLiveAddressEndsTheOldLife();
    void freesOfForeignSizesUseTheAllocation();
    void whatWasThereBefore();
    void requestsEndLivesWhenNothingElseDoes();
    void pendingFreesAreCurves();
    void onlyBlocks();
    void nothingAtAll();
    void levelsWithoutAddresses();
    void heapProfiles();
    void reservedGoesBackwards();
    void timesThatGoBack();
    void twoDevices();
    void cancelled();
};

namespace {

Replay replayOf(const MemorySnapshot &snapshot, std::size_t device = 0)
{
    return Replay(snapshot, devicesOf(snapshot)[device]);
}

std::vector<BruteForce::Entry> entriesAt(const Replay &replay, EventInstant instant)
{
    std::vector<BruteForce::Entry> entries;
    replay.forEachAlive(instant, [&](AllocationId id) {
        entries.push_back({replay.addresses()[id], replay.sizes()[id], replay.stacks()[id]});
    });
    std::sort(entries.begin(), entries.end());
    return entries;
}

RandomTraceWish wishOf(const QString &name)
{
    RandomTraceWish wish;
    wish.isForeign = name.contains(QStringLiteral("foreign"));
    wish.hasPending = name.contains(QStringLiteral("pending"));
    wish.onlyRequests = name.contains(QStringLiteral("requests"));
    wish.hasBefore = !name.contains(QStringLiteral("whole"));
    wish.isExpandable = name.contains(QStringLiteral("expandable"));
    wish.streams = wish.pools = name.contains(QStringLiteral("pools")) ? 3 : 1;
    return wish;
}

} // namespace

namespace {

void addTraces(unsigned seeds)
{
    QTest::addColumn<unsigned>("seed");
    for (const auto *name : {"whole", "late", "pending", "whole pending", "requests", "foreign", "foreign whole", "expandable", "pools"})
        for (unsigned seed = 1; seed <= seeds; ++seed)
            QTest::addRow("%s %u", name, seed) << seed;
}

} // namespace

void ReplayTest::statesEqualBruteForce_data()
{
    addTraces(4);
}

void ReplayTest::levelsEqualBruteForce_data()
{
    addTraces(2);
}

void ReplayTest::statesEqualBruteForce()
{
    QFETCH(unsigned, seed);
    const auto wish = wishOf(QString::fromLatin1(QTest::currentDataTag()));
    const auto snapshot = randomTrace(seed, wish);
    const auto replay = replayOf(snapshot);
    QCOMPARE(replay.oddities().endsAtRequest, wish.onlyRequests);
    const BruteForce brute(snapshot, 0, snapshot.events.size(), wish.onlyRequests);
    for (EventInstant n = 0; n <= replay.end(); ++n) {
        if (entriesAt(replay, n) != brute.at(n))
            QFAIL(qPrintable(QStringLiteral("states differ at instant %1").arg(n)));
        QCOMPARE(replay.levelAt(n), brute.level(n));
    }
    QVERIFY(std::is_sorted(replay.births().begin(), replay.births().end()));
    for (AllocationId id = 0; id < replay.size(); ++id) {
        QCOMPARE(replay.births()[id] == 0, replay.origin(id) != AllocationOrigin::Traced);
        QCOMPARE(replay.deaths()[id] == replay.never() && replay.births()[id] == 0,
                 replay.origin(id) == AllocationOrigin::BeforeStillThere || replay.origin(id) == AllocationOrigin::BeforePending);
        const auto row = replay.eventOf(id);
        if (row && replay.births()[id] > 0)
            QCOMPARE(snapshot.events.address[*row], replay.addresses()[id]);
    }
    std::int64_t highest = 0;
    for (EventInstant n = 0; n <= replay.end(); ++n)
        highest = std::max(highest, brute.level(n));
    QCOMPARE(replay.peakLevel(), highest);
    QCOMPARE(brute.level(replay.peakInstant()), highest);
    QCOMPARE(replay.levelAtEnd(), brute.level(replay.end()));
    QVERIFY(censusOf(replay) == censusOf(snapshot, replay.device())); // two ways to the same numbers
}

void ReplayTest::levelsEqualBruteForce()
{
    QFETCH(unsigned, seed);
    const auto wish = wishOf(QString::fromLatin1(QTest::currentDataTag()));
    const auto snapshot = randomTrace(seed, wish);
    const auto replay = replayOf(snapshot);
    const BruteForce brute(snapshot, 0, snapshot.events.size(), wish.onlyRequests);
    std::mt19937 random(seed);
    for (const auto kind : {LevelKind::Requested, LevelKind::Allocated, LevelKind::PendingFree, LevelKind::Rounded, LevelKind::RoundingLoss,
                            LevelKind::Reserved, LevelKind::Cached}) {
        const LevelCurve curve(replay, kind);
        QVERIFY(curve.isKnown());
        // One by one, by other ways.
        std::vector<std::int64_t> expected(replay.end() + 1);
        std::vector<std::int64_t> reserved(replay.end() + 1);
        for (const auto &segment : snapshot.segments)
            reserved.back() += static_cast<std::int64_t>(segment.totalSize);
        for (auto n = replay.end(); n > 0; --n) {
            const auto e = snapshot.events[n - 1];
            const bool isMore = e.action == TraceAction::SegmentAlloc || e.action == TraceAction::SegmentMap;
            const bool isLess = e.action == TraceAction::SegmentFree || e.action == TraceAction::SegmentUnmap;
            reserved[n - 1] = reserved[n] - (isMore ? static_cast<std::int64_t>(e.size) : 0) + (isLess ? static_cast<std::int64_t>(e.size) : 0);
        }
        for (EventInstant n = 0; n <= replay.end(); ++n) {
            std::int64_t requested = 0;
            std::int64_t rounded = 0;
            replay.forEachAlive(n, [&](AllocationId id) {
                requested += static_cast<std::int64_t>(replay.sizes()[id]);
                rounded += static_cast<std::int64_t>(replay.roundedSize(id));
            });
            QCOMPARE(requested, brute.level(n));
            std::int64_t pending = 0;
            for (const auto &free : replay.pendingFrees())
                if (free.requested <= n && n < replay.deaths()[free.allocation])
                    pending += static_cast<std::int64_t>(replay.sizes()[free.allocation]);
            switch (kind) {
            case LevelKind::Requested: expected[n] = requested; break;
            case LevelKind::Allocated: expected[n] = requested - pending; break;
            case LevelKind::PendingFree: expected[n] = pending; break;
            case LevelKind::Rounded: expected[n] = rounded; break;
            case LevelKind::RoundingLoss: expected[n] = rounded - requested; break;
            case LevelKind::Reserved: expected[n] = reserved[n]; break;
            case LevelKind::Cached: expected[n] = reserved[n] - rounded; break;
            }
            QCOMPARE(curve.at(n), expected[n]);
            if (kind == LevelKind::Reserved)
                QCOMPARE(reservedAt(replay, n), expected[n]);
        }
        std::vector<std::int64_t> all(expected.size());
        curve.values(0, all);
        QCOMPARE(all, expected);
        for (int round = 0; round < 60; ++round) {
            const auto begin = static_cast<EventInstant>(random() % expected.size());
            const auto end = static_cast<EventInstant>(begin + 1 + random() % (expected.size() - begin));
            const auto pixels = 1 + random() % 300;
            const auto buckets = curve.slice(begin, end, static_cast<std::uint32_t>(pixels));
            QVERIFY(buckets.size() <= 2 * pixels);
            auto at = begin;
            for (const auto &bucket : buckets) {
                QCOMPARE(bucket.begin, at);
                QVERIFY(bucket.end > bucket.begin);
                const auto [low, high] = std::minmax_element(expected.begin() + bucket.begin, expected.begin() + bucket.end);
                QCOMPARE(bucket.min, *low);
                QCOMPARE(bucket.max, *high);
                at = bucket.end;
            }
            QCOMPARE(at, end);
            const auto first = std::max_element(expected.begin() + begin, expected.begin() + end) - expected.begin();
            QCOMPARE(curve.firstMaximum(begin, end), static_cast<EventInstant>(first));
        }
        const TimeAxis axis(replay);
        QVERIFY(axis.hasTimes());
        for (const std::uint32_t pixels : {1U, 7U, 100U, 5000U}) {
            const auto columns = curve.slice(axis, axis.firstUs() - 5, axis.lastUs() + 6, pixels);
            QCOMPARE(columns.size(), std::size_t{pixels});
            QCOMPARE(columns.front().begin, 0U);
            QCOMPARE(columns.back().end, curve.size());
            auto low = columns[0].min;
            auto high = columns[0].max;
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const auto &column = columns[c];
                if (c > 0)
                    QCOMPARE(column.begin + 1, columns[c - 1].end); // the state it begins with ends the one before
                low = std::min(low, column.min);
                high = std::max(high, column.max);
            }
            QCOMPARE(low, *std::min_element(expected.begin(), expected.end()));
            QCOMPARE(high, *std::max_element(expected.begin(), expected.end()));
        }
    }
}

void ReplayTest::peaksEqualBruteForce()
{
    for (unsigned seed = 1; seed <= 5; ++seed) {
        const auto snapshot = randomTrace(seed);
        const auto replay = replayOf(snapshot);
        const LevelCurve curve(replay, LevelKind::Requested);
        std::vector<std::int64_t> all(curve.size());
        curve.values(0, all);
        const auto peak = peakOf(curve, replay);
        QCOMPARE(peak.level, replay.peakLevel());
        QCOMPARE(peak.instant, replay.peakInstant());
        // By the definition: from each local maximum to both sides until something is higher (to the left: as high).
        std::vector<LevelPeak> expected;
        const auto n = static_cast<std::ptrdiff_t>(all.size());
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            std::ptrdiff_t last = i;
            while (last + 1 < n && all[static_cast<std::size_t>(last + 1)] == all[static_cast<std::size_t>(i)])
                ++last;
            const auto level = all[static_cast<std::size_t>(i)];
            const bool isUp = i == 0 || all[static_cast<std::size_t>(i - 1)] < level;
            const bool isDown = last + 1 == n || all[static_cast<std::size_t>(last + 1)] < level;
            if (isUp && isDown && n > 1) {
                auto left = level;
                auto right = level;
                std::ptrdiff_t l = i - 1;
                for (; l >= 0 && all[static_cast<std::size_t>(l)] < level; --l)
                    left = std::min(left, all[static_cast<std::size_t>(l)]);
                auto r = last + 1;
                for (; r < n && all[static_cast<std::size_t>(r)] <= level; ++r)
                    right = std::min(right, all[static_cast<std::size_t>(r)]);
                const bool hasLeft = l >= 0;
                const bool hasRight = r < n;
                const auto valley = hasLeft && hasRight ? std::max(left, right) : hasLeft ? left : hasRight ? right : *std::min_element(all.begin(), all.end());
                if (level > valley)
                    expected.push_back({static_cast<EventInstant>(i), level, level - valley, std::nullopt});
            }
            i = last;
        }
        std::sort(expected.begin(), expected.end(), [](const LevelPeak &a, const LevelPeak &b) {
            return a.prominence != b.prominence ? a.prominence > b.prominence : a.instant < b.instant;
        });
        auto found = localPeaks(curve, replay, 1, SIZE_MAX);
        for (auto &p : found)
            p.timeUs.reset();
        QCOMPARE(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            QCOMPARE(found[i].instant, expected[i].instant);
            QCOMPARE(found[i].level, expected[i].level);
            QCOMPARE(found[i].prominence, expected[i].prominence);
        }
        QCOMPARE(localPeaks(curve, replay, 1, 3).size(), std::size_t{3});
        for (const auto &p : localPeaks(curve, replay, 4'000'000, SIZE_MAX))
            QVERIFY(p.prominence >= 4'000'000);
        std::int64_t sum = 0;
        for (const auto &total : aliveByStack(replay, peak.instant))
            sum += total.bytes;
        QCOMPARE(sum, peak.level);
    }
}

void ReplayTest::groupsAddUp()
{
    RandomTraceWish wish;
    wish.streams = 3;
    wish.pools = 3;
    wish.hasPending = true;
    const auto snapshot = randomTrace(7, wish);
    const auto replay = replayOf(snapshot);
    for (const auto kind : {LevelKind::Requested, LevelKind::PendingFree, LevelKind::Rounded, LevelKind::Reserved, LevelKind::Cached}) {
        const LevelCurve all(replay, kind);
        std::vector<std::int64_t> sum(all.size());
        all.values(0, sum);
        for (int by = 0; by < 2; ++by) {
            auto rest = sum;
            for (int g = 0; g < 3; ++g) {
                LevelFilter filter;
                if (by == 0)
                    filter.stream = static_cast<StreamId>(g);
                else
                    filter.pool = {0, g};
                const LevelCurve part(replay, kind, filter);
                std::vector<std::int64_t> values(part.size());
                part.values(0, values);
                for (std::size_t i = 0; i < rest.size(); ++i)
                    rest[i] -= values[i];
            }
            QCOMPARE(rest, std::vector<std::int64_t>(rest.size()));
        }
    }
}

void ReplayTest::allocOfLiveAddressEndsTheOldLife()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 100);
    build.alloc(0x1000, 300);
    build.event(TraceAction::FreeCompleted, 0x1000, 300);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QCOMPARE(replay.size(), std::size_t{2});
    QCOMPARE(replay.deaths()[0], 2U);
    QCOMPARE(replay.births()[1], 2U);
    QCOMPARE(replay.oddities().allocsOfLiveAddress, std::uint64_t{1});
    QCOMPARE(replay.peakLevel(), std::int64_t{300});
    QCOMPARE(replay.levelAt(1), std::int64_t{100});
    QCOMPARE(replay.levelAt(2), std::int64_t{300});
    QCOMPARE(replay.levelAt(3), std::int64_t{0});
}

void ReplayTest::freesOfForeignSizesUseTheAllocation()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 100);
    build.event(TraceAction::FreeCompleted, 0x1000, 9999);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QCOMPARE(replay.levelAtEnd(), std::int64_t{0});
    QCOMPARE(censusOf(snapshot, replay.device()).trace.endRelative, std::int64_t{0});
}

void ReplayTest::whatWasThereBefore()
{
    SnapshotBuilder build;
    const auto freedAt = build.stack({"free.py:1 drop"});
    const auto born = build.stack({"model.py:7 init"});
    build.event(TraceAction::FreeRequested, 0x500000, 50, freedAt);
    build.alloc(0x1000, 100);
    build.event(TraceAction::FreeCompleted, 0x500000, 50, freedAt);
    build.segment(0, 0x2000);
    build.block(1024, BlockState::ActiveAllocated, 1000, born);
    build.block(512, BlockState::ActivePendingFree, 300, born);
    build.block(512, BlockState::Inactive, 777);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QCOMPARE(replay.size(), std::size_t{4});
    QCOMPARE(replay.beforeCount(), std::size_t{3});
    QCOMPARE(replay.origin(0), AllocationOrigin::BeforeStillThere);
    QCOMPARE(replay.origin(1), AllocationOrigin::BeforePending);
    QCOMPARE(replay.origin(2), AllocationOrigin::BeforeFreed);
    QCOMPARE(replay.stacks()[0], born);
    QCOMPARE(replay.stacks()[2], freedAt);
    QCOMPARE(*replay.blockOf(0), std::size_t{0});
    QCOMPARE(replay.roundedSize(0), std::uint64_t{1024});
    const std::vector<StackTotal> totals{{born, 1300, 2, false}, {freedAt, 50, 1, true}};
    QVERIFY(aliveByStack(replay, 0) == totals); // the free's stack is not taken for that of an allocation
    QVERIFY(!replay.blockOf(3));
    QCOMPARE(replay.levelAtStart(), std::int64_t{1350});
    QCOMPARE(replay.peakLevel(), std::int64_t{1450});
    QCOMPARE(replay.oddities().liveNotInBlocks, std::uint64_t{1});
    const auto census = censusOf(snapshot, replay.device());
    QCOMPARE(census.trace.peakAbsolute, std::int64_t{1150}); // by definition without the pending block …
    QCOMPARE(census.trace.pendingBeforeTraceBytes, std::uint64_t{300}); // … which is told apart
    QCOMPARE(*census.trace.peakIndex, std::size_t{1});
    // The free waited for an event of something else.
    QCOMPARE(replay.pendingFrees().size(), std::size_t{2});
    QCOMPARE(replay.pendingFrees()[0], (Replay::PendingFree{0, 1}));
    QCOMPARE(replay.pendingFrees()[1], (Replay::PendingFree{1, 2}));
    QCOMPARE(*replay.aliveAtAddress(0x500000, 2), AllocationId{2});
    QVERIFY(!replay.aliveAtAddress(0x500000, 3));
}

void ReplayTest::requestsEndLivesWhenNothingElseDoes()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 100);
    build.event(TraceAction::FreeRequested, 0x1000, 100);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QVERIFY(replay.oddities().endsAtRequest);
    QCOMPARE(replay.levelAtEnd(), std::int64_t{0});
    const auto census = censusOf(snapshot, replay.device()); // by the letter of the definition
    QCOMPARE(census.trace.endRelative, std::int64_t{100});
}

void ReplayTest::pendingFreesAreCurves()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 100);
    build.alloc(0x2000, 10);
    build.event(TraceAction::FreeRequested, 0x1000, 100);
    build.free(0x2000, 10); // at once: never pending
    build.event(TraceAction::FreeCompleted, 0x1000, 100);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const LevelCurve pending(replay, LevelKind::PendingFree);
    std::vector<std::int64_t> values(pending.size());
    pending.values(0, values);
    QCOMPARE(values, (std::vector<std::int64_t>{0, 0, 0, 100, 100, 100, 0}));
}

void ReplayTest::onlyBlocks()
{
    SnapshotBuilder build;
    build.segment(3, 0x2000);
    build.block(1024, BlockState::ActiveAllocated, 1000);
    build.block(1024, BlockState::Inactive);
    const auto snapshot = build.take();
    const auto devices = devicesOf(snapshot);
    QCOMPARE(devices.size(), std::size_t{1});
    QCOMPARE(devices[0].ordinal, 3);
    const auto replay = replayOf(snapshot);
    QCOMPARE(replay.end(), 0U);
    QCOMPARE(replay.aliveAt(0).size(), std::size_t{1});
    QCOMPARE(replay.peakLevel(), std::int64_t{1000});
    QCOMPARE(replay.peakInstant(), 0U);
    const LevelCurve reserved(replay, LevelKind::Reserved);
    QCOMPARE(reserved.size(), 1U);
    QCOMPARE(reserved.at(0), std::int64_t{2048});
    QCOMPARE(reserved.slice(0, 1, 100).size(), std::size_t{1});
    const auto census = censusOf(snapshot, devices[0]);
    QVERIFY(!census.trace.peakIndex);
    QCOMPARE(census.trace.peakAbsolute, std::int64_t{1000});
    QCOMPARE(census.fragmentation(), 0.0);
    QVERIFY(!TimeAxis(replay).hasTimes());
}

void ReplayTest::nothingAtAll()
{
    SnapshotBuilder build;
    build.list(0);
    build.list(1);
    const auto snapshot = build.take();
    QVERIFY(devicesOf(snapshot).empty());
    QVERIFY(censusOf(snapshot).devices.empty());
    const Replay replay(snapshot, SnapshotDevice{});
    QCOMPARE(replay.size(), std::size_t{0});
    QCOMPARE(replay.levelAt(0), std::int64_t{0});
    const LevelCurve curve(replay, LevelKind::Requested);
    QCOMPARE(peakOf(curve, replay).level, std::int64_t{0});
    QVERIFY(!LevelCurve(replay, LevelKind::Reserved).isKnown());
}

void ReplayTest::levelsWithoutAddresses()
{
    SnapshotBuilder build;
    auto &list = build.list(-1, MemoryKind::Cpu);
    list.hasAddresses = false;
    list.levelAtStart = 1000;
    std::vector<std::int64_t> expected{1000};
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        const auto size = random() % 1000;
        const bool isAlloc = random() % 2 == 0;
        build.event(isAlloc ? TraceAction::Alloc : TraceAction::Free, kUnknownBytes, size);
        expected.push_back(expected.back() + (isAlloc ? static_cast<std::int64_t>(size) : -static_cast<std::int64_t>(size)));
    }
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QVERIFY(!replay.hasAllocations());
    const LevelCurve curve(replay, LevelKind::Requested);
    std::vector<std::int64_t> values(curve.size());
    curve.values(0, values);
    QCOMPARE(values, expected);
    for (EventInstant n = 0; n <= replay.end(); ++n)
        QCOMPARE(replay.levelAt(n), expected[n]);
    const auto highest = std::max_element(expected.begin(), expected.end());
    QCOMPARE(replay.peakLevel(), *highest);
    QCOMPARE(replay.peakInstant(), static_cast<EventInstant>(highest - expected.begin()));
    QVERIFY(!LevelCurve(replay, LevelKind::RoundingLoss).isKnown());
}

void ReplayTest::heapProfiles()
{
    // Sizes and stacks, no addresses; a list without events says that it is a CPU's.
    SnapshotBuilder build;
    auto &list = build.list(-1, MemoryKind::Cpu);
    list.hasAddresses = false;
    build.segment(-1, kUnknownBytes);
    const auto stack = build.stack({"a.go:1 alloc"});
    build.block(100, BlockState::ActiveAllocated, 100, stack);
    build.block(50, BlockState::ActiveAllocated, 50);
    build.block(50, BlockState::ActiveAllocated, 50, stack);
    const auto snapshot = build.take();
    const auto devices = devicesOf(snapshot);
    QCOMPARE(devices.size(), std::size_t{1});
    QVERIFY(devices[0].kind == MemoryKind::Cpu);
    const auto replay = replayOf(snapshot);
    QVERIFY(replay.hasAllocations());
    QCOMPARE(replay.aliveAt(0).size(), std::size_t{3});
    QCOMPARE(replay.levelAt(0), std::int64_t{200});
    QCOMPARE(aliveByStack(replay, 0).front(), (StackTotal{stack, 150, 2}));
    QVERIFY(censusOf(replay) == censusOf(snapshot, devices[0]));
    QCOMPARE(censusOf(replay).trace.peakAbsolute, std::int64_t{200});
}

void ReplayTest::reservedGoesBackwards()
{
    SnapshotBuilder build;
    build.event(TraceAction::SegmentAlloc, 0x100000, 4096);
    build.event(TraceAction::SegmentFree, 0x200000, 1024);
    build.segment(0, 0x100000);
    build.block(4096, BlockState::Inactive);
    build.segment(0, 0x300000);
    build.block(512, BlockState::Inactive);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const LevelCurve reserved(replay, LevelKind::Reserved);
    QCOMPARE(reserved.at(0), std::int64_t{1536});
    QCOMPARE(reserved.at(1), std::int64_t{5632});
    QCOMPARE(reserved.at(2), std::int64_t{4608});
    QVERIFY(!reserved.startsBelowZero());
    SnapshotBuilder lost;
    lost.event(TraceAction::SegmentAlloc, 0x100000, 4096);
    const auto torn = lost.take();
    const auto tornReplay = replayOf(torn);
    QVERIFY(LevelCurve(tornReplay, LevelKind::Reserved).startsBelowZero());
    QCOMPARE(censusOf(torn, tornReplay.device()).trace.reservedAtStart, std::int64_t{-4096});
}

void ReplayTest::timesThatGoBack()
{
    SnapshotBuilder build;
    for (const std::int64_t time : {100L, 50L, 200L, 200L, 300L})
        build.event({TraceAction::Alloc, static_cast<std::uint64_t>(0x1000 + build.snapshot().events.size() * 512), 1, time, kNoStack, 0, 0});
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const TimeAxis axis(replay);
    QCOMPARE(axis.instantAt(99), 0U);
    QCOMPARE(axis.instantAt(100), 2U);
    QCOMPARE(axis.instantAt(199), 2U);
    QCOMPARE(axis.instantAt(200), 4U);
    QCOMPARE(axis.instantAt(INT64_MAX), 5U);
    QCOMPARE(*axis.timeOf(2), std::int64_t{100});
    QVERIFY(!axis.timeOf(0));
    QCOMPARE(censusOf(snapshot, replay.device()).trace.timeGoesBack, std::uint64_t{1});
}

void ReplayTest::twoDevices()
{
    SnapshotBuilder build;
    build.list(0);
    build.alloc(0x1000, 100);
    build.list(1);
    build.alloc(0x1000, 7); // the same address of another device
    build.free(0x1000, 7);
    build.segment(1, 0x9000);
    build.block(512, BlockState::ActiveAllocated, 5);
    const auto snapshot = build.take();
    QCOMPARE(devicesOf(snapshot).size(), std::size_t{2});
    const auto first = replayOf(snapshot, 0);
    const auto second = replayOf(snapshot, 1);
    QCOMPARE(first.levelAtEnd(), std::int64_t{100});
    QCOMPARE(first.size(), std::size_t{1});
    QCOMPARE(second.peakLevel(), std::int64_t{12});
    QCOMPARE(second.rowOf(1), std::size_t{1});
    const auto file = censusOf(snapshot);
    QCOMPARE(file.peakAbsolute, std::int64_t{112});
    QCOMPARE(file.reserved, std::uint64_t{512});
    QCOMPARE(file.eventsByAction.at("alloc"), std::uint64_t{2});
}

void ReplayTest::cancelled()
{
    const auto snapshot = randomTrace(1);
    std::stop_source source;
    source.request_stop();
    QVERIFY(Replay(snapshot, devicesOf(snapshot)[0], source.get_token()).isCancelled());
}

QTEST_GUILESS_MAIN(ReplayTest)
#include "tst_replay.moc"
