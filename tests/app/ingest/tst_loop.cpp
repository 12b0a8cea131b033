// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/loop.h"

#include <QTest>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

using namespace plimsoll;
using namespace std::chrono_literals;

class TestLoop : public QObject
{
    Q_OBJECT

private slots:
    void keepsTheOrder();
    void runsAtItsTime();
    void forgetsAnOwner();
    void forgettingWaitsForTheOneThatRuns();
    void forgettingFromInsideDoesNotWait();
    void dropsTheRestAtItsEnd();
    void isSharedWhileItIsHeld();
};

void TestLoop::keepsTheOrder()
{
    Loop loop;
    std::vector<int> order;
    std::promise<void> done;
    for (int i = 0; i < 100; ++i)
        loop.post(this, [&order, i](const std::stop_token &) { order.push_back(i); });
    loop.post(this, [&](const std::stop_token &) { done.set_value(); });
    done.get_future().wait();
    for (int i = 0; i < 100; ++i)
        QCOMPARE(order[static_cast<std::size_t>(i)], i);
}

void TestLoop::runsAtItsTime()
{
    Loop loop;
    std::promise<std::vector<int>> done;
    std::vector<int> order;
    const MonotonicInstant now = std::chrono::steady_clock::now();
    loop.postAt(this, now + 60ms, [&](const std::stop_token &) {
        order.push_back(2);
        done.set_value(order);
    });
    loop.postAt(this, now + 20ms, [&](const std::stop_token &) { order.push_back(1); });
    loop.postAt(this, now - 1h, [&](const std::stop_token &) { order.push_back(0); });
    QCOMPARE(done.get_future().get(), (std::vector<int>{0, 1, 2}));
    QVERIFY(std::chrono::steady_clock::now() >= now + 60ms);
}

void TestLoop::forgetsAnOwner()
{
    Loop loop;
    std::atomic<int> ours{0};
    std::atomic<int> theirs{0};
    const auto held = std::make_shared<int>(0);
    const MonotonicInstant soon = std::chrono::steady_clock::now() + 50ms;
    for (int i = 0; i < 10; ++i) {
        loop.postAt(&ours, soon, [&ours, held](const std::stop_token &) { ++ours; });
        loop.postAt(&theirs, soon, [&theirs](const std::stop_token &) { ++theirs; });
    }
    QCOMPARE(loop.waiting(), 20U);
    loop.forget(&ours);
    QCOMPARE(loop.waiting(), 10U);
    QCOMPARE(held.use_count(), 1); // what the tasks held is gone
    QTRY_COMPARE(theirs.load(), 10);
    QCOMPARE(ours.load(), 0);
}

void TestLoop::forgettingWaitsForTheOneThatRuns()
{
    Loop loop;
    std::promise<void> begun;
    std::atomic<bool> isDone{false};
    loop.post(this, [&](const std::stop_token &) {
        begun.set_value();
        std::this_thread::sleep_for(50ms);
        isDone = true;
    });
    begun.get_future().wait();
    loop.forget(this);
    QVERIFY(isDone);
}

void TestLoop::forgettingFromInsideDoesNotWait()
{
    Loop loop;
    std::promise<void> done;
    loop.post(this, [&](const std::stop_token &) {
        loop.forget(this);
        done.set_value();
    });
    QVERIFY(done.get_future().wait_for(5s) == std::future_status::ready);
}

void TestLoop::dropsTheRestAtItsEnd()
{
    const auto held = std::make_shared<int>(0);
    std::promise<void> stopped;
    {
        Loop loop;
        std::promise<void> begun;
        loop.post(this, [&](const std::stop_token &stop) {
            begun.set_value();
            while (!stop.stop_requested())
                std::this_thread::yield();
            stopped.set_value(); // long work hears of the end
        });
        loop.postAt(this, std::chrono::steady_clock::now() + 1h, [held](const std::stop_token &) {});
        begun.get_future().wait();
    }
    QVERIFY(stopped.get_future().wait_for(0s) == std::future_status::ready);
    QCOMPARE(held.use_count(), 1);
}

void TestLoop::isSharedWhileItIsHeld()
{
    auto first = Loop::shared();
    const auto second = Loop::shared();
    QCOMPARE(first.get(), second.get());
    const std::weak_ptr<Loop::Threads> seen = first;
    first.reset();
    QVERIFY(!seen.expired());
}

QTEST_GUILESS_MAIN(TestLoop)
#include "tst_loop.moc"
