// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/diff.h"

#include "capture.h"

#include <QDir>
#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");
constexpr std::uint64_t kMiB = 1U << 20U;

struct Frame
{
    std::string file;
    std::string name;
    std::uint64_t line;
};

// A snapshot of final blocks by hand.
class Hand
{
public:
    Hand()
    {
        MemorySegment segment;
        segment.address = 1U << 21U;
        snapshot.segments.push_back(segment);
    }
    Hand &add(const std::vector<Frame> &frames, std::uint64_t bytes, BlockState state = BlockState::ActiveAllocated)
    {
        std::vector<FrameId> ids;
        for (const auto &frame : frames)
            ids.push_back(snapshot.stacks.internFrame(
                {snapshot.texts.intern(frame.file), snapshot.texts.intern(frame.name), frame.line}));
        MemoryBlock block;
        block.size = block.requested = bytes;
        block.state = state;
        block.stack = snapshot.stacks.internStack(ids);
        snapshot.blocks.push_back(block);
        ++snapshot.segments[0].blockCount;
        return *this;
    }
    MemorySnapshot snapshot;
};

SnapshotDiff diffOf(const Hand &a, const Hand &b)
{
    return *diffSnapshots(finalSide(a.snapshot), finalSide(b.snapshot));
}

} // namespace

class DiffTest : public QObject
{
    Q_OBJECT

private slots:
    void paths_data();
    void paths();
    void sameIsEmpty();
    void addedRemovedChanged();
    void placesMakeNoDifference();
    void linesDrift();
    void notebookCellsDrift();
    void halvesOfALoopAreNotMixed();
    void noStackIsAStack();
    void sumsAddUp();
    void capturesAgainstThemselves_data();
    void capturesAgainstThemselves();
    void twoInstants();
    void categories();
    void stops();
};

void DiffTest::paths_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("normal");
    const auto row = [](const char *path, const char *normal) {
        QTest::newRow(path) << QByteArray(path) << QByteArray(normal);
    };
    row("/home/anna/project/train.py", "~/project/train.py");
    row("/Users/anna/project/train.py", "~/project/train.py");
    row("/root/project/train.py", "~/project/train.py");
    row("C:\\Users\\anna\\project\\train.py", "~/project/train.py");
    row("D:\\Dev\\project\\train.py", "d:/Dev/project/train.py");
    row("/home/anna", "/home/anna");
    row("/home/anna/env/lib/python3.10/site-packages/torch/nn/modules/linear.py",
        "site-packages/torch/nn/modules/linear.py");
    row("C:\\x\\.venv\\lib\\site-packages\\torch\\storage.py", "site-packages/torch/storage.py");
    row("/usr/local/lib/python3.10/dist-packages/vllm/worker.py", "site-packages/vllm/worker.py");
    row("/root/miniconda3/envs/py3.10/lib/python3.10/asyncio/events.py", "python/asyncio/events.py");
    row("C:\\Users\\u\\uv\\python\\cpython-3.10.19-windows-x86_64-none\\lib\\copy.py", "python/copy.py");
    row("/usr/local/src/conda/python-3.12.2/Objects/call.c", "cpython/Objects/call.c");
    row("/croot/python-split_1715024085344/work/build-static/Python/bytecodes.c", "cpython/Python/bytecodes.c");
    row("/tmp/ipykernel_2591349/2415349784.py", "ipykernel/2415349784.py");
    row("C:\\Users\\u\\AppData\\Local\\Temp\\ipykernel_12\\99.py", "ipykernel/99.py");
    row("/tmp/torchinductor_anna/si/csiptp.py", "torchinductor/csiptp.py");
    row("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>");
    row("??", "??");
    row("", "");
    row("/", "/");
    row("/home/", "/home/");
    row("/site-packages/", "site-packages/");
}

void DiffTest::paths()
{
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, normal);
    QCOMPARE(QByteArray::fromStdString(normalisedPath(path.toStdString())), normal);
}

void DiffTest::sameIsEmpty()
{
    Hand hand;
    hand.add({{"a.py", "f", 1}}, 100).add({{"a.py", "f", 2}}, 200).add({}, 300);
    const auto diff = diffOf(hand, hand);
    QVERIFY(diff.isEmpty());
    QCOMPARE(diff.unchangedStacks, std::size_t {3});
    QCOMPARE(diff.totalA.bytes, std::uint64_t {600});
    QVERIFY(diff.totalA == diff.totalB);
}

