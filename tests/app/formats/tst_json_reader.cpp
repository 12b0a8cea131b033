// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "formats/kineto.h"
#include "formats/torch_json.h"

#include <zlib.h>

#include <QTest>

#include <random>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

std::string gzipped(const std::string &plain)
{
    z_stream stream{};
    if (::deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string packed(::deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    ::deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    ::deflateEnd(&stream);
    return packed;
}

/// Gives at most so many bytes at a time.
class Dripping final : public ByteSource
{
public:
    Dripping(std::string_view bytes, std::size_t step) : m_bytes(bytes), m_step(step) {}
    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        const auto count = std::min({into.size(), m_step, m_bytes.size() - m_taken});
        std::copy_n(m_bytes.data() + m_taken, count, into.data());
        m_taken += count;
        return count;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_taken; }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return m_bytes.size(); }

private:
    std::string_view m_bytes;
    std::size_t m_step;
    std::size_t m_taken = 0;
};

// A value of any kind, with all that confuses a scan for structure.
std::string randomValue(std::mt19937 &random, int depth)
{
    const auto blanks = [&random] { return std::string(random() % 3, random() % 2 == 0 ? ' ' : '\n'); };
    switch (random() % (depth > 0 ? 6 : 4)) {
    case 0: return std::to_string(random());
    case 1: return "true";
    case 2: {
        std::string text = "\"";
        constexpr std::string_view kPieces[]{"\\\"", "\\\\", "{", "}", "[", "]", ",", ":", "a", "\\u0022", "\xC3\xA9"};
        for (auto i = random() % 40; i > 0; --i)
            text += kPieces[random() % std::size(kPieces)];
        return text + '"';
    }
    case 3: return "-1.5e-7";
    case 4: {
        std::string text = "[" + blanks();
        const auto count = random() % 5;
        for (std::size_t i = 0; i < count; ++i)
            text += (i == 0 ? "" : "," + blanks()) + randomValue(random, depth - 1) + blanks();
        return text + ']';
    }
    default: {
        std::string text = "{" + blanks();
        const auto count = random() % 5;
        for (std::size_t i = 0; i < count; ++i)
            text += (i == 0 ? "" : "," + blanks()) + "\"k\\\"" + std::to_string(i) + "\"" + blanks() + ":" + randomValue(random, depth - 1) + blanks();
        return text + '}';
    }
    }
}

} // namespace

class JsonReaderTest : public QObject
{
    Q_OBJECT

private slots:
    void runsHoldAllElements_data();
    void runsHoldAllElements();
    void valuesAndKeys();
    void skippedValuesAreCut();
    void offsetsInSentences();
    void longElements();
    void damagedPacking();
    void bomb();
    void progress();
    void strings_data();
    void strings();
    void validity_data();
    void validity();
    void numbers_data();
    void numbers();
};

void JsonReaderTest::runsHoldAllElements_data()
{
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("step");
    for (int seed = 0; seed < 12; ++seed)
        QTest::addRow("%d", seed) << seed << (seed % 3 == 0 ? 1 : seed % 3 == 1 ? 77 : 1 << 20);
}

void JsonReaderTest::runsHoldAllElements()
{
    QFETCH(int, seed);
    QFETCH(int, step);
    std::mt19937 random(static_cast<unsigned>(seed));
    std::string inside;
    while (inside.size() < (seed < 6 ? 2'000U : 600'000U)) // with small windows and beyond a large one
        inside += (inside.empty() ? "" : ",") + randomValue(random, 5);
    const auto text = "{\"before\":" + randomValue(random, 4) + ",\"list\":[" + inside + "],\"after\":[]}";
    Dripping source(text, static_cast<std::size_t>(step));
    const SnapshotReading reading;
    JsonReader json(source, reading);
    QVERIFY(json.expect('{'));
    QCOMPARE(*json.key(), std::string("before"));
    QVERIFY(json.skip(10).has_value());
    QVERIFY(json.expect(','));
    QCOMPARE(*json.key(), std::string("list"));
    QVERIFY(json.expect('['));
    std::string joined;
    for (bool isLast = false; !isLast;) {
        const auto run = json.elements();
        QVERIFY2(run.has_value(), run ? "" : run.error().detail.c_str());
        isLast = run->isLast;
        if (run->text.empty())
            continue;
        QVERIFY(run->text.front() == '[' && run->text.back() == ']');
        QVERIFY(isJson(run->text, 64));
        QVERIFY(text.compare(run->offset + 1, run->text.size() - 2, run->text.substr(1, run->text.size() - 2)) == 0);
        joined += (joined.empty() ? "" : ",") + std::string(run->text.substr(1, run->text.size() - 2));
    }
    const auto squeezed = [](std::string all) {
        std::erase_if(all, [](char c) { return c == ' ' || c == '\n'; });
        return all;
    };
    QVERIFY(squeezed(joined) == squeezed(inside));
    QVERIFY(json.expect(','));
    QCOMPARE(*json.key(), std::string("after"));
    QCOMPARE(*json.value(), std::string_view("[]"));
    QVERIFY(json.expect('}'));
    QCOMPARE(*json.look(), '\0');
    QVERIFY(!json.isTruncated());
}

