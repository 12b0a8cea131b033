// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition.h"

#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

Result<Exposition> parse(std::string_view body, const ExpositionLimits &limits = {})
{
    return parseExposition(body, ExpositionFormat::OpenMetrics, limits);
}

} // namespace

class OpenMetricsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryType();
    void readsAnExemplar();
    void accepts_data();
    void accepts();
    void refuses_data();
    void refuses();
    void letsSignedDistributionsThrough();
    void refusesVersionTwoPolitely();
    void enforcesLimits();
};

void OpenMetricsTest::readsEveryType()
{
    const auto exposition = parse("# TYPE c counter\n# HELP c A \\\"count\\\"\\nof \\\\ \\t.\nc_total 1\nc_created 2\n"
                                  "# TYPE t_seconds gauge\n# UNIT t_seconds seconds\nt_seconds -1.5\n"
                                  "# TYPE h histogram\nh_bucket{le=\"1.0\"} 0\nh_bucket{le=\"+Inf\"} 3\nh_count 3\nh_sum 2\n"
                                  "# TYPE g gaugehistogram\ng_bucket{le=\"+Inf\"} 3\ng_gcount 3\ng_gsum 2\n"
                                  "# TYPE s summary\ns{quantile=\"0.5\"} 1\ns_count 1\ns_sum 1\n"
                                  "# TYPE i info\ni_info{v=\"1\"} 1\n# TYPE e stateset\ne{e=\"a\"} 1\ne{e=\"b\"} 0\n"
                                  "# TYPE u unknown\nu NaN\nfree 1\n# EOF\n");
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    std::string types;
    for (const auto &family : exposition->families)
        types += family.name + '=' + std::string(toString(family.type)) + ' ';
    QCOMPARE(types, std::string("c=counter t_seconds=gauge h=histogram g=gaugehistogram s=summary i=info e=stateset "
                                "u=unknown free=unknown "));
    QCOMPARE(exposition->families[0].help, std::string("A \"count\"\nof \\ \\t."));
    QCOMPARE(exposition->families[1].unit, std::string("seconds"));
    QCOMPARE(exposition->samples.size(), std::size_t{18});
    QCOMPARE(exposition->samples[17].family, 8U);
}

