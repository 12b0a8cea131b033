// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/what_if.h"

#include "generated.h"
#include "trace_maker.h"

#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");
constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kGiB = 1U << 30U;

const WhatIfAnswer *find(const WhatIfReport &report, std::string_view name)
{
    for (const auto &answer : report.answers)
        if (answer.variant.name == name)
            return &answer;
    return nullptr;
}

struct Asked
{
    std::unique_ptr<MemorySnapshot> snapshot;
    std::unique_ptr<Replay> replay;
    Result<WhatIfReport> report = failure(Error::Code::BadInput, "not asked");
};

Asked ask(std::unique_ptr<MemorySnapshot> snapshot)
{
    Asked asked;
    asked.snapshot = std::move(snapshot);
    asked.replay = std::make_unique<Replay>(*asked.snapshot, devicesOf(*asked.snapshot).at(0));
    const auto ooms = explainOoms(*asked.replay);
    if (ooms && !ooms->empty())
        asked.report = whatIf(*asked.replay, ooms->back());
    return asked;
}

// Segments of 100, 104, … MiB of each of which 60 MiB stay in use: no rest is large.
void fragment(TraceMaker &maker)
{
    for (std::uint64_t i = 0; i < 6; ++i) {
        maker.free(maker.alloc((100 + 4 * i) * kMiB, "activation"));
        maker.alloc(60 * kMiB, "kept");
    }
}

} // namespace

class WhatIfTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
    void madeOnes_data();
    void madeOnes();
    void expandableSegmentsHelp();
    void splitLimitHelps();
    void roundingWasToBlame();
    void nothingHelpsWhenFull();
    void anEarlierOomIsLivedThrough();
    void lostBeginning();
    void othersHeldLessBefore();
    void anotherProgramIsNotBelieved();
    void whatIsNotSaidIsNotTried();
    void progressAndStop();
    void variants();
};

void WhatIfTest::captures_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("real") << QStringLiteral("expandable-oom-3gpu.pickle");
    QTest::newRow("made") << QStringLiteral("made/oom.pickle");
    QTest::newRow("made, expandable") << QStringLiteral("made/oom-expandable.pickle");
}

void WhatIfTest::captures()
{
    QFETCH(QString, file);
    const auto snapshot = capture(kSnapshots + file);
    if (!snapshot)
        QSKIP("the shared captures are not here");
    int count = 0;
    for (const auto &device : devicesOf(*snapshot)) {
        const Replay replay(*snapshot, device);
        const auto ooms = explainOoms(replay);
        QVERIFY(ooms);
        for (const auto &oom : *ooms) {
            const auto report = whatIf(replay, oom);
            QVERIFY2(report, report ? "" : report.error().detail.c_str());
            QVERIFY2(report->isBelievable, describeBelief(*report).c_str());
            QCOMPARE(report->baseline.peakReserved, report->recordedPeak);
            for (const auto &answer : report->answers) {
                QVERIFY(answer.peakReserved <= std::max(report->capacity, report->recordedPeak));
                QVERIFY(describe(answer, *report).ends_with('.'));
            }
            // Truly full, or nearly: what the allocator did itself changes nothing.
            const auto *emptied = find(*report, "torch.cuda.empty_cache() right before");
            QVERIFY(emptied && !emptied->fits);
            ++count;
        }
    }
    QCOMPARE(count, 1);
}

void WhatIfTest::madeOnes_data()
{
    QTest::addColumn<QString>("options");
    int seed = 500;
    for (const auto *options : {"", "--expandable", "--streams 2", "--private-pools 2", "--pending 0.1",
                                "--max-split-mb 64 --hidden 4096", "--roundup 8", "--empty-cache-every 2",
                                "--late-history", "--max-entries 1500", "--expandable --private-pools 2 --pending 0.05",
                                "--torch 2.13 --private-pools 2 --streams 2", "--late-history --expandable"})
        QTest::newRow(*options ? options : "plain")
            << QStringLiteral("--oom --leak-rate 0.05 %1 --seed %2").arg(QString::fromUtf8(options)).arg(++seed);
}

// With its own settings the model fails where the program did, whatever the options.
void WhatIfTest::madeOnes()
{
    QFETCH(QString, options);
    if (!hasGenerator())
        QSKIP("the generator of snapshots is not here");
    const auto snapshot = generated(options);
    QVERIFY(snapshot);
    int count = 0;
    for (const auto &device : devicesOf(*snapshot)) {
        const Replay replay(*snapshot, device);
        const auto ooms = explainOoms(replay);
        QVERIFY(ooms);
        for (const auto &oom : *ooms) {
            const auto report = whatIf(replay, oom);
            QVERIFY2(report, report ? "" : report.error().detail.c_str());
            if (qEnvironmentVariableIsSet("PLIMSOLL_VERBOSE")) {
                qInfo("%s", describe(oom).c_str());
                for (const auto &verdict : oom.verdicts)
                    qInfo("  %s", describe(verdict, oom).c_str());
                for (const auto &answer : report->answers)
                    qInfo("    %s", describe(answer, *report).c_str());
            }
            QVERIFY2(report->isBelievable, describeBelief(*report).c_str());
            QVERIFY(!oom.verdicts.empty());
            ++count;
        }
    }
    QCOMPARE(count, 1);
}