void DiffTest::addedRemovedChanged()
{
    Hand a;
    Hand b;
    a.add({{"a.py", "keep", 1}}, 5).add({{"a.py", "gone", 2}}, 100).add({{"a.py", "grown", 3}}, 10);
    b.add({{"a.py", "grown", 3}}, 10)
        .add({{"a.py", "grown", 3}}, 300)
        .add({{"a.py", "new", 4}}, 200)
        .add({{"a.py", "keep", 1}}, 5);
    b.add({{"a.py", "free", 9}}, 1000, BlockState::Inactive);
    const auto diff = diffOf(a, b);
    QCOMPARE(diff.byStack.size(), std::size_t {3});
    QCOMPARE(diff.byStack[0].name, std::string("a.py:3 grown"));
    QCOMPARE(diff.byStack[0].delta(), std::int64_t {300});
    QVERIFY(diff.byStack[0].change == DiffChange::Changed);
    QCOMPARE(diff.byStack[0].b.count, std::uint64_t {2});
    QCOMPARE(diff.byStack[1].name, std::string("a.py:4 new"));
    QVERIFY(diff.byStack[1].change == DiffChange::Added);
    QCOMPARE(diff.byStack[2].delta(), std::int64_t {-100});
    QVERIFY(diff.byStack[2].change == DiffChange::Removed);
    QCOMPARE(diff.unchangedStacks, std::size_t {1});
    QVERIFY(diff.byCategory.empty());
    QVERIFY(!diff.bySizeClass.empty());
}

void DiffTest::placesMakeNoDifference()
{
    Hand a;
    Hand b;
    a.add({{"/home/anna/env/lib/python3.10/site-packages/torch/x.py", "f", 7}, {"/home/anna/p/main.py", "main", 3}},
          64);
    b.add({{"C:\\py\\lib\\site-packages\\torch\\x.py", "f", 7}, {"C:\\Users\\bert\\p\\main.py", "main", 3}}, 64);
    const auto diff = diffOf(a, b);
    QVERIFY(diff.isEmpty());
    QCOMPARE(diff.unchangedStacks, std::size_t {1});
}

void DiffTest::linesDrift()
{
    Hand a;
    Hand b;
    a.add({{"x.py", "f", 7}, {"main.py", "main", 30}}, 64).add({{"x.py", "g", 9}}, 10);
    b.add({{"x.py", "f", 7}, {"main.py", "main", 33}}, 96).add({{"x.py", "g", 12}}, 10);
    const auto diff = diffOf(a, b);
    QCOMPARE(diff.byStack.size(), std::size_t {1});
    QVERIFY(diff.byStack[0].hasLineDrift);
    QVERIFY(diff.byStack[0].change == DiffChange::Changed);
    QCOMPARE(diff.byStack[0].delta(), std::int64_t {32});
    QCOMPARE(diff.byStack[0].frames[1], std::string("main.py:33 main"));
    QCOMPARE(diff.driftedStacks, std::size_t {1});
}

void DiffTest::notebookCellsDrift()
{
    Hand a;
    Hand b;
    a.add({{"/tmp/ipykernel_1/111.py", "<module>", 5}}, 64).add({{"/tmp/torchinductor_u/aa/aabb.py", "call", 12}}, 32);
    b.add({{"/tmp/ipykernel_2/222.py", "<module>", 6}}, 64).add({{"/tmp/torchinductor_v/cc/ccdd.py", "call", 13}}, 32);
    const auto diff = diffOf(a, b);
    QVERIFY(diff.byStack.empty());
    QCOMPARE(diff.driftedStacks, std::size_t {2});
}

// Two lines of one function, one of which moved: the other still matches exactly.
void DiffTest::halvesOfALoopAreNotMixed()
{
    Hand a;
    Hand b;
    a.add({{"x.py", "f", 7}}, 100).add({{"x.py", "f", 8}}, 200);
    b.add({{"x.py", "f", 7}}, 100).add({{"x.py", "f", 9}}, 250);
    const auto diff = diffOf(a, b);
    QCOMPARE(diff.byStack.size(), std::size_t {1});
    QCOMPARE(diff.byStack[0].a.bytes, std::uint64_t {200});
    QCOMPARE(diff.byStack[0].b.bytes, std::uint64_t {250});
    QCOMPARE(diff.unchangedStacks, std::size_t {1});
}

void DiffTest::noStackIsAStack()
{
    Hand a;
    Hand b;
    b.add({}, 64);
    b.snapshot.blocks.push_back(b.snapshot.blocks[0]);
    b.snapshot.blocks[1].stack = kNoStack;
    ++b.snapshot.segments[0].blockCount;
    const auto diff = diffOf(a, b);
    QCOMPARE(diff.byStack.size(), std::size_t {2});
    QCOMPARE(diff.byStack[0].name, std::string("empty stack"));
    QCOMPARE(diff.byStack[1].name, std::string("no stack recorded"));
}

