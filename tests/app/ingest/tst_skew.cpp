// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/skew.h"

#include <QTest>

#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

const Instant kStart = fromUnixNanos(1'790'000'000'000'000'000);

// One question over a network that takes so long there and so long back.
void ask(SkewEstimate &estimate, Duration skew, Duration there, Duration back)
{
    estimate.addAnswer(kStart + there + skew, kStart + there + back, there + back);
}

} // namespace

class TestSkew : public QObject
{
    Q_OBJECT

private slots:
    void knowsNothingFirst();
    void isExactWhenTheWayIsEven();
    void errsByHalfTheRoundTripAtMost();
    void believesTheQuickest();
    void notesThatAClockWasSet();
    void aMessageFromTheFutureMovesIt();
    void aLateMessageSaysNothing();
};

void TestSkew::knowsNothingFirst()
{
    SkewEstimate estimate;
    QVERIFY(!estimate.skew());
    QVERIFY(!estimate.roundTrip());
    estimate.addMessage(kStart, kStart); // alone it bounds one side only
    QVERIFY(!estimate.skew());
}

void TestSkew::isExactWhenTheWayIsEven()
{
    for (const Duration skew : {Duration(0), Duration(5min), Duration(-3h), Duration(1ns)}) {
        SkewEstimate estimate;
        ask(estimate, skew, 10ms, 10ms);
        QVERIFY(estimate.skew() == skew);
        QVERIFY(estimate.roundTrip() == Duration(20ms));
    }
}

void TestSkew::errsByHalfTheRoundTripAtMost()
{
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::int64_t> way(0, 50'000'000);
    for (int run = 0; run < 200; ++run) {
        SkewEstimate estimate;
        const Duration skew(std::uniform_int_distribution<std::int64_t>(-3'600'000'000'000, 3'600'000'000'000)(random));
        Duration slowest{};
        for (int i = 0; i < 20; ++i) {
            const Duration there(way(random));
            const Duration back(way(random));
            slowest = std::max(slowest, there + back);
            ask(estimate, skew, there, back);
            QVERIFY(std::chrono::abs(*estimate.skew() - skew) <= slowest / 2 + 1ns);
        }
    }
}

void TestSkew::believesTheQuickest()
{
    SkewEstimate estimate;
    for (int i = 0; i < 6; ++i)
        ask(estimate, 1s, 400ms, 0ms); // each seems 200 ms too much
    QVERIFY(estimate.skew() == Duration(1200ms));
    ask(estimate, 1s, 1ms, 1ms);
    ask(estimate, 1s, 1ms, 1ms);
    QVERIFY(estimate.skew() == Duration(1s));
    QVERIFY(estimate.roundTrip() == Duration(2ms));
    for (int i = 0; i < 5; ++i)
        ask(estimate, 1s, 0ms, 900ms);
    QVERIFY(estimate.skew() == Duration(1s));
}

void TestSkew::notesThatAClockWasSet()
{
    SkewEstimate estimate;
    for (int i = 0; i < 10; ++i)
        ask(estimate, 0s, 1ms, 1ms);
    ask(estimate, -10min, 5ms, 5ms); // slower than all before, and yet the truth
    QVERIFY(estimate.skew() == Duration(-10min));
    ask(estimate, 10min, 200ms, 200ms);
    QVERIFY(estimate.skew() == Duration(10min));
}

void TestSkew::aMessageFromTheFutureMovesIt()
{
    SkewEstimate estimate;
    ask(estimate, 0s, 1ms, 1ms);
    estimate.addMessage(kStart + 30s, kStart);
    QVERIFY(estimate.skew() == Duration(30s));
}

void TestSkew::aLateMessageSaysNothing()
{
    SkewEstimate estimate;
    ask(estimate, 2s, 1ms, 1ms);
    estimate.addMessage(kStart + 2s - 1ms, kStart);
    estimate.addMessage(kStart - 1h, kStart); // held up for an hour
    QVERIFY(estimate.skew() == Duration(2s));
}

QTEST_APPLESS_MAIN(TestSkew)
#include "tst_skew.moc"
