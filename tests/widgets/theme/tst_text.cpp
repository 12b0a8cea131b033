// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/text.h"

#include <QTest>
#include <QTextDocument>

#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

class TestText : public QObject
{
    Q_OBJECT

private slots:
    void showsForeignText_data();
    void showsForeignText();
    void boundsAnything();
    void writesFigures();
    void writesTimes();
    void writesRanges_data();
    void writesRanges();
    void keepsTipsPlain();
};

void TestText::showsForeignText_data()
{
    QTest::addColumn<QByteArray>("given");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("plain") << QByteArray("node-17/gpu3") << QStringLiteral("node-17/gpu3");
    QTest::newRow("markup stays text") << QByteArray("<b>x</b>") << QStringLiteral("<b>x</b>");
    QTest::newRow("umlaut") << QByteArray("M\xc3\xbc") << QString::fromUtf8("M\xc3\xbc");
    QTest::newRow("empty") << QByteArray() << QString();
}

void TestText::showsForeignText()
{
    QFETCH(QByteArray, given);
    QFETCH(QString, wanted);
    QCOMPARE(shown(given.toStdString()), wanted);
}

void TestText::boundsAnything()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> byte(0, 255);
    std::uniform_int_distribution<int> length(0, 11'000);
    for (int round = 0; round < 200; ++round) {
        std::string text(static_cast<std::size_t>(length(random)), '\0');
        for (char &c : text)
            c = static_cast<char>(byte(random));
        const QString seen = shown(text, 120);
        QVERIFY(seen.size() <= 120);
        QVERIFY(seen.isValidUtf16());
        for (const QChar c : seen) {
            QVERIFY(c.category() != QChar::Other_Control);
            QVERIFY(!(c.unicode() >= 0x202a && c.unicode() <= 0x202e));
            QVERIFY(!(c.unicode() >= 0x2066 && c.unicode() <= 0x2069));
        }
    }
    // Both ends stay, for that is where names differ.
    const QString cut = shown(std::string(5000, 'a') + "END", 40);
    QVERIFY(cut.endsWith(QStringLiteral("END")));
    QVERIFY(cut.size() <= 40);
    // Four-byte characters are not cut through.
    std::string faces;
    for (int i = 0; i < 500; ++i)
        faces += "\xf0\x9f\x98\x80";
    for (int limit = 8; limit < 40; ++limit)
        QVERIFY(shown(faces, limit).isValidUtf16());
}

void TestText::writesFigures()
{
    QCOMPARE(figureText({"71.2", "GiB"}), QString::fromUtf8("71.2\xc2\xa0GiB"));
    QCOMPARE(figureText({"1.42", ""}), QStringLiteral("1.42"));
}

void TestText::writesTimes()
{
    const Instant at = fromUnixNanos(1'795'010'527LL * 1'000'000'000); // 2026-11-18 14:02:07 UTC
    QCOMPARE(timeText(at, true), QStringLiteral("14:02:07"));
    QCOMPARE(timeText(at, true, TimeText::Minutes), QStringLiteral("14:02"));
    QCOMPARE(timeText(at, true, TimeText::Date), QStringLiteral("18 Nov 2026"));
    QCOMPARE(timeText(at, true, TimeText::Full), QStringLiteral("18 Nov 2026 14:02:07"));
    QCOMPARE(zoneText(at, true), QStringLiteral("UTC"));
    // Before 1970 a part of a second is floored, not cut towards zero.
    QCOMPARE(timeText(fromUnixNanos(-1), true), QStringLiteral("23:59:59"));
}

void TestText::writesRanges_data()
{
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("seconds");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("hour") << 1'795'006'980LL << 3600LL << QString::fromUtf8("13:03 – 14:03");
    QTest::newRow("short has seconds") << 1'795'006'980LL << 90LL << QString::fromUtf8("13:03:00 – 13:04:30");
    QTest::newRow("days have dates") << 1'795'006'980LL << 86'400LL << QString::fromUtf8("18 Nov 13:03 – 19 Nov 13:03");
}

void TestText::writesRanges()
{
    QFETCH(qint64, begin);
    QFETCH(qint64, seconds);
    const Instant from = fromUnixNanos(begin * 1'000'000'000);
    QTEST(rangeText({from, from + std::chrono::seconds(seconds)}, true), "wanted");
}

void TestText::keepsTipsPlain()
{
    QCOMPARE(plainTip(QStringLiteral("node-17")), QStringLiteral("node-17"));
    const QString hostile = QStringLiteral("<b>a</b> & <img src='x'>\nsecond");
    const QString tip = plainTip(hostile);
    QTextDocument seen;
    seen.setHtml(tip);
    QCOMPARE(seen.toPlainText(), hostile);
}

QTEST_GUILESS_MAIN(TestText)
#include "tst_text.moc"
