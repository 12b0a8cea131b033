// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

QString toText(const Figure &figure) { return QString::fromStdString(figure.text()); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

} // namespace

class TestFormat : public QObject
{
    Q_OBJECT

private slots:
    void bytes_data();
    void bytes();
    void numbers_data();
    void numbers();
    void counts_data();
    void counts();
    void durations_data();
    void durations();
    void values_data();
    void values();
    void exact();
    void parsesBytes_data();
    void parsesBytes();
    void parsesDurations_data();
    void parsesDurations();
    void readsWhatItPrints();
};

void TestFormat::bytes_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << 0. << QStringLiteral("0 B");
    QTest::newRow("some") << 512. << QStringLiteral("512 B");
    QTest::newRow("below one KiB") << 1023. << QStringLiteral("1023 B");
    QTest::newRow("one KiB") << 1024. << QStringLiteral("1.00 KiB");
    QTest::newRow("rounds up to the next unit") << 1023.7 * 1024 << QStringLiteral("1.00 MiB");
    QTest::newRow("three digits") << 71.23 * 1073741824. << QStringLiteral("71.2 GiB");
    QTest::newRow("hundreds") << 345.6 * 1048576. << QStringLiteral("346 MiB");
    QTest::newRow("negative") << -1536. << QStringLiteral("\u22121.50 KiB");
    QTest::newRow("beyond all") << 5000 * 1152921504606846976. << QStringLiteral("5,000 EiB");
    QTest::newRow("longer than any buffer") << 6e70 << QStringLiteral("5.20e+52 EiB");
    QTest::newRow("the largest") << -std::numeric_limits<double>::max() << QStringLiteral("\u22121.56e+290 EiB");
    QTest::newRow("not a number") << kNan << QStringLiteral("NaN");
    QTest::newRow("infinite") << -kInfinity << QStringLiteral("\u2212\u221e B");
}

void TestFormat::bytes()
{
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(toText(formatBytes(value)), text);
}

void TestFormat::numbers_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0. << QStringLiteral("0");
    QTest::newRow("minus zero") << -0. << QStringLiteral("0");
    QTest::newRow("small") << 0.4123 << QStringLiteral("0.412");
    QTest::newRow("smaller") << 0.004123 << QStringLiteral("0.00412");
    QTest::newRow("units") << 1.424 << QStringLiteral("1.42");
    QTest::newRow("tens") << 98.44 << QStringLiteral("98.4");
    QTest::newRow("thousands") << 41200. << QStringLiteral("41,200");
    QTest::newRow("almost one") << 0.99999 << QStringLiteral("1.00");
    QTest::newRow("negative") << -3. << QStringLiteral("\u22123.00");
    QTest::newRow("tiny") << 1.5e-9 << QStringLiteral("1.50e-09");
    QTest::newRow("huge") << 1e30 << QStringLiteral("1.00e+30");
    QTest::newRow("the largest") << std::numeric_limits<double>::max() << QStringLiteral("1.80e+308");
    QTest::newRow("infinite") << kInfinity << QStringLiteral("\u221e");
    QTest::newRow("not a number") << kNan << QStringLiteral("NaN");
}

void TestFormat::numbers()
{
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(formatNumber(value)), text);
}

void TestFormat::counts_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << 0. << QStringLiteral("0");
    QTest::newRow("hundreds") << 812. << QStringLiteral("812");
    QTest::newRow("rounds into thousands") << 999.6 << QStringLiteral("1.00 k");
    QTest::newRow("thousands") << 41234. << QStringLiteral("41.2 k");
    QTest::newRow("millions") << 3.9e6 << QStringLiteral("3.90 M");
    QTest::newRow("negative") << -2e3 << QStringLiteral("\u22122.00 k");
    QTest::newRow("the largest") << std::numeric_limits<double>::max() << QStringLiteral("1.80e+296 T");
    QTest::newRow("infinite") << -kInfinity << QStringLiteral("\u2212\u221e");
    QTest::newRow("not a number") << kNan << QStringLiteral("NaN");
}

void TestFormat::counts()
{
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(toText(formatCount(value)), text);
}

void TestFormat::durations_data()
{
    QTest::addColumn<qint64>("nanos");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *name, Duration duration, const char *text) {
        QTest::newRow(name) << static_cast<qint64>(duration.count()) << QString::fromUtf8(text);
    };
    row("none", 0ns, "0 s");
    row("microseconds", 1500ns, "1.50 \u00b5s");
    row("milliseconds", 42ms, "42.0 ms");
    row("a fifth", 200ms, "0.2 s");
    row("below ten", 9900ms, "9.9 s");
    row("seconds", 41s, "41 s");
    row("minutes", 2min + 13s, "2 min 13 s");
    row("whole minutes", 5min, "5 min");
    row("hours", 3h + 5min + 59s, "3 h 5 min");
    row("days", 12 * 24h + 4h, "12 d 4 h");
    row("rounds up to a minute", 59'600ms, "1 min");
    row("negative", -90s, "\u22121 min 30 s");
    QTest::newRow("the most negative") << std::numeric_limits<qint64>::min() << QStringLiteral("\u2212106751 d 23 h");
}

void TestFormat::durations()
{
    QFETCH(qint64, nanos);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(formatDuration(Duration(nanos))), text);
}

