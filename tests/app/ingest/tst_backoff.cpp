// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/backoff.h"

#include <QTest>

#include <set>

using namespace plimsoll;
using namespace std::chrono_literals;

class TestBackoff : public QObject
{
    Q_OBJECT

private slots:
    void doublesUpToTheLongest();
    void beginsAnewAfterAReset();
    void isJittered();
    void survivesOddOptions();
};

void TestBackoff::doublesUpToTheLongest()
{
    Backoff backoff(100ms, 2s, 1);
    for (const Duration most : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms, 2000ms}) {
        const Duration wait = backoff.next();
        QVERIFY(wait <= most);
        QVERIFY(wait >= most / 2);
    }
}

void TestBackoff::beginsAnewAfterAReset()
{
    Backoff backoff(100ms, 2s, 2);
    for (int i = 0; i < 10; ++i)
        (void)backoff.next();
    backoff.reset();
    QVERIFY(backoff.next() <= 100ms);
}

void TestBackoff::isJittered()
{
    std::set<Duration> waits;
    for (std::uint_fast32_t seed = 1; seed <= 100; ++seed)
        waits.insert(Backoff(1s, 1s, seed * 7919).next());
    QVERIFY(waits.size() > 90);
}

void TestBackoff::survivesOddOptions()
{
    Backoff none(0s, 0s, 3);
    for (int i = 0; i < 100; ++i)
        QVERIFY(none.next() <= 1ns);
    Backoff reversed(1s, 1ms, 3); // the longest is shorter than the first
    for (int i = 0; i < 100; ++i)
        QVERIFY(reversed.next() <= 1s);
    Backoff endless(1s, Duration::max(), 3);
    for (int i = 0; i < 100; ++i)
        QVERIFY(endless.next() >= 0s);
}

QTEST_APPLESS_MAIN(TestBackoff)
#include "tst_backoff.moc"
