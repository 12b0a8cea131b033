// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/snapshot_builder.h"

#include "snapshot/annotation_ranges.h"
#include "snapshot/categories.h"
#include "snapshot/frame_filter.h"
#include "snapshot/leaks.h"
#include "snapshot/steps.h"

#include <QTest>

#include <functional>

using namespace plimsoll;

class LeaksTest : public QObject
{
    Q_OBJECT

private slots:
    void rangesPairLikeBrackets();
    void marksThatAreEvents();
    void oneAnnotatedStepIsBelieved();
    void stepsByAnnotations_data();
    void stepsByAnnotations();
    void annotationsOfOtherDevices();
    void stepsByStacks();
    void stepsByLevel();
    void noSteps();
    void leaksPerStep();
    void leaksWithoutSteps();
    void leaksEqualBruteForce();
    void categories();
    void categoriesThatTheFileSays();
};

namespace {

Replay replayOf(const MemorySnapshot &snapshot)
{
    return Replay(snapshot, devicesOf(snapshot)[0]);
}

/// A training run of equal steps: weights, then forward, backward and optimizer in each. With a leak if wished.
struct Run
{
    SnapshotBuilder build;
    StackId weights = build.stack({"/v/site-packages/torch/nn/modules/module.py:9 _apply", "train.py:1 main"});
    StackId forward = build.stack({"model.py:5 forward", "/v/site-packages/torch/nn/modules/module.py:1736 _wrapped_call_impl", "train.py:8 main"});
    StackId brief = build.stack({"model.py:6 forward", "train.py:8 main"});
    StackId backward = build.stack({"??:0 torch::autograd::generated::MmBackward0::apply", "??:0 torch::autograd::Engine::thread_main"});
    StackId gradient = build.stack({"??:0 torch::autograd::AccumulateGrad::apply", "??:0 torch::autograd::Engine::thread_main"});
    StackId zero = build.stack({"/v/site-packages/torch/optim/optimizer.py:9 zero_grad", "train.py:7 main"});
    StackId state = build.stack({"/v/site-packages/torch/optim/adam.py:4 _init_group", "train.py:9 main"});
    StackId update = build.stack({"/v/site-packages/torch/optim/adam.py:40 _single_tensor_adam", "train.py:9 main"});
    StackId reduce = build.stack({"??:0 c10d::ProcessGroupNCCL::allreduce", "train.py:10 main"});
    StackId input = build.stack({"/v/site-packages/torch/utils/data/_utils/collate.py:2 collate", "train.py:6 main"});
    StackId workspace = build.stack({"??:0 at::cuda::getCurrentCUDABlasHandle()", "??:0 at::cuda::getChosenWorkspaceSize()", "model.py:5 forward"});
    StackId leak = build.stack({"train.py:12 log"});
    std::uint64_t top = 0x100000;
    std::vector<EventInstant> starts;

    std::uint64_t alloc(std::uint64_t size, StackId stack)
    {
        build.alloc(top += 0x10000, size, stack);
        return top;
    }

    void step(bool isLeaking)
    {
        starts.push_back(static_cast<EventInstant>(build.snapshot().events.size()));
        const auto batch = alloc(100, input);
        const auto first = alloc(1000, forward);
        const auto helper = alloc(500, brief);
        build.free(helper, 500, brief);
        const auto second = alloc(1000, forward);
        const auto work = alloc(300, backward);
        build.free(second, 1000, backward);
        const auto grad = alloc(700, gradient);
        build.free(work, 300, backward);
        build.free(first, 1000, backward);
        const auto sum = alloc(50, reduce);
        build.free(sum, 50, reduce);
        if (starts.size() == 1)
            alloc(1400, state);
        const auto temp = alloc(60, update);
        build.free(temp, 60, update);
        if (isLeaking)
            alloc(8, leak);
        build.free(batch, 100, input);
        build.free(grad, 700, zero);
    }
};

} // namespace