void TestFormat::values_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("text");
    QTest::newRow("bytes") << 1536. << QStringLiteral("By") << QStringLiteral("1.50 KiB");
    QTest::newRow("byte rate") << 1536. << QStringLiteral("By/s") << QStringLiteral("1.50 KiB/s");
    QTest::newRow("ratio") << 0.853 << QStringLiteral("1") << QStringLiteral("85.3 %");
    QTest::newRow("seconds") << 90. << QStringLiteral("s") << QStringLiteral("1 min 30 s");
    QTest::newRow("temperature") << 61. << QStringLiteral("Cel") << QStringLiteral("61.0 \u00b0C");
    QTest::newRow("annotation") << 3. << QStringLiteral("{kill}") << QStringLiteral("3.00 kill");
    QTest::newRow("unknown unit") << 3. << QString() << QStringLiteral("3.00");
    QTest::newRow("not a number of seconds") << kNan << QStringLiteral("s") << QStringLiteral("NaN s");
}

void TestFormat::values()
{
    QFETCH(double, value);
    QFETCH(QString, unit);
    QFETCH(QString, text);
    QCOMPARE(toText(formatValue(value, unit.toStdString())), text);
}

void TestFormat::exact()
{
    QCOMPARE(formatExact(0), std::string("0"));
    QCOMPARE(formatExact(999), std::string("999"));
    QCOMPARE(formatExact(84'503'887'360), std::string("84,503,887,360"));
    QCOMPARE(formatExact(-1000), std::string("\u22121,000"));
    QCOMPARE(formatExact(std::numeric_limits<std::int64_t>::min()), std::string("\u22129,223,372,036,854,775,808"));
}

void TestFormat::parsesBytes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("bytes"); // -1 = refused
    QTest::newRow("plain") << QStringLiteral("4096") << qint64{4096};
    QTest::newRow("spaced") << QStringLiteral(" 1.5 GiB ") << qint64{1610612736};
    QTest::newRow("joined") << QStringLiteral("64MiB") << qint64{67108864};
    QTest::newRow("decimal") << QStringLiteral("2 GB") << qint64{2'000'000'000};
    QTest::newRow("short binary") << QStringLiteral("2G") << qint64{2147483648};
    QTest::newRow("grouped") << QStringLiteral("1,021 KiB") << qint64{1045504};
    QTest::newRow("grouped twice") << QStringLiteral("84,503,887B") << qint64{84503887};
    QTest::newRow("grouped, with a fraction") << QStringLiteral("1,024.5 KiB") << qint64{1049088};
    QTest::newRow("decimal comma") << QStringLiteral("1,5 GiB") << qint64{-1};
    QTest::newRow("odd groups") << QStringLiteral("1,0240") << qint64{-1};
    QTest::newRow("nothing") << QString() << qint64{-1};
    QTest::newRow("negative") << QStringLiteral("-1") << qint64{-1};
    QTest::newRow("unknown unit") << QStringLiteral("3 parsecs") << qint64{-1};
    QTest::newRow("unit alone") << QStringLiteral("GiB") << qint64{-1};
    QTest::newRow("too many") << QStringLiteral("1e30") << qint64{-1};
    QTest::newRow("infinite") << QStringLiteral("inf") << qint64{-1};
    QTest::newRow("not a number") << QStringLiteral("nan") << qint64{-1};
}

void TestFormat::parsesBytes()
{
    QFETCH(QString, text);
    QFETCH(qint64, bytes);
    const auto parsed = parseBytes(text.toStdString());
    QCOMPARE(parsed.has_value(), bytes >= 0);
    if (parsed)
        QCOMPARE(static_cast<qint64>(parsed->value), bytes);
}

void TestFormat::parsesDurations_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("nanos"); // -1 = refused
    const auto row = [](const char *text, std::optional<Duration> duration) {
        QTest::newRow(*text ? text : "nothing") << QString::fromUtf8(text) << static_cast<qint64>(duration.value_or(-1ns).count());
    };
    row("250 ms", 250ms);
    row("10s", 10s);
    row("1.5 h", 90min);
    row("2 min", 2min);
    row("2m", 2min);
    row("7 d", 168h);
    row("1w", 168h);
    row("3ns", 3ns);
    row("", std::nullopt);
    row("10", std::nullopt);
    row("-1 s", std::nullopt);
    row("1000000 d", std::nullopt);
    row("1 fortnight", std::nullopt);
}

void TestFormat::parsesDurations()
{
    QFETCH(QString, text);
    QFETCH(qint64, nanos);
    const auto parsed = parseDuration(text.toStdString());
    QCOMPARE(parsed.has_value(), nanos >= 0);
    if (parsed)
        QCOMPARE(static_cast<qint64>(parsed->count()), nanos);
}

void TestFormat::readsWhatItPrints()
{
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(0, 50);
    for (int i = 0; i < 1000; ++i) {
        const auto bytes = Bytes{static_cast<std::int64_t>(std::exp2(exponent(random)))};
        const auto text = formatBytes(bytes).text();
        const auto parsed = parseBytes(text);
        QVERIFY2(parsed, text.c_str());
        const double error = std::fabs(static_cast<double>(parsed->value - bytes.value));
        QVERIFY2(error <= static_cast<double>(bytes.value) * 0.00501, text.c_str()); // three digits
    }
}

QTEST_APPLESS_MAIN(TestFormat)
#include "tst_format.moc"
