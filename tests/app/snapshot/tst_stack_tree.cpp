// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_trace.h"

#include "snapshot/find.h"
#include "snapshot/size_classes.h"
#include "snapshot/stack_totals.h"
#include "snapshot/stack_tree.h"

#include <QTest>

#include <functional>

Q_DECLARE_METATYPE(plimsoll::FrameFilter)

using namespace plimsoll;

class StackTreeTest : public QObject
{
    Q_OBJECT

private slots:
    void treesEqualBruteForce_data();
    void treesEqualBruteForce();
    void rootIsTheLevel();
    void growthAddsUp();
    void totalsByStack();
    void smallBoxesAreLeftOut();
    void labels();
    void hiddenFrames();
    void recursionStays();
    void modules_data();
    void modules();
    void groups_data();
    void groups();
    void searchEqualsBruteForce();
    void addresses_data();
    void addresses();
    void allocationsByAddress();
    void sizeClasses();
};

namespace {

Replay replayOf(const MemorySnapshot &snapshot)
{
    return Replay(snapshot, devicesOf(snapshot)[0]);
}

constexpr StackId kBefore = UINT32_MAX; // stands for all that only a free tells of

struct Sum
{
    std::int64_t value = 0;
    std::int64_t width = 0;
    std::int64_t self = 0;
    std::int64_t count = 0;
    friend bool operator==(const Sum &, const Sum &) = default;
};
using Paths = std::map<std::vector<std::string>, Sum>;

/// The tree by hand: a path of labels for each allocation, and all its beginnings.
Paths byHand(const MemorySnapshot &snapshot, const std::map<StackId, std::pair<std::int64_t, std::int64_t>> &bytes, TreeDirection direction,
             const FrameFilter &filter)
{
    Paths leaves;
    Paths all;
    const auto frames = applyFilter(snapshot, filter);
    for (const auto &[stack, sum] : bytes) {
        std::vector<std::string> path;
        if (stack == kBefore) {
            leaves[{"made before the trace"}] = {sum.first, std::abs(sum.first), 0, sum.second};
            continue;
        }
        const auto view = snapshot.stacks.stack(stack);
        for (std::size_t i = 0; i < view.size(); ++i) {
            const auto id = view[direction == TreeDirection::TopDown ? view.size() - 1 - i : i];
            if (frames.unitOf[id] == FilteredFrames::kHidden)
                continue;
            const auto text = filter.unit == FrameUnit::Line ? frameText(snapshot, id) : frames.names[frames.unitOf[id]];
            if (filter.unit == FrameUnit::Line || path.empty() || path.back() != text)
                path.push_back(text);
        }
        if (path.empty())
            path.emplace_back(view.size() == 0 ? "no stack" : "hidden frames only");
        auto &leaf = leaves[path];
        leaf.value += sum.first;
        leaf.count += sum.second;
        leaf.width += std::abs(sum.first); // signs of stacks alike in the tree do not cancel
    }
    for (const auto &[path, sum] : leaves) {
        for (std::size_t depth = 0; depth <= path.size(); ++depth) {
            auto &node = all[{path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)}];
            node.value += sum.value;
            node.width += sum.width;
            node.count += sum.count;
            node.self += depth == path.size() ? sum.value : 0;
        }
    }
    std::erase_if(all, [](const auto &entry) { return !entry.first.empty() && entry.second.width == 0; });
    return all;
}

Paths ofTree(const StackTree &tree, const TreeWeights &weights)
{
    Paths all;
    const auto boxes = tree.boxes(weights, 1);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        std::vector<std::string> path;
        for (const auto unit : tree.path(boxes[i]))
            path.push_back(tree.label(unit));
        all[path] = {boxes[i].value, boxes[i].width, boxes[i].self, boxes[i].count};
        const auto &parent = boxes[boxes[i].parent];
        if (i > 0 && (parent.depth + 1 != boxes[i].depth || parent.first > boxes[i].first || parent.last < boxes[i].last
                      || boxes[i].left < parent.left || boxes[i].left + boxes[i].width > parent.left + parent.width))
            qFatal("a box lies outside its parent");
        std::int64_t inside = boxes[i].self;
        for (const auto &child : tree.children(weights, boxes[i]))
            inside += child.value;
        if (weights.width.empty() && inside != boxes[i].value)
            qFatal("the children and the box itself don't add up");
    }
    return all;
}

} // namespace

