// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_number.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace plimsoll;

class NumberTest : public QObject
{
    Q_OBJECT

private slots:
    void numbers_data();
    void numbers();
    void noNumbers_data();
    void noNumbers();
    void notANumber();
    void millis();
    void seconds_data();
    void seconds();
    void secondsThatAreNone();
    void timesBeyondAllInstants();
    void secondsComeBackAsTheyWere();
};

void NumberTest::numbers_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("value");
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    QTest::newRow("integer") << QByteArray("1") << 1.0;
    QTest::newRow("leading zero") << QByteArray("08") << 8.0;
    QTest::newRow("plus") << QByteArray("+3.5") << 3.5;
    QTest::newRow("minus") << QByteArray("-3.5") << -3.5;
    QTest::newRow("bare fraction") << QByteArray(".5") << 0.5;
    QTest::newRow("trailing point") << QByteArray("5.") << 5.0;
    QTest::newRow("padded exponent") << QByteArray("1.178e+010") << 1.178e10;
    QTest::newRow("upper exponent") << QByteArray("2E3") << 2000.0;
    QTest::newRow("2^64") << QByteArray("18446744073709551616") << 18446744073709551616.0;
    QTest::newRow("underflow") << QByteArray("1e-400") << 0.0;
    QTest::newRow("many zeros") << QByteArray("0000000000000000000000000000001.2e-1") << 0.12;
    QTest::newRow("+Inf") << QByteArray("+Inf") << kInfinity;
    QTest::newRow("inf") << QByteArray("inf") << kInfinity;
    QTest::newRow("-INFINITY") << QByteArray("-INFINITY") << -kInfinity;
}

void NumberTest::numbers()
{
    QFETCH(QByteArray, text);
    QFETCH(double, value);
    const auto parsed = parseMetricNumber(text.toStdString());
    QVERIFY(parsed.has_value());
    QCOMPARE(*parsed, value);
}

void NumberTest::noNumbers_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "+", "-", "--1", "+-1", "1_2", "0x1", "0x1p-3", "0b1", "0o1", "1.1.1", "1e", "e5", ".", "1 ",
                             " 1", "1\t", "infin", "nanx", "abc", "1,5", "1e400", "-1e999", "\xff"})
        QTest::newRow(text[0] == '\0' ? "empty" : text) << QByteArray(text);
}

void NumberTest::noNumbers()
{
    QFETCH(QByteArray, text);
    QVERIFY(!parseMetricNumber(text.toStdString()));
}

void NumberTest::notANumber()
{
    for (const char *text : {"NaN", "nan", "-NaN", "+nan"}) {
        const auto parsed = parseMetricNumber(text);
        QVERIFY(parsed && std::isnan(*parsed));
    }
}

void NumberTest::millis()
{
    QCOMPARE(parseMillis("1395066363000"), std::optional(fromUnixNanos(1395066363000LL * 1'000'000)));
    QCOMPARE(parseMillis("-3982045"), std::optional(fromUnixNanos(-3982045LL * 1'000'000)));
    QCOMPARE(parseMillis("0"), std::optional(fromUnixNanos(0)));
    for (const char *text : {"", "1.5", "1e3", "x", "99999999999999999999", "- 1"})
        QVERIFY2(!parseMillis(text), text);
}

void NumberTest::seconds_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("nanos");
    QTest::newRow("whole") << QByteArray("123") << qint64{123'000'000'000};
    QTest::newRow("fraction") << QByteArray("1520879607.789") << qint64{1'520'879'607'789'000'000};
    QTest::newRow("nanoseconds") << QByteArray("0.0000000010") << qint64{1};
    QTest::newRow("below a nanosecond") << QByteArray("0.0000000001") << qint64{0};
    QTest::newRow("before 1970") << QByteArray("-1.1") << qint64{-1'100'000'000};
    QTest::newRow("exponent") << QByteArray("1.5e3") << qint64{1'500'000'000'000};
    QTest::newRow("negative exponent") << QByteArray("-15e-1") << qint64{-1'500'000'000};
    QTest::newRow("bare fraction") << QByteArray(".5") << qint64{500'000'000};
}

void NumberTest::seconds()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, nanos);
    const auto parsed = parseSeconds(text.toStdString());
    QVERIFY(parsed.has_value());
    QCOMPARE(static_cast<qint64>(toUnixNanos(*parsed)), nanos);
}

void NumberTest::secondsThatAreNone()
{
    for (const char *text : {"", "-", ".", "z", "1z", "1_2", "1.1.1", "NaN", "Inf", "-Inf", "0x1p-3"})
        QVERIFY2(!parseSeconds(text), text);
}

void NumberTest::timesBeyondAllInstants()
{
    for (const char *text : {"12345678901234567890.1234567890", "-9999999999999", "1e300", "-1e18"}) {
        const auto time = parseSeconds(text);
        QVERIFY2(time && isOutOfRange(*time), text);
        QVERIFY((toUnixNanos(*time) < 0) == (text[0] == '-'));
    }
    QVERIFY(isOutOfRange(*parseMillis("9223372036854775807")));
    QVERIFY(isOutOfRange(*parseMillis("-9223372036854775808")));
    QVERIFY(!isOutOfRange(*parseMillis("4102444800000"))); // the year 2100
}

void NumberTest::secondsComeBackAsTheyWere()
{
    for (const double value : {1796049784.541, 1395066363.0, 0.25, 1796049653.26, -3982.045})
        QCOMPARE(toSeconds(*parseSeconds(QByteArray::number(value, 'f', 3).toStdString())), value);
}

QTEST_APPLESS_MAIN(NumberTest)
#include "tst_exposition_number.moc"
