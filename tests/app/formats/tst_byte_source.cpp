// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/byte_source.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <random>

using namespace plimsoll;

namespace {

std::string noise(std::size_t size)
{
    std::mt19937 random(7);
    std::string text(size, '\0');
    for (auto &c : text)
        c = static_cast<char>('a' + random() % 12);
    return text;
}

std::string gzipped(const std::string &text)
{
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(compressBound(text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string zstdCompressed(const std::string &text)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

Result<std::string> unpack(const std::string &bytes, const ByteSourceLimits &limits = {})
{
    return readAll(*bytesOf(bytes, limits), std::uint64_t{1} << 30U);
}

} // namespace

class ByteSourceTest : public QObject
{
    Q_OBJECT

private slots:
    void unpacks_data();
    void unpacks();
    void saysWhatIsDamaged_data();
    void saysWhatIsDamaged();
    void refusesBombs_data();
    void refusesBombs();
    void refusesWhatIsNoFile();
};

void ByteSourceTest::unpacks_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("text");
    const auto text = noise(3'000'000);
    const auto row = [](const char *name, const std::string &bytes, const std::string &expected) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray::fromStdString(expected);
    };
    row("nothing", "", "");
    row("plain", text, text);
    row("one byte", "x", "x");
    row("gzip", gzipped(text), text);
    row("gzip of nothing", gzipped(""), "");
    row("gzip, two members", gzipped("ab") + gzipped("cd"), "abcd");
    row("gzip, padded with zeros", gzipped("ab") + std::string(512, '\0'), "ab");
    row("zstd", zstdCompressed(text), text);
    row("zstd, two frames", zstdCompressed("ab") + zstdCompressed("cd"), "abcd");
    row("packed once only", gzipped(gzipped("ab")), gzipped("ab"));
}

void ByteSourceTest::unpacks()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, text);
    const auto fromMemory = unpack(bytes.toStdString());
    QVERIFY2(fromMemory, fromMemory ? "" : fromMemory.error().detail.c_str());
    QVERIFY(*fromMemory == text.toStdString());

    const QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("f"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    file.close();
    auto source = openBytes(path.toStdString());
    QVERIFY(source);
    const auto fromFile = readAll(**source, std::uint64_t{1} << 30U);
    QVERIFY(fromFile && *fromFile == text.toStdString());
    QVERIFY((*source)->taken() <= static_cast<std::uint64_t>(bytes.size()));
}

void ByteSourceTest::saysWhatIsDamaged_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto text = noise(100'000);
    for (const auto &[name, packed] : {std::pair{"gzip", gzipped(text)}, std::pair{"zstd", zstdCompressed(text)}}) {
        QTest::addRow("%s, cut", name) << QByteArray::fromStdString(packed.substr(0, packed.size() / 2));
        QTest::addRow("%s, cut behind its magic", name) << QByteArray::fromStdString(packed.substr(0, 5));
        auto flipped = packed;
        for (std::size_t i = packed.size() / 3; i < packed.size() / 3 + 8; ++i)
            flipped[i] = static_cast<char>(flipped[i] ^ 0x5a);
        QTest::addRow("%s, overwritten", name) << QByteArray::fromStdString(flipped);
    }
}

void ByteSourceTest::saysWhatIsDamaged()
{
    QFETCH(QByteArray, bytes);
    const auto text = unpack(bytes.toStdString());
    // zstd without a checksum may not see that bytes were overwritten; then they differ and nothing else happens.
    if (text) {
        QVERIFY(bytes.startsWith("\x28\xb5\x2f\xfd"));
        return;
    }
    QCOMPARE(static_cast<int>(text.error().code), static_cast<int>(Error::Code::Corrupt));
    QVERIFY2(text.error().detail.find("byte ") != std::string::npos, text.error().detail.c_str());
}

void ByteSourceTest::refusesBombs_data()
{
    QTest::addColumn<bool>("isGzip");
    QTest::newRow("gzip") << true;
    QTest::newRow("zstd") << false;
}

void ByteSourceTest::refusesBombs()
{
    QFETCH(bool, isGzip);
    const std::string zeros(std::size_t{200} << 20U, '\0');
    const auto bomb = isGzip ? gzipped(zeros) : zstdCompressed(zeros);
    ByteSourceLimits limits;
    limits.ratio = 500;
    const auto byRatio = unpack(bomb, limits);
    QVERIFY(!byRatio);
    QCOMPARE(static_cast<int>(byRatio.error().code), static_cast<int>(Error::Code::TooLarge));
    limits = {};
    limits.unpackedBytes = std::uint64_t{100} << 20U;
    limits.ratio = 1'000'000;
    const auto bySize = unpack(bomb, limits);
    QVERIFY(!bySize);
    QCOMPARE(static_cast<int>(bySize.error().code), static_cast<int>(Error::Code::TooLarge));
}

void ByteSourceTest::refusesWhatIsNoFile()
{
    const QTemporaryDir folder;
    QVERIFY(!openBytes(folder.path().toStdString()));
    QVERIFY(!openBytes(folder.filePath(QStringLiteral("absent")).toStdString()));
    const auto pipe = folder.filePath(QStringLiteral("pipe"));
    QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
    const auto opened = openBytes(pipe.toStdString()); // and does not wait for a writer
    QVERIFY(!opened);
    QCOMPARE(static_cast<int>(opened.error().code), static_cast<int>(Error::Code::Unsupported));
}

QTEST_APPLESS_MAIN(ByteSourceTest)
#include "tst_byte_source.moc"