void StackTreeTest::treesEqualBruteForce_data()
{
    QTest::addColumn<FrameFilter>("filter");
    FrameFilter filter;
    QTest::newRow("lines") << filter;
    filter.unit = FrameUnit::Function;
    QTest::newRow("functions") << filter;
    filter.unit = FrameUnit::File;
    QTest::newRow("files") << filter;
    filter.unit = FrameUnit::Module;
    QTest::newRow("modules") << filter;
    filter.unit = FrameUnit::Line;
    filter.hiddenTexts = {"F1.py", " main"};
    QTest::newRow("without some files") << filter;
    filter.hiddenTexts = {"f"};
    QTest::newRow("all hidden") << filter;
}

void StackTreeTest::treesEqualBruteForce()
{
    QFETCH(FrameFilter, filter);
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const auto snapshot = randomTrace(seed);
        const auto replay = replayOf(snapshot);
        for (const auto direction : {TreeDirection::TopDown, TreeDirection::BottomUp}) {
            const StackTree tree(snapshot, direction, filter);
            std::mt19937 random(seed);
            for (int round = 0; round < 5; ++round) {
                const auto a = static_cast<EventInstant>(random() % (replay.end() + 1));
                const auto b = static_cast<EventInstant>(a + random() % (replay.end() + 1 - a));
                std::map<StackId, std::pair<std::int64_t, std::int64_t>> alive;
                std::map<StackId, std::pair<std::int64_t, std::int64_t>> born;
                std::map<StackId, std::pair<std::int64_t, std::int64_t>> growth;
                std::map<StackId, std::pair<std::int64_t, std::int64_t>> leaked;
                for (AllocationId id = 0; id < replay.size(); ++id) {
                    const auto size = static_cast<std::int64_t>(replay.sizes()[id]);
                    const auto stack = replay.origin(id) == AllocationOrigin::BeforeFreed ? kBefore : replay.stacks()[id];
                    const auto birth = replay.births()[id];
                    const auto death = replay.deaths()[id];
                    const auto add = [&](auto &to, std::int64_t sign) {
                        to[stack].first += sign * size;
                        to[stack].second += sign;
                    };
                    if (birth <= a && a < death) {
                        add(alive, 1);
                        add(growth, -1);
                    }
                    if (birth <= b && b < death)
                        add(growth, 1);
                    if (birth > a && birth <= b)
                        add(born, 1);
                    if (birth > a && death == replay.never())
                        add(leaked, 1);
                }
                QVERIFY(ofTree(tree, tree.alive(replay, a)) == byHand(snapshot, alive, direction, filter));
                QVERIFY(ofTree(tree, tree.born(replay, a, b)) == byHand(snapshot, born, direction, filter));
                QVERIFY(ofTree(tree, tree.leaked(replay, a)) == byHand(snapshot, leaked, direction, filter));
                QCOMPARE(tree.kept(replay, a, replay.end(), replay.end()).value, tree.leaked(replay, a).value);
                // Two wishes that exclude each other add up to the whole.
                auto odd = tree.alive(replay, a, [](AllocationId id) { return id % 2 == 1; });
                const auto even = tree.alive(replay, a, [](AllocationId id) { return id % 2 == 0; });
                for (std::size_t r = 0; r < odd.value.size(); ++r)
                    odd.value[r] += even.value[r];
                QCOMPARE(odd.value, tree.alive(replay, a).value);
                QVERIFY(ofTree(tree, tree.growth(replay, a, b)) == byHand(snapshot, growth, direction, filter));
                std::vector<std::pair<StackId, std::int64_t>> list;
                for (const auto &[stack, sum] : growth)
                    if (stack != kBefore)
                        list.emplace_back(stack, sum.first);
                auto expected = tree.growth(replay, a, b).value;
                expected.back() -= growth.contains(kBefore) ? growth[kBefore].first : 0;
                QCOMPARE(tree.weights(list).value, expected);
            }
        }
    }
}

void StackTreeTest::rootIsTheLevel()
{
    const auto snapshot = randomTrace(5);
    const auto replay = replayOf(snapshot);
    const StackTree tree(snapshot, TreeDirection::TopDown);
    for (EventInstant n = 0; n <= replay.end(); n += 13)
        QCOMPARE(tree.boxes(tree.alive(replay, n), 1).front().value, replay.levelAt(n));
}

