// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_model.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kGiB = 1U << 30U;

AllocatorOptions expandable()
{
    AllocatorOptions options;
    options.expandableSegments = true;
    return options;
}

AllocatorOptions splitLimit(std::uint64_t mebibytes)
{
    AllocatorOptions options;
    options.maxSplitSize = mebibytes * kMiB;
    return options;
}

void freeNow(AllocatorModel &model, RequestId id)
{
    model.requestFree(id);
    model.completeFree(id);
}

void verifySound(const AllocatorModel &model)
{
    const auto contradiction = model.contradiction();
    QVERIFY2(!contradiction, contradiction ? contradiction->c_str() : "");
}

} // namespace

class AllocatorModelTest : public QObject
{
    Q_OBJECT

private slots:
    void smallRequestsShareASegment();
    void largeRestIsSplitAboveOneMiB();
    void bestFitTakesTheLowestOfEqualOnes();
    void neighboursMerge();
    void poolsStreamsAndHalvesDoNotMix();
    void pendingMemoryWaits();
    void splitLimitKeepsSmallFromLarge();
    void oversizeIsReleasedBeforeAll();
    void whatIsCachedIsReleasedWhenFull();
    void whatWaitsIsCompletedWhenFull();
    void fullMeansNoPlace();
    void emptyCacheLeavesPrivatePools();
    void expandableGrows();
    void expandableUsesItsFreeTail();
    void expandableGivesPagesBack();
    void expandablePrefersWhatCannotGrow();
    void memoryFractionLimits();
    void garbageIsCollectedByAge();
    void roundingByDivisions();
    void recordedAddressesAreTaken();
    void recordedRefusals();
    void memoryFromBefore();
    void expandableMemoryFromBefore();
    void nonsenseFromBeforeIsRefused();
    void hugeRequestsFindNoPlace();
    void randomRequestsStaySound_data();
    void randomRequestsStaySound();
};

void AllocatorModelTest::smallRequestsShareASegment()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    const auto first = model.allocate(0, 100, pool);
    const auto second = model.allocate(1, 513, pool);
    QVERIFY(first.isPlaced && second.isPlaced);
    QCOMPARE(first.blockSize, std::uint64_t {512});
    QCOMPARE(second.blockSize, std::uint64_t {1024});
    QCOMPARE(second.address, first.address + 512);
    QCOMPARE(model.reserved(), 2 * kMiB);
    QCOMPARE(model.segmentCount(), std::size_t {1});
    QCOMPARE(model.largestFree(pool, true), 2 * kMiB - 1536);
    verifySound(model);
}

void AllocatorModelTest::largeRestIsSplitAboveOneMiB()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    QCOMPARE(model.allocate(0, 2 * kMiB, pool).blockSize, 2 * kMiB); // of 20 MiB
    QCOMPARE(model.reserved(), 20 * kMiB);
    QCOMPARE(model.allocate(1, 17 * kMiB, pool).blockSize, 18 * kMiB); // 1 MiB is no more than the limit
    QCOMPARE(model.reserved(), 20 * kMiB);
    QCOMPARE(model.allocate(2, 31 * kMiB + 1, pool).blockSize, 32 * kMiB);
    QCOMPARE(model.allocate(3, 30 * kMiB + 1, pool).blockSize, 30 * kMiB + 512); // nearly 2 MiB are split off
    verifySound(model);
}