void LeaksTest::rangesPairLikeBrackets()
{
    SnapshotBuilder build;
    for (int i = 0; i < 10; ++i)
        build.alloc(0x1000U * static_cast<unsigned>(i + 1), 1); // at clock0 + 10, 20, …
    const auto zero = build.clock() - 100;
    build.annotation(0, zero + 15, false, "early");
    build.annotation(0, zero + 20, true, "outer");
    build.annotation(0, zero + 35, true, "outer"); // inside the first
    build.annotation(0, zero + 50, false, "outer");
    build.annotation(0, zero + 80, false, "outer");
    build.annotation(0, zero + 95, true, "open");
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const auto ranges = annotationRanges(replay, TimeAxis(replay));
    QCOMPARE(ranges.size(), std::size_t{4});
    const auto id = [&](const char *name) { return snapshot.texts.find(name); };
    QCOMPARE(ranges[0], (AnnotationRange{0, 1, id("early"), false, true}));
    QCOMPARE(ranges[1], (AnnotationRange{1, 8, id("outer"), true, true}));
    QCOMPARE(ranges[2], (AnnotationRange{3, 5, id("outer"), true, true}));
    QCOMPARE(ranges[3], (AnnotationRange{9, 10, id("open"), true, false}));
}

void LeaksTest::marksThatAreEvents()
{
    SnapshotBuilder build;
    build.event(TraceAction::UserDefined, kUnknownBytes, kUnknownBytes, build.stack({"## forward ##:0 START"}));
    build.alloc(0x1000, 1);
    build.event(TraceAction::UserDefined, kUnknownBytes, kUnknownBytes, build.stack({"## forward ##:0 END"}));
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const auto ranges = annotationRanges(replay, TimeAxis(replay));
    QCOMPARE(ranges.size(), std::size_t{1});
    QCOMPARE(ranges[0], (AnnotationRange{0, 3, snapshot.texts.find("## forward ##"), true, true}));
}

void LeaksTest::oneAnnotatedStepIsBelieved()
{
    Run run;
    run.build.annotation(0, run.build.clock(), true, "## train_step ##");
    for (int i = 0; i < 9; ++i)
        run.step(false); // micro batches, say
    const auto snapshot = run.build.take();
    const auto steps = findSteps(replayOf(snapshot));
    QCOMPARE(steps.source, Steps::Source::Annotations);
    QCOMPARE(steps.count(), std::size_t{1});
}

void LeaksTest::stepsByAnnotations_data()
{
    QTest::addColumn<QList<QByteArray>>("names");
    QTest::addColumn<QByteArray>("chosen");
    QTest::newRow("profiler") << QList<QByteArray>{"ProfilerStep#%", "## train_step ##", "Optimizer.step#AdamW.step"} << QByteArray("ProfilerStep#");
    QTest::newRow("own") << QList<QByteArray>{"Optimizer.step#AdamW.step", "## train_step ##"} << QByteArray("## train_step ##");
    QTest::newRow("optimizer") << QList<QByteArray>{"aten::mm", "Optimizer.step#AdamW.step"} << QByteArray("Optimizer.step#AdamW.step");
}

void LeaksTest::stepsByAnnotations()
{
    QFETCH(QList<QByteArray>, names);
    QFETCH(QByteArray, chosen);
    Run run;
    for (int i = 0; i < 5; ++i) {
        for (const auto &name : names)
            run.build.annotation(0, run.build.clock() + 1, true, QByteArray(name).replace("%", QByteArray::number(i)).toStdString());
        run.step(false);
        for (const auto &name : names)
            run.build.annotation(0, run.build.clock(), false, QByteArray(name).replace("%", QByteArray::number(i)).toStdString());
    }
    const auto snapshot = run.build.take();
    const auto steps = findSteps(replayOf(snapshot));
    QCOMPARE(steps.source, Steps::Source::Annotations);
    QCOMPARE(QByteArray::fromStdString(steps.name), chosen);
    QCOMPARE(steps.starts, run.starts);
}

void LeaksTest::annotationsOfOtherDevices()
{
    Run run;
    for (int i = 0; i < 5; ++i) {
        run.build.annotation(7, run.build.clock(), true, "ProfilerStep#" + std::to_string(i));
        run.step(false);
    }
    const auto snapshot = run.build.take();
    QCOMPARE(findSteps(replayOf(snapshot)).source, Steps::Source::Periodicity);
}

