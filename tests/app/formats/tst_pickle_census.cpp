// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"
#include "formats/pickle_opcodes.h"

#include <QTest>

#include <memory>

using namespace plimsoll;

namespace {

Result<PickleCensus> count(const std::string &bytes)
{
    const auto exact = std::make_unique<char[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    return countOpcodes(*bytesOf({exact.get(), bytes.size()}));
}

/// Every opcode once, with an argument where it has one; STOP last.
std::string allOpcodes()
{
    std::string bytes;
    for (int code = 0; code < 256; ++code) {
        const auto &opcode = pickleOpcode(static_cast<std::uint8_t>(code));
        if (opcode.name.empty() || code == op::Stop)
            continue;
        bytes += static_cast<char>(code);
        switch (opcode.argument) {
        case PickleArgument::None: break;
        case PickleArgument::Bytes1: bytes += '\x03'; break;
        case PickleArgument::Bytes2: bytes += "\x01\x02"; break;
        case PickleArgument::Bytes4: bytes += std::string("\x01\0\0\0", 4); break;
        case PickleArgument::Bytes8: bytes += std::string("\x01\0\0\0\0\0\0\0", 8); break;
        case PickleArgument::Line: bytes += "12\n"; break;
        case PickleArgument::TwoLines: bytes += "a\nb\n"; break;
        case PickleArgument::Counted1: bytes += "\x02zz"; break;
        case PickleArgument::Counted4: bytes += std::string("\x02\0\0\0zz", 6); break;
        case PickleArgument::Counted8: bytes += std::string("\x02\0\0\0\0\0\0\0zz", 10); break;
        }
    }
    return bytes + '.';
}

} // namespace

class PickleCensusTest : public QObject
{
    Q_OBJECT

private slots:
    void everyOpcode();
    void truncated();
    void longs_data();
    void longs();
    void noOpcode();
    void longFiles();
};

void PickleCensusTest::everyOpcode()
{
    const auto bytes = allOpcodes();
    const auto census = count(bytes + "behind the end");
    QVERIFY2(census, census ? "" : census.error().detail.c_str());
    QCOMPARE(census->opcodes.size(), std::size_t(68)); // as many as pickletools knows
    for (const auto &[name, times] : census->opcodes)
        QVERIFY2(times == 1, name.c_str());
    QCOMPARE(census->protocol, 3);
    QCOMPARE(census->bytes, std::uint64_t(bytes.size()));
}

void PickleCensusTest::truncated()
{
    const auto bytes = allOpcodes();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto census = count(bytes.substr(0, length));
        QVERIFY(!census);
        QVERIFY(census.error().code == Error::Code::Corrupt);
    }
}

void PickleCensusTest::longs_data()
{
    QTest::addColumn<QByteArray>("digits");
    QTest::addColumn<int>("needed");
    QTest::newRow("zero") << QByteArray("\0", 1) << 0;
    QTest::newRow("none") << QByteArray() << 0;
    QTest::newRow("one") << QByteArray("\1") << 1;
    QTest::newRow("minus one") << QByteArray("\xff") << 1;
    QTest::newRow("128") << QByteArray("\x80\0", 2) << 2;
    QTest::newRow("air above") << QByteArray("\x01\0\0\0\0\0\0\0", 8) << 1;
    QTest::newRow("air above a negative") << QByteArray("\x80\xff\xff\xff") << 1;
    QTest::newRow("2^64 - 1") << QByteArray("\xff\xff\xff\xff\xff\xff\xff\xff\0", 9) << 9;
}

void PickleCensusTest::longs()
{
    QFETCH(QByteArray, digits);
    QFETCH(int, needed);
    const auto census = count("\x8a" + std::string(1, char(digits.size())) + digits.toStdString() + '.');
    QVERIFY(census);
    QCOMPARE(int(census->widestLongBytes), needed);
    const auto other = count("\x8b" + std::string(1, char(digits.size())) + std::string(3, '\0') + digits.toStdString() + '.');
    QVERIFY(other);
    QCOMPARE(int(other->widestLongBytes), needed);
}

void PickleCensusTest::noOpcode()
{
    const auto census = count("KK\x01\x07");
    QVERIFY(!census);
    QVERIFY2(census.error().detail.starts_with("Byte 2: 0x01 is no opcode"), census.error().detail.c_str());
}

void PickleCensusTest::longFiles()
{
    std::string bytes;
    while (bytes.size() < 5'000'000) {
        bytes += std::string("j\1\2\3\4K\5]}", 9);
        if (bytes.size() % 7 == 0)
            bytes += std::string("X\0\0\1\0", 5) + std::string(65536, 'x');
    }
    bytes += '.';
    const auto census = count(bytes);
    QVERIFY(census);
    QCOMPARE(census->bytes, std::uint64_t(bytes.size()));
    QVERIFY(census->opcodes.at("LONG_BINGET") == census->opcodes.at("EMPTY_DICT") && census->opcodes.at("BINUNICODE") > 0);
}

QTEST_GUILESS_MAIN(PickleCensusTest)
#include "tst_pickle_census.moc"
