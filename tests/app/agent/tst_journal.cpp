// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_rig.h"

#include "agent/journal.h"
#include "agent/series_of.h"

#include <QTest>

#include <set>

using namespace plimsoll;
using namespace plimsoll::test;
using namespace std::chrono_literals;

namespace {

SpoolOptions inFolder(const fs::path &folder)
{
    SpoolOptions options;
    options.folder = folder;
    options.bootId = "boot";
    options.limit = Bytes{kMiB};
    return options;
}

SeriesInfo seriesOf(const std::string &name, const std::string &pid = "1")
{
    return catalogued(metric::kProcessRss, Labels{{"process.name", name}, {"process.pid", pid}}, "job:x", 1s, {"statm", "", 1});
}

Instant at(int second)
{
    return Instant{1'700'000'000s + std::chrono::seconds(second)};
}

std::uint32_t idOf(const JournalContents &contents, std::string_view name)
{
    for (const auto &[id, info] : contents.series) {
        if (info.key.labels.value("process.name") == name)
            return id;
    }
    return 0;
}

} // namespace

class TestJournal : public QObject
{
    Q_OBJECT

private slots:
    void tellsEverySeriesBeforeItsSamples()
    {
        Journal journal(memorySpool());
        const auto a = journal.define(seriesOf("a"));
        Readings readings;
        readings.add(a, std::uint64_t{1});
        journal.publish(at(1), readings);
        const auto b = journal.define(seriesOf("b"));
        readings.clear();
        readings.add(b, 2.5);
        readings.add(a, 3.0);
        readings.events.push_back({at(2), EventKind::JobStarted, Labels{{"job.id", "x"}}, "Job x started.", std::nullopt});
        journal.publish(at(2), readings);
        const auto contents = readAll(journal);
        QVERIFY(contents.faults.empty());
        QCOMPARE(contents.series.size(), 2U);
        QVERIFY(contents.series.at(idOf(contents, "a")) == seriesOf("a"));
        QCOMPARE(contents.frames.size(), 3U); // the event is one of its own, and goes first
        QVERIFY(std::holds_alternative<Event>(contents.frames[1].body));
        QVERIFY(contents.values(metric::kProcessRss, "process.name", "a") == (std::vector<double>{1, 3}));
        QVERIFY(std::get<SampleBlock>(contents.frames[2].body).times == std::vector<Instant>{at(2)});
        QCOMPARE(journal.spoolState().series, 2U);
    }

    void givesNoNumberToTwoSeries()
    {
        Journal journal(memorySpool());
        std::set<std::uint32_t> ids;
        Readings readings;
        for (int i = 0; i < 100; ++i) { // processes come and go, the places are used again
            const auto slot = journal.define(seriesOf("p", std::to_string(i)));
            readings.clear();
            readings.add(slot, static_cast<double>(i));
            journal.publish(at(i), readings);
            journal.retire(slot);
            QCOMPARE(slot.index, 1U);
        }
        const auto contents = readAll(journal);
        QCOMPARE(contents.series.size(), 100U);
        QVERIFY(contents.faults.empty());
        for (int i = 0; i < 100; ++i)
            QVERIFY(contents.last(metric::kProcessRss, "process.pid", std::to_string(i)) == i);
        journal.retire({}); // none
        QCOMPARE(journal.spoolState().series, 0U);
    }

    void keepsNumbersOverARestart()
    {
        const Folder folder;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        {
            Journal journal(std::move(*Spool::open(inFolder(folder / "spool"))));
            Readings readings;
            readings.add(journal.define(seriesOf("a")), 1.0);
            readings.add(journal.define(seriesOf("b")), 1.0);
            journal.publish(at(1), readings);
            const auto contents = readAll(journal);
            a = idOf(contents, "a");
            b = idOf(contents, "b");
        } // killed
        Journal journal(std::move(*Spool::open(inFolder(folder / "spool"))));
        Readings readings;
        readings.add(journal.define(seriesOf("new")), 2.0);
        readings.add(journal.define(seriesOf("b")), 2.0);
        auto faster = seriesOf("a");
        faster.interval = 500ms; // not the series it was
        readings.add(journal.define(faster), 2.0);
        journal.publish(at(2), readings);
        const auto contents = readAll(journal);
        QVERIFY(contents.faults.empty());
        QCOMPARE(contents.series.size(), 4U);
        QVERIFY(contents.series.at(a) == seriesOf("a"));
        QVERIFY(contents.values(metric::kProcessRss, "process.name", "b") == (std::vector<double>{1, 2}));
        QCOMPARE(idOf(contents, "b"), b);
        QVERIFY(idOf(contents, "new") > std::max(a, b));
    }