void LeaksTest::stepsByStacks()
{
    Run run;
    run.alloc(5000, run.weights);
    for (int i = 0; i < 8; ++i)
        run.step(false);
    const auto snapshot = run.build.take();
    const auto steps = findSteps(replayOf(snapshot));
    QCOMPARE(steps.source, Steps::Source::Periodicity);
    QCOMPARE(steps.count(), std::size_t{8});
    const auto length = run.starts[2] - run.starts[1];
    for (std::size_t i = 2; i < steps.count(); ++i)
        QCOMPARE(steps.starts[i] - steps.starts[i - 1], length);
}

void LeaksTest::stepsByLevel()
{
    // No stacks: only the level tells.
    SnapshotBuilder build;
    for (int step = 0; step < 12; ++step) {
        for (unsigned i = 0; i < 100; ++i)
            build.alloc(0x1000U * (i + 1), 1000 + i);
        for (unsigned i = 100; i-- > 0;)
            build.free(0x1000U * (i + 1), 1000 + i);
    }
    const auto snapshot = build.take();
    const auto steps = findSteps(replayOf(snapshot));
    QCOMPARE(steps.source, Steps::Source::Periodicity);
    QVERIFY2(steps.count() >= 11 && steps.count() <= 13, qPrintable(QString::number(steps.count())));
    for (std::size_t i = 1; i < steps.count(); ++i)
        QVERIFY(std::abs(static_cast<int>(steps.starts[i] - steps.starts[i - 1]) - 300) <= 6);
}

void LeaksTest::noSteps()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 5);
    const auto snapshot = build.take();
    QCOMPARE(findSteps(replayOf(snapshot)).source, Steps::Source::None);
    const MemorySnapshot empty;
    QCOMPARE(findSteps(Replay(empty, SnapshotDevice{})).source, Steps::Source::None);
}

void LeaksTest::leaksPerStep()
{
    Run run;
    run.alloc(5000, run.weights);
    for (int i = 0; i < 8; ++i)
        run.step(true);
    const auto snapshot = run.build.take();
    const auto replay = replayOf(snapshot);
    const auto report = findLeaks(replay);
    QCOMPARE(report.stepsCounted, 6U); // of eight: neither the first nor the last
    QCOMPARE(report.leaks.size(), std::size_t{3});
    QCOMPARE(report.leaks[0].stack, run.leak);
    QCOMPARE(report.leaks[0].bytesPerStep, 8.0);
    QVERIFY(report.leaks[0].isSteady);
    QCOMPARE(report.leaks[0].steps, 6U);
    QCOMPARE(report.leaks[0].count, std::uint64_t{7});
    // What is made once and stays is behind it, biggest first.
    QCOMPARE(report.leaks[1].stack, run.weights);
    QCOMPARE(report.leaks[1].bytesPerStep, 0.0);
    QVERIFY(!report.leaks[1].isSteady);
    QCOMPARE(report.leaks[2].stack, run.state);
    // After the third step: nothing of the set-up.
    const auto later = findLeaks(replay, run.starts[3]);
    QCOMPARE(later.leaks.size(), std::size_t{1});
    QCOMPARE(later.leaks[0].bytesPerStep, 8.0);
}

void LeaksTest::leaksWithoutSteps()
{
    SnapshotBuilder build;
    build.alloc(0x1000, 5);
    build.alloc(0x2000, 7);
    build.free(0x1000, 5);
    const auto snapshot = build.take();
    const auto report = findLeaks(replayOf(snapshot));
    QCOMPARE(report.stepsCounted, 0U);
    QCOMPARE(report.leaks.size(), std::size_t{1});
    QCOMPARE(report.leaks[0].bytes, std::int64_t{7});
    QCOMPARE(report.leaks[0].bytesPerStep, 0.0);
}

