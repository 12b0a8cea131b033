// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/self.h"
#include "app/history/support_history.h"

#include <QTest>

#include <algorithm>
#include <iostream>
#include <random>

using namespace plimsoll;
using namespace plimsoll::historytest;
using namespace std::chrono_literals;

namespace {

constexpr int kRowsAFrame = 3;

// What frame number n holds follows from n alone.
Instant timeOf(Instant begin, std::uint64_t sequence) { return begin + (sequence - 1) * kRowsAFrame * 1s; }

Delivery frameOf(Feeder &feeder, Instant begin, std::uint64_t sequence)
{
    feeder.sequence = sequence;
    const auto from = double((sequence - 1) * kRowsAFrame);
    return feeder.rows(timeOf(begin, sequence), kRowsAFrame, [&](int row, std::size_t c) { return from + row + double(c) * 1e6; });
}

HistoryOptions eager(std::filesystem::path file)
{
    HistoryOptions options;
    options.file = std::move(file);
    options.commitInterval = 1ms;
    options.chunkLength = 1min; // folds often: more moments to be interrupted in
    return options;
}

Feeder twoSeries() { return Feeder("host", {"a", "b"}); }

// Everything up to the resume point is there, once, and nothing else.
QString problemOf(History &history, Instant begin)
{
    const auto next = history.resumePoint("host").nextSequence;
    const auto rows = (next - 1) * kRowsAFrame;
    const auto latest = history.latest();
    if (rows == 0)
        return latest.empty() ? QString() : QStringLiteral("series without samples");
    if (latest.size() != 2)
        return QStringLiteral("%1 series").arg(latest.size());
    const TimeRange range{begin, begin + rows * 1s + 1h};
    const auto slices = history.slice(std::vector{latest[0].id, latest[1].id}, range, 4'000'000, {});
    if (!slices)
        return QString::fromStdString(slices.error().detail);
    for (std::size_t s = 0; s < 2; ++s) {
        const auto &buckets = (*slices)[s].buckets;
        if (buckets.size() != rows)
            return QStringLiteral("%1 samples instead of %2").arg(buckets.size()).arg(rows);
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            if (buckets[i].begin != begin + i * 1s || buckets[i].last != double(i) + double(s) * 1e6)
                return QStringLiteral("sample %1 is another").arg(i);
        }
        if (latest[s].lastTime != begin + (rows - 1) * 1s)
            return QStringLiteral("the newest sample is not");
    }
    const auto events = history.events({Instant{}, Instant::max()}, 10, {});
    return events && events->empty() ? QString() : QStringLiteral("a loss that was none");
}

const Instant kBegin = fromUnixNanos(1'764'000'000'000'000'000);

// The child of killedAtAnyMoment: goes on where the file ends, until it is killed.
[[noreturn]] void writeForever(const char *file)
{
    TestClock clock;
    clock.set(kBegin + 1h);
    auto history = History::open(eager(file), {}, clock);
    if (!history) {
        std::cerr << history.error().detail << std::endl;
        std::_Exit(3);
    }
    auto feeder = twoSeries();
    std::cout << "ready" << std::endl;
    // An agent sends again what it cannot know to be committed.
    auto next = (*history)->resumePoint("host").nextSequence;
    for (auto sequence = next > 5 ? next - 5 : 1;; ++sequence)
        Feeder::post(**history, frameOf(feeder, kBegin, sequence));
}

} // namespace

/// Whatever ends the program, what was committed is there afterwards, once.
class TestRestart : public QObject
{
    Q_OBJECT

private slots:
    void copiedAtAnyMoment();
    void killedAtAnyMoment();
    void closesCleanly();
};

void TestRestart::copiedAtAnyMoment()
{
    std::mt19937_64 random(std::random_device{}());
    Scene scene;
    scene.options = eager(scene.options.file);
    auto feeder = twoSeries();
    auto history = scene.open();
    std::uint64_t sequence = 1;
    std::uint64_t committed = 0;
    for (int round = 0; round < 25; ++round) {
        std::atomic<bool> isDone = false;
        std::jthread sender([&] {
            while (!isDone)
                Feeder::post(*history, frameOf(feeder, scene.begin, sequence++));
        });
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000)); // a moment like any other
        committed = history->resumePoint("host").nextSequence;
        // What a crash just now would leave: the writer is held up so that the two files are of one moment.
        QTemporaryDir folder;
        const auto copy = std::filesystem::path(folder.path().toStdString()) / "copy.plim";
        {
            SQLite::Database pin(scene.options.file.string(), SQLite::OPEN_READWRITE, 5000);
            pin.exec("BEGIN IMMEDIATE");
            std::filesystem::copy_file(scene.options.file, copy);
            std::filesystem::copy_file(scene.options.file.string() + "-wal", copy.string() + "-wal");
            pin.exec("ROLLBACK");
        }
        isDone = true;
        sender.join();
        auto options = eager(copy);
        auto again = History::open(options, {}, scene.clock);
        QVERIFY2(again, again ? "" : again.error().detail.c_str());
        QVERIFY((*again)->state().health == HistoryState::Health::Fine);
        QVERIFY((*again)->resumePoint("host").nextSequence >= committed);
        const auto problem = problemOf(**again, scene.begin);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        again->reset();
        SQLite::Database check(copy.string(), SQLite::OPEN_READWRITE);
        QCOMPARE(check.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
    }
    QVERIFY(sequence > 100);
}

void TestRestart::killedAtAnyMoment()
{
    std::mt19937_64 random(std::random_device{}());
    Scene scene;
    scene.options = eager(scene.options.file);
    std::uint64_t before = 1;
    for (int round = 0; round < 20; ++round) {
        Self child({"--write-forever", scene.options.file.string()});
        QVERIFY(child.waitForOutput(60'000));
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 120)); // a moment like any other
        child.kill();
        const int status = child.wait();
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

        auto history = scene.open();
        QVERIFY(history);
        QVERIFY(history->state().health == HistoryState::Health::Fine);
        const auto problem = problemOf(*history, scene.begin);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        const auto next = history->resumePoint("host").nextSequence;
        QVERIFY(next >= before);
        before = next;
    }
    QVERIFY(before > 20);
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
}

void TestRestart::closesCleanly()
{
    Scene scene;
    auto feeder = twoSeries();
    {
        const auto history = scene.open();
        Feeder::post(*history, frameOf(feeder, scene.begin, 1)); // and no flush
    }
    // Nothing lies about: no log, no lock.
    QCOMPARE(QDir(scene.folder.path()).entryList(QDir::Files), QStringList{QStringLiteral("history.plim")});
    const auto history = scene.open();
    QCOMPARE(problemOf(*history, scene.begin), QString());
    QCOMPARE(history->resumePoint("host").nextSequence, 2U);
}

int main(int argc, char **argv)
{
    if (argc == 3 && std::string_view(argv[1]) == "--write-forever")
        writeForever(argv[2]);
    QCoreApplication app(argc, argv);
    TestRestart test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_restart.moc"
