// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/bucket_column.h"
#include "history/buckets.h"
#include "history/chunk.h"
#include "history/integer_column.h"
#include "history/rollup.h"
#include "history/tail_row.h"
#include "history/value_column.h"
#include "model/series.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace plimsoll;

namespace {

using Random = std::mt19937_64;

std::uint64_t seedOfThisRun()
{
    static const std::uint64_t seed = [] {
        const auto given = qEnvironmentVariable("PLIMSOLL_SEED");
        const auto s = given.isEmpty() ? std::uint64_t{std::random_device()()} : given.toULongLong();
        qInfo("seed %llu (set PLIMSOLL_SEED to run it again)", static_cast<unsigned long long>(s));
        return s;
    }();
    return seed;
}

std::uint64_t below(Random &random, std::uint64_t limit) { return random() % limit; }

bool haveSameBits(std::span<const double> a, std::span<const double> b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

bool haveSameBits(const Rows &a, const Rows &b)
{
    return a.times == b.times
        && std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                      [](const auto &x, const auto &y) { return haveSameBits(x, y); });
}

double odd(Random &random)
{
    switch (below(random, 8)) {
    case 0: return -0.0;
    case 1: return std::numeric_limits<double>::infinity();
    case 2: return -std::numeric_limits<double>::infinity();
    case 3: return std::bit_cast<double>(0x7ff8000000000000ULL | below(random, 1ULL << 50U));
    case 4: return 5e-324;
    case 5: return std::numeric_limits<double>::max();
    case 6: return std::bit_cast<double>(0xfff0000000000001ULL); // a signalling NaN
    default: return absentValue();
    }
}

// Columns like those that come, and such as never should.
std::vector<double> anyColumn(Random &random, std::size_t n)
{
    std::vector<double> values(n);
    const auto kind = below(random, 9);
    const auto power = std::pow(10.0, double(below(random, 11)));
    double walk = double(below(random, 1U << 30U));
    for (auto &v : values) {
        walk += double(below(random, 2001)) - 1000;
        switch (kind) {
        case 0: v = 42; break;
        case 1: v = walk * 1048576; break;                     // MiB
        case 2: v = walk / power; break;                       // decimals
        case 3: v = double(random()) / 3; break;               // full mantissa
        case 4: v = std::bit_cast<double>(random()); break;    // any pattern at all
        case 5: v = double(static_cast<std::int64_t>(random() >> 11U)); break;
        case 6: v = absentValue(); break;
        case 7: v = below(random, 2) == 0 ? absentValue() : walk; break;
        default: v = 1e15 + walk; break;
        }
        if (below(random, 40) == 0)
            v = odd(random);
    }
    return values;
}

Rows anyRows(Random &random)
{
    Rows rows;
    const auto n = 1 + below(random, below(random, 4) == 0 ? 1500 : 130);
    std::int64_t time = static_cast<std::int64_t>(below(random, 1ULL << 61U));
    const bool isNanos = below(random, 2) == 0;
    for (std::size_t i = 0; i < n; ++i) {
        time += static_cast<std::int64_t>(isNanos ? 1 + below(random, 2'000'000'000) : 1'000'000 * (990 + below(random, 20)));
        rows.times.push_back(time);
    }
    const auto columns = below(random, 6);
    for (std::size_t c = 0; c < columns; ++c)
        rows.columns.push_back(anyColumn(random, n));
    return rows;
}

std::vector<Bucket> bucketsOf(const Rows &rows, std::size_t column, Duration width)
{
    std::vector<std::int64_t> times;
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (isAbsent(rows.columns[column][i]))
            continue;
        times.push_back(rows.times[i]);
        values.push_back(rows.columns[column][i]);
    }
    BucketBuilder builder(width);
    builder.add(times, values);
    return builder.take();
}

// Everything bit for bit but the sum, which is rounded to the series' own decimals.
bool areAlike(const std::vector<Bucket> &a, const std::vector<Bucket> &b)
{
    const auto same = [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Bucket &x, const Bucket &y) {
        return x.begin == y.begin && x.count == y.count && x.firstTime == y.firstTime && x.lastTime == y.lastTime
            && same(x.min, y.min) && same(x.max, y.max) && same(x.first, y.first) && same(x.last, y.last)
            && (same(x.sum, y.sum) || std::fabs(x.sum - y.sum) <= 1e-9 * std::fabs(x.sum));
    });
}

// Flips bits or cuts; never the same as before.
Blob damaged(Random &random, Blob blob)
{
    if (below(random, 4) == 0) {
        blob.resize(below(random, blob.size()));
        return blob;
    }
    const auto before = blob;
    for (auto flips = 1 + below(random, 8); flips > 0; --flips)
        blob[below(random, blob.size())] ^= static_cast<std::uint8_t>(1U << below(random, 8));
    return blob == before ? Blob{} : blob;
}

} // namespace

