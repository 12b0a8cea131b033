// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition.h"
#include "formats/exposition_census.h"
#include "formats/exposition_number.h"
#include "formats/exposition_proto.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <limits>

using namespace plimsoll;

namespace {

QString capturesPath() { return QStringLiteral(PLIMSOLL_SHARED_DATA "/exposition"); }

QByteArray readAll(const QString &name)
{
    QFile file(capturesPath() + QLatin1Char('/') + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QJsonObject expectations()
{
    return QJsonDocument::fromJson(readAll(QStringLiteral("expected.json"))).object();
}

std::string_view view(const QByteArray &bytes) { return {bytes.constData(), static_cast<std::size_t>(bytes.size())}; }

double numberOf(const QJsonValue &value)
{
    if (!value.isString())
        return value.toDouble();
    const auto text = value.toString();
    if (text == QLatin1String("NaN"))
        return std::numeric_limits<double>::quiet_NaN();
    return text.startsWith(QLatin1Char('-')) ? -std::numeric_limits<double>::infinity()
                                             : std::numeric_limits<double>::infinity();
}

QJsonObject toJson(const std::map<std::string, std::size_t, std::less<>> &counts)
{
    QJsonObject out;
    for (const auto &[name, count] : counts)
        out.insert(QString::fromStdString(name), static_cast<qint64>(count));
    return out;
}

QJsonObject toJson(const Labels &labels)
{
    QJsonObject out;
    for (const auto &[name, value] : labels)
        out.insert(QString::fromStdString(name), QString::fromStdString(value));
    return out;
}

ExpositionFormat formatOf(const QString &name)
{
    return name.endsWith(QLatin1String(".om")) ? ExpositionFormat::OpenMetrics : ExpositionFormat::PrometheusText;
}

void compareSpotCheck(const QJsonObject &check, const Exposition &exposition, const ExpositionCensus &census)
{
    const auto index = static_cast<std::size_t>(check.value(QLatin1String("index")).toInt());
    QVERIFY(index < exposition.samples.size());
    const auto &sample = exposition.samples[index];
    QCOMPARE(QString::fromStdString(census.sampleNames[index]), check.value(QLatin1String("name")).toString());
    QCOMPARE(toJson(sample.labels), check.value(QLatin1String("labels")).toObject());
    const double expected = numberOf(check.value(QLatin1String("value")));
    QVERIFY2(sample.value == expected || (std::isnan(expected) && std::isnan(sample.value)),
             qPrintable(QString::number(sample.value)));
    const auto time = check.value(QLatin1String("timestamp"));
    QCOMPARE(sample.time.has_value(), !time.isNull());
    if (sample.time)
        QCOMPARE(toSeconds(*sample.time), time.toDouble());
}

} // namespace

// Bodies of real exporters and the official cases of both formats, against figures that
// were computed without our code.
class CapturesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void bodies_data();
    void bodies();
    void unreadableForTheReference();
    void protobuf_data();
    void protobuf();
    void openMetricsVerdicts_data();
    void openMetricsVerdicts();
    void specificationExamples_data();
    void specificationExamples();
    void textVerdicts_data();
    void textVerdicts();

private:
    QJsonObject m_expected;
};

void CapturesTest::initTestCase()
{
    m_expected = expectations();
    if (m_expected.isEmpty())
        QSKIP("The shared captures are not on this machine.");
}

void CapturesTest::bodies_data()
{
    QTest::addColumn<QString>("name");
    const auto expected = expectations();
    for (auto at = expected.begin(); at != expected.end(); ++at) {
        const auto name = at.key();
        if (at.value().toObject().contains(QLatin1String("samples")) && !name.endsWith(QLatin1String(".pb")))
            QTest::newRow(qPrintable(name)) << name;
    }
}

void CapturesTest::bodies()
{
    QFETCH(QString, name);
    const auto expected = m_expected.value(name).toObject();
    const auto body = readAll(name);
    QCOMPARE(body.size(), static_cast<qsizetype>(expected.value(QLatin1String("bytes")).toInt()));
    const auto exposition = parseExposition(view(body), formatOf(name));
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    const auto census = countExposition(view(body), formatOf(name), *exposition);
    const auto count = [&](const char *key) { return static_cast<std::size_t>(expected.value(QLatin1String(key)).toInt()); };
    QCOMPARE(census.samples, count("samples"));
    QCOMPARE(census.families, count("families"));
    QCOMPARE(toJson(census.familiesByType), expected.value(QLatin1String("families_by_type")).toObject());
    QCOMPARE(toJson(census.samplesByType), expected.value(QLatin1String("samples_by_type")).toObject());
    QCOMPARE(census.distinctSampleNames, count("distinct_sample_names"));
    QCOMPARE(census.distinctSeries, count("distinct_series"));
    QCOMPARE(census.duplicateSeries, count("duplicate_series"));
    QCOMPARE(census.withTimestamp, count("with_timestamp"));
    QCOMPARE(census.withExemplar, count("with_exemplar"));
    const auto checks = expected.value(QLatin1String("spot_checks")).toArray();
    QVERIFY(!checks.isEmpty());
    for (const auto &check : checks)
        compareSpotCheck(check.toObject(), *exposition, census);
}

// The reference client cannot read these two; of them only lines were counted.
void CapturesTest::unreadableForTheReference()
{
    const auto openMetrics = readAll(QStringLiteral("prometheus-alltypes.om"));
    const auto signedSums = parseExposition(view(openMetrics), ExpositionFormat::OpenMetrics);
    QVERIFY2(signedSums.has_value(), signedSums ? "" : signedSums.error().detail.c_str());
    QCOMPARE(signedSums->samples.size(), std::size_t{53});
    QCOMPARE(signedSums->families.size(), std::size_t{5});

    const auto text = readAll(QStringLiteral("prometheus-docs-example-utf8.prom"));
    const auto quoted = parseExposition(view(text), ExpositionFormat::PrometheusText);
    QVERIFY(quoted.has_value());
    // One of its 21 sample lines shows a name without a value.
    QCOMPARE(quoted->samples.size(), std::size_t{20});
    QCOMPARE(quoted->skippedCount, std::size_t{1});
    QCOMPARE(quoted->samples[4].time, std::optional(fromUnixNanos(-3982045LL * 1'000'000)));
}

void CapturesTest::protobuf_data()
{
    QTest::addColumn<QString>("name");
    const auto expected = expectations();
    for (const auto &name : expected.keys()) {
        if (name.endsWith(QLatin1String(".pb")))
            QTest::newRow(qPrintable(name)) << name;
    }
}

void CapturesTest::protobuf()
{
    QFETCH(QString, name);
    const auto expected = m_expected.value(name).toObject();
    const auto body = readAll(name);
    QVERIFY(looksLikeDelimitedProto(view(body)));
    const auto census = countDelimitedProto(view(body));
    QCOMPARE(static_cast<int>(census.families), expected.value(QLatin1String("families")).toInt());
    QCOMPARE(static_cast<int>(census.metrics), expected.value(QLatin1String("metrics")).toInt());
    QCOMPARE(toJson(census.familiesByType), expected.value(QLatin1String("families_by_type")).toObject());
    QCOMPARE(QString::fromStdString(census.firstFamily), expected.value(QLatin1String("first_family")).toString());
    QCOMPARE(QString::fromStdString(census.lastFamily), expected.value(QLatin1String("last_family")).toString());
    const auto exposition = parseExposition(view(body), ExpositionFormat::Protobuf);
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    QCOMPARE(exposition->families.size(), census.families);
    QCOMPARE(exposition->skippedCount, std::size_t{0});
    QVERIFY(exposition->samples.size() >= census.metrics);
}

namespace {

void addCases(const QString &file)
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QJsonObject>("facts");
    for (const auto &line : readAll(file).split('\n')) {
        const auto facts = QJsonDocument::fromJson(line).object();
        if (facts.isEmpty())
            continue;
        const auto text = facts.contains(QLatin1String("hex"))
            ? QByteArray::fromHex(facts.value(QLatin1String("hex")).toString().toLatin1())
            : facts.value(QLatin1String("text")).toString().toUtf8();
        QTest::newRow(qPrintable(facts.value(QLatin1String("name")).toString())) << text << facts;
    }
}

} // namespace