void WhatIfTest::expandableSegmentsHelp()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    fragment(maker);
    QVERIFY(maker.oom(260 * kMiB));
    const auto asked = ask(maker.finish());
    QVERIFY(asked.report);
    const auto &report = *asked.report;
    QVERIFY(report.isBelievable);
    QCOMPARE(report.capacity, 800 * kMiB);
    QVERIFY(!report.baseline.fits);
    QCOMPARE(report.baseline.peakReserved, 660 * kMiB);
    const auto *answer = find(report, "expandable_segments:True");
    QVERIFY(answer);
    QVERIFY(answer->fits);
    QVERIFY(!answer->fitsIfLaidOutAnew);
    QCOMPARE(answer->peakReserved, 420 * kMiB); // 300 kept and 120 more, in units of 20
    QCOMPARE(answer->reservedAfter.value(), 620 * kMiB);
    QCOMPARE(
        QString::fromStdString(describe(*answer, report)),
        QStringLiteral("With expandable_segments:True this request fits; peak reserved before it 660 MiB → 420 MiB."));
    const auto *emptied = find(report, "torch.cuda.empty_cache() right before");
    QVERIFY(emptied && !emptied->fits);
}

void WhatIfTest::splitLimitHelps()
{
    // Small long-lived requests land in large cached segments, which then cannot be given back.
    TraceMaker maker({}, {800 * kMiB, {}});
    std::vector<RequestId> large;
    for (int i = 0; i < 4; ++i)
        large.push_back(maker.alloc(150 * kMiB, "large"));
    for (const auto id : large) {
        maker.free(id);
        for (int k = 0; k < 2; ++k)
            maker.alloc(60 * kMiB, "kept");
    }
    QVERIFY(maker.oom(300 * kMiB));
    const auto asked = ask(maker.finish());
    QVERIFY(asked.report && asked.report->isBelievable);
    const auto *answer = find(*asked.report, "max_split_size_mb:128");
    QVERIFY(answer);
    QVERIFY(answer->fits);
    const auto *useless = find(*asked.report, "max_split_size_mb:512");
    QVERIFY(useless && !useless->fits);
}

void WhatIfTest::roundingWasToBlame()
{
    AllocatorOptions options;
    options.roundupDivisions.fill(2);
    TraceMaker maker(options, {kGiB, {}});
    for (int i = 0; i < 7; ++i)
        maker.alloc(100 * kMiB);
    QVERIFY(maker.oom(200 * kMiB));
    const auto asked = ask(maker.finish());
    QVERIFY(asked.report && asked.report->isBelievable);
    const auto *without = find(*asked.report, "no roundup_power2_divisions");
    QVERIFY(without && without->fits);
    QCOMPARE(asked.report->baseline.peakReserved, 896 * kMiB);
    QCOMPARE(without->peakReserved, 700 * kMiB);
}

void WhatIfTest::nothingHelpsWhenFull()
{
    TraceMaker maker({}, {kGiB, {}});
    for (int i = 0; i < 9; ++i)
        maker.alloc(100 * kMiB);
    QVERIFY(maker.oom(200 * kMiB));
    const auto asked = ask(maker.finish());
    QVERIFY(asked.report && asked.report->isBelievable);
    for (const auto &answer : asked.report->answers)
        QVERIFY2(!answer.fits, answer.variant.name.c_str());
}

void WhatIfTest::anEarlierOomIsLivedThrough()
{
    TraceMaker maker({}, {kGiB, {}});
    const auto first = maker.alloc(600 * kMiB);
    QVERIFY(maker.oom(700 * kMiB));
    maker.free(first);
    maker.alloc(300 * kMiB);
    QVERIFY(maker.oom(900 * kMiB));
    const auto asked = ask(maker.finish());
    QVERIFY(asked.report);
    QVERIFY2(asked.report->isBelievable, describeBelief(*asked.report).c_str());
    // Each on the same ground.
    const auto ground = whatIfGround(*asked.replay);
    QVERIFY(ground);
    const auto ooms = explainOoms(*asked.replay);
    QCOMPARE(ooms->size(), std::size_t {2});
    for (const auto &oom : *ooms) {
        const auto report = whatIf(*asked.replay, *ground, oom, usualVariants(ground->settings.options));
        QVERIFY(report && report->isBelievable);
        QCOMPARE(report->event, oom.event);
    }
}