class TestColumns : public QObject
{
    Q_OBJECT

private slots:
    void sumsAsEverybody();
    void integersComeBack_data();
    void integersComeBack();
    void anyIntegersComeBack();
    void anyValuesComeBack();
    void smallWhereItShouldBe_data();
    void smallWhereItShouldBe();
    void anyChunkComesBack();
    void chunkReadsOneColumn();
    void anyTailComesBack();
    void anyStripAndRollupComeBack();
    void mergesRows();
    void refusesDamage();
    void survivesDamageBehindAGoodSum();
};

void TestColumns::sumsAsEverybody()
{
    const std::string text = "123456789";
    const Blob bytes(text.begin(), text.end());
    QCOMPARE(crc32(bytes), 0xcbf43926U);
    QCOMPARE(crc32(BlobView(bytes).subspan(4), crc32(BlobView(bytes).first(4))), 0xcbf43926U);
}

void TestColumns::integersComeBack_data()
{
    QTest::addColumn<QList<qint64>>("values");
    QTest::addColumn<int>("mostBytes");
    constexpr auto low = std::numeric_limits<qint64>::min();
    constexpr auto high = std::numeric_limits<qint64>::max();
    QTest::newRow("one") << QList<qint64>{7} << 2;
    QTest::newRow("constant") << QList<qint64>(1000, -5) << 2;
    QTest::newRow("extremes") << QList<qint64>{low, high, 0, -1, 1, high, low} << 90;
    QTest::newRow("extremes in two blocks") << (QList<qint64>(70, low) + QList<qint64>(70, high)) << 200;
    QList<qint64> line;
    for (int i = 0; i < 600; ++i)
        line << 1000LL * i;
    QTest::newRow("a line") << line << 30;
    QList<qint64> mebibytes;
    for (int i = 0; i < 600; ++i)
        mebibytes << (70000LL + (i * 37) % 16) * 1048576;
    QTest::newRow("shared zero bits are left out") << mebibytes << 360;
    QTest::newRow("none") << QList<qint64>{} << 0;
}

void TestColumns::integersComeBack()
{
    QFETCH(QList<qint64>, values);
    QFETCH(int, mostBytes);
    const std::vector<std::int64_t> wanted(values.begin(), values.end());
    Blob blob;
    encodeIntegers(wanted, blob);
    QVERIFY2(blob.size() <= static_cast<std::size_t>(mostBytes), qPrintable(QString::number(blob.size())));
    std::vector<std::int64_t> read(wanted.size());
    ByteReader from(blob);
    QVERIFY(decodeIntegers(from, read));
    QVERIFY(from.isAtEnd());
    QVERIFY(read == wanted);
}

void TestColumns::anyIntegersComeBack()
{
    Random random(seedOfThisRun());
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::int64_t> values(1 + below(random, 300));
        const auto mask = ~0ULL >> below(random, 64);
        const auto shift = below(random, 20);
        std::int64_t sum = 0;
        const bool isWalk = below(random, 2) == 0;
        for (auto &v : values) {
            sum += static_cast<std::int64_t>(below(random, 1000));
            v = isWalk ? sum : static_cast<std::int64_t>((random() & mask) << shift);
        }
        Blob blob;
        encodeIntegers(values, blob);
        std::vector<std::int64_t> read(values.size());
        ByteReader from(blob);
        QVERIFY(decodeIntegers(from, read) && from.isAtEnd());
        QVERIFY(read == values);
    }
}

