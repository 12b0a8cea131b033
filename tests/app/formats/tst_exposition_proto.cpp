// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition.h"
#include "formats/exposition_proto.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

using namespace plimsoll;

namespace {

// The few wire types an encoder of test messages needs.
std::string varint(std::uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7U)
        out += static_cast<char>((value & 0x7fU) | 0x80U);
    out += static_cast<char>(value);
    return out;
}
std::string bytes(unsigned field, const std::string &text) { return varint(field << 3U | 2U) + varint(text.size()) + text; }
std::string number(unsigned field, std::uint64_t value) { return varint(field << 3U) + varint(value); }
std::string real(unsigned field, double value)
{
    std::string out = varint(field << 3U | 1U);
    for (unsigned i = 0; i < 8; ++i)
        out += static_cast<char>((std::bit_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
    return out;
}
std::string pair(const std::string &name, const std::string &value) { return bytes(1, bytes(1, name) + bytes(2, value)); }
std::string family(const std::string &name, unsigned type, const std::string &metrics)
{
    return bytes(1, name) + bytes(2, "help") + number(3, type) + metrics;
}
std::string delimited(const std::string &message) { return varint(message.size()) + message; }

Result<Exposition> parse(const std::string &body, const ExpositionLimits &limits = {})
{
    return parseExposition(body, ExpositionFormat::Protobuf, limits);
}

std::string listed(const Exposition &exposition)
{
    std::string out;
    for (const auto &sample : exposition.samples)
        out += sample.name + '{' + sample.labels.encode() + "} " + std::to_string(sample.value) + '\n';
    return out;
}

} // namespace

class ProtoTest : public QObject
{
    Q_OBJECT

private slots:
    void readsSimpleValues();
    void readsDistributionsAsTheTextShowsThem();
    void readsExemplars();
    void readsOnlySumsOfNativeHistograms();
    void toleratesUnknownFields();
    void refusesDamage_data();
    void refusesDamage();
    void refusesEveryCut();
    void skipsWhatIsNoText();
    void enforcesLimits();
};

void ProtoTest::readsSimpleValues()
{
    const auto body = delimited(family("drops_total", 0, bytes(4, pair("a", "b") + bytes(3, real(1, 7)))))
        + delimited(family("lamp", 1, bytes(4, bytes(2, real(1, -2.5)) + number(6, 1'700'000'000'123))))
        + delimited(family("loose", 3, bytes(4, bytes(5, real(1, std::numeric_limits<double>::quiet_NaN()))) + bytes(5, "bytes")));
    const auto exposition = parse(body);
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    QCOMPARE(listed(*exposition), std::string("drops_total{a=\"b\"} 7.000000\nlamp{} -2.500000\nloose{} nan\n"));
    QCOMPARE(exposition->families[0], (ExpositionFamily{"drops_total", SampleType::Counter, "help", ""}));
    QCOMPARE(exposition->families[2], (ExpositionFamily{"loose", SampleType::Unknown, "help", "bytes"}));
    QCOMPARE(exposition->samples[1].time, std::optional(fromUnixNanos(1'700'000'000'123'000'000)));
    const auto census = countDelimitedProto(body);
    QCOMPARE(census.families, std::size_t{3});
    QCOMPARE(census.metrics, std::size_t{3});
    QCOMPARE(census.familiesByType.at("untyped"), std::size_t{1});
    QCOMPARE(census.firstFamily, std::string("drops_total"));
    QCOMPARE(census.lastFamily, std::string("loose"));
    QVERIFY(looksLikeDelimitedProto(body));
    QVERIFY(!looksLikeDelimitedProto("lamp 1\n"));
}

void ProtoTest::readsDistributionsAsTheTextShowsThem()
{
    const auto summary = number(1, 3) + real(2, 9) + bytes(3, real(1, 0.5) + real(2, 2)) + bytes(3, real(1, 0.99) + real(2, 4));
    const auto histogram = number(1, 4) + real(2, 0.75) + bytes(3, number(1, 3) + real(2, 0.25));
    const auto exposition = parse(delimited(family("s", 2, bytes(4, bytes(4, summary))))
                                  + delimited(family("h", 4, bytes(4, pair("a", "b") + bytes(7, histogram)))));
    QVERIFY(exposition.has_value());
    QCOMPARE(listed(*exposition),
             std::string("s{quantile=\"0.5\"} 2.000000\ns{quantile=\"0.99\"} 4.000000\ns_sum{} 9.000000\ns_count{} 3.000000\n"
                         "h_bucket{a=\"b\",le=\"0.25\"} 3.000000\nh_bucket{a=\"b\",le=\"+Inf\"} 4.000000\n"
                         "h_sum{a=\"b\"} 0.750000\nh_count{a=\"b\"} 4.000000\n"));
}

void ProtoTest::readsExemplars()
{
    const auto exemplar = pair("trace", "x") + real(2, 1) + bytes(3, number(1, 1'700'000'000) + number(2, 5));
    const auto exposition = parse(delimited(family("c", 0, bytes(4, bytes(3, real(1, 7) + bytes(2, exemplar))))));
    QVERIFY(exposition.has_value());
    QCOMPARE(exposition->samples.at(0).exemplar,
             std::optional(Exemplar{Labels{{"trace", "x"}}, 1, fromUnixNanos(1'700'000'000'000'000'005)}));
}

void ProtoTest::readsOnlySumsOfNativeHistograms()
{
    const auto native = number(1, 4) + real(2, 0.75) + number(5, 6) + bytes(12, number(1, 2) + number(2, 1)) + bytes(13, varint(4));
    const auto exposition = parse(delimited(family("n", 4, bytes(4, bytes(7, native)))));
    QVERIFY(exposition.has_value());
    QCOMPARE(listed(*exposition), std::string("n_sum{} 0.750000\nn_count{} 4.000000\n"));
    QCOMPARE(exposition->warnings.size(), std::size_t{1});
}

void ProtoTest::toleratesUnknownFields()
{
    const auto metric = bytes(90, "later") + bytes(2, real(1, 1) + number(77, 5)) + number(91, 3) + real(92, 1);
    const auto exposition = parse(delimited(family("lamp", 1, bytes(4, metric) + varint(93U << 3U | 5U) + "abcd")));
    QVERIFY2(exposition.has_value(), exposition ? "" : exposition.error().detail.c_str());
    QCOMPARE(listed(*exposition), std::string("lamp{} 1.000000\n"));
}

void ProtoTest::refusesDamage_data()
{
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char *name, const std::string &body) { QTest::newRow(name) << QByteArray::fromStdString(body); };
    row("length beyond the end", varint(100) + "abc");
    row("endless varint", std::string(20, '\xff'));
    row("group", delimited("\x0b\x0c"));
    row("field zero", delimited(std::string("\x02\x00", 2)));
    row("string beyond its message", delimited(varint(1U << 3U | 2U) + varint(50) + "x"));
    row("cut double", delimited(family("lamp", 1, bytes(4, bytes(2, "\x09" "abc")))));
    row("damage in a label", delimited(family("lamp", 1, bytes(4, bytes(1, "\x0a\x7f") + bytes(2, real(1, 1))))));
    row("text", "lamp 1\nother 2\n");
}

void ProtoTest::refusesDamage()
{
    QFETCH(QByteArray, body);
    const auto exposition = parse(body.toStdString());
    QVERIFY(!exposition.has_value());
    QVERIFY(exposition.error().code == Error::Code::BadInput);
    QVERIFY2(exposition.error().detail.find("offset") != std::string::npos, exposition.error().detail.c_str());
}

void ProtoTest::refusesEveryCut()
{
    const auto first = delimited(family("a", 1, bytes(4, pair("x", "y") + bytes(2, real(1, 1)))));
    const auto body = first + delimited(family("b", 4, bytes(4, bytes(7, number(1, 4) + bytes(3, number(1, 3) + real(2, 1))))));
    for (std::size_t length = 1; length < body.size(); ++length)
        QCOMPARE(parse(body.substr(0, length)).has_value(), length == first.size());
    QVERIFY(parse(body).has_value());
}

void ProtoTest::skipsWhatIsNoText()
{
    const auto exposition = parse(delimited(family("\xff", 1, bytes(4, bytes(2, real(1, 1)))))
                                  + delimited(family("lamp", 1, bytes(4, pair("a", "\xfe") + bytes(2, real(1, 1)))
                                                         + bytes(4, bytes(2, real(1, 2))) + bytes(4, pair("a", "b")))));
    QVERIFY(exposition.has_value());
    QCOMPARE(listed(*exposition), std::string("lamp{} 2.000000\n"));
    QCOMPARE(exposition->skippedCount, std::size_t{3});
}

void ProtoTest::enforcesLimits()
{
    ExpositionLimits limits;
    limits.samples = 3;
    limits.labels = 1;
    limits.labelValueBytes = 4;
    const auto gauge = bytes(4, bytes(2, real(1, 1)));
    const auto full = parse(delimited(family("a", 1, gauge + gauge + gauge + gauge)) + delimited(family("b", 1, gauge)), limits);
    QVERIFY(full.has_value());
    QCOMPARE(full->samples.size(), std::size_t{3});
    QCOMPARE(full->skippedCount, std::size_t{1});
    const auto labels = parse(delimited(family("a", 1, bytes(4, pair("a", "1") + pair("b", "2") + bytes(2, real(1, 1)))
                                                   + bytes(4, pair("a", "12345") + bytes(2, real(1, 1))))),
                              limits);
    QVERIFY(labels.has_value());
    QCOMPARE(labels->samples.size(), std::size_t{0});
    QCOMPARE(labels->skippedCount, std::size_t{2});
}

QTEST_APPLESS_MAIN(ProtoTest)
#include "tst_exposition_proto.moc"
