// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pprof.h"

#include <zlib.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <string>
#include <vector>

using namespace plimsoll;

namespace {

std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7U)
        bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    return bytes + static_cast<char>(value);
}

std::string number(unsigned field, std::uint64_t value) { return varint(field << 3U) + varint(value); }
std::string bytes(unsigned field, const std::string &inside) { return varint((field << 3U) | 2U) + varint(inside.size()) + inside; }

// Two samples of one type; the second location has an inlined call.
std::string smallProfile()
{
    std::string profile = bytes(1, number(1, 1) + number(2, 2));
    profile += bytes(2, number(1, 7) + number(1, 8) + number(2, 100) + bytes(3, number(1, 6) + number(2, 7)));
    profile += bytes(2, bytes(1, varint(8)) + bytes(2, varint(20)) + bytes(3, number(1, 6) + number(3, 5)));
    profile += bytes(3, number(1, 1) + number(2, 0x1000) + number(3, 0x2000) + number(5, 8));
    profile += bytes(4, number(1, 7) + number(2, 1) + number(3, 0x1234));
    profile += bytes(4, number(1, 8) + bytes(4, number(1, 1) + number(2, 30)) + bytes(4, number(1, 2) + number(2, 40)));
    profile += bytes(5, number(1, 1) + number(2, 3) + number(4, 5));
    profile += bytes(5, number(1, 2) + number(3, 4) + number(4, 5));
    for (const char *text : {"", "space", "bytes", "inlined", "caller", "a.py", "device", "gpu:3", "lib.so"})
        profile += bytes(6, text);
    return profile + number(9, 1700000000000000000) + bytes(11, number(1, 1) + number(2, 2)) + number(12, 524288);
}

Result<HeapProfile> readBytes(const std::string &text)
{
    const auto source = bytesOf(text);
    return readPprof(*source, {});
}

std::string frame(const HeapProfile &profile, StackId stack, std::size_t at)
{
    const auto &frame = profile.stacks.frame(profile.stacks.stack(stack)[at]);
    return std::string(profile.texts[frame.file]) + ':' + std::to_string(frame.line) + ':' + std::string(profile.texts[frame.name]);
}

QJsonArray toJson(const HeapValueType &type)
{
    return {QString::fromStdString(type.type), QString::fromStdString(type.unit)};
}

QJsonObject toJson(const HeapProfile &profile)
{
    QJsonArray types;
    QJsonArray sums;
    for (std::size_t i = 0; i < profile.sampleTypes.size(); ++i) {
        types.append(toJson(profile.sampleTypes[i]));
        sums.append(static_cast<qint64>(profile.valueSums[i]));
    }
    QJsonObject labels;
    for (const auto &[key, values] : profile.labelSums) {
        QJsonObject each;
        for (const auto &[value, sum] : values)
            each[QString::fromStdString(value)] = static_cast<qint64>(sum);
        if (values.size() > 12)
            each = {{QStringLiteral("distinct"), static_cast<double>(values.size())}};
        labels[QString::fromStdString(key)] = each;
    }
    QJsonObject json{{QStringLiteral("file_bytes"), static_cast<double>(profile.fileBytes)},
                     {QStringLiteral("gzip"), profile.isCompressed},
                     {QStringLiteral("proto_bytes"), static_cast<double>(profile.plainBytes)},
                     {QStringLiteral("sample_types"), types},
                     {QStringLiteral("samples"), static_cast<double>(profile.samples.size())},
                     {QStringLiteral("value_sums"), sums},
                     {QStringLiteral("deepest_stack"), static_cast<double>(profile.deepestStack)},
                     {QStringLiteral("strings"), static_cast<double>(profile.strings)},
                     {QStringLiteral("locations"), static_cast<double>(profile.locations)},
                     {QStringLiteral("functions"), static_cast<double>(profile.functions)},
                     {QStringLiteral("mappings"), static_cast<double>(profile.mappings.size())},
                     {QStringLiteral("labels"), labels}};
    if (profile.timeNanos)
        json[QStringLiteral("time_nanos")] = static_cast<qint64>(*profile.timeNanos);
    if (profile.durationNanos)
        json[QStringLiteral("duration_nanos")] = static_cast<qint64>(*profile.durationNanos);
    if (profile.period)
        json[QStringLiteral("period")] = static_cast<qint64>(*profile.period);
    if (profile.periodType)
        json[QStringLiteral("period_type")] = toJson(*profile.periodType);
    if (profile.defaultSampleType)
        json[QStringLiteral("default_sample_type")] = QString::fromStdString(*profile.defaultSampleType);
    return json;
}

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

} // namespace

class PprofTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
    void inlinedCallsAndLabels();
    void asSnapshot();
    void capturesAsSnapshots_data() { captures_data(); }
    void capturesAsSnapshots();
    void truncatedAnywhere();
    void flippedBits();
    void bombs();
    void damage_data();
    void damage();
    void recognised();
};

void PprofTest::captures_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QJsonObject>("expected");
    const QString folder = QStringLiteral(PLIMSOLL_SHARED_DATA "/pprof/");
    QFile file(folder + QStringLiteral("expected.json"));
    if (!file.open(QIODevice::ReadOnly))
        QSKIP("the captures are not on this machine");
    const auto all = QJsonDocument::fromJson(file.readAll()).object();
    for (auto each = all.begin(); each != all.end(); ++each)
        if (each.value().toObject().contains(QStringLiteral("proto_bytes")))
            QTest::newRow(qPrintable(each.key())) << folder + each.key() << each.value().toObject();
}

void PprofTest::captures()
{
    QFETCH(QString, path);
    QFETCH(QJsonObject, expected);
    auto source = openBytes(path.toStdString());
    QVERIFY(source.has_value());
    const auto profile = readPprof(**source, {});
    QVERIFY2(profile.has_value(), profile ? "" : profile.error().detail.c_str());
    const auto json = toJson(*profile);
    for (auto each = expected.begin(); each != expected.end(); ++each)
        QCOMPARE(json.value(each.key()), each.value());
    QCOMPARE(json, expected);
    QVERIFY(profile->warnings.empty());
}

void PprofTest::inlinedCallsAndLabels()
{
    const auto profile = readBytes(smallProfile());
    QVERIFY2(profile.has_value(), profile ? "" : profile.error().detail.c_str());
    QCOMPARE(profile->samples.size(), std::size_t{2});
    QCOMPARE(profile->deepestStack, std::size_t{2});
    const auto stack = profile->samples[0].stack;
    QCOMPARE(profile->stacks.depth(stack), std::size_t{3});
    QCOMPARE(frame(*profile, stack, 0), std::string("lib.so:0:0x1234"));
    QCOMPARE(frame(*profile, stack, 1), std::string("a.py:30:inlined"));
    QCOMPARE(frame(*profile, stack, 2), std::string("a.py:40:caller")); // only a system name
    QCOMPARE(profile->labelSums.at("device").at("gpu:3"), std::int64_t{100});
    QCOMPARE(profile->labelSums.at("device").at("5"), std::int64_t{20});
    QCOMPARE(profile->mappings[0].limit, std::uint64_t{0x2000});
    QCOMPARE(readBytes(gzipped(smallProfile()))->valueSums, profile->valueSums);
}

void PprofTest::asSnapshot()
{
    const auto profile = readBytes(smallProfile());
    QVERIFY(profile.has_value());
    QCOMPARE(profile->mainSampleType(), std::size_t{0});
    const auto snapshot = toMemorySnapshot(*profile, 0);
    QVERIFY(snapshot.has_value());
    QCOMPARE(snapshot->segments.size(), std::size_t{2});
    QCOMPARE(snapshot->segments[0].device, 3);
    QCOMPARE(snapshot->segments[0].totalSize, std::uint64_t{100});
    QCOMPARE(snapshot->segments[1].device, -1);
    QCOMPARE(snapshot->blocks[1].size, std::uint64_t{20});
    QCOMPARE(snapshot->blocks[1].address, kUnknownBytes);
    QCOMPARE(snapshot->stacks.depth(snapshot->blocks[0].stack), std::size_t{3});
    QVERIFY(!toMemorySnapshot(*profile, 1));
}

