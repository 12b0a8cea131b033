// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <QTest>

#include <random>

using namespace plimsoll;

class TestText : public QObject
{
    Q_OBJECT

private slots:
    void knowsUtf8_data();
    void knowsUtf8();
    void makesTextSafe_data();
    void makesTextSafe();
    void elidesTheMiddle_data();
    void elidesTheMiddle();
    void isSafeWhateverComes();
    void isQuickWithHugeText();
};

void TestText::knowsUtf8_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("isValid");
    QTest::newRow("empty") << QByteArray() << true;
    QTest::newRow("one to four bytes") << QByteArray("a\u00e9\u20ac\U0001F600") << true;
    QTest::newRow("last point") << QByteArray("\xf4\x8f\xbf\xbf") << true;
    QTest::newRow("beyond the last") << QByteArray("\xf4\x90\x80\x80") << false;
    QTest::newRow("lone continuation") << QByteArray("\x80") << false;
    QTest::newRow("cut short") << QByteArray("\xe2\x82") << false;
    QTest::newRow("overlong slash") << QByteArray("\xc0\xaf") << false;
    QTest::newRow("overlong in three") << QByteArray("\xe0\x80\xaf") << false;
    QTest::newRow("overlong in four") << QByteArray("\xf0\x80\x80\xaf") << false;
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << false;
    QTest::newRow("never a byte") << QByteArray("\xff") << false;
}

void TestText::knowsUtf8()
{
    QFETCH(QByteArray, bytes);
    QFETCH(bool, isValid);
    QCOMPARE(isValidUtf8(bytes.toStdString()), isValid);
}

void TestText::makesTextSafe_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("plain") << QByteArray("job-7 \u00fc") << QStringLiteral("job-7 \u00fc");
    QTest::newRow("markup is text") << QByteArray("<b>&amp;</b>") << QStringLiteral("<b>&amp;</b>");
    QTest::newRow("line ends") << QByteArray("a\nb\tc") << QStringLiteral("a\\nb\\tc");
    QTest::newRow("control") << QByteArray("a\x1b[31m\x7f") << QStringLiteral("a\\u001b[31m\\u007f");
    QTest::newRow("zero") << QByteArray("a\0b", 3) << QStringLiteral("a\\u0000b");
    QTest::newRow("bidi override") << QByteArray("gpu\u202egnp.exe") << QStringLiteral("gpu\\u202egnp.exe");
    QTest::newRow("bidi isolate") << QByteArray("\u2066x\u2069") << QStringLiteral("\\u2066x\\u2069");
    QTest::newRow("zero width") << QByteArray("a\u200bb\ufeff") << QStringLiteral("a\\u200bb\\ufeff");
    QTest::newRow("tag characters") << QByteArray("a\U000e0041") << QStringLiteral("a\\U000e0041");
    QTest::newRow("invalid") << QByteArray("a\xff\xc3") << QStringLiteral("a\ufffd\ufffd");
}

void TestText::makesTextSafe()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(safeText(bytes.toStdString())), text);
}

void TestText::elidesTheMiddle_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("elided");
    QTest::newRow("fits") << QStringLiteral("abcdef") << 6 << QStringLiteral("abcdef");
    QTest::newRow("odd room") << QStringLiteral("abcdefgh") << 6 << QStringLiteral("ab\u2026h");
    QTest::newRow("even room") << QStringLiteral("abcdefgh") << 7 << QStringLiteral("ab\u2026gh");
    QTest::newRow("whole characters") << QStringLiteral("\u20ac\u20ac\u20ac\u20ac") << 8 << QStringLiteral("\u20ac\u2026");
    QTest::newRow("room for the dots") << QStringLiteral("abcdef") << 3 << QStringLiteral("\u2026");
    QTest::newRow("no room") << QStringLiteral("abcdef") << 2 << QString();
}

void TestText::elidesTheMiddle()
{
    QFETCH(QString, text);
    QFETCH(int, bytes);
    QFETCH(QString, elided);
    QCOMPARE(QString::fromStdString(elideMiddle(text.toStdString(), static_cast<std::size_t>(bytes))), elided);
}

void TestText::isSafeWhateverComes()
{
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    for (int run = 0; run < 2000; ++run) {
        std::string bytes(std::uniform_int_distribution<std::size_t>(0, 300)(random), '\0');
        for (char &byte : bytes)
            byte = static_cast<char>(random());
        const std::size_t most = std::uniform_int_distribution<std::size_t>(0, 200)(random);
        const std::string safe = safeText(bytes, most);
        QVERIFY(safe.size() <= most);
        QVERIFY(isValidUtf8(safe));
        for (const char byte : safe)
            QVERIFY(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
    }
}

void TestText::isQuickWithHugeText()
{
    const std::string huge(64U << 20U, '\x01');
    const auto begun = std::chrono::steady_clock::now();
    QVERIFY(safeText(huge).size() <= 256);
    QVERIFY(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(100));
}

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
