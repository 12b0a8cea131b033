// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition.h"
#include "formats/exposition_census.h"

#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

Result<Exposition> parse(std::string_view body, const ExpositionLimits &limits = {})
{
    return parseExposition(body, ExpositionFormat::PrometheusText, limits);
}

std::string reasonsOf(const Exposition &exposition)
{
    std::string out;
    for (const auto &line : exposition.skipped)
        out += std::to_string(line.line) + ": " + line.reason + '\n';
    return out;
}

} // namespace

class TextTest : public QObject
{
    Q_OBJECT

private slots:
    void readsALine();
    void readsOddButLegalLines_data();
    void readsOddButLegalLines();
    void skipsALineAndSaysWhy_data();
    void skipsALineAndSaysWhy();
    void keepsWhatStandsAroundABadLine();
    void findsTheFamily();
    void toleratesRepeatedMetadata();
    void tellsOfContradictions();
    void countsDuplicates();
    void saysWhenTheEndMayBeCut();
    void takesCarriageReturns();
    void keepsHostileLabelsAsData();
    void enforcesLimits();
    void refusesWhatIsNoText_data();
    void refusesWhatIsNoText();
    void choosesTheFormatByContentType_data();
    void choosesTheFormatByContentType();
    void countsLikeTheReference();
};

void TextTest::readsALine()
{
    const auto exposition = parse("# HELP disk_free_bytes Bytes\\nfree \\\\ here.\n# TYPE disk_free_bytes gauge\n"
                                  "disk_free_bytes{path=\"C:\\\\x \\\"y\\\"\\nz\",a=\"1\"} 1.5e+010 1700000000123\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->families.size(), std::size_t{1});
    QCOMPARE(exposition->families[0], (ExpositionFamily{"disk_free_bytes", SampleType::Gauge, "Bytes\nfree \\ here.", ""}));
    QCOMPARE(exposition->samples.size(), std::size_t{1});
    const auto &sample = exposition->samples[0];
    QCOMPARE(sample.labels, (Labels{{"a", "1"}, {"path", "C:\\x \"y\"\nz"}}));
    QCOMPARE(sample.value, 1.5e10);
    QCOMPARE(sample.time, std::optional(fromUnixNanos(1'700'000'000'123'000'000)));
    QCOMPARE(sample.line, 3U);
    QVERIFY(exposition->conforms);
}

void TextTest::readsOddButLegalLines_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("labels");
    QTest::addColumn<double>("value");
    QTest::newRow("empty braces") << QByteArray("m{} 0\n") << QByteArray() << 0.0;
    QTest::newRow("trailing comma") << QByteArray("m{a=\"1\",} 2\n") << QByteArray("a=\"1\"") << 2.0;
    QTest::newRow("blanks everywhere") << QByteArray("\t m {  a = \"1\"\t, b=\"2\"\t} \t 3  7 \n") << QByteArray("a=\"1\",b=\"2\"") << 3.0;
    QTest::newRow("no blank before the value") << QByteArray("m{a=\"1\"}-4\n") << QByteArray("a=\"1\"") << -4.0;
    QTest::newRow("signs inside quotes") << QByteArray("m{a=\"}{,#= \"} 5\n") << QByteArray("a=\"}{\\,#\\= \"") << 5.0;
    QTest::newRow("quoted metric") << QByteArray("{\"m\",a=\"1\"} 6\n") << QByteArray("a=\"1\"") << 6.0;
    QTest::newRow("quoted label") << QByteArray("m{\"a.b\"=\"1\"} 7\n") << QByteArray("a.b=\"1\"") << 7.0;
    QTest::newRow("empty label value") << QByteArray("m{a=\"\"} 8\n") << QByteArray("a=\"\"") << 8.0;
}

void TextTest::readsOddButLegalLines()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, labels);
    QFETCH(double, value);
    const auto exposition = parse(line.toStdString());
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    QCOMPARE(exposition->samples.size(), std::size_t{1});
    QCOMPARE(exposition->samples[0].name, std::string("m"));
    QCOMPARE(QByteArray::fromStdString(exposition->samples[0].labels.encode()), labels);
    QCOMPARE(exposition->samples[0].value, value);
    QVERIFY(exposition->conforms);
}