// The ring lost how the fragments came about.
void WhatIfTest::lostBeginning()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    fragment(maker);
    maker.free(maker.alloc(10 * kMiB));
    QVERIFY(maker.oom(260 * kMiB));
    auto snapshot = maker.finish();
    auto &device = snapshot->devices[0];
    constexpr std::size_t kKept = 5;
    device.firstEvent = device.eventCount - kKept;
    device.eventCount = kKept;
    const auto asked = ask(std::move(snapshot));
    QVERIFY(asked.report);
    QVERIFY(asked.report->agreement.isEstimate);
    QVERIFY2(asked.report->isBelievable, describeBelief(*asked.report).c_str());
    const auto *answer = find(*asked.report, "expandable_segments:True");
    QVERIFY(answer && !answer->fits); // what lies there lies there
    QVERIFY(answer->fitsIfLaidOutAnew.value());
    QVERIFY(describe(*answer, *asked.report).find("laid out anew it would") != std::string::npos);
}

void WhatIfTest::othersHeldLessBefore()
{
    TraceMaker maker({}, {kGiB, {}});
    maker.free(maker.alloc(900 * kMiB));
    maker.emptyCache();
    maker.alloc(100 * kMiB);
    QVERIFY(maker.oom(kGiB, "f", {}, 50 * kMiB)); // now somebody else has most of it
    const auto asked = ask(maker.finish());
    QVERIFY(asked.report);
    QCOMPARE(asked.report->capacity, 150 * kMiB);
    QVERIFY2(asked.report->isBelievable, describeBelief(*asked.report).c_str());
}

void WhatIfTest::anotherProgramIsNotBelieved()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    fragment(maker);
    QVERIFY(maker.oom(260 * kMiB));
    auto snapshot = maker.finish();
    snapshot->settings = {
        {"PYTORCH_CUDA_ALLOC_CONF", "\"roundup_power2_divisions:1,expandable_segments:True\""}}; // not as it was
    const auto asked = ask(std::move(snapshot));
    QVERIFY(asked.report);
    QVERIFY(!asked.report->isBelievable);
    for (const auto &answer : asked.report->answers)
        QVERIFY(answer.failedEarlierAt || describe(answer, *asked.report).find("to be believed") != std::string::npos);
    QVERIFY(describeBelief(*asked.report).find("not to be believed") != std::string::npos
            || describeBelief(*asked.report).find("too far away") != std::string::npos);
}

void WhatIfTest::whatIsNotSaidIsNotTried()
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(4);
    snapshot.events.append({TraceAction::Alloc, 1U << 30U, 500 * kMiB, 0, kNoStack, 0, 0});
    snapshot.events.append({TraceAction::Oom, 100 * kMiB, 300 * kMiB, 0, kNoStack, 0, 0});
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = 2;
    const Replay replay(snapshot, devicesOf(snapshot).at(0));
    auto oom = explainOoms(replay)->at(0);
    const auto report = whatIf(replay, oom);
    QVERIFY(!report && report.error().code == Error::Code::BadInput);
    oom.event = 0;
    const auto other = whatIf(replay, oom);
    QVERIFY(!other && other.error().code == Error::Code::BadInput);
}

void WhatIfTest::progressAndStop()
{
    TraceMaker maker({}, {800 * kMiB, {}});
    fragment(maker);
    QVERIFY(maker.oom(260 * kMiB));
    const auto snapshot = maker.finish();
    const Replay replay(*snapshot, devicesOf(*snapshot).at(0));
    const auto oom = explainOoms(replay)->at(0);
    std::vector<int> seen;
    QVERIFY(whatIf(replay, oom, {}, [&](const Progress &progress) { seen.push_back(progress.perMille); }));
    QVERIFY(seen.size() > 5);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    QVERIFY(seen.back() < 1000);
    std::stop_source source;
    const auto stopped = whatIf(replay, oom, source.get_token(), [&](const Progress &progress) {
        if (progress.perMille > 300)
            source.request_stop();
    });
    QVERIFY(!stopped && stopped.error().code == Error::Code::Cancelled);
}

void WhatIfTest::variants()
{
    const auto usual = usualVariants({});
    QVERIFY(usual.size() >= 8);
    AllocatorOptions own;
    own.expandableSegments = true;
    own.maxSplitSize = 128 * kMiB;
    own.roundupDivisions.fill(8);
    const auto others = usualVariants(own);
    for (const auto &variant : others) {
        QVERIFY(variant.emptiesCacheBefore || variant.options != own);
        QVERIFY(variant.name != "max_split_size_mb:128");
        QVERIFY(variant.name != "expandable_segments:True");
    }
}

QTEST_APPLESS_MAIN(WhatIfTest)
#include "tst_what_if.moc"
