// SPDX-License-Identifier: GPL-3.0-or-later
// What is made once is read from any thread: here from several at once, for ThreadSanitizer to watch.
#include "random_trace.h"

#include "snapshot/categories.h"
#include "snapshot/census.h"
#include "snapshot/find.h"
#include "snapshot/grouping.h"
#include "snapshot/leaks.h"
#include "snapshot/peaks.h"
#include "snapshot/residency.h"
#include "snapshot/segment_map.h"
#include "snapshot/stack_tree.h"

#include <QTest>

#include <atomic>
#include <thread>

using namespace plimsoll;

class ThreadsTest : public QObject
{
    Q_OBJECT

private slots:
    void manyReaders();
};

void ThreadsTest::manyReaders()
{
    RandomTraceWish wish;
    wish.hasPending = true;
    wish.pools = wish.streams = 2;
    const auto snapshot = randomTrace(11, wish);
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    const LevelCurve curve(replay, LevelKind::Requested);
    const LevelCurve cached(replay, LevelKind::Cached);
    const StackTree tree(snapshot, TreeDirection::TopDown);
    const SegmentMap map(replay);
    const Categories categories(replay);
    FrameIndex index(snapshot);
    index.count(replay);
    const auto bands = bandsOfStacks(replay, 5);
    const auto expected = censusOf(replay);
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> readers;
        for (unsigned seed = 0; seed < 4; ++seed)
            readers.emplace_back([&, seed] {
                std::mt19937 random(seed);
                for (int round = 0; round < 30; ++round) {
                    const auto at = static_cast<EventInstant>(random() % curve.size());
                    const auto level = replay.levelAt(at);
                    std::int64_t sum = 0;
                    for (const auto bytes : categories.aliveAt(at))
                        sum += bytes;
                    const auto state = map.at(at);
                    const auto boxes = tree.boxes(tree.alive(replay, at), 1);
                    const auto picture = bandPicture(curve, bands, eventBorders(0, curve.size(), 50));
                    const bool isRight = curve.at(at) == level && sum == level && boxes.front().value == level
                        && static_cast<std::int64_t>(state.free) == cached.at(at) && index.find("main").frames.size() > 0
                        && picture.columns.size() == 50 && peakOf(curve, replay).level == replay.peakLevel();
                    wrong += isRight ? 0 : 1;
                }
                // Made in several threads from one snapshot.
                wrong += censusOf(snapshot, replay.device()) == expected ? 0 : 1;
                wrong += Replay(snapshot, replay.device()).peakLevel() == replay.peakLevel() ? 0 : 1;
                wrong += findLeaks(replay).leaks.empty() && groupAllocations(replay, GroupBy::Pool).names.empty() ? 1 : 0;
            });
    }
    QCOMPARE(wrong.load(), 0);
}

QTEST_GUILESS_MAIN(ThreadsTest)
#include "tst_threads.moc"
