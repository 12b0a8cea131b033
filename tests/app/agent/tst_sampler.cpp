// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/sampler.h"
#include "agent/series_of.h"

#include <QTest>

#include <atomic>
#include <thread>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

class TwoClocks final : public Clock
{
public:
    [[nodiscard]] Instant now() const override { return wall; }
    [[nodiscard]] MonotonicInstant monotonicNow() const override { return monotonic; }
    void advance(Duration by)
    {
        wall += by;
        monotonic += by;
    }
    Instant wall{1'700'000'000s};
    MonotonicInstant monotonic{1000s + 123ms};
};

class Counter final : public Collector
{
public:
    Counter(Journal &journal, std::string name, Duration interval) : m_name(std::move(name)), m_interval(interval)
    {
        m_slot = journal.define(catalogued("test." + m_name, {}, m_name, interval, {}));
    }
    [[nodiscard]] std::string_view name() const override { return m_name; }
    [[nodiscard]] Duration interval() const override { return m_interval; }
    void collect(const Tick &tick, Readings &into) override
    {
        ticks.push_back(tick);
        into.add(m_slot, static_cast<double>(ticks.size()));
    }
    [[nodiscard]] SourceState state() const override { return {m_name, ticks.size() < 5, "", ticks.size(), 0}; }

    std::vector<Tick> ticks;

private:
    std::string m_name;
    Duration m_interval;
    SeriesSlot m_slot;
};

} // namespace

class TestSampler : public QObject
{
    Q_OBJECT

private slots:
    void alignsToWholeIntervals()
    {
        const Schedule second(1s);
        QVERIFY(second.after(MonotonicInstant{5s + 1ns}) == MonotonicInstant{6s});
        QVERIFY(second.after(MonotonicInstant{5s}) == MonotonicInstant{6s}); // never the moment itself
        QVERIFY(second.after(MonotonicInstant{5s + 999ms}) == MonotonicInstant{6s});
        QVERIFY(Schedule(Duration{}).interval() > Duration{}); // cannot spin for ever in one place
    }

    void runsEachAtItsPaceAndSkipsWhatItMissed()
    {
        Journal journal(memorySpool());
        TwoClocks clock;
        Sampler sampler(journal, "node1", clock);
        auto made = std::make_unique<Counter>(journal, "fast", 1s);
        auto slowMade = std::make_unique<Counter>(journal, "slow", 10s);
        const Counter &fast = *made;
        const Counter &slow = *slowMade;
        sampler.add(std::move(made));
        sampler.add(std::move(slowMade));

        QVERIFY(sampler.step() == MonotonicInstant{1001s}); // at once, then aligned
        QCOMPARE(fast.ticks.size(), 1U);
        QCOMPARE(slow.ticks.size(), 1U);
        QVERIFY(sampler.step() == MonotonicInstant{1001s}); // called too early
        QCOMPARE(fast.ticks.size(), 1U);
        clock.advance(877ms);
        QVERIFY(sampler.step() == MonotonicInstant{1002s});
        QCOMPARE(fast.ticks.size(), 2U);
        QCOMPARE(slow.ticks.size(), 1U);
        clock.advance(5s + 300ms); // stalled: five were missed, one is taken
        QVERIFY(sampler.step() == MonotonicInstant{1007s});
        QCOMPARE(fast.ticks.size(), 3U);
        clock.advance(3s + 700ms);
        QVERIFY(sampler.step() == MonotonicInstant{1011s});
        QCOMPARE(slow.ticks.size(), 2U);

        const auto contents = readAll(journal);
        QCOMPARE(contents.frames.size(), 4U); // one a tick, whoever took part
        const auto &both = std::get<SampleBlock>(contents.frames.back().body);
        QCOMPARE(both.columns.size(), 2U);
        QVERIFY(both.times == std::vector<Instant>{clock.wall});
        QVERIFY(contents.faults.empty());
    }

    void noticesWhenTheClockIsMoved_data()
    {
        QTest::addColumn<qint64>("milliseconds");
        QTest::addColumn<bool>("isNoticed");
        QTest::newRow("forward an hour") << qint64{3'600'000} << true;
        QTest::newRow("back a minute") << qint64{-60'000} << true;
        QTest::newRow("slewed") << qint64{20} << false;
        QTest::newRow("not at all") << qint64{0} << false;
    }
    void noticesWhenTheClockIsMoved()
    {
        QFETCH(qint64, milliseconds);
        QFETCH(bool, isNoticed);
        Journal journal(memorySpool());
        TwoClocks clock;
        Sampler sampler(journal, "node1", clock);
        sampler.add(std::make_unique<Counter>(journal, "fast", 1s));
        sampler.step();
        clock.advance(1s);
        clock.wall += std::chrono::milliseconds(milliseconds);
        sampler.step();
        clock.advance(1s);
        sampler.step();
        const auto jumps = readAll(journal).events(EventKind::ClockJump);
        QCOMPARE(jumps.size(), isNoticed ? 1U : 0U);
        if (isNoticed) {
            QCOMPARE(*jumps[0].value, static_cast<double>(milliseconds) / 1000);
            QVERIFY(jumps[0].text.find(milliseconds > 0 ? "forward" : "back") != std::string::npos);
        }
    }

    void tellsHowTheSourcesAre()
    {
        Journal journal(memorySpool());
        TwoClocks clock;
        Sampler sampler(journal, "node1", clock);
        sampler.add(std::make_unique<Counter>(journal, "fast", 1s));
        QCOMPARE(sampler.states().size(), 1U); // before the first tick
        for (int i = 0; i < 6; ++i) {
            sampler.step();
            clock.advance(1s);
        }
        QVERIFY(!sampler.states()[0].isHealthy);
        QCOMPARE(sampler.states()[0].series, 6U);
    }

    void keepsTimeOnItsThread()
    {
        Journal journal(memorySpool());
        std::atomic<int> wakes = 0;
        journal.setWake([&] { ++wakes; });
        {
            Sampler sampler(journal, "node1");
            sampler.add(std::make_unique<Counter>(journal, "fast", 50ms));
            sampler.start();
            QTRY_VERIFY(wakes >= 8);
            sampler.stop();
            sampler.stop(); // twice is fine
        }
        const auto contents = readAll(journal);
        QVERIFY(contents.frames.size() >= 8);
        for (std::size_t i = 1; i < contents.frames.size(); ++i)
            QCOMPARE(contents.frames[i].sequence, contents.frames[i - 1].sequence + 1);
    }
};

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_sampler.moc"
