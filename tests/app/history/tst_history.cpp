// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/support_history.h"

#include <QTest>

using namespace plimsoll;
using namespace plimsoll::historytest;

/// The history from its front door: what goes in by the inbox comes out by questions.
class TestHistory : public QObject
{
    Q_OBJECT

private slots:
    void answersFromTheHead();
    void foldsAndAnswersAlike();
    void resumesWhereItCommitted();
    void countsDuplicatesOnce();
    void keepsEventsAndSteps();
    void namesGaps();
};

void TestHistory::answersFromTheHead()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host-1", {"a", "b"});
    feeder.post(*history, feeder.rows(scene.begin, 30, [](int row, std::size_t c) { return row + 100.0 * double(c); }));
    history->flush();
    const auto latest = history->latest();
    QCOMPARE(latest.size(), 2U);
    QCOMPARE(latest[1].info.key.metric, std::string("b"));
    QCOMPARE(latest[1].lastValue, 129.0);
    QCOMPARE(latest[1].agent, std::string("host-1"));
    const std::vector ids{latest[0].id, latest[1].id};
    const auto slices = history->slice(ids, {scene.begin, scene.begin + std::chrono::seconds(30)}, 100, {});
    QVERIFY(slices);
    QCOMPARE((*slices)[1].width, Duration::zero());
    QCOMPARE((*slices)[1].buckets.size(), 30U);
    QCOMPARE((*slices)[1].buckets[7].last, 107.0);
    QCOMPARE((*slices)[1].gaps.size(), 0U);
    const auto extent = history->extent();
    QVERIFY(extent && *extent);
    QCOMPARE((**extent).begin, scene.begin);
    QCOMPARE((**extent).length(), Duration(std::chrono::seconds(29)) + Duration(1));
}

void TestHistory::foldsAndAnswersAlike()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host-1", {"a"});
    feeder.post(*history, feeder.rows(scene.begin, 3000, [](int row, std::size_t) { return (row * 7) % 1000 / 4.0; }));
    history->flush();
    const std::vector ids{history->latest()[0].id};
    const TimeRange range{scene.begin, scene.begin + std::chrono::seconds(3000)};
    const auto before = history->slice(ids, range, 2000, {});
    history.reset();
    history = scene.open();
    const auto after = history->slice(ids, range, 2000, {});
    QVERIFY(before && after);
    QCOMPARE((*before)[0].buckets.size(), 3000U);
    QVERIFY((*before)[0] == (*after)[0]);
    QCOMPARE(history->latest()[0].lastTime, std::optional(range.end - Duration(std::chrono::seconds(1))));
    QCOMPARE(scene.question("SELECT count(*) > 0 FROM chunk"), "1");
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
}

void TestHistory::resumesWhereItCommitted()
{
    Scene scene;
    Feeder feeder("host-1", {"a"});
    {
        auto history = scene.open();
        QCOMPARE(history->resumePoint("host-1"), ResumePoint{});
        for (int i = 0; i < 3; ++i)
            feeder.post(*history, feeder.rows(scene.begin + std::chrono::seconds(i), 1, [](int, std::size_t) { return 1.0; }));
    }
    auto history = scene.open();
    QCOMPARE(history->resumePoint("host-1"), (ResumePoint{7, 4}));
    QCOMPARE(history->resumePoint("host-2"), ResumePoint{});
}

void TestHistory::countsDuplicatesOnce()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host-1", {"a"});
    const auto delivery = feeder.rows(scene.begin, 10, [](int row, std::size_t) { return double(row); });
    feeder.post(*history, delivery);
    feeder.post(*history, delivery);
    history->flush();
    QCOMPARE(history->state().samples, 10U);
    QCOMPARE(history->state().duplicates, 10U);
    QCOMPARE(history->state().dropped, 0U);
}

void TestHistory::keepsEventsAndSteps()
{
    Scene scene;
    auto history = scene.open();
    const Event event{scene.begin, EventKind::OomKill, {{"job.id", "j\xff"}}, "killed", 12.5};
    StepRecord step;
    step.time = scene.begin;
    step.labels = {{"job.id", "j"}, {"rank", "3"}};
    step.step = 1ULL << 63U;
    step.peak = Bytes{123};
    step.activationCheckpointing = false;
    Delivery delivery{"host-1", 7, {}, {{1, event}, {2, step}}, {{3, 1206}}, {}};
    Feeder::post(*history, delivery);
    history->flush();
    const TimeRange all{Instant{}, Instant::max()};
    const auto events = history->events(all, 10, {});
    QVERIFY(events);
    QCOMPARE(events->size(), 2U);
    QVERIFY((*events)[0] == event);
    QVERIFY((*events)[1].kind == EventKind::SamplesLost);
    QCOMPARE((*events)[1].value, std::optional(1204.0));
    const auto steps = history->steps("j", all, 10, {});
    QVERIFY(steps && steps->size() == 1 && steps->front() == step);
    QVERIFY(history->steps("k", all, 10, {})->empty());
    QCOMPARE(history->resumePoint("host-1").nextSequence, 1207U);
    QVERIFY(history->events(all, 1, {})->front().kind == EventKind::SamplesLost);
}

void TestHistory::namesGaps()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host-1", {"a"});
    const auto value = [](int, std::size_t) { return 1.0; };
    const auto at = [&](int s) { return scene.begin + std::chrono::seconds(s); };
    feeder.post(*history, feeder.rows(at(10), 10, value));
    Delivery notes{"host-1", 0, {}, {}, {}, {}};
    notes.notes = {{at(20), EventKind::AgentAway, {}, {}, {}}, {at(72), EventKind::AgentBack, {}, {}, {}}};
    Feeder::post(*history, notes);
    feeder.post(*history, feeder.rows(at(72), 10, value));
    history->flush();
    scene.clock.set(at(200));
    const std::vector ids{history->latest()[0].id};
    const auto slices = history->slice(ids, {at(0), at(100)}, 500, {});
    QVERIFY(slices);
    const auto &gaps = slices->front().gaps;
    QCOMPARE(gaps.size(), 3U);
    QVERIFY((gaps[0] == Gap{{at(0), at(10)}, GapReason::NotStarted, {}}));
    QVERIFY((gaps[1] == Gap{{at(19), at(72)}, GapReason::Away, "away 52 s"}));
    QVERIFY((gaps[2] == Gap{{at(81), at(100)}, GapReason::NotSampled, {}}));
}

QTEST_GUILESS_MAIN(TestHistory)
#include "tst_history.moc"