void StackTreeTest::growthAddsUp()
{
    const auto snapshot = randomTrace(6);
    const auto replay = replayOf(snapshot);
    const StackTree tree(snapshot, TreeDirection::BottomUp);
    const auto grown = tree.growth(replay, 100, 1500);
    QCOMPARE(tree.boxes(grown, 1).front().value, replay.levelAt(1500) - replay.levelAt(100));
    std::int64_t kept = 0;
    for (const auto &total : keptByStack(replay, 100, 1500))
        kept += total.bytes;
    std::int64_t expected = 0;
    for (AllocationId id = 0; id < replay.size(); ++id)
        if (replay.births()[id] > 100 && replay.births()[id] <= 1500 && replay.deaths()[id] > 1500)
            expected += static_cast<std::int64_t>(replay.sizes()[id]);
    QCOMPARE(kept, expected);
}

void StackTreeTest::totalsByStack()
{
    for (const std::size_t further : {0U, 20'000U}) { // stacks that nothing uses: then no table of all is made
        auto snapshot = randomTrace(3);
        std::vector<FrameId> frames{0, 0, 0, 0, 0, 0, 0};
        for (std::size_t i = 0; i < further; ++i) {
            frames[i % 7] = static_cast<FrameId>((frames[i % 7] + 1) % snapshot.stacks.frameCount());
            static_cast<void>(snapshot.stacks.internStack(frames));
        }
        const auto replay = replayOf(snapshot);
        for (EventInstant n = 0; n <= replay.end(); n += 41) {
            std::map<std::pair<StackId, bool>, std::pair<std::int64_t, std::int64_t>> expected;
            replay.forEachAlive(n, [&](AllocationId id) {
                auto &sum = expected[{replay.stacks()[id], replay.origin(id) == AllocationOrigin::BeforeFreed}];
                sum.first += static_cast<std::int64_t>(replay.sizes()[id]);
                ++sum.second;
            });
            const auto totals = aliveByStack(replay, n);
            QCOMPARE(totals.size(), expected.size());
            std::int64_t last = INT64_MAX;
            for (const auto &total : totals) {
                QCOMPARE((std::pair{total.bytes, total.count}), (expected[{total.stack, total.isStackOfFree}]));
                QVERIFY(total.bytes <= last);
                last = total.bytes;
            }
        }
    }
}

void StackTreeTest::smallBoxesAreLeftOut()
{
    const auto snapshot = randomTrace(8);
    const auto replay = replayOf(snapshot);
    const StackTree tree(snapshot, TreeDirection::TopDown);
    const auto weights = tree.alive(replay, replay.peakInstant());
    const auto all = tree.boxes(weights, 1);
    const auto limit = all.front().width / 20;
    const auto big = tree.boxes(weights, limit);
    QVERIFY(big.size() < all.size());
    std::size_t expected = 0;
    for (const auto &box : all)
        expected += box.width >= limit ? 1 : 0;
    QCOMPARE(big.size(), expected);
    for (const auto &box : tree.boxes(weights, 1, 2))
        QVERIFY(box.depth <= 2);
}

void StackTreeTest::labels()
{
    SnapshotBuilder build;
    build.alloc(1024, 100, build.stack({"a.py:1 inner", "b.py:2 outer"}));
    build.alloc(2048, 7);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const StackTree tree(snapshot, TreeDirection::TopDown);
    std::map<std::string, std::int64_t> seen;
    for (const auto &box : tree.boxes(tree.alive(replay, 2), 1))
        if (box.depth > 0)
            seen[tree.label(box.unit)] = box.value;
    const std::map<std::string, std::int64_t> expected{{"a.py:1 inner", 100}, {"b.py:2 outer", 100}, {"no stack", 7}};
    QVERIFY(seen == expected);
}

void StackTreeTest::hiddenFrames()
{
    SnapshotBuilder build;
    build.alloc(1024, 100, build.stack({"??:0 torch::unwind::unwind()", "x.cpp:3 at::_ops::mm::call", "m.py:4 forward"}));
    build.alloc(2048, 7, build.stack({"??:0 torch::unwind::unwind()"}));
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    FrameFilter filter;
    filter.hidden = static_cast<std::uint8_t>(FrameGroup::MemoryViz) | static_cast<std::uint8_t>(FrameGroup::Dispatcher);
    const StackTree tree(snapshot, TreeDirection::BottomUp, filter);
    const auto boxes = tree.boxes(tree.alive(replay, 2), 1);
    QCOMPARE(boxes.size(), std::size_t{3});
    QCOMPARE(boxes[0].value, std::int64_t{107});
    QCOMPARE(tree.label(boxes[1].unit), std::string("m.py:4 forward"));
    QCOMPARE(tree.label(boxes[2].unit), std::string("hidden frames only"));
}

void StackTreeTest::recursionStays()
{
    SnapshotBuilder build;
    const auto stack = build.stack({"a.py:1 f", "a.py:1 f", "a.py:1 f", "b.py:1 main"});
    build.alloc(1024, 100, stack);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    FrameFilter filter;
    const StackTree lines(snapshot, TreeDirection::TopDown, filter);
    QCOMPARE(lines.boxes(lines.alive(replay, 1), 1).size(), std::size_t{5});
    filter.unit = FrameUnit::File;
    const StackTree files(snapshot, TreeDirection::TopDown, filter);
    QCOMPARE(files.boxes(files.alive(replay, 1), 1).size(), std::size_t{3});
}

void StackTreeTest::modules_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("module");
    QTest::newRow("package") << QByteArray("/home/user/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py") << QByteArray("torch.nn.modules.linear");
    QTest::newRow("windows") << QByteArray("C:\\Python\\Lib\\site-packages\\torch\\optim\\adam.py") << QByteArray("torch.optim.adam");
    QTest::newRow("package itself") << QByteArray("/usr/lib/python3/dist-packages/numpy/__init__.py") << QByteArray("numpy");
    QTest::newRow("standard library") << QByteArray("/usr/lib/python3.11/concurrent/futures/thread.py") << QByteArray("concurrent.futures.thread");
    QTest::newRow("own file") << QByteArray("/work/train.py") << QByteArray("train");
    QTest::newRow("c++") << QByteArray("/build/aten/src/ATen/core/boxing/impl/boxing.h") << QByteArray("boxing.h");
    QTest::newRow("none") << QByteArray("") << QByteArray("??");
    QTest::newRow("text") << QByteArray("<string>") << QByteArray("<string>");
}