void OpenMetricsTest::readsAnExemplar()
{
    const auto exposition = parse("# TYPE a counter\na_total{f=\"x # {y} 1\"} 3 1.5 # {id=\"q # \"} 0.5 1520879607.789\n# EOF\n");
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    const auto &sample = exposition->samples.at(0);
    QCOMPARE(sample.labels.value("f"), std::string_view("x # {y} 1"));
    QCOMPARE(sample.time, std::optional(fromUnixNanos(1'500'000'000)));
    QVERIFY(sample.exemplar.has_value());
    QCOMPARE(*sample.exemplar, (Exemplar{Labels{{"id", "q # "}}, 0.5, fromUnixNanos(1'520'879'607'789'000'000)}));
}

void OpenMetricsTest::accepts_data()
{
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char *name, const char *body) { QTest::newRow(name) << QByteArray(body); };
    row("nothing", "# EOF\n");
    row("no line feed at the end", "a 1\n# EOF");
    row("empty help", "# HELP a \n# EOF\n");
    row("empty braces", "a{} 1\n# EOF\n");
    row("other escapes", "a{f=\"b\\\\a\\z\"} 2\n# EOF\n");
    row("same time twice", "# TYPE a gauge\na 1 0.0000000000\na 2 0.0000000001\n# EOF\n");
    row("info times run backwards", "# TYPE a info\na_info{a=\"1\"} 1 1\na_info{a=\"2\"} 1 0\n# EOF\n");
    row("help after type", "# TYPE a gauge\n# HELP a x\na 1\n# EOF\n");
    row("quantiles only", "# TYPE a summary\na{quantile=\"0.95\"} 123.7\n# EOF\n");
    row("buckets only", "# TYPE a histogram\na_bucket{le=\"-1.0\"} 0\na_bucket{le=\"+Inf\"} 3\n# EOF\n");
    row("exemplar of 128 characters of two bytes",
        "# TYPE a counter\na_total 1 # {a=\"üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü"
        "üüüüüüüüüüüüüüüüüüüüüüüüüü\"} 1\n# EOF\n");
    row("a time beyond all bounds", "# TYPE a counter\na_total{f=\"1\"} 1 000\na_total{f=\"4\"} 1 12345678901234567890.1234567890\n# EOF\n");
    row("quoted names", "# TYPE \"a.b\" gauge\n{\"a.b\",\"c.d\"=\"e\"} 1\n# EOF\n");
    row("a NUL in the help", "# HELP a x");
}

void OpenMetricsTest::accepts()
{
    QFETCH(QByteArray, body);
    if (body.endsWith("x"))
        body += QByteArray("\0y\n# EOF\n", 9);
    const auto exposition = parse(body.toStdString());
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
}

void OpenMetricsTest::refuses_data()
{
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char *body) {
        // On one line, or the log of the test falls apart.
        const auto name = QByteArray(body).replace('\n', '|').replace('\r', '^').replace('\xff', '?');
        QTest::newRow(name.isEmpty() ? "empty" : name.constData()) << QByteArray(body);
    };
    row("");
    row("a 1\n");
    row("a 1\n# EOF\nblah");
    row("a 1\n# EOFblah");
    row("a 1\n# EOF\n\n");
    row("a 1\n\n# EOF\n");
    row("# a comment\n# EOF\n");
    row("#HELP a x\n# EOF\n");
    row("# HELP  a x\n# EOF\n");
    row("# HELP a\n# EOF\n");
    row("# TYPE a untyped\n# EOF\n");
    row("# TYPE a gauge_histogram\n# EOF\n");
    row("# TYPE a Gauge\n# EOF\n");
    row("# TYPE a gauge\r\na 1\r\n# EOF\n");
    row("# TYPE a gauge\na 1\n# HELP a x\n# EOF\n");
    row("# TYPE a_s gauge\na_s 1\n# UNIT a_s s\n# EOF\n");
    row("# TYPE x_u info\n# UNIT x_u u\n# EOF\n");
    row("# TYPE a_created gauge\n# TYPE a counter\n# EOF\n");
    row("# TYPE a info\n# TYPE a counter\n# EOF\n");
    row("a 1\nb 1\na 2\n# EOF\n");
    row("# TYPE a counter\na 1\n# EOF\n");
    row("a  1\n# EOF\n");
    row("a\t1\n# EOF\n");
    row(" a 1\n# EOF\n");
    row("a\n# EOF\n");
    row("a \n# EOF\n");
    row("a.b 1\n# EOF\n");
    row("a-b 1\n# EOF\n");
    row("a{a=\"1\"}1\n# EOF\n");
    row("a{a=\"1\",} 1\n# EOF\n");
    row("a{,} 1\n# EOF\n");
    row("a{ a=\"1\"} 1\n# EOF\n");
    row("a {a=\"1\"} 1\n# EOF\n");
    row("a{a} 1\n# EOF\n");
    row("a{a=\"1\"b} 1\n# EOF\n");
    row("a 1 NaN\n# EOF\n");
    row("a 1 +Inf\n# EOF\n");
    row("a 0b1\n# EOF\n");
    row("# TYPE a counter\na_total 1 1 # {id=\"a\"} \n# EOF\n");
    row("# TYPE a counter\na_total 1 1 # id=\"a\"} 1\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} 1 # {}1\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} 1 # {} 1 1 \n# EOF\n");
    row("# TYPE a counter\na_created 1 # {a=\"b\"} 0.5\n# EOF\n");
    row("# TYPE a info\na_info 1 # {a=\"b\"} 1\n# EOF\n");
    row("# TYPE a summary\na{quantile=\"-1\"} 0\n# EOF\n");
    row("# TYPE a summary\na{quantile=\"0.5\"} -1\n# EOF\n");
    row("# TYPE a summary\na_sum NaN\n# EOF\n");
    row("# TYPE a summary\na_sum -1\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} NaN\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} -1\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} 1.5\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"1\"} 0\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"inf\"} 0\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} 0\na_count 0\n# EOF\n");
    row("# TYPE a histogram\na_bucket{le=\"+Inf\"} 0\na_sum 0\n# EOF\n");
    row("# TYPE a gaugehistogram\na_gsum 1\n# EOF\n");
    row("# TYPE a histogram\na_sum{a=\"1\"} 0\na_sum{a=\"2\"} 0\na_count{a=\"1\"} 0\n# EOF\n");
    row("# TYPE a gauge\na 0 1\na 0 -1\n# EOF\n");
    row("# TYPE a gauge\na 0 0\na 0\n# EOF\n");
    row("# TYPE a gauge\na{l=\"1\"} 1\na{l=\"2\"} 1\na{l=\"1\"} 1\n# EOF\n");
    row("a{l=\"\xff\"} 1\n# EOF\n");
    row("<html></html>\n# EOF\n");
}

void OpenMetricsTest::refuses()
{
    QFETCH(QByteArray, body);
    const auto exposition = parse(body.toStdString());
    QVERIFY(!exposition.has_value());
    QVERIFY(exposition.error().code == Error::Code::BadInput);
    QVERIFY(!exposition.error().detail.empty());
}

// Go programs expose negative observations with a negative sum; the letter forbids it.
void OpenMetricsTest::letsSignedDistributionsThrough()
{
    QVERIFY(parse("# TYPE a histogram\na_bucket{le=\"-1\"} 1\na_bucket{le=\"+Inf\"} 2\na_sum -3\na_count 2\n# EOF\n"));
    QVERIFY(parse("# TYPE a summary\na{quantile=\"0.5\"} -1\na_sum -3\na_count 2\n# EOF\n"));
    QVERIFY(!parse("# TYPE a histogram\na_bucket{le=\"-1\"} 0\na_bucket{le=\"+Inf\"} 0\na_sum 0\na_count 0\n# EOF\n"));
    QVERIFY(!parse("# TYPE a histogram\na_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 2\na_sum -3\na_count 2\n# EOF\n"));
    QVERIFY(!parse("# TYPE a summary\na_sum -3\na_count 2\n# EOF\n"));
}

void OpenMetricsTest::refusesVersionTwoPolitely()
{
    const auto exposition = parse("# TYPE h histogram\nh{a=\"b\"} {count:17,sum:3.2,bucket:[0.1:8,+Inf:17]} st@1520430000.123\n# EOF\n");
    QVERIFY(!exposition.has_value());
    QVERIFY(exposition.error().code == Error::Code::Unsupported);
    QVERIFY(exposition.error().detail.starts_with("line 2"));
}

void OpenMetricsTest::enforcesLimits()
{
    ExpositionLimits limits;
    limits.samples = 2;
    QVERIFY(parse("a 1\nb 2\n# EOF\n", limits));
    const auto tooMany = parse("a 1\nb 2\nc 3\n# EOF\n", limits);
    QVERIFY(!tooMany.has_value());
    QVERIFY(tooMany.error().detail.find("more than 2 samples") != std::string::npos);
    limits = {};
    QVERIFY(!parse("a{l=\"" + std::string(limits.labelValueBytes + 1, 'x') + "\"} 1\n# EOF\n", limits));
    QVERIFY(!parse("# HELP a " + std::string(limits.lineBytes, 'x') + "\n# EOF\n", limits));
}

QTEST_APPLESS_MAIN(OpenMetricsTest)
#include "tst_exposition_openmetrics.moc"