    // Whoever begins at any point of the ring gets every definition it needs.
    void definesWithinEachPieceOfTheRing()
    {
        const Folder folder;
        for (const auto &options : {SpoolOptions{}, inFolder(folder / "spool")}) {
            Journal journal(std::move(*Spool::open(options)));
            std::vector<SeriesSlot> series;
            for (int i = 0; i < 50; ++i)
                series.push_back(journal.define(seriesOf("p" + std::to_string(i))));
            Readings readings;
            for (int second = 0; second < 3000; ++second) {
                readings.clear();
                for (std::size_t i = 0; i < series.size(); ++i) {
                    if (i % 10 != 0 || second % 10 == 0) // some are slow
                        readings.add(series[i], static_cast<double>(second));
                }
                journal.publish(at(second), readings);
            }
            const auto bounds = journal.bounds();
            QVERIFY(options.folder.empty() || bounds.oldest > 1);
            for (auto from = bounds.oldest; from <= bounds.newest; from += 397) {
                const auto contents = readAll(journal, {from, 0, 0});
                QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
                QCOMPARE(contents.frames.front().sequence, from);
                QCOMPARE(contents.frames.size(), bounds.newest - from + 1);
            }
        }
    }

    void splitsARowThatIsTooWide()
    {
        Journal journal(memorySpool());
        Readings readings;
        for (int i = 0; i < 60'000; ++i)
            readings.add(journal.define(seriesOf("p", std::to_string(i))), static_cast<double>(i));
        journal.publish(at(1), readings);
        SpoolCursor cursor;
        std::string payload;
        std::size_t largest = 0;
        for (auto item = journal.read(cursor, payload); item.kind != SpoolItem::Kind::End; item = journal.read(cursor, payload))
            largest = std::max(largest, payload.size());
        QVERIFY2(largest < (1 << 20), std::to_string(largest).c_str());
        const auto contents = readAll(journal);
        QVERIFY(contents.faults.empty());
        QCOMPARE(contents.frames.size(), 2U);
        QCOMPARE(contents.series.size(), 60'000U);
    }

    void carriesForeignTextSafely()
    {
        Journal journal(memorySpool());
        auto info = seriesOf("\xff\xfe<b>\x01\xe2\x80\xae");
        info.key.labels.set("long", std::string(100'000, 'x'));
        Readings readings;
        readings.add(journal.define(info), 1.0);
        readings.events.push_back({at(1), EventKind::OomKill, info.key.labels, std::string(100'000, '\xff'), 1.0});
        journal.publish(at(1), readings);
        const auto contents = readAll(journal);
        QVERIFY2(contents.faults.empty(), contents.faults.empty() ? "" : contents.faults.front().c_str());
        QCOMPARE(contents.frames.size(), 2U);
    }

    void wakesAfterEachPublish()
    {
        Journal journal(memorySpool());
        int wakes = 0;
        journal.setWake([&] {
            ++wakes;
            QVERIFY(journal.bounds().newest == static_cast<std::uint64_t>(wakes)); // no lock is held, and it is there
        });
        journal.publish(Event{at(1), EventKind::AgentStarted, {}, "", std::nullopt});
        journal.publish(Event{at(2), EventKind::AgentStopped, {}, "", std::nullopt});
        QCOMPARE(wakes, 2);
    }
};

QTEST_APPLESS_MAIN(TestJournal)
#include "tst_journal.moc"