void StackTreeTest::modules()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, module);
    QCOMPARE(QByteArray::fromStdString(moduleOf(file.toStdString())), module);
}

void StackTreeTest::groups_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<int>("groups");
    constexpr int kViz = static_cast<int>(FrameGroup::MemoryViz);
    QTest::newRow("unwind") << QByteArray("??") << QByteArray("torch::unwind::unwind()") << (kViz | static_cast<int>(FrameGroup::Allocator));
    QTest::newRow("eval") << QByteArray("Python/ceval.c") << QByteArray("_PyEval_EvalFrameDefault") << (kViz | static_cast<int>(FrameGroup::Interpreter));
    QTest::newRow("allocator") << QByteArray("CUDACachingAllocator.cpp")
                               << QByteArray("c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc") << static_cast<int>(FrameGroup::Allocator);
    QTest::newRow("engine") << QByteArray("??") << QByteArray("torch::autograd::Engine::thread_main") << static_cast<int>(FrameGroup::Autograd);
    QTest::newRow("dispatch") << QByteArray("??") << QByteArray("at::_ops::mm::redispatch(c10::DispatchKeySet)") << static_cast<int>(FrameGroup::Dispatcher);
    QTest::newRow("boxing") << QByteArray("/a/core/boxing/impl/x.h") << QByteArray("f") << (kViz | static_cast<int>(FrameGroup::Dispatcher));
    QTest::newRow("model") << QByteArray("model.py") << QByteArray("forward") << 0;
}

void StackTreeTest::groups()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, name);
    QFETCH(int, groups);
    QCOMPARE(static_cast<int>(frameGroups(file.toStdString(), name.toStdString())), groups);
}

