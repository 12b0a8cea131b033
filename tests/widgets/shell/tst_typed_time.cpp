// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/typed_time.h"

#include <QTest>

#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

// 2026-11-18 14:03:00 UTC
static const Instant kNow = fromUnixNanos(1'795'010'580LL * 1'000'000'000);

class TestTypedTime : public QObject
{
    Q_OBJECT

private slots:
    void readsTimes_data();
    void readsTimes();
    void refusesOthers_data();
    void refusesOthers();
    void readsRanges_data();
    void readsRanges();
    void survivesAnything();
};

void TestTypedTime::readsTimes_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<qint64>("secondsBeforeNow");
    QTest::newRow("clock") << "14:00" << qint64(180);
    QTest::newRow("with at") << "@14:00" << qint64(180);
    QTest::newRow("now itself") << "14:03" << qint64(0);
    QTest::newRow("with seconds") << "13:20:07" << qint64(2573);
    QTest::newRow("later than now is yesterday") << "14:04" << qint64(86'340);
    QTest::newRow("hours back") << "-2h" << qint64(7200);
    QTest::newRow("true minus") << QString::fromUtf8("\u22122 h") << qint64(7200);
    QTest::newRow("seconds back") << "-90 s" << qint64(90);
    QTest::newRow("two parts") << "-1 h 30 min" << qint64(5400);
    QTest::newRow("days back") << "-1 d" << qint64(86'400);
    QTest::newRow("now") << "Now" << qint64(0);
    QTest::newRow("iso date") << "2026-11-18" << qint64(50'580);
    QTest::newRow("iso date and clock") << "2026-11-17 14:03" << qint64(86'400);
    QTest::newRow("iso with T") << "2026-11-17T14:03:00" << qint64(86'400);
    QTest::newRow("day and month") << "17 Nov 14:03" << qint64(86'400);
    QTest::newRow("a day that is yet to come was last year") << "19 Nov 14:03" << qint64(364 * 86'400);
    QTest::newRow("many spaces") << "   -2   h  " << qint64(7200);
}

void TestTypedTime::readsTimes()
{
    QFETCH(QString, typed);
    QFETCH(qint64, secondsBeforeNow);
    const auto time = parseTypedTime(typed, kNow, true);
    QVERIFY(time.has_value());
    QCOMPARE(qint64(std::chrono::duration_cast<std::chrono::seconds>(kNow - *time).count()), secondsBeforeNow);
}

void TestTypedTime::refusesOthers_data()
{
    QTest::addColumn<QString>("typed");
    for (const char *typed : {"", "@", "25:00", "14:61", "14", "rag-ft", "-", "-h", "-2 parsecs", "2026-13-40", "-999999999999999999999 d",
                              "-1e400 h", "14:03:", "<b>", "-4000 d", "1:2:3:4"})
        QTest::addRow("%s", typed) << QString::fromUtf8(typed);
    QTest::newRow("long") << QString(5000, QLatin1Char('1'));
}

void TestTypedTime::refusesOthers()
{
    QFETCH(QString, typed);
    QVERIFY(!parseTypedTime(typed, kNow, true).has_value());
}

void TestTypedTime::readsRanges_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<qint64>("begin"); // seconds before now
    QTest::addColumn<qint64>("end");
    QTest::addColumn<bool>("isRange");
    QTest::newRow("length") << "6 h" << qint64(21'600) << qint64(0) << true;
    QTest::newRow("en dash") << QString::fromUtf8("13:00 – 14:00") << qint64(3780) << qint64(180) << true;
    QTest::newRow("hyphen") << "13:00 - 14:00" << qint64(3780) << qint64(180) << true;
    QTest::newRow("dots") << "13:00..14:00" << qint64(3780) << qint64(180) << true;
    QTest::newRow("to") << "-2h to now" << qint64(7200) << qint64(0) << true;
    QTest::newRow("iso dates") << "2026-11-16 to 2026-11-17" << qint64(223'380) << qint64(136'980) << true;
    QTest::newRow("over midnight") << "23:30 to 00:30" << qint64(52'380) << qint64(48'780) << true;
    QTest::newRow("backwards") << "-1h to -2h" << qint64(0) << qint64(0) << false;
    QTest::newRow("one time") << "14:00" << qint64(0) << qint64(0) << false;
    QTest::newRow("zero") << "0 s" << qint64(0) << qint64(0) << false;
    QTest::newRow("words") << "yesterday" << qint64(0) << qint64(0) << false;
}

void TestTypedTime::readsRanges()
{
    QFETCH(QString, typed);
    QFETCH(bool, isRange);
    const auto range = parseTypedRange(typed, kNow, true);
    QCOMPARE(range.has_value(), isRange);
    if (!isRange)
        return;
    QTEST(qint64(std::chrono::duration_cast<std::chrono::seconds>(kNow - range->begin).count()), "begin");
    QTEST(qint64(std::chrono::duration_cast<std::chrono::seconds>(kNow - range->end).count()), "end");
}

void TestTypedTime::survivesAnything()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const QString letters = QString::fromUtf8("0123456789:-– .@dhmsinTNov\u2212");
    std::uniform_int_distribution<int> pick(0, int(letters.size()) - 1);
    for (int round = 0; round < 20'000; ++round) {
        QString text;
        for (int i = round % 24; i >= 0; --i)
            text += letters.at(pick(random));
        if (const auto range = parseTypedRange(text, kNow, true))
            QVERIFY(range->begin < range->end);
        if (const auto time = parseTypedTime(text, kNow, true))
            QVERIFY(toUnixNanos(*time) != 0);
    }
}

QTEST_GUILESS_MAIN(TestTypedTime)
#include "tst_typed_time.moc"