void TestColumns::anyValuesComeBack()
{
    Random random(seedOfThisRun());
    for (int round = 0; round < 3000; ++round) {
        const auto values = anyColumn(random, 1 + below(random, 300));
        Blob blob;
        encodeValues(values, blob);
        std::vector<double> read(values.size());
        QVERIFY(decodeValues(blob, read));
        QVERIFY2(haveSameBits(read, values), qPrintable(QString::number(round)));
        QVERIFY(blob.size() <= 8 * values.size() + values.size() / 8 + 16);
    }
}

void TestColumns::smallWhereItShouldBe_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("mostBytesASample");
    QTest::newRow("absent") << 0 << 0.0;
    QTest::newRow("constant") << 1 << 0.02;
    QTest::newRow("MiB saw-tooth") << 2 << 1.0;
    QTest::newRow("watts with three decimals") << 3 << 2.6;
    QTest::newRow("one NaN does not spoil it") << 4 << 1.1;
    QTest::newRow("random doubles") << 5 << 8.02;
}

void TestColumns::smallWhereItShouldBe()
{
    QFETCH(int, kind);
    QFETCH(double, mostBytesASample);
    Random random(1);
    std::vector<double> values(600);
    for (std::size_t i = 0; i < values.size(); ++i) {
        switch (kind) {
        case 0: values[i] = absentValue(); break;
        case 1: values[i] = 0.25; break;
        case 3: values[i] = double(400'000 + below(random, 100'000)) / 1000; break;
        case 5: values[i] = double(random()) / 3; break;
        default: values[i] = double(60'000 + (i * 11) % 128) * 1048576; break;
        }
    }
    if (kind == 4)
        values[300] = std::numeric_limits<double>::quiet_NaN();
    Blob blob;
    encodeValues(values, blob);
    QVERIFY2(double(blob.size()) <= mostBytesASample * 600, qPrintable(QString::number(blob.size())));
}

void TestColumns::anyChunkComesBack()
{
    Random random(seedOfThisRun());
    for (int round = 0; round < 400; ++round) {
        const auto rows = anyRows(random);
        const auto blob = encodeChunk(rows);
        const auto view = ChunkView::parse(blob);
        QVERIFY(view);
        QCOMPARE(view->firstTime(), rows.times.front());
        const auto read = view->all();
        QVERIFY(read);
        QVERIFY(haveSameBits(*read, rows));
    }
}

void TestColumns::chunkReadsOneColumn()
{
    const Rows rows{{10, 20, 30}, {{1, 2, 3}, {absentValue(), absentValue(), absentValue()}, {4, absentValue(), 6}}};
    const auto blob = encodeChunk(rows);
    const auto view = ChunkView::parse(blob);
    QVERIFY(view);
    QVERIFY(view->isAbsent(1));
    QVERIFY(!view->isAbsent(2));
    QVERIFY(haveSameBits(*view->column(2), rows.columns[2]));
    QVERIFY(view->isAbsent(7)); // the group has more columns by now
    QVERIFY(haveSameBits(*view->column(7), rows.columns[1]));
}

void TestColumns::anyTailComesBack()
{
    Random random(seedOfThisRun());
    for (int round = 0; round < 300; ++round) {
        const auto rows = anyRows(random);
        std::vector<std::uint32_t> which;
        for (std::uint32_t i = 0; i < rows.size(); ++i) {
            if (i == 0 || below(random, 2) == 0)
                which.push_back(i);
        }
        const auto tail = decodeTail(encodeTail(1234, rows, which));
        QVERIFY(tail);
        QCOMPARE(tail->period, 1234);
        QCOMPARE(tail->rows.size(), which.size());
        for (std::size_t c = 0; c < rows.columns.size(); ++c) {
            for (std::size_t i = 0; i < which.size(); ++i) {
                const double wanted = rows.columns[c][which[i]];
                const double read = c < tail->rows.columns.size() ? tail->rows.columns[c][i] : absentValue();
                QVERIFY(std::bit_cast<std::uint64_t>(wanted) == std::bit_cast<std::uint64_t>(read));
            }
        }
    }
}