void StackTreeTest::searchEqualsBruteForce()
{
    const auto snapshot = randomTrace(9);
    const auto replay = replayOf(snapshot);
    FrameIndex index(snapshot);
    index.count(replay);
    for (const std::string text : {"F1.PY", "forward", "f1.py:3 gelu", ".py:", "nothing of it", "", "main"}) {
        std::vector<FrameId> frames;
        for (FrameId id = 0; id < snapshot.stacks.frameCount(); ++id) {
            auto hay = QByteArray::fromStdString(frameText(snapshot, id)).toLower();
            if (!text.empty() && hay.contains(QByteArray::fromStdString(text).toLower()))
                frames.push_back(id);
        }
        std::vector<StackId> stacks;
        for (StackId id = 0; id < snapshot.stacks.stackCount(); ++id) {
            const auto stack = snapshot.stacks.stack(id);
            for (std::size_t i = 0; i < stack.size(); ++i)
                if (std::find(frames.begin(), frames.end(), stack[i]) != frames.end()) {
                    stacks.push_back(id);
                    break;
                }
        }
        std::uint64_t events = 0;
        for (std::size_t row = 0; row < snapshot.events.size(); ++row)
            events += std::find(stacks.begin(), stacks.end(), snapshot.events.stack[row]) != stacks.end() ? 1 : 0;
        std::uint64_t allocations = 0;
        for (AllocationId id = 0; id < replay.size(); ++id)
            if (replay.origin(id) != AllocationOrigin::BeforeFreed)
                allocations += std::find(stacks.begin(), stacks.end(), replay.stacks()[id]) != stacks.end() ? 1 : 0;
        const auto found = index.find(text);
        QCOMPARE(found.frames, frames);
        QCOMPARE(found.stacks, stacks);
        QCOMPARE(found.events, events);
        QCOMPARE(found.allocations, allocations);
    }
}

void StackTreeTest::addresses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isAddress");
    QTest::addColumn<quint64>("address");
    QTest::newRow("hex") << QByteArray("0x7f0000001000") << true << quint64{0x7f0000001000};
    QTest::newRow("memory_viz") << QByteArray("b7f0000001000_12") << true << quint64{0x7f0000001000};
    QTest::newRow("memory_viz, quoted") << QByteArray("b'7f0000001000_0") << true << quint64{0x7f0000001000};
    QTest::newRow("decimal") << QByteArray("4096") << true << quint64{4096};
    QTest::newRow("too big") << QByteArray("0x1ffffffffffffffff") << false << quint64{0};
    QTest::newRow("text") << QByteArray("backward") << false << quint64{0};
    QTest::newRow("none") << QByteArray("") << false << quint64{0};
    QTest::newRow("prefix only") << QByteArray("0x") << false << quint64{0};
}

void StackTreeTest::addresses()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isAddress);
    QFETCH(quint64, address);
    const auto parsed = parseAddress(text.toStdString());
    QCOMPARE(parsed.has_value(), isAddress);
    if (isAddress)
        QCOMPARE(static_cast<quint64>(*parsed), address);
}

void StackTreeTest::allocationsByAddress()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 100);
    build.free(0x1000, 100);
    build.alloc(0x1000, 50);
    build.alloc(0x2000, 50);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    QCOMPARE(allocationsAt(replay, 0x1000), (std::vector<AllocationId>{0, 1}));
    QCOMPARE(allocationsAt(replay, 0x1000 + 60, true), (std::vector<AllocationId>{0}));
    QCOMPARE(allocationsAt(replay, 0x1000 + 60), std::vector<AllocationId>{});
}

void StackTreeTest::sizeClasses()
{
    SnapshotBuilder build;
    std::uint64_t at = 0x10000;
    for (const std::uint64_t size : {0U, 1U, 511U, 512U, 1000U, 1024U, 5000U})
        build.alloc(at += 0x10000, size);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const auto classes = sizeClassesAt(replay, replay.end());
    QCOMPARE(classes.size(), std::size_t{4});
    QCOMPARE(classes[0], (SizeClass{0, 512, 3, 512, 1024}));
    QCOMPARE(classes[1], (SizeClass{512, 1024, 2, 1512, 1536}));
    QCOMPARE(classes[2], (SizeClass{1024, 2048, 1, 1024, 1024}));
    QCOMPARE(classes[3], (SizeClass{4096, 8192, 1, 5000, 5120}));
    QCOMPARE(sizeClassesBorn(replay, 6, 7), (std::vector<SizeClass>{{4096, 8192, 1, 5000, 5120}}));
}

QTEST_GUILESS_MAIN(StackTreeTest)
#include "tst_stack_tree.moc"
