// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/mailbox.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <thread>

using namespace std::chrono_literals;
using plimsoll::Mailbox;

namespace {

std::chrono::steady_clock::time_point in(std::chrono::milliseconds wait)
{
    return std::chrono::steady_clock::now() + wait;
}

std::vector<int> takeNow(Mailbox<int> &box) { return box.takeUntil(in(0ms), {}); }

bool post(Mailbox<int> &box, int item, std::size_t weight = 1) { return box.tryPost(item, weight); }

} // namespace

class TestMailbox : public QObject
{
    Q_OBJECT

private slots:
    void keepsTheOrder();
    void leavesARefusedItemUntouched();
    void takesAHeavyItemWhenItIsEmpty();
    void waitsForTheDeadline();
    void wakesForAnItemAStopAndAClose();
    void callsOnceWhenThereIsRoom();
    void callsAtOnceWhenItIsEmpty();
    void forgetsWhoHasGone();
    void forgettingWaitsForTheOneThatRuns();
    void aClosedBoxRefusesAndForgets();
    void losesNothingBetweenThreads();
};

void TestMailbox::keepsTheOrder()
{
    Mailbox<int> box(10);
    for (int i = 0; i < 5; ++i)
        QVERIFY(post(box, i));
    QCOMPARE(box.weight(), 5U);
    QCOMPARE(takeNow(box), (std::vector<int>{0, 1, 2, 3, 4}));
    QCOMPARE(box.weight(), 0U);
    QVERIFY(takeNow(box).empty());
}

void TestMailbox::leavesARefusedItemUntouched()
{
    Mailbox<std::unique_ptr<int>> box(10);
    auto first = std::make_unique<int>(1);
    QVERIFY(box.tryPost(first, 8));
    QVERIFY(!first);
    auto second = std::make_unique<int>(2);
    QVERIFY(!box.tryPost(second, 3));
    QVERIFY(second);
    QVERIFY(box.tryPost(second, 2)); // exactly full
}

void TestMailbox::takesAHeavyItemWhenItIsEmpty()
{
    Mailbox<int> box(10);
    QVERIFY(post(box, 1, 1000));
    QVERIFY(!post(box, 2, 0));
    QCOMPARE(takeNow(box).size(), 1U);
    QVERIFY(post(box, 2, 1000));
}

void TestMailbox::waitsForTheDeadline()
{
    Mailbox<int> box(10);
    const auto begun = std::chrono::steady_clock::now();
    QVERIFY(box.takeUntil(begun + 30ms, {}).empty());
    QVERIFY(std::chrono::steady_clock::now() >= begun + 30ms);
}

void TestMailbox::wakesForAnItemAStopAndAClose()
{
    Mailbox<int> box(10);
    std::stop_source stop;
    const std::jthread item([&] { QVERIFY(post(box, 7)); });
    QCOMPARE(box.takeUntil(in(1min), stop.get_token()), std::vector<int>{7});
    const std::jthread stopper([&] { stop.request_stop(); });
    QVERIFY(box.takeUntil(in(1min), stop.get_token()).empty());
    const std::jthread closer([&] { box.close(); });
    QVERIFY(box.takeUntil(in(1min), {}).empty());
}

void TestMailbox::callsOnceWhenThereIsRoom()
{
    Mailbox<int> box(1);
    QVERIFY(post(box, 1));
    int calls = 0;
    box.callWhenRoom(&calls, [&] { ++calls; });
    QCOMPARE(calls, 0);
    QCOMPARE(takeNow(box).size(), 1U);
    QCOMPARE(calls, 1);
    QVERIFY(takeNow(box).empty());
    QCOMPARE(calls, 1);
}

void TestMailbox::callsAtOnceWhenItIsEmpty()
{
    Mailbox<int> box(1);
    int calls = 0;
    box.callWhenRoom(&calls, [&] { ++calls; });
    QCOMPARE(calls, 1);
}

void TestMailbox::forgetsWhoHasGone()
{
    Mailbox<int> box(1);
    QVERIFY(post(box, 1));
    int gone = 0;
    int here = 0;
    box.callWhenRoom(&gone, [&] { ++gone; });
    box.callWhenRoom(&here, [&] { ++here; });
    box.forget(&gone);
    QCOMPARE(takeNow(box).size(), 1U);
    QCOMPARE(gone, 0);
    QCOMPARE(here, 1);
}

void TestMailbox::forgettingWaitsForTheOneThatRuns()
{
    Mailbox<int> box(1);
    QVERIFY(post(box, 1));
    std::atomic<bool> isRunning{false};
    std::atomic<bool> isDone{false};
    box.callWhenRoom(this, [&] {
        isRunning = true;
        std::this_thread::sleep_for(50ms);
        isDone = true;
    });
    const std::jthread receiver([&] { QCOMPARE(takeNow(box).size(), 1U); });
    while (!isRunning)
        std::this_thread::yield();
    box.forget(this);
    QVERIFY(isDone);
}

void TestMailbox::aClosedBoxRefusesAndForgets()
{
    Mailbox<int> box(1);
    QVERIFY(post(box, 1));
    int calls = 0;
    box.callWhenRoom(&calls, [&] { ++calls; });
    box.close();
    QVERIFY(!post(box, 2));
    box.callWhenRoom(&calls, [&] { ++calls; }); // would be refused and wait again, for ever
    QCOMPARE(takeNow(box), std::vector<int>{1}); // what was taken in is not lost
    box.callWhenRoom(&calls, [&] { ++calls; });
    QCOMPARE(calls, 0);
}

void TestMailbox::losesNothingBetweenThreads()
{
    constexpr int kSenders = 4;
    constexpr int kEach = 5000;
    Mailbox<int> box(16);
    std::atomic<bool> isRoom[kSenders] = {true, true, true, true};
    std::vector<std::jthread> senders;
    for (int sender = 0; sender < kSenders; ++sender) {
        senders.emplace_back([&, sender] {
            for (int i = 0; i < kEach; ++i) {
                int item = sender * kEach + i;
                while (!box.tryPost(item, 1)) {
                    isRoom[sender] = false;
                    box.callWhenRoom(&isRoom[sender], [&, sender] {
                        isRoom[sender] = true;
                        isRoom[sender].notify_one();
                    });
                    isRoom[sender].wait(false);
                }
            }
        });
    }
    std::vector<int> next(kSenders, 0);
    for (int taken = 0; taken < kSenders * kEach;) {
        for (const int item : box.takeUntil(in(10s), {})) {
            QCOMPARE(item % kEach, next[static_cast<std::size_t>(item / kEach)]++); // each sender's own order
            ++taken;
        }
    }
    QCOMPARE(next, std::vector<int>(kSenders, kEach));
}

QTEST_APPLESS_MAIN(TestMailbox)
#include "tst_mailbox.moc"