void PprofTest::capturesAsSnapshots()
{
    QFETCH(QString, path);
    auto source = openBytes(path.toStdString());
    const auto profile = readPprof(**source, {});
    QVERIFY(profile.has_value());
    const auto type = profile->mainSampleType();
    QCOMPARE(profile->sampleTypes[type].unit, std::string("bytes"));
    const auto snapshot = toMemorySnapshot(*profile, type);
    QVERIFY(snapshot.has_value());
    std::uint64_t sum = 0;
    for (const auto &block : snapshot->blocks)
        sum += block.size;
    QCOMPARE(sum, static_cast<std::uint64_t>(profile->valueSums[type]));
}

void PprofTest::truncatedAnywhere()
{
    const auto text = smallProfile();
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto profile = readBytes(text.substr(0, length));
        QVERIFY(profile || !profile.error().detail.empty());
    }
}

void PprofTest::flippedBits()
{
    const auto text = smallProfile();
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        auto flipped = text;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        const auto profile = readBytes(flipped);
        QVERIFY(profile || !profile.error().detail.empty());
        if (profile)
            QVERIFY(toMemorySnapshot(*profile, 0).has_value());
    }
}

void PprofTest::bombs()
{
    // A location of many lines, named by many bytes.
    std::string lines;
    for (int i = 0; i < 10'000; ++i)
        lines += bytes(4, number(2, static_cast<std::uint64_t>(i)));
    std::string profile = bytes(1, "") + bytes(4, number(1, 1) + lines);
    for (int i = 0; i < 10'000; ++i)
        profile += bytes(2, bytes(1, std::string(200, '\x01')));
    const auto unfolded = readBytes(profile);
    QVERIFY(!unfolded);
    QVERIFY(unfolded.error().code == Error::Code::TooLarge);

    std::string types;
    for (int i = 0; i < 100; ++i)
        types += bytes(1, "");
    QVERIFY(readBytes(types).error().code == Error::Code::TooLarge);

    // Zeros, packed twice over what any profile is.
    const auto packed = gzipped(bytes(6, std::string(80U << 20U, '\0')));
    ByteSourceLimits limits;
    limits.ratio = 100;
    const auto source = bytesOf(packed, limits);
    const auto bomb = readPprof(*source, {});
    QVERIFY(!bomb);
    QVERIFY(bomb.error().code == Error::Code::TooLarge);

    // One long text as the value of many labels.
    std::string labels = bytes(1, "") + bytes(6, "") + bytes(6, std::string(1U << 20U, 'x'));
    std::string sample;
    for (unsigned i = 0; i < 2000; ++i) {
        labels += bytes(6, "k" + std::to_string(i));
        sample += bytes(3, number(1, 2 + i) + number(2, 1));
    }
    const auto many = readBytes(labels + bytes(2, sample));
    QVERIFY(many.has_value());
    QCOMPARE(many->warnings.size(), std::size_t{1});
}

void PprofTest::damage_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto add = [](const char *name, const std::string &text) { QTest::newRow(name) << QByteArray(text.data(), static_cast<qsizetype>(text.size())); };
    add("nothing", "");
    add("text", "heap profile: 1: 2 [3: 4] @ heap/5\n");
    add("JSON", "{\"traceEvents\":[]}");
    add("a string that is not there", bytes(1, number(1, 9)));
    add("a packed number that ends early", bytes(1, "") + bytes(2, bytes(1, "\x80")));
    add("a length beyond the end", "\x0a\x7f");
}

void PprofTest::damage()
{
    QFETCH(QByteArray, text);
    const auto profile = readBytes(text.toStdString());
    QVERIFY(!profile);
    QVERIFY(!profile.error().detail.empty());
}

void PprofTest::recognised()
{
    const auto text = smallProfile();
    QVERIFY(looksLikePprof(text));
    for (std::size_t length = 8; length < text.size(); ++length)
        QVERIFY2(looksLikePprof(text.substr(0, length)), std::to_string(length).c_str());
    for (const std::string other : {"", "{\"a\":1}", "[[1,2]]", "\x80\x04\x95", "heap_v2/1\n", "<!DOCTYPE html>", "\n\n\n\n"})
        QVERIFY2(!looksLikePprof(other), other.c_str());
}

QTEST_APPLESS_MAIN(PprofTest)
#include "tst_pprof.moc"