void TextTest::skipsALineAndSaysWhy_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char *name, const char *line, const char *reason) {
        QTest::newRow(name) << QByteArray(line) << QByteArray(reason);
    };
    row("word for a value", "m{a=\"1\"} P0", "no number");
    row("no value", "m{a=\"1\"}", "no value");
    row("hexadecimal", "m 0x1p-3", "no number");
    row("underscores", "m 1_2", "no number");
    row("overflow", "m 1e999", "no number");
    row("bad name", "@m 1", "metric name");
    row("name with a dot", "a.b 1", "no number");
    row("labels without a name", "{a=\"1\"} 1", "no metric name");
    row("two quoted names", "{\"m\",\"n\"} 1", "expected '='");
    row("label name", "m{1=\"x\"} 1", "label name");
    row("no equals", "m{a\"x\"} 1", "expected '='");
    row("no quote", "m{a=x} 1", "quote");
    row("open quote", "m{a=\"x} 1", "not closed");
    row("open braces", "m{a=\"x\" 1", "expected ','");
    row("two commas", "m{a=\"x\",,b=\"y\"} 1", "label name");
    row("unknown escape", "m{a=\"\\t\"} 1", "no escape");
    row("reserved label", "m{__name__=\"x\"} 1", "reserved");
    row("label twice", "m{a=\"x\",a=\"y\"} 1", "comes twice");
    row("time with decimals", "m 1 2.72", "milliseconds");
    row("time beyond 64 bits", "m 1 9223372036854775808", "milliseconds");
    row("a fourth column", "m 1 2 3", "unexpected");
    row("exemplar in text", "m_total 1 # {a=\"b\"} 1", "milliseconds");
    row("bytes that are no UTF-8", "m{a=\"\xff\"} 1", "UTF-8");
}

void TextTest::skipsALineAndSaysWhy()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, reason);
    const auto exposition = parse("good 1\n" + line.toStdString() + "\ngood_too 2\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{2});
    QCOMPARE(exposition->skippedCount, std::size_t{1});
    QCOMPARE(exposition->skipped[0].line, std::size_t{2});
    QVERIFY2(QByteArray::fromStdString(exposition->skipped[0].reason).contains(reason), exposition->skipped[0].reason.c_str());
    QVERIFY(!exposition->conforms);
}