void DiffTest::sumsAddUp()
{
    Hand a;
    Hand b;
    for (std::uint64_t i = 0; i < 200; ++i) {
        a.add({{"f" + std::to_string(i % 7) + ".py", "f", i % 13}}, i * 1000);
        b.add({{"f" + std::to_string(i % 5) + ".py", "f", i % 17}}, i * i * 100);
    }
    const auto diff = diffOf(a, b);
    std::int64_t byStack = 0;
    std::int64_t byClass = 0;
    for (const auto &row : diff.byStack)
        byStack += row.delta();
    for (const auto &row : diff.bySizeClass)
        byClass += row.delta();
    const auto expected = static_cast<std::int64_t>(diff.totalB.bytes) - static_cast<std::int64_t>(diff.totalA.bytes);
    QCOMPARE(byStack, expected);
    QCOMPARE(byClass, expected);
    for (std::size_t i = 1; i < diff.byStack.size(); ++i)
        QVERIFY(std::abs(diff.byStack[i - 1].delta()) >= std::abs(diff.byStack[i].delta()));
}

void DiffTest::capturesAgainstThemselves_data()
{
    QTest::addColumn<QString>("file");
    for (const auto &name : QDir(kSnapshots).entryList({QStringLiteral("*.p*kl*")}, QDir::Files))
        QTest::newRow(qPrintable(name)) << name;
    if (!QDir(kSnapshots).exists())
        QTest::newRow("none") << QString();
}

void DiffTest::capturesAgainstThemselves()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("the shared captures are not here");
    const auto a = capture(kSnapshots + file);
    QVERIFY(a);
    const bool isLittle = QFileInfo(kSnapshots + file).size() < 300'000; // the way through Python takes its time
    const auto b = isLittle ? capture(kSnapshots + file) : nullptr;
    const auto diff = diffSnapshots(finalSide(*a), finalSide(b ? *b : *a));
    QVERIFY(diff);
    QVERIFY(diff->isEmpty());
    QCOMPARE(diff->driftedStacks, std::size_t {0});
    std::uint64_t requested = 0;
    for (const auto &block : a->blocks)
        requested += block.state == BlockState::Inactive ? 0 : block.requested;
    QCOMPARE(diff->totalA.bytes, requested);
    for (const auto &device : devicesOf(*a)) {
        if (device.eventCount == 0)
            continue;
        const Replay replay(*a, device);
        const auto side = sideAt(replay, replay.peakInstant());
        const auto same = diffSnapshots(side, side);
        QVERIFY(same && same->isEmpty());
        QCOMPARE(static_cast<std::int64_t>(same->totalA.bytes), replay.peakLevel());
    }
}

void DiffTest::twoInstants()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("linear-grad.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const Replay replay(*snapshot, devicesOf(*snapshot).at(0));
    const auto diff = diffSnapshots(sideAt(replay, 0), sideAt(replay, replay.peakInstant()));
    QVERIFY(diff);
    QCOMPARE(diff->totalA.bytes, std::uint64_t {0});
    QCOMPARE(diff->totalB.bytes, std::uint64_t {4'434'803'008});
    std::uint64_t added = 0;
    for (const auto &row : diff->byStack) {
        QVERIFY(row.change == DiffChange::Added);
        added += row.b.bytes;
    }
    QCOMPARE(added, diff->totalB.bytes);
}

void DiffTest::categories()
{
    Hand hand;
    DiffSide a {&hand.snapshot,
                true,
                {{kNoStack, 5, MemoryCategory::Weights, 100, 1}, {kNoStack, 5, MemoryCategory::Gradients, 50, 2}}};
    DiffSide b {
        &hand.snapshot,
        true,
        {{kNoStack, 5, MemoryCategory::Weights, 100, 1}, {kNoStack, 5, MemoryCategory::Activations, 7 * kMiB, 2}}};
    const auto diff = diffSnapshots(a, b);
    QVERIFY(diff);
    QCOMPARE(diff->byCategory.size(), std::size_t {2});
    QCOMPARE(diff->byCategory[0].name, std::string(toString(MemoryCategory::Activations)));
    QVERIFY(diff->byCategory[1].change == DiffChange::Removed);
    QCOMPARE(diff->byCategory[1].name, std::string(toString(MemoryCategory::Gradients)));
}

void DiffTest::stops()
{
    Hand hand;
    hand.add({{"a.py", "f", 1}}, 100);
    std::stop_source source;
    source.request_stop();
    const auto diff = diffSnapshots(finalSide(hand.snapshot), finalSide(hand.snapshot), source.get_token());
    QVERIFY(!diff && diff.error().code == Error::Code::Cancelled);
}

QTEST_APPLESS_MAIN(DiffTest)
#include "tst_diff.moc"