void AllocatorModelTest::bestFitTakesTheLowestOfEqualOnes()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    std::vector<Placement> places;
    for (RequestId id = 0; id < 6; ++id)
        places.push_back(model.allocate(id, (id % 2 == 0 ? 3 : 2) * kMiB, pool)); // 3 2 3 2 3 2 of 20
    for (const RequestId id : {4U, 0U, 2U})
        freeNow(model, id);
    const auto again = model.allocate(10, 3 * kMiB, pool);
    QCOMPARE(again.address, std::min({places[0].address, places[2].address, places[4].address}));
    const auto smaller = model.allocate(11, 4 * kMiB, pool); // only the tail is as large
    QCOMPARE(smaller.address, places[5].address + 2 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::neighboursMerge()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    for (RequestId id = 0; id < 4; ++id)
        model.allocate(id, 5 * kMiB, pool);
    QCOMPARE(model.largestFree(pool, false), std::uint64_t {0});
    freeNow(model, 0);
    freeNow(model, 2);
    QCOMPARE(model.largestFree(pool, false), 5 * kMiB);
    freeNow(model, 1);
    QCOMPARE(model.largestFree(pool, false), 15 * kMiB);
    freeNow(model, 3);
    QCOMPARE(model.largestFree(pool, false), 20 * kMiB);
    QCOMPARE(model.active(), std::uint64_t {0});
    model.emptyCache();
    QCOMPARE(model.reserved(), std::uint64_t {0});
    verifySound(model);
}