void TextTest::keepsWhatStandsAroundABadLine()
{
    // An exporter that does not escape what it prints, and text fields chosen as gauges.
    const auto exposition = parse("DCGM_FI_DEV_FB_USED{gpu=\"0\",app=\"a\"b\"} 1\nDCGM_FI_DEV_FB_USED{gpu=\"1\"} 2\n"
                                  "DCGM_FI_DEV_NAME{gpu=\"1\"} NVIDIA H100\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{1});
    QCOMPARE(exposition->samples[0].labels.value("gpu"), std::string_view("1"));
    QCOMPARE(exposition->skippedCount, std::size_t{2});
}

void TextTest::findsTheFamily()
{
    const auto exposition = parse("# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n"
                                  "# TYPE s summary\ns{quantile=\"0.5\"} 1\ns_count 1\n"
                                  "# TYPE c counter\nc_total 1\n"
                                  "loose_bucket{le=\"1\"} 1\nloose_count 1\nplain_count 1\nother_bucket 3\n");
    QVERIFY(exposition.has_value());
    std::vector<std::string> homes;
    for (const auto &sample : exposition->samples) {
        const auto &family = exposition->families[sample.family];
        homes.push_back(family.name + ' ' + std::string(toString(family.type)));
    }
    const std::vector<std::string> expected{"h histogram", "h histogram", "h histogram", "s summary", "s summary", "c counter",
                                            "loose histogram", "loose histogram", "plain_count unknown", "other_bucket unknown"};
    QCOMPARE(homes, expected);
}

void TextTest::toleratesRepeatedMetadata()
{
    const auto exposition = parse("# TYPE a gauge\na{x=\"1\"} 1\n# TYPE a gauge\na{x=\"2\"} 2\n# HELP b One.\n# HELP b One.\nb 1\n"
                                  "# COMMENT netdata\n# EOF\n# UNIT b bytes\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{3});
    QCOMPARE(exposition->families.size(), std::size_t{2});
    QCOMPARE(exposition->skippedCount, std::size_t{0});
    QCOMPARE(exposition->warnings.size(), std::size_t{2});
    QCOMPARE(exposition->families[1].unit, std::string("bytes"));
    QVERIFY(!exposition->conforms);
}

void TextTest::tellsOfContradictions()
{
    const auto exposition = parse("# TYPE a gauge\n# TYPE a counter\na 1\nlate 1\n# TYPE late counter\n# TYPE x bla\n# HELP a one\n"
                                  "# HELP a two\n# TYPE met-ric gauge\n# TYPE h histogram\nh_bucket{le=\"bla\"} 1\n"
                                  "# TYPE s summary\ns{quantile=\"bla\"} 1\n");
    QVERIFY(exposition.has_value());
    QVERIFY(exposition->families[0].type == SampleType::Counter);
    QCOMPARE(exposition->families[0].help, std::string("one"));
    QCOMPARE(exposition->samples.size(), std::size_t{2});
    QVERIFY2(exposition->skippedCount == 7, reasonsOf(*exposition).c_str());
}

void TextTest::countsDuplicates()
{
    const auto exposition = parse("a{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 2\na{x=\"1\"} 3\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{3});
    QCOMPARE(exposition->duplicateSeries, std::size_t{1});
    QCOMPARE(exposition->warnings.size(), std::size_t{1});
}

void TextTest::saysWhenTheEndMayBeCut()
{
    const auto exposition = parse("a 1\nb 12");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{2});
    QVERIFY(!exposition->conforms);
    QCOMPARE(exposition->warnings.size(), std::size_t{1});
}

void TextTest::takesCarriageReturns()
{
    const auto exposition = parse("# TYPE a gauge\r\na{x=\"1\"} 1\r\n\r\nb 2 3\r\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{2});
    QCOMPARE(exposition->skippedCount, std::size_t{0});
    QVERIFY(exposition->families[0].type == SampleType::Gauge);
}

void TextTest::keepsHostileLabelsAsData()
{
    const std::string hostile = "<img src=x onerror=alert(1)> \x01\x7f\t \xe2\x80\xae gnp.exe \xe2\x81\xa6 \xef\xbb\xbf";
    const auto exposition = parse("job{name=\"" + hostile + "\"} 1\n");
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.size(), std::size_t{1});
    QCOMPARE(exposition->samples[0].labels.value("name"), std::string_view(hostile));
    // In a reason they are made safe.
    const auto skipped = parse("good 1\njob \xe2\x80\xae<b>\x01\n");
    QVERIFY(skipped.has_value());
    QCOMPARE(skipped->skippedCount, std::size_t{1});
    QVERIFY(skipped->skipped[0].reason.find("\xe2\x80\xae") == std::string::npos);
    QVERIFY(skipped->skipped[0].reason.find('\x01') == std::string::npos);
}

void TextTest::enforcesLimits()
{
    ExpositionLimits limits;
    const auto label = [&](std::size_t bytes) {
        return parse("before 1\nm{a=\"" + std::string(bytes, 'x') + "\"} 1\n", limits);
    };
    QCOMPARE(label(limits.labelValueBytes)->samples.size(), std::size_t{2});
    QCOMPARE(label(limits.labelValueBytes + 1)->samples.size(), std::size_t{1});

    const auto labels = [&](std::size_t count) {
        std::string line = "before 1\nm{";
        for (std::size_t i = 0; i < count; ++i)
            line += 'l' + std::to_string(i) + "=\"v\",";
        return parse(line + "} 1\n", limits);
    };
    QCOMPARE(labels(limits.labels)->samples.size(), std::size_t{2});
    const auto tooMany = labels(limits.labels + 1);
    QCOMPARE(tooMany->samples.size(), std::size_t{1});
    QVERIFY(tooMany->skipped[0].reason.find("256") != std::string::npos);

    const auto longLine = parse("before 1\n# " + std::string(limits.lineBytes, 'x') + "\nafter 1\n", limits);
    QCOMPARE(longLine->samples.size(), std::size_t{2});
    QCOMPARE(longLine->skippedCount, std::size_t{1});

    limits.bodyBytes = 10;
    const auto body = parse("a 1\nb 2\nc 3\n", limits);
    QVERIFY(!body.has_value());
    QVERIFY(body.error().code == Error::Code::TooLarge);

    limits = {};
    limits.samples = 2;
    limits.skippedKept = 3;
    const auto samples = parse("a 1\nb 2\nc 3\nd 4\n", limits);
    QCOMPARE(samples->samples.size(), std::size_t{2});
    QVERIFY(samples->skipped[0].reason.find("more than 2 samples") != std::string::npos);
    const auto skipped = parse("a 1\n" + std::string("?\n?\n?\n?\n?\n"), limits);
    QCOMPARE(skipped->skippedCount, std::size_t{5});
    QCOMPARE(skipped->skipped.size(), std::size_t{3});
}

void TextTest::refusesWhatIsNoText_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("sentence");
    const auto bad = static_cast<int>(Error::Code::BadInput);
    QTest::newRow("html") << QByteArray("<!DOCTYPE html>\n<html><body>502</body></html>\n") << bad << QByteArray("HTML");
    QTest::newRow("html after blanks") << QByteArray("\xef\xbb\xbf\r\n  <html>\na 1\n") << bad << QByteArray("HTML");
    QTest::newRow("json") << QByteArray("{\"status\":\"error\"}\n") << bad << QByteArray("no line of the body is a metric; line 1");
    QTest::newRow("plain words") << QByteArray("404 page not found\n") << bad << QByteArray("line 1");
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08 1\n") << static_cast<int>(Error::Code::Unsupported) << QByteArray("gzip");
    QTest::newRow("noise") << QByteArray("\x00\xff\x10\n\xfe", 5) << bad << QByteArray("UTF-8");
}

void TextTest::refusesWhatIsNoText()
{
    QFETCH(QByteArray, body);
    QFETCH(int, code);
    QFETCH(QByteArray, sentence);
    const auto exposition = parse(body.toStdString());
    QVERIFY(!exposition.has_value());
    QCOMPARE(static_cast<int>(exposition.error().code), code);
    QVERIFY2(QByteArray::fromStdString(exposition.error().detail).contains(sentence), exposition.error().detail.c_str());
    QVERIFY(parse("").has_value()); // an exporter with nothing to say
    QVERIFY(parse("# nothing yet\n\n").has_value());
}

void TextTest::choosesTheFormatByContentType_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<int>("format");
    const auto text = static_cast<int>(ExpositionFormat::PrometheusText);
    const auto openMetrics = static_cast<int>(ExpositionFormat::OpenMetrics);
    const auto proto = static_cast<int>(ExpositionFormat::Protobuf);
    QTest::newRow("none") << QByteArray() << text;
    QTest::newRow("0.0.4") << QByteArray("text/plain; version=0.0.4; charset=utf-8") << text;
    QTest::newRow("sniffed") << QByteArray("text/plain; charset=utf-8") << text;
    QTest::newRow("OpenMetrics") << QByteArray("application/openmetrics-text; version=1.0.0; charset=utf-8") << openMetrics;
    QTest::newRow("OpenMetrics in capitals") << QByteArray(" Application/OpenMetrics-Text;version=0.0.1") << openMetrics;
    QTest::newRow("protobuf") << QByteArray(
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")
                              << proto;
    QTest::newRow("protobuf as text") << QByteArray("application/vnd.google.protobuf; encoding=text") << text;
    QTest::newRow("html") << QByteArray("text/html") << text;
}

void TextTest::choosesTheFormatByContentType()
{
    QFETCH(QByteArray, type);
    QFETCH(int, format);
    QCOMPARE(static_cast<int>(expositionFormat(type.toStdString())), format);
}

void TextTest::countsLikeTheReference()
{
    // HELP alone, TYPE alone, a counter without _total, two lines without TYPE, one type repeated.
    const std::string body = "# HELP a Alone.\n# TYPE b gauge\nc 1\nc{x=\"1\"} 2\n# TYPE d counter\nd 3\nd{x=\"1\"} 4 5\n"
                             "# TYPE e_total counter\ne_total 6\n# TYPE g gauge\ng 1\n# TYPE g gauge\ng{x=\"1\"} 1\n";
    const auto exposition = parse(body);
    QVERIFY(exposition.has_value());
    const auto census = countExposition(body, ExpositionFormat::PrometheusText, *exposition);
    QCOMPARE(census.families, std::size_t{7});
    QCOMPARE(census.familiesByType.at("unknown"), std::size_t{3});
    QCOMPARE(census.familiesByType.at("gauge"), std::size_t{2});
    QCOMPARE(census.familiesByType.at("counter"), std::size_t{2});
    QCOMPARE(census.samplesByType.at("counter"), std::size_t{3});
    QCOMPARE(census.sampleNames[2], std::string("d_total"));
    QCOMPARE(census.sampleNames[4], std::string("e_total"));
    QCOMPARE(census.withTimestamp, std::size_t{1});
    QCOMPARE(census.distinctSampleNames, std::size_t{4});
}

QTEST_APPLESS_MAIN(TextTest)
#include "tst_exposition_text.moc"