void TestColumns::anyStripAndRollupComeBack()
{
    Random random(seedOfThisRun());
    for (int round = 0; round < 300; ++round) {
        const auto rows = anyRows(random);
        const auto strip = stripOf(rows);
        const auto blob = encodeStrip(strip);
        const auto read = decodeStrip(blob);
        QVERIFY2(read, read ? "" : read.error().detail.c_str());
        QCOMPARE(read->columns.size(), strip.columns.size());
        for (std::size_t c = 0; c < strip.columns.size(); ++c) {
            QVERIFY(areAlike(strip.columns[c], bucketsOf(rows, c, std::chrono::minutes(1))));
            QVERIFY(areAlike(read->columns[c], strip.columns[c]));
            QVERIFY(areAlike(*decodeStripColumn(blob, c), strip.columns[c]));
            if (strip.columns[c].empty())
                continue;
            const auto origin = toUnixNanos(strip.columns[c].front().begin);
            const auto rollup = decodeRollup(encodeRollup(strip.columns[c], 60, origin));
            QVERIFY(rollup);
            QVERIFY(areAlike(*rollup, strip.columns[c]));
        }
    }
}

void TestColumns::mergesRows()
{
    const double none = absentValue();
    const Rows older{{10, 20, 40}, {{1, 2, 4}}};
    const Rows newer{{20, 30}, {{none, 3}, {22, 33}}};
    const auto merged = mergeRows(older, newer);
    QVERIFY((merged.times == std::vector<std::int64_t>{10, 20, 30, 40}));
    QVERIFY(haveSameBits(merged.columns[0], std::vector<double>{1, 2, 3, 4}));
    QVERIFY(haveSameBits(merged.columns[1], std::vector<double>{none, 22, 33, none}));
    QVERIFY(haveSameBits(mergeRows({}, newer), newer));
    QVERIFY(haveSameBits(mergeRows(older, {}), older));
}

void TestColumns::refusesDamage()
{
    Random random(seedOfThisRun());
    for (int round = 0; round < 150; ++round) {
        const auto rows = anyRows(random);
        const std::vector<std::uint32_t> which{0};
        const auto chunk = encodeChunk(rows);
        const auto tail = encodeTail(0, rows, which);
        const auto strip = encodeStrip(stripOf(rows));
        for (int n = 0; n < 20; ++n) {
            const auto bad = damaged(random, chunk);
            const auto view = ChunkView::parse(bad);
            QVERIFY(!view);
            QVERIFY(view.error().code == Error::Code::Corrupt || view.error().code == Error::Code::Unsupported);
            QVERIFY(!decodeTail(damaged(random, tail)));
            QVERIFY(!decodeStrip(damaged(random, strip)));
        }
    }
}

// What a sum cannot vouch for (it was made over nonsense) must still stay inside its bytes.
void TestColumns::survivesDamageBehindAGoodSum()
{
    Random random(seedOfThisRun());
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        const auto values = anyColumn(random, 1 + below(random, 300));
        Blob blob;
        encodeValues(values, blob);
        if (blob.empty())
            continue;
        const auto bad = damaged(random, blob);
        std::vector<double> read(values.size());
        refused += decodeValues(bad, read) ? 0 : 1;

        Rows rows{{}, {values}};
        for (std::size_t i = 0; i < values.size(); ++i)
            rows.times.push_back(static_cast<std::int64_t>(i) * 1'000'000'000);
        const auto buckets = bucketsOf(rows, 0, std::chrono::seconds(60));
        Blob column;
        const BucketAxis axis{0, 60'000'000'000};
        encodeAxis(buckets, axis, column);
        encodeBucketValues(buckets, column);
        const auto badColumn = damaged(random, column);
        std::vector<Bucket> into(buckets.size());
        ByteReader from(badColumn);
        refused += decodeAxis(from, axis, into) && decodeBucketValues(from, into) ? 0 : 1;
    }
    QVERIFY(refused > 0);
}

QTEST_APPLESS_MAIN(TestColumns)
#include "tst_columns.moc"