void CapturesTest::openMetricsVerdicts_data() { addCases(QStringLiteral("openmetrics-parser-cases.jsonl")); }

void CapturesTest::openMetricsVerdicts()
{
    QFETCH(QByteArray, text);
    QFETCH(QJsonObject, facts);
    const auto exposition = parseExposition(view(text), ExpositionFormat::OpenMetrics);
    const auto why = exposition ? std::string("accepted") : exposition.error().detail;
    QVERIFY2(exposition.has_value() == facts.value(QLatin1String("shouldParse")).toBool(), why.c_str());
    if (!exposition)
        QVERIFY2(why.starts_with("line "), why.c_str());
}

void CapturesTest::specificationExamples_data() { addCases(QStringLiteral("openmetrics-spec-examples.jsonl")); }

void CapturesTest::specificationExamples()
{
    QFETCH(QByteArray, text);
    QFETCH(QJsonObject, facts);
    // A unit the name lacks, interleaved metrics, times that run backwards, two blanks in a row:
    // the specification prints these as warnings, or by mistake.
    const QStringList wrong{QStringLiteral("om1_03"), QStringLiteral("om1_07"), QStringLiteral("om1_08"),
                            QStringLiteral("om1_26")};
    if (!text.contains("# EOF"))
        text += "# EOF\n";
    const auto exposition = parseExposition(view(text), ExpositionFormat::OpenMetrics);
    if (!facts.value(QLatin1String("version")).toString().startsWith(QLatin1Char('1'))) {
        // The 2.0 draft: refused with a place, or read where it says the same as 1.0.
        QVERIFY(exposition || exposition.error().detail.starts_with("line "));
        return;
    }
    const bool isWrong = wrong.contains(facts.value(QLatin1String("name")).toString());
    QVERIFY2(exposition.has_value() == !isWrong, exposition ? "accepted" : exposition.error().detail.c_str());
}

void CapturesTest::textVerdicts_data() { addCases(QStringLiteral("prometheus-common-corpus.jsonl")); }

void CapturesTest::textVerdicts()
{
    QFETCH(QByteArray, text);
    QFETCH(QJsonObject, facts);
    const auto exposition = parseExposition(view(text), ExpositionFormat::PrometheusText);
    const bool accepts = exposition && exposition->conforms;
    QCOMPARE(accepts, facts.value(QLatin1String("goParserAccepts")).toBool());
    if (exposition && !accepts)
        QVERIFY(!exposition->skipped.empty() || !exposition->warnings.empty());
}

QTEST_GUILESS_MAIN(CapturesTest)
#include "tst_exposition_captures.moc"