void LeaksTest::leaksEqualBruteForce()
{
    Run run;
    for (int i = 0; i < 20; ++i)
        run.step(i % 3 == 0);
    const auto snapshot = run.build.take();
    const auto replay = replayOf(snapshot);
    Steps steps;
    steps.source = Steps::Source::Annotations;
    steps.starts = run.starts;
    for (const EventInstant from : {0U, 3U, run.starts[5], run.starts[5] + 1, run.starts[18], replay.end()}) {
        const auto report = findLeaks(replay, from, steps);
        const auto whole = static_cast<std::size_t>(std::count_if(run.starts.begin(), run.starts.end(), [&](auto s) { return s >= from; }));
        QCOMPARE(static_cast<std::size_t>(report.stepsCounted), whole > 2 ? whole - 2 : 0);
        std::int64_t bytes = 0;
        std::int64_t counted = 0;
        const auto until = report.stepsCounted > 0 ? run.starts.back() : replay.end();
        for (AllocationId id = 0; id < replay.size(); ++id) {
            if (replay.births()[id] <= from || replay.births()[id] > until || replay.deaths()[id] != replay.never())
                continue;
            bytes += static_cast<std::int64_t>(replay.sizes()[id]);
            const auto firstCounted = run.starts.size() - whole + 1;
            if (report.stepsCounted > 0 && replay.births()[id] > run.starts[firstCounted])
                counted += static_cast<std::int64_t>(replay.sizes()[id]);
        }
        std::int64_t found = 0;
        double perStep = 0;
        for (const auto &leak : report.leaks) {
            found += leak.bytes;
            perStep += leak.bytesPerStep;
        }
        QCOMPARE(found, bytes);
        QVERIFY(std::abs(perStep * report.stepsCounted - static_cast<double>(counted)) < 1e-6);
    }
}

void LeaksTest::categories()
{
    Run run;
    run.alloc(5000, run.weights);
    run.alloc(4096, run.workspace);
    for (int i = 0; i < 6; ++i)
        run.step(true);
    const auto snapshot = run.build.take();
    const auto replay = replayOf(snapshot);
    const Categories categories(replay);
    const std::map<StackId, MemoryCategory> expected{
        {run.weights, MemoryCategory::Weights},      {run.forward, MemoryCategory::Activations},
        {run.brief, MemoryCategory::Temporaries},    {run.backward, MemoryCategory::Temporaries},
        {run.gradient, MemoryCategory::Gradients},   {run.state, MemoryCategory::OptimizerState},
        {run.update, MemoryCategory::Temporaries},   {run.reduce, MemoryCategory::Collectives},
        {run.input, MemoryCategory::Inputs},         {run.workspace, MemoryCategory::Workspaces},
        {run.leak, MemoryCategory::Unknown},
    };
    for (AllocationId id = 0; id < replay.size(); ++id) {
        const auto stack = replay.stacks()[id];
        QVERIFY2(categories[id] == expected.at(stack), frameText(snapshot, snapshot.stacks.stack(stack)[0]).c_str());
        QVERIFY(categories.isInferred(id));
    }
    for (EventInstant n = 0; n <= replay.end(); ++n) {
        std::int64_t sum = 0;
        for (const auto bytes : categories.aliveAt(n))
            sum += bytes;
        QCOMPARE(sum, replay.levelAt(n));
    }
}

void LeaksTest::categoriesThatTheFileSays()
{
    SnapshotBuilder build;
    EventContext context;
    context.attributes.emplace_back(build.snapshot().texts.intern("category"), build.snapshot().texts.intern("optimizer_state"));
    const auto said = build.context(context);
    build.event({TraceAction::Alloc, 0x1000, 10, 1, kNoStack, 0, said});
    build.alloc(0x2000, 10);
    const auto snapshot = build.take();
    const auto replay = replayOf(snapshot);
    const Categories categories(replay);
    QVERIFY(categories[0] == MemoryCategory::OptimizerState);
    QVERIFY(!categories.isInferred(0));
    QVERIFY(categories[1] == MemoryCategory::Unknown);
    QVERIFY(categories.isInferred(1));
}

QTEST_GUILESS_MAIN(LeaksTest)
#include "tst_leaks.moc"
