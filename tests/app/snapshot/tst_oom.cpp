// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/oom.h"

#include "capture.h"
#include "trace_maker.h"

#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");
constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kGiB = 1U << 30U;

const OomVerdict *find(const OomExplanation &oom, OomVerdictKind kind)
{
    for (const auto &verdict : oom.verdicts)
        if (verdict.kind == kind)
            return &verdict;
    return nullptr;
}

OomExplanation only(const MemorySnapshot &snapshot, const OomQuestion &question = {})
{
    auto all = explainOoms(snapshot, question);
    if (!all || all->size() != 1)
        qFatal("one out-of-memory event was expected");
    return std::move(all->front());
}

// Every verdict and the whole must make a sentence.
void verifySpoken(const OomExplanation &oom)
{
    QVERIFY(describe(oom).ends_with('.'));
    for (const auto &verdict : oom.verdicts) {
        QVERIFY(describe(verdict, oom).ends_with('.'));
        QVERIFY(!verdict.figures.empty());
    }
    for (std::size_t i = 1; i < oom.verdicts.size(); ++i)
        QVERIFY(oom.verdicts[i - 1].bytesExplained >= oom.verdicts[i].bytesExplained);
}

// What the pools say adds up to the whole.
void verifySums(const OomExplanation &oom)
{
    std::uint64_t live = 0;
    std::uint64_t rounded = 0;
    std::uint64_t free = 0;
    std::uint64_t reserved = 0;
    std::uint64_t usable = 0;
    for (const auto &pool : oom.pools) {
        live += pool.live;
        rounded += pool.liveRounded;
        free += pool.free;
        reserved += pool.reserved;
        usable += pool.isOwn ? pool.free : 0;
    }
    QCOMPARE(live, oom.live);
    QCOMPARE(rounded, oom.liveRounded);
    QCOMPARE(free, oom.cachedFree);
    QCOMPARE(reserved, oom.reserved.value());
    QCOMPARE(usable, oom.usableFree);
    QCOMPARE(rounded + free, reserved);
    QCOMPARE(oom.bytesThatFit + oom.bytesTooSmall, oom.cachedFree);
}

// Segments of 100, 104, … MiB of each of which 60 MiB stay in use: no rest is large.
RequestId fragment(TraceMaker &maker, const PoolKey &key = {})
{
    RequestId last = 0;
    for (std::uint64_t i = 0; i < 6; ++i) {
        maker.free(maker.alloc((100 + 4 * i) * kMiB, "activation", key));
        last = maker.alloc(60 * kMiB, "kept", key);
    }
    return last;
}

} // namespace

class OomTest : public QObject
{
    Q_OBJECT

private slots:
    void theWorkedExample();
    void generatedSegments();
    void generatedExpandable();
    void noneIsNone();
    void trulyFull();
    void fragmentation();
    void wrongPool();
    void wrongStream();
    void waitingForStreams();
    void memoryOutside();
    void limit();
    void giant();
    void leak();
    void loadingIsNoLeak();
    void rounding();
    void severalInOneTrace();
    void withoutSegments();
    void sayingNothing();
    void byProfilerRange();
    void whatAGraphKept();
    void onlySoMany();
    void stops();
};