void JsonReaderTest::valuesAndKeys()
{
    const std::string text = R"( { "a\"\u00e9" : "x\"y" , "b":-1.5e3,"c":[{"d":"]"}] ,"d":null} )";
    for (const std::size_t step : {1U, 3U, 100U}) {
        Dripping source(text, step);
        const SnapshotReading reading;
        JsonReader json(source, reading);
        QVERIFY(json.expect('{'));
        QCOMPARE(*json.key(), std::string("a\"\xC3\xA9"));
        QCOMPARE(*json.value(), std::string_view(R"("x\"y")"));
        QVERIFY(json.expect(','));
        QCOMPARE(*json.key(), std::string("b"));
        QCOMPARE(*json.value(), std::string_view("-1.5e3"));
        QVERIFY(json.expect(','));
        QCOMPARE(*json.key(), std::string("c"));
        QCOMPARE(*json.value(), std::string_view(R"([{"d":"]"}])"));
        QVERIFY(json.expect(','));
        QCOMPARE(*json.key(), std::string("d"));
        QCOMPARE(*json.value(), std::string_view("null"));
    }
}

void JsonReaderTest::skippedValuesAreCut()
{
    const std::string text = "[\"" + std::string(1'000'000, 'x') + "\\\"\",[" + std::string(1'000'000, ' ') + "\"]\"],7]";
    Dripping source(text, 1000);
    SnapshotReading reading;
    reading.limits.textBytes = 1000; // what is passed over may be longer
    JsonReader json(source, reading);
    QVERIFY(json.expect('['));
    QCOMPARE(*json.skip(5), std::string("\"xxxx"));
    QVERIFY(json.expect(','));
    QCOMPARE(*json.skip(3), std::string("[  "));
    QVERIFY(json.expect(','));
    QCOMPARE(*json.skip(3), std::string("7"));
    QVERIFY(json.expect(']'));
}

void JsonReaderTest::offsetsInSentences()
{
    const std::string text = "{\"a\" 1}";
    Dripping source(text, 100);
    const SnapshotReading reading;
    JsonReader json(source, reading);
    QVERIFY(json.expect('{'));
    const auto key = json.key();
    QVERIFY(!key);
    QVERIFY2(key.error().detail.find("byte 5") != std::string::npos, key.error().detail.c_str());
    QVERIFY(!json.isTruncated());
}

void JsonReaderTest::longElements()
{
    // Each longer than the window.
    std::string text = "[";
    for (int i = 0; i < 4; ++i)
        text += "{\"a\":\"" + std::string(700'000, static_cast<char>('a' + i)) + "\"},";
    text.back() = ']';
    Dripping source(text, 1U << 20U);
    const SnapshotReading reading;
    JsonReader json(source, reading);
    QVERIFY(json.expect('['));
    std::size_t bytes = 0;
    for (bool isLast = false; !isLast;) {
        const auto run = json.elements();
        QVERIFY2(run.has_value(), run ? "" : run.error().detail.c_str());
        bytes += run->text.size();
        isLast = run->isLast;
    }
    QVERIFY(bytes >= text.size());
}

void JsonReaderTest::damagedPacking()
{
    std::string text = "{\"traceEvents\":[";
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i)
        text += "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":" + std::to_string(random()) + ",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":"
            + std::to_string(random()) + "}},";
    text.back() = ']';
    const auto packed = gzipped(text + '}');
    for (const auto cut : {packed.size() / 2, packed.size() - 1}) {
        const auto source = bytesOf(std::string_view(packed).substr(0, cut));
        const auto trace = readKineto(*source, {});
        QVERIFY2(trace.has_value(), trace ? "" : trace.error().detail.c_str());
        QVERIFY(trace->census.events > 1000);
        QCOMPARE(trace->snapshot.warnings.size(), std::size_t{1});
        QVERIFY(trace->snapshot.warnings[0].find("gzip") != std::string::npos);
    }
}

void JsonReaderTest::bomb()
{
    // Blanks, text and nesting pack to nothing.
    for (const std::string &inside : {std::string(40U << 20U, ' '), '"' + std::string(40U << 20U, 'x') + '"', std::string(40U << 20U, '[')}) {
        const auto packed = gzipped("{\"traceEvents\":[" + inside + "]}");
        ByteSourceLimits limits;
        limits.ratio = 100;
        const auto source = bytesOf(packed, limits);
        const auto trace = readKineto(*source, {});
        QVERIFY(!trace);
        QVERIFY2(trace.error().code == Error::Code::TooLarge, trace.error().detail.c_str());
        const auto again = bytesOf(packed, limits);
        QVERIFY(!readTorchJson(*again, {}));
    }
}