void AllocatorModelTest::poolsStreamsAndHalvesDoNotMix()
{
    AllocatorModel model(AllocatorOptions {});
    const auto usual = model.pool({});
    const auto stream = model.pool({{0, 0}, 7});
    const auto graph = model.pool({{1, 0}, 0});
    QCOMPARE(model.pool({{0, 0}, 7}), stream);
    freeNow(model, (model.allocate(0, 5 * kMiB, usual), 0));
    model.allocate(1, 5 * kMiB, stream);
    model.allocate(2, 5 * kMiB, graph);
    model.allocate(3, 1 * kMiB, usual); // of the small half
    QCOMPARE(model.reserved(), 62 * kMiB);
    QCOMPARE(model.largestFree(usual, false), 20 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::pendingMemoryWaits()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    model.allocate(0, 15 * kMiB, pool);
    model.requestFree(0);
    QCOMPARE(model.pending(), 16 * kMiB); // the segment's last MiB is not split off
    model.allocate(1, 15 * kMiB, pool);
    QCOMPARE(model.reserved(), 32 * kMiB);
    model.completeFree(0);
    QCOMPARE(model.pending(), std::uint64_t {0});
    QVERIFY(!model.isLive(0));
    model.completeFree(0); // again: nothing happens
    QCOMPARE(model.active(), 16 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::splitLimitKeepsSmallFromLarge()
{
    AllocatorModel model(splitLimit(64));
    const auto pool = model.pool({});
    const auto large = model.allocate(0, 100 * kMiB, pool);
    freeNow(model, 0);
    model.allocate(1, 30 * kMiB, pool); // may not take the cached 100 MiB
    QCOMPARE(model.reserved(), 130 * kMiB);
    model.allocate(2, 70 * kMiB, pool); // 100 is not within 20 MiB of 70
    QCOMPARE(model.reserved(), 200 * kMiB);
    const auto near = model.allocate(3, 90 * kMiB, pool); // 100 is within 20 MiB, and is not split
    QCOMPARE(near.address, large.address);
    QCOMPARE(near.blockSize, 100 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::oversizeIsReleasedBeforeAll()
{
    AllocatorModel model(splitLimit(64), {300 * kMiB, {}});
    const auto pool = model.pool({});
    model.allocate(0, 30 * kMiB, pool);
    model.allocate(1, 100 * kMiB, pool);
    model.allocate(2, 120 * kMiB, pool);
    for (const RequestId id : {0U, 1U, 2U})
        freeNow(model, id);
    std::vector<std::uint64_t> lost;
    model.onSegmentChange([&](const SegmentChange &change) {
        if (!change.isGain)
            lost.push_back(change.range.size);
    });
    QVERIFY(model.allocate(3, 160 * kMiB, pool).isPlaced);
    QCOMPARE(lost, (std::vector<std::uint64_t> {120 * kMiB, 100 * kMiB})); // the largest first, and only those
    verifySound(model);
}

void AllocatorModelTest::whatIsCachedIsReleasedWhenFull()
{
    AllocatorModel model(AllocatorOptions {}, {100 * kMiB, {}});
    const auto pool = model.pool({});
    const auto other = model.pool({{0, 0}, 9});
    model.allocate(0, 40 * kMiB, pool);
    model.allocate(1, 30 * kMiB, other);
    freeNow(model, 0);
    freeNow(model, 1);
    QVERIFY(model.allocate(2, 60 * kMiB, pool).isPlaced); // all of the cache had to go
    QCOMPARE(model.reserved(), 60 * kMiB);
    QCOMPARE(model.peakReserved(), 70 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::whatWaitsIsCompletedWhenFull()
{
    AllocatorModel model(AllocatorOptions {}, {100 * kMiB, {}});
    const auto pool = model.pool({});
    model.allocate(0, 60 * kMiB, pool);
    model.requestFree(0);
    QVERIFY(model.allocate(1, 60 * kMiB, pool).isPlaced); // the allocator waits for the stream then
    QVERIFY(!model.isLive(0));
    QCOMPARE(model.pending(), std::uint64_t {0});
    model.completeFree(0);
    verifySound(model);
}

void AllocatorModelTest::fullMeansNoPlace()
{
    AllocatorModel model(AllocatorOptions {}, {100 * kMiB, {}});
    const auto pool = model.pool({});
    QVERIFY(model.allocate(0, 60 * kMiB, pool).isPlaced);
    QVERIFY(!model.allocate(1, 60 * kMiB, pool).isPlaced);
    QVERIFY(!model.isLive(1));
    QCOMPARE(model.reserved(), 60 * kMiB);
    QVERIFY(model.allocate(1, 40 * kMiB, pool).isPlaced);
    verifySound(model);
}

void AllocatorModelTest::emptyCacheLeavesPrivatePools()
{
    AllocatorModel model(AllocatorOptions {});
    const auto usual = model.pool({});
    const auto graph = model.pool({{0, 3}, 0});
    for (const auto pool : {usual, graph})
        model.allocate(pool, 5 * kMiB, pool);
    freeNow(model, usual);
    freeNow(model, graph);
    model.emptyCache();
    QCOMPARE(model.reserved(), 20 * kMiB);
    model.releasePool(graph);
    QCOMPARE(model.reserved(), std::uint64_t {0});
    verifySound(model);
}

void AllocatorModelTest::expandableGrows()
{
    AllocatorModel model(expandable());
    const auto pool = model.pool({});
    std::vector<AddressSpan> maps;
    model.onSegmentChange([&](const SegmentChange &change) { maps.push_back(change.range); });
    const auto first = model.allocate(0, 5 * kMiB, pool);
    const auto second = model.allocate(1, 30 * kMiB, pool);
    QCOMPARE(second.address, first.address + 5 * kMiB); // begins in the free tail
    QCOMPARE(maps.size(), std::size_t {2});
    QCOMPARE(maps[0].size, 20 * kMiB);
    QCOMPARE(maps[1], (AddressSpan {first.address + 20 * kMiB, 20 * kMiB}));
    QCOMPARE(model.segmentCount(), std::size_t {1});
    QCOMPARE(model.largestFree(pool, false), 5 * kMiB);
    model.allocate(2, 1000, pool); // the small half has its own, in units of 2 MiB
    QCOMPARE(model.reserved(), 42 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::expandableUsesItsFreeTail()
{
    AllocatorModel model(expandable());
    const auto pool = model.pool({});
    model.allocate(0, 4 * kMiB, pool);
    // 16 MiB are free at the end: all 100 MiB but those are mapped, in whole units.
    model.allocate(1, 100 * kMiB, pool);
    QCOMPARE(model.reserved(), 120 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::expandableGivesPagesBack()
{
    AllocatorModel model(expandable());
    const auto pool = model.pool({});
    for (RequestId id = 0; id < 3; ++id)
        model.allocate(id, 50 * kMiB, pool);
    QCOMPARE(model.reserved(), 160 * kMiB);
    freeNow(model, 1); // 50 to 100 MiB: whole units are 60 to 100
    model.emptyCache();
    QCOMPARE(model.reserved(), 120 * kMiB); // the tail, 150 to 160, is no whole unit
    QCOMPARE(model.segmentCount(), std::size_t {2});
    verifySound(model);
    model.allocate(3, 45 * kMiB, pool); // fits between: 10 are free, and 40 more are mapped
    QCOMPARE(model.reserved(), 160 * kMiB);
    QCOMPARE(model.segmentCount(), std::size_t {1});
    for (const RequestId id : {0U, 2U, 3U})
        freeNow(model, id);
    model.emptyCache();
    QCOMPARE(model.reserved(), std::uint64_t {0});
    verifySound(model);
}

void AllocatorModelTest::expandablePrefersWhatCannotGrow()
{
    AllocatorModel model(expandable());
    const auto pool = model.pool({});
    const auto first = model.allocate(0, 18 * kMiB, pool);
    model.allocate(1, 8 * kMiB, pool); // 18 to 26, 14 are free behind
    freeNow(model, 0); // a hole of 18
    const auto again = model.allocate(2, 10 * kMiB, pool);
    QCOMPARE(again.address, first.address); // although the tail of 14 is the smaller one
    verifySound(model);
}

void AllocatorModelTest::memoryFractionLimits()
{
    AllocatorOptions options;
    options.memoryFraction = 0.5;
    AllocatorModel model(options, {kGiB, kGiB});
    const auto pool = model.pool({});
    QVERIFY(model.allocate(0, 400 * kMiB, pool).isPlaced);
    QVERIFY(!model.allocate(1, 200 * kMiB, pool).isPlaced);
    QVERIFY(model.allocate(1, 100 * kMiB, pool).isPlaced);
    verifySound(model);
}

void AllocatorModelTest::garbageIsCollectedByAge()
{
    AllocatorOptions options;
    options.memoryFraction = 1;
    options.garbageCollectionThreshold = 0.5;
    AllocatorModel model(options, {kGiB, kGiB});
    const auto pool = model.pool({});
    std::vector<std::uint64_t> lost;
    model.onSegmentChange([&](const SegmentChange &change) {
        if (!change.isGain)
            lost.push_back(change.range.size);
    });
    model.allocate(0, 200 * kMiB, pool);
    model.allocate(1, 220 * kMiB, pool);
    model.allocate(2, 140 * kMiB, pool);
    freeNow(model, 0); // the oldest of what is free
    for (RequestId id = 10; id < 20; ++id)
        model.allocate(id, 3 * kMiB, pool);
    freeNow(model, 1);
    QVERIFY(model.allocate(3, 300 * kMiB, pool).isPlaced);
    QCOMPARE(lost.size(), std::size_t {1});
    QCOMPARE(lost[0], 220 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::roundingByDivisions()
{
    AllocatorOptions options;
    options.roundupDivisions.fill(4);
    AllocatorModel model(options);
    QCOMPARE(model.allocate(0, 33 * kMiB, model.pool({})).blockSize, 40 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::recordedAddressesAreTaken()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    const std::vector<AddressSpan> given {{0x7f0000000000, 20 * kMiB}, {0x7f8000000000, 32 * kMiB}};
    RequestHints hints;
    hints.addresses = given;
    QCOMPARE(model.allocate(0, 5 * kMiB, pool, hints).address, std::uint64_t {0x7f0000000000});
    QCOMPARE(model.allocate(1, 31 * kMiB, pool, hints).address, std::uint64_t {0x7f8000000000});
    QVERIFY(model.allocate(2, 31 * kMiB, pool, hints).address >= std::uint64_t {1} << 60U); // taken already
    AllocatorModel growing(expandable());
    QCOMPARE(growing.allocate(0, 5 * kMiB, growing.pool({}), hints).address, std::uint64_t {0x7f0000000000});
    verifySound(model);
    verifySound(growing);
}

void AllocatorModelTest::recordedRefusals()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    model.allocate(0, 40 * kMiB, pool);
    freeNow(model, 0);
    RequestHints hints;
    hints.driver = DriverAnswer::AfterRelease;
    QVERIFY(model.allocate(1, 60 * kMiB, pool, hints).isPlaced);
    QCOMPARE(model.reserved(), 60 * kMiB);
    hints.driver = DriverAnswer::Nothing;
    QVERIFY(!model.allocate(2, 60 * kMiB, pool, hints).isPlaced);
    verifySound(model);
}

void AllocatorModelTest::memoryFromBefore()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    const std::vector<StartBlock> blocks {{0, 0x1000000, 4 * kMiB}, {1, 0x1000000 + 8 * kMiB, 4 * kMiB}};
    QVERIFY(model.addSegment(pool, false, false, {0x1000000, 20 * kMiB}, blocks));
    QCOMPARE(model.reserved(), 20 * kMiB);
    QCOMPARE(model.active(), 8 * kMiB);
    QCOMPARE(model.largestFree(pool, false), 8 * kMiB);
    QCOMPARE(model.allocate(2, 4 * kMiB, pool).address, std::uint64_t {0x1000000 + 4 * kMiB});
    freeNow(model, 0);
    freeNow(model, 1);
    freeNow(model, 2);
    QCOMPARE(model.largestFree(pool, false), 20 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::expandableMemoryFromBefore()
{
    constexpr std::uint64_t kBase = 0x7f0000000000;
    AllocatorModel model(expandable());
    const auto pool = model.pool({});
    // Two ranges of one reservation with space between, and a third that touches the second.
    const std::vector<StartBlock> first {{0, kBase + 5 * kMiB, 10 * kMiB}};
    const std::vector<StartBlock> third {{1, kBase + 95 * kMiB, 5 * kMiB}};
    QVERIFY(model.addSegment(pool, false, true, {kBase, 20 * kMiB}, first));
    QVERIFY(model.addSegment(pool, false, true, {kBase + 60 * kMiB, 20 * kMiB}, {}));
    QVERIFY(model.addSegment(pool, false, true, {kBase + 80 * kMiB, 20 * kMiB}, third));
    verifySound(model);
    QCOMPARE(model.reserved(), 60 * kMiB);
    QCOMPARE(model.segmentCount(), std::size_t {2});
    QCOMPARE(model.largestFree(pool, false), 35 * kMiB);
    const auto between = model.allocate(2, 60 * kMiB, pool);
    QCOMPARE(between.address, kBase + 15 * kMiB);
    verifySound(model);
    model.emptyCache();
    verifySound(model);
    // Something of another kind inside the address space that was only guessed.
    QVERIFY(model.addSegment(pool, true, false, {kBase + 1024 * kMiB, 2 * kMiB}, {}));
    verifySound(model);
}

void AllocatorModelTest::nonsenseFromBeforeIsRefused()
{
    AllocatorModel model(AllocatorOptions {});
    const auto pool = model.pool({});
    QVERIFY(model.addSegment(pool, false, false, {0x1000000, 20 * kMiB}, {}));
    QVERIFY(!model.addSegment(pool, false, false, {0x1000000 + kMiB, 20 * kMiB}, {}));
    QVERIFY(!model.addSegment(pool, false, false, {0, 20 * kMiB}, {}));
    QVERIFY(!model.addSegment(pool, false, false, {0x9000000, 0}, {}));
    QVERIFY(!model.addSegment(pool, false, false, {UINT64_MAX - 5, 20 * kMiB}, {}));
    QVERIFY(!model.addSegment(pool, false, false, {0x9000000, UINT64_MAX}, {}));
    const std::vector<StartBlock> outside {{0, 0x9000000 + 19 * kMiB, 2 * kMiB}};
    QVERIFY(!model.addSegment(pool, false, false, {0x9000000, 20 * kMiB}, outside));
    const std::vector<StartBlock> twice {{0, 0x9000000, 2 * kMiB}, {1, 0x9000000 + kMiB, 2 * kMiB}};
    QVERIFY(!model.addSegment(pool, false, false, {0x9000000, 20 * kMiB}, twice));
    QCOMPARE(model.reserved(), 20 * kMiB);
    verifySound(model);
}

void AllocatorModelTest::hugeRequestsFindNoPlace()
{
    for (const bool isExpandable : {false, true}) {
        AllocatorModel model(isExpandable ? expandable() : AllocatorOptions {});
        const auto pool = model.pool({});
        for (RequestId id = 0; id < 40; ++id)
            (void)model.allocate(id, (std::uint64_t {1} << 60U) - 1, pool);
        QVERIFY(!model.allocate(40, UINT64_MAX, pool).isPlaced);
        verifySound(model);
    }
}

void AllocatorModelTest::randomRequestsStaySound_data()
{
    QTest::addColumn<QByteArray>("conf");
    QTest::addColumn<quint64>("capacity");
    for (const auto *conf : {"", "expandable_segments:True", "max_split_size_mb:64", "roundup_power2_divisions:8",
                             "garbage_collection_threshold:0.6,per_process_memory_fraction:0.9",
                             "expandable_segments:True,max_split_size_mb:64,roundup_power2_divisions:4"})
        for (const quint64 capacity : {quint64(0), quint64(2 * kGiB)})
            QTest::addRow("%s, %s", *conf ? conf : "defaults", capacity ? "full card" : "no end")
                << QByteArray(conf) << capacity;
}

void AllocatorModelTest::randomRequestsStaySound()
{
    QFETCH(QByteArray, conf);
    QFETCH(quint64, capacity);
    AllocatorOptions options;
    std::vector<std::string> warnings;
    applyAllocatorConf(conf.toStdString(), options, warnings);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        AllocatorModel model(options, capacity ? ModelCard {capacity, capacity} : ModelCard {});
        const std::vector<PoolIndex> pools {model.pool({}), model.pool({{0, 0}, 5}), model.pool({{2, 0}, 0})};
        std::mt19937_64 random(seed);
        std::map<RequestId, std::uint64_t> live; // requested
        std::vector<RequestId> waiting;
        RequestId next = 0;
        std::size_t failures = 0;
        for (int step = 0; step < 6000; ++step) {
            const auto dice = random() % 100;
            if (dice < 48 || live.empty()) {
                const auto scale = random() % 100;
                const std::uint64_t size = scale < 60 ? random() % kMiB
                    : scale < 95                      ? random() % (30 * kMiB)
                                                      : random() % (300 * kMiB);
                const auto placed = model.allocate(next, size, pools[random() % 100 < 80 ? 0 : random() % 3]);
                if (placed.isPlaced) {
                    QVERIFY(placed.blockSize >= size);
                    live[next] = size;
                } else {
                    ++failures;
                }
                ++next;
            } else if (dice < 96) {
                auto victim = live.begin();
                std::advance(victim, static_cast<std::ptrdiff_t>(random() % std::min<std::size_t>(live.size(), 50)));
                model.requestFree(victim->first);
                if (random() % 10 == 0)
                    waiting.push_back(victim->first);
                else
                    model.completeFree(victim->first);
                live.erase(victim);
            } else if (dice < 98 && !waiting.empty()) {
                model.completeFree(waiting.back());
                waiting.pop_back();
            } else if (dice == 99 && random() % 10 == 0) {
                model.emptyCache();
            }
            if (step % 97 == 0)
                verifySound(model);
        }
        QVERIFY(capacity == 0 ? failures == 0 : true);
        for (const auto &[id, size] : live)
            freeNow(model, id);
        for (const auto id : waiting)
            model.completeFree(id);
        QCOMPARE(model.active(), std::uint64_t {0});
        verifySound(model);
        model.emptyCache();
        model.releasePool(pools[2]);
        QCOMPARE(model.reserved(), std::uint64_t {0});
        verifySound(model);
    }
}

QTEST_APPLESS_MAIN(AllocatorModelTest)
#include "tst_allocator_model.moc"