void OomTest::theWorkedExample()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("expandable-oom-3gpu.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const auto oom = only(*snapshot);
    QCOMPARE(oom.ordinal, 1);
    QCOMPARE(oom.event, std::size_t {421});
    QCOMPARE(oom.asked, std::uint64_t {5'308'694'528});
    QCOMPARE(oom.segmentSize, std::uint64_t {5'309'988'864});
    QCOMPARE(oom.deviceFree.value(), std::uint64_t {95'682'560});
    QCOMPARE(oom.live, std::uint64_t {84'063'351'764});
    QCOMPARE(oom.liveCount, std::size_t {111});
    QVERIFY(oom.isPeak);
    QCOMPARE(oom.reserved.value(), std::uint64_t {84'202'749'952});
    QCOMPARE(oom.unrequested, std::uint64_t {139'398'188});
    QCOMPARE(oom.shortfall, std::uint64_t {5'073'613'780});
    QCOMPARE(oom.cardLowerBound.value(), std::uint64_t {84'298'432'512});
    QCOMPARE(oom.liveAtEnd.value(), std::uint64_t {403'506'116});
    QCOMPARE(oom.cachedAtEnd.value(), std::uint64_t {83'799'242'240});
    QVERIFY(oom.isAfterUnwinding);
    QCOMPARE(oom.releasedEarlier, std::size_t {6});
    QCOMPARE(oom.releasedEarlierEvent.value(), std::size_t {413});
    // Counted by a script of a few lines, apart from this program.
    QCOMPARE(oom.cachedFree, std::uint64_t {139'390'976});
    QCOMPARE(oom.roundingLoss, std::uint64_t {7'212});
    QCOMPARE(oom.usableFree, std::uint64_t {138'832'384});
    QCOMPARE(oom.largestFreeOwn, std::uint64_t {17'313'792});
    QCOMPARE(oom.largestFreeElsewhere, std::uint64_t {343'552});
    QCOMPARE(oom.piecesTooSmall, std::size_t {23});
    QCOMPARE(oom.piecesThatFit, std::size_t {0});
    QCOMPARE(oom.sameSizeCount, std::size_t {12});
    verifySums(oom);
    verifySpoken(oom);
    QVERIFY(oom.verdicts.at(0).kind == OomVerdictKind::TrulyFull);
    QCOMPARE(oom.verdicts[0].figure("shortfall_bytes").value(), std::uint64_t {5'073'613'780});
    QCOMPARE(oom.verdicts[0].bytesExplained, oom.missing);
    QVERIFY(!find(oom, OomVerdictKind::Fragmentation));
    QVERIFY(describe(oom.verdicts[0], oom).find("12 allocations in use are of the same size") != std::string::npos);
}

void OomTest::generatedSegments()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("made/oom.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const auto oom = only(*snapshot);
    QCOMPARE(oom.event, std::size_t {1576});
    QCOMPARE(oom.asked, std::uint64_t {2'556'272'640});
    QCOMPARE(oom.deviceFree.value(), std::uint64_t {2'527'068'160});
    QCOMPARE(oom.live, std::uint64_t {1'663'500'288});
    QCOMPARE(oom.liveCount, std::size_t {224});
    QCOMPARE(oom.reserved.value(), std::uint64_t {1'723'858'944});
    QCOMPARE(oom.cachedFree, std::uint64_t {60'358'656});
    QCOMPARE(oom.roundingLoss, std::uint64_t {0});
    QCOMPARE(oom.usableFree, std::uint64_t {58'408'960});
    QCOMPARE(oom.largestFreeOwn, std::uint64_t {20'332'544});
    QCOMPARE(oom.largestFreeElsewhere, std::uint64_t {1'343'488});
    QCOMPARE(oom.piecesTooSmall, std::size_t {8});
    QCOMPARE(oom.releasedNow, std::size_t {35});
    verifySums(oom);
    verifySpoken(oom);
    QVERIFY(find(oom, OomVerdictKind::Fragmentation));
    QVERIFY(!find(oom, OomVerdictKind::TrulyFull));
}

void OomTest::generatedExpandable()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("made/oom-expandable.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const auto oom = only(*snapshot);
    QCOMPARE(oom.event, std::size_t {1530});
    QCOMPARE(oom.asked, std::uint64_t {2'034'237'440});
    QCOMPARE(oom.deviceFree.value(), std::uint64_t {1'763'704'832});
    QCOMPARE(oom.live, std::uint64_t {1'636'974'592});
    QCOMPARE(oom.liveCount, std::size_t {222});
    QCOMPARE(oom.reserved.value(), std::uint64_t {1'663'041'536});
    QCOMPARE(oom.cachedFree, std::uint64_t {26'066'944});
    QCOMPARE(oom.usableFree, std::uint64_t {19'922'944});
    QCOMPARE(oom.largestFreeOwn, std::uint64_t {15'025'152});
    QCOMPARE(oom.piecesTooSmall, std::size_t {10});
    verifySums(oom);
    verifySpoken(oom);
    QVERIFY(oom.verdicts.at(0).kind == OomVerdictKind::TrulyFull);
}

void OomTest::noneIsNone()
{
    TraceMaker maker;
    maker.alloc(kMiB);
    const auto snapshot = maker.finish();
    const auto all = explainOoms(*snapshot);
    QVERIFY(all && all->empty());
    const auto nothing = explainOoms(MemorySnapshot());
    QVERIFY(nothing && nothing->empty());
}

void OomTest::trulyFull()
{
    TraceMaker maker({}, {kGiB, {}});
    for (int i = 0; i < 9; ++i)
        maker.alloc(100 * kMiB, i < 6 ? "big" : "small");
    QVERIFY(maker.oom(200 * kMiB, "big"));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    QCOMPARE(oom.live, 900 * kMiB);
    QCOMPARE(oom.deviceFree.value(), 124 * kMiB);
    QCOMPARE(oom.cardLowerBound.value(), kGiB);
    QCOMPARE(oom.shortfall, 76 * kMiB);
    QCOMPARE(oom.holders.size(), std::size_t {2});
    QCOMPARE(oom.holders[0].bytes, 600 * kMiB);
    QCOMPARE(oom.holders[0].count, std::size_t {6});
    QVERIFY(oom.verdicts.at(0).kind == OomVerdictKind::TrulyFull);
    QCOMPARE(oom.verdicts[0].stack, oom.holders[0].stack);
    QCOMPARE(oom.verdicts[0].figure("over_bytes").value(), 76 * kMiB);
    QVERIFY(!oom.isAfterUnwinding);
    QVERIFY(!oom.isEstimate);
    verifySums(oom);
    verifySpoken(oom);
}

void OomTest::fragmentation()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    fragment(maker);
    QVERIFY(maker.oom(260 * kMiB, "more"));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    QCOMPARE(oom.reserved.value(), 660 * kMiB);
    QCOMPARE(oom.live, 360 * kMiB);
    QCOMPARE(oom.usableFree, 300 * kMiB);
    QCOMPARE(oom.largestFreeOwn, 60 * kMiB);
    QVERIFY(oom.verdicts.at(0).kind == OomVerdictKind::Fragmentation);
    QVERIFY(!find(oom, OomVerdictKind::TrulyFull));
    // No segment is more than half free.
    QCOMPARE(oom.pinnedSegments, std::size_t {0});
    verifySums(oom);
    verifySpoken(oom);

    TraceMaker other({}, {800 * kMiB, {}});
    for (int i = 0; i < 6; ++i) {
        other.free(other.alloc(120 * kMiB, "activation"));
        for (int k = 0; k < 3; ++k)
            other.alloc(2 * kMiB, "tiny"); // of the same segment each time, the first that was freed
    }
    QVERIFY(other.oom(790 * kMiB, "more"));
    const auto pinned = other.finish();
    const auto held = only(*pinned);
    QCOMPARE(held.pinnedSegments, std::size_t {1});
    QCOMPARE(held.pinnedLive, 36 * kMiB);
    QCOMPARE(held.pinnedFree, 84 * kMiB);
    QCOMPARE(held.pinnedCount, std::size_t {18});
    QCOMPARE(held.pinned.at(0).stacks.size(), std::size_t {1});
    verifySums(held);
}

void OomTest::wrongPool()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    const PoolKey graph {{1, 0}, 0};
    maker.free(maker.alloc(500 * kMiB, "captured", graph)); // stays: the graph is alive
    maker.alloc(100 * kMiB);
    QVERIFY(maker.oom(300 * kMiB));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    const auto *verdict = find(oom, OomVerdictKind::WrongPoolOrStream);
    QVERIFY(verdict);
    QCOMPARE(verdict->figure("free_elsewhere_bytes").value(), 500 * kMiB);
    QCOMPARE(oom.largestFreeElsewhere, 500 * kMiB);
    QCOMPARE(oom.piecesThatFit, std::size_t {1});
    QVERIFY(!find(oom, OomVerdictKind::Fragmentation));
    verifySums(oom);
    verifySpoken(oom);
}

void OomTest::wrongStream()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    const PoolKey side {{0, 0}, 77};
    for (std::uint64_t i = 0; i < 4; ++i) { // of each segment something stays
        maker.free(maker.alloc((100 + 4 * i) * kMiB, "side", side));
        maker.alloc(55 * kMiB, "side", side);
    }
    maker.alloc(200 * kMiB);
    QVERIFY(maker.oom(340 * kMiB));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    QVERIFY(find(oom, OomVerdictKind::WrongPoolOrStream));
    QCOMPARE(oom.pools.size(), std::size_t {2});
    QCOMPARE(oom.pools[0].key.stream, std::uint64_t {77});
    QVERIFY(!oom.pools[0].isOwn);
    verifySums(oom);
}

// As during the capture of a graph: what was freed is not completed.
void OomTest::waitingForStreams()
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(16);
    constexpr std::uint64_t kAt = std::uint64_t {0x7f} << 40U;
    snapshot.events.append({TraceAction::SegmentAlloc, kAt, 500 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::Alloc, kAt, 500 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::FreeRequested, kAt, 500 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::Oom, 100 * kMiB, 300 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::FreeCompleted, kAt, 500 * kMiB, 0, kNoStack, 0, 0});
    MemorySegment segment;
    segment.address = kAt;
    segment.totalSize = 500 * kMiB;
    segment.isLarge = true;
    segment.blockCount = 1;
    snapshot.segments.push_back(segment);
    MemoryBlock block;
    block.address = kAt;
    block.size = 500 * kMiB;
    block.state = BlockState::Inactive;
    snapshot.blocks.push_back(block);
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = snapshot.events.size();
    const auto oom = only(snapshot);
    QCOMPARE(oom.pending, 500 * kMiB);
    QCOMPARE(oom.pendingCount, std::size_t {1});
    const auto *verdict = find(oom, OomVerdictKind::WaitingForStreams);
    QVERIFY(verdict);
    QCOMPARE(verdict->figure("pending_bytes").value(), 500 * kMiB);
    QVERIFY(oom.isAfterUnwinding);
    QCOMPARE(oom.liveAtEnd.value(), std::uint64_t {0});
    verifySums(oom);
    verifySpoken(oom);
}

void OomTest::memoryOutside()
{
    TraceMaker maker({}, {4 * kGiB, {}});
    maker.alloc(2 * kGiB);
    QVERIFY(maker.oom(3 * kGiB));
    const auto snapshot = maker.finish();
    QVERIFY(!find(only(*snapshot), OomVerdictKind::MemoryOutside)); // nobody knows the card
    OomQuestion question;
    question.cardBytes = 16 * kGiB;
    const auto oom = only(*snapshot, question);
    const auto *verdict = find(oom, OomVerdictKind::MemoryOutside);
    QVERIFY(verdict);
    QCOMPARE(verdict->figure("outside_bytes").value(), 12 * kGiB);
    QCOMPARE(oom.cardKnown.value(), 16 * kGiB);
    verifySpoken(oom);
    question.cardBytes = 4 * kGiB + 300 * kMiB; // no more than a context
    QVERIFY(!find(only(*snapshot, question), OomVerdictKind::MemoryOutside));
}

void OomTest::limit()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.alloc(700 * kMiB);
    QVERIFY(maker.oom(500 * kMiB, "f", {}, 10 * kGiB));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    QCOMPARE(oom.missing, std::uint64_t {0});
    const auto *verdict = find(oom, OomVerdictKind::Limit);
    QVERIFY(verdict);
    QCOMPARE(verdict->figure("device_free_bytes").value(), 10 * kGiB);
    QVERIFY(oom.verdicts[0].kind == OomVerdictKind::Limit);
    verifySpoken(oom);
}

void OomTest::giant()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.alloc(10 * kMiB);
    QVERIFY(maker.oom(5 * kGiB, "wrong_shape"));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    const auto *verdict = find(oom, OomVerdictKind::GiantRequest);
    QVERIFY(verdict);
    QCOMPARE(verdict->figure("largest_earlier_bytes").value(), 10 * kMiB);
    QCOMPARE(verdict->stack, oom.stack);
    QVERIFY(find(oom, OomVerdictKind::TrulyFull));
    verifySpoken(oom);
}

void OomTest::leak()
{
    TraceMaker maker({}, {3 * kGiB, {}});
    bool hasFailed = false;
    for (int step = 0; step < 500 && !hasFailed; ++step) {
        std::vector<RequestId> layers;
        for (int layer = 0; layer < 12; ++layer)
            layers.push_back(maker.alloc(20 * kMiB, "layer" + std::to_string(layer)));
        hasFailed = maker.alloc(6 * kMiB, "history.append") == TraceMaker::failed();
        if (std::find(layers.begin(), layers.end(), TraceMaker::failed()) != layers.end()) {
            hasFailed = true;
            break;
        }
        for (const auto id : layers)
            maker.free(id);
    }
    QVERIFY(hasFailed);
    QVERIFY(maker.oom(500 * kMiB));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    const auto *verdict = find(oom, OomVerdictKind::Leak);
    QVERIFY(verdict);
    const auto frame = snapshot->stacks.frame(snapshot->stacks.stack(verdict->stack)[0]);
    QCOMPARE(std::string(snapshot->texts[frame.name]), std::string("history.append"));
    QVERIFY(verdict->figure("growth_bytes").value() > kGiB);
    verifySpoken(oom);
}

void OomTest::loadingIsNoLeak()
{
    TraceMaker maker({}, {2 * kGiB, {}});
    for (int i = 0; i < 190; ++i)
        maker.alloc(10 * kMiB, "load");
    QVERIFY(maker.oom(500 * kMiB));
    const auto snapshot = maker.finish();
    const auto oom = only(*snapshot);
    QVERIFY(!find(oom, OomVerdictKind::Leak));
    QVERIFY(find(oom, OomVerdictKind::TrulyFull));
}

void OomTest::rounding()
{
    AllocatorOptions options;
    options.roundupDivisions.fill(2);
    TraceMaker maker(options, {kGiB, {}});
    for (int i = 0; i < 7; ++i)
        maker.alloc(100 * kMiB); // 128 each
    QVERIFY(maker.oom(200 * kMiB));
    const auto snapshot = maker.finish();
    snapshot->settings.emplace_back("roundup_power2_divisions",
                                    R"({"1": 2, "2": 2, "4": 2, "8": 2, "16": 2, "32": 2, "64": 2, "128": 2})");
    const auto oom = only(*snapshot);
    const auto *verdict = find(oom, OomVerdictKind::Rounding);
    QVERIFY(verdict);
    QCOMPARE(oom.roundingLoss, 7 * 28 * kMiB);
    verifySums(oom);
    verifySpoken(oom);
}

void OomTest::severalInOneTrace()
{
    TraceMaker maker({}, {kGiB, {}});
    const auto first = maker.alloc(600 * kMiB);
    QVERIFY(maker.oom(700 * kMiB));
    maker.free(first);
    maker.alloc(300 * kMiB);
    QVERIFY(maker.oom(900 * kMiB));
    const auto snapshot = maker.finish();
    const auto all = explainOoms(*snapshot);
    QVERIFY(all);
    QCOMPARE(all->size(), std::size_t {2});
    QCOMPARE(all->at(0).live, 600 * kMiB);
    QVERIFY(all->at(0).isPeak);
    QCOMPARE(all->at(1).live, 300 * kMiB);
    QVERIFY(!all->at(1).isPeak);
    QVERIFY(all->at(0).event < all->at(1).event);
}

void OomTest::withoutSegments()
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(4);
    snapshot.events.append({TraceAction::Alloc, 1U << 30U, 500 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::Oom, 100 * kMiB, 300 * kMiB, 0, kNoStack, 0, 0});
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = 2;
    const auto oom = only(snapshot);
    QVERIFY(!oom.reserved && !oom.cardLowerBound && !oom.liveAtEnd);
    QVERIFY(!oom.isAfterUnwinding);
    QCOMPARE(oom.live, 500 * kMiB);
    verifySpoken(oom);
}

void OomTest::sayingNothing()
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(4);
    snapshot.events.append({TraceAction::Oom, kUnknownBytes, kUnknownBytes, kUnknownTime, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::Oom, 0, UINT64_MAX - 5, kUnknownTime, kNoStack, 0, 0});
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = 2;
    const auto all = explainOoms(snapshot);
    QVERIFY(all);
    QCOMPARE(all->size(), std::size_t {2});
    QVERIFY(!all->at(0).deviceFree);
    for (const auto &oom : *all)
        verifySpoken(oom);
}

void OomTest::byProfilerRange()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.alloc(100 * kMiB); // events are microseconds apart: segment_alloc 0, alloc 1
    maker.alloc(200 * kMiB); // 2, 3
    maker.alloc(300 * kMiB); // 4, 5
    QVERIFY(maker.oom(500 * kMiB));
    const auto snapshot = maker.finish();
    QVERIFY(only(*snapshot).ranges.empty());
    snapshot->annotations.push_back({0, 2, TraceAnnotation::Stage::Start, snapshot->texts.intern("## forward ##")});
    snapshot->annotations.push_back({0, 4, TraceAnnotation::Stage::End, snapshot->texts.intern("## forward ##")});
    const auto oom = only(*snapshot);
    QCOMPARE(oom.ranges.size(), std::size_t {2});
    std::uint64_t sum = 0;
    bool hasForward = false;
    for (const auto &range : oom.ranges) {
        sum += range.bytes;
        hasForward |= range.name == "## forward ##" && range.bytes == 200 * kMiB && range.count == 1;
    }
    QVERIFY(hasForward);
    QCOMPARE(sum, oom.live);
}

// During the capture of a graph nothing is given back.
void OomTest::whatAGraphKept()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.free(maker.alloc(300 * kMiB));
    maker.alloc(400 * kMiB);
    QVERIFY(maker.oom(900 * kMiB)); // gives the 300 back
    QCOMPARE(only(*maker.finish()).unreleased, std::uint64_t {0});

    MemorySnapshot snapshot;
    snapshot.events = EventColumns(16);
    constexpr std::uint64_t kAt = std::uint64_t {0x7f} << 40U;
    snapshot.events.append({TraceAction::SegmentAlloc, kAt, 300 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::Oom, 100 * kMiB, 350 * kMiB, 0, kNoStack, 0, 0});
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = snapshot.events.size();
    MemorySegment segment;
    segment.address = kAt;
    segment.totalSize = 300 * kMiB;
    segment.isLarge = true;
    snapshot.segments.push_back(segment);
    const auto oom = only(snapshot);
    QCOMPARE(oom.unreleased, 300 * kMiB);
    QVERIFY(describe(oom).find("captured") != std::string::npos);
}

void OomTest::onlySoMany()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.alloc(600 * kMiB);
    for (int i = 0; i < 50; ++i)
        QVERIFY(maker.oom(700 * kMiB));
    const auto snapshot = maker.finish();
    OomQuestion question;
    QCOMPARE(explainOoms(*snapshot, question)->size(), std::size_t {50});
    question.most = 7;
    QCOMPARE(explainOoms(*snapshot, question)->size(), std::size_t {7});
}

void OomTest::stops()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.alloc(600 * kMiB);
    QVERIFY(maker.oom(700 * kMiB));
    const auto snapshot = maker.finish();
    std::stop_source source;
    source.request_stop();
    const auto all = explainOoms(*snapshot, {}, source.get_token());
    QVERIFY(!all && all.error().code == Error::Code::Cancelled);
}

QTEST_APPLESS_MAIN(OomTest)
#include "tst_oom.moc"