void JsonReaderTest::progress()
{
    std::string text = "{\"segments\":[],\"device_traces\":[[";
    for (int i = 0; i < 50'000; ++i)
        text += "{\"action\":\"alloc\",\"addr\":" + std::to_string(i) + ",\"size\":5},";
    text.back() = ']';
    const auto source = bytesOf(text += "]}");
    std::vector<int> seen;
    SnapshotReading reading;
    reading.progress = [&seen](const Progress &progress) { seen.push_back(progress.perMille); };
    QVERIFY(readTorchJson(*source, reading).has_value());
    QVERIFY(seen.size() > 4 && std::is_sorted(seen.begin(), seen.end()));
    QCOMPARE(seen.back(), 1000);
}

void JsonReaderTest::strings_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("plain") << QByteArray("abc") << QByteArray("\"abc\"");
    QTest::newRow("quotes") << QByteArray("a\"b\\c") << QByteArray(R"("a\"b\\c")");
    QTest::newRow("control") << QByteArray("\n\t\r\x01") << QByteArray(R"("\n\t\r\u0001")");
    QTest::newRow("two to four bytes") << QByteArray("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") << QByteArray("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
    QTest::newRow("lone surrogate") << QByteArray("a\xED\xB2\x80z") << QByteArray(R"("a\udc80z")");
}

void JsonReaderTest::strings()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, json);
    std::string written;
    appendJsonString(written, text.toStdString());
    QCOMPARE(QByteArray::fromStdString(written), json);
    QCOMPARE(QByteArray::fromStdString(unescapedJson(std::string_view(written).substr(1, written.size() - 2))), text);
    std::string invalid;
    appendJsonString(invalid, "a\xFF\xC3");
    QCOMPARE(invalid, std::string("\"a\xEF\xBF\xBD\xEF\xBF\xBD\""));
    QCOMPARE(compactJson(" { \"a\\u00e9 \\/\" : [1, \"x\\\"\"] }\n"), std::string("{\"a\xC3\xA9 /\":[1,\"x\\\"\"]}"));
    QCOMPARE(compactJson("[1, \"cut "), std::string("[1,\"cut "));
    QCOMPARE(unescapedJson(R"(\ud83d\ude00\/\b\f\q\u12)"), std::string("\xF0\x9F\x98\x80/\b\f\\q\\u12"));
}

void JsonReaderTest::validity_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isValid");
    for (const char *text : {"1", "-0.5e+7", "\"\"", " null ", "[]", "{}", R"({"a":[1,{"b":"}"}],"c":false})", "[[],[]]"})
        QTest::newRow(text) << QByteArray(text) << true;
    for (const char *text : {"", "NaN", "01x", "[1,]", "{\"a\"}", "{1:2}", "[1 2]", "[", "\"", "{\"a\":1", "1 2", "[1]]", "-", "1.", "\"a\nb\""})
        QTest::newRow(text) << QByteArray(text) << false;
    QTest::newRow("deep") << QByteArray(100, '[') + QByteArray(100, ']') << false;
}

void JsonReaderTest::validity()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isValid);
    QCOMPARE(isJson(text.toStdString(), 64), isValid);
}

void JsonReaderTest::numbers_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isNumber");
    QTest::addColumn<quint64>("bits");
    QTest::newRow("0") << QByteArray("0") << true << quint64{0};
    QTest::newRow("2^53+1") << QByteArray("9007199254740993") << true << quint64{9007199254740993};
    QTest::newRow("2^64-1") << QByteArray("18446744073709551615") << true << quint64{UINT64_MAX};
    QTest::newRow("-1") << QByteArray("-1") << true << quint64{UINT64_MAX};
    QTest::newRow("-2^63") << QByteArray("-9223372036854775808") << true << (quint64{1} << 63U);
    QTest::newRow("exponent") << QByteArray("1.4e14") << true << quint64{140000000000000};
    QTest::newRow("point") << QByteArray("2.0") << true << quint64{2};
    QTest::newRow("2^64") << QByteArray("18446744073709551616") << false << quint64{0};
    QTest::newRow("huge") << QByteArray("1e300") << false << quint64{0};
    QTest::newRow("beyond a double") << QByteArray("1e400") << false << quint64{0};
    QTest::newRow("fraction") << QByteArray("1.5") << false << quint64{0};
    QTest::newRow("text") << QByteArray("x") << false << quint64{0};
    QTest::newRow("nothing") << QByteArray("") << false << quint64{0};
    QTest::newRow("many digits") << QByteArray(5000, '9') << false << quint64{0};
}

void JsonReaderTest::numbers()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isNumber);
    QFETCH(quint64, bits);
    const auto found = jsonUnsigned(text.toStdString());
    QCOMPARE(found.has_value(), isNumber);
    QCOMPARE(found.value_or(0), static_cast<std::uint64_t>(bits));
    QCOMPARE(static_cast<std::uint64_t>(jsonInteger(text.toStdString()).value_or(0)), static_cast<std::uint64_t>(bits));
}

QTEST_APPLESS_MAIN(JsonReaderTest)
#include "tst_json_reader.moc"
