// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/job_queue.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <semaphore>

using namespace plimsoll;

class TestJobQueue : public QObject
{
    Q_OBJECT

private slots:
    void runsInOrder();
    void stoppedBeforeItsTurnNeverRuns();
    void destructorStopsAndWaits();
};

void TestJobQueue::runsInOrder()
{
    std::vector<int> seen; // one thread writes, and the semaphore orders the reading
    std::binary_semaphore done(0);
    JobQueue queue(1);
    for (int i = 0; i < 100; ++i)
        queue.post([&seen, i](std::stop_token) { seen.push_back(i); });
    queue.post([&done](std::stop_token) { done.release(); });
    QVERIFY(done.try_acquire_for(std::chrono::seconds(10)));
    QCOMPARE(seen.size(), 100U);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
}

void TestJobQueue::stoppedBeforeItsTurnNeverRuns()
{
    std::binary_semaphore go(0);
    std::binary_semaphore done(0);
    std::atomic<bool> ran{false};
    JobQueue queue(1);
    queue.post([&go](std::stop_token) { go.acquire(); });
    std::stop_source stop = queue.post([&ran](std::stop_token) { ran = true; });
    queue.post([&done](std::stop_token) { done.release(); });
    stop.request_stop();
    go.release();
    QVERIFY(done.try_acquire_for(std::chrono::seconds(10)));
    QVERIFY(!ran);
}

void TestJobQueue::destructorStopsAndWaits()
{
    std::atomic<int> ended{0};
    std::counting_semaphore<2> begun(0);
    auto queue = std::make_unique<JobQueue>(2);
    for (int i = 0; i < 5; ++i) {
        queue->post([&](std::stop_token stop) {
            begun.release();
            std::binary_semaphore stopped(0);
            const std::stop_callback wake(stop, [&stopped] { stopped.release(); });
            stopped.acquire();
            ++ended;
        });
    }
    begun.acquire();
    begun.acquire();
    queue.reset();
    QCOMPARE(ended.load(), 2); // the other three never had their turn
}

QTEST_APPLESS_MAIN(TestJobQueue)
#include "tst_job_queue.moc"
