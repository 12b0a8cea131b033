// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_sqlite.h"

#include "support/small_disk.h"
#include "support/whole_snapshot_builder.h"

#include <sqlite3.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <string>

using namespace plimsoll;
namespace fs = std::filesystem;

class TorchSqliteTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void roundTrip_data();
    void roundTrip();
    void otherColumns();
    void mixedDevices();
    void blocksByAddress();
    void writeAheadLog();
    void readOnlyFolder();
    void hostileSchemas_data();
    void hostileSchemas();
    void others_data();
    void others();
    void truncated();
    void flippedBytes();
    void limits();
    void cancel();
    void noSpace();

private:
    [[nodiscard]] fs::path path(const char *name = "a.db") const { return fs::path(m_folder->path().toStdString()) / name; }
    void run(const char *sql, const fs::path &file) const
    {
        sqlite3 *database = nullptr;
        QCOMPARE(::sqlite3_open(file.c_str(), &database), SQLITE_OK);
        char *message = nullptr;
        ::sqlite3_exec(database, sql, nullptr, nullptr, &message);
        QVERIFY2(!message, message);
        ::sqlite3_close(database);
    }
    [[nodiscard]] int files() const { return static_cast<int>(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden).size()); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TorchSqliteTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TorchSqliteTest::roundTrip_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 10; ++seed)
        QTest::newRow(std::to_string(seed).c_str()) << seed;
}

void TorchSqliteTest::roundTrip()
{
    QFETCH(int, seed);
    auto snapshot = test::everything(static_cast<std::uint32_t>(seed), seed == 9 ? 10'000 : 200);
    if (seed == 5) { // as a profiler's trace
        snapshot.devices[0].kind = MemoryKind::Cpu;
        snapshot.devices[0].ordinal = -1;
        snapshot.devices[0].levelAtStart = 55;
        snapshot.devices[0].hasAddresses = false;
        snapshot.devices[0].reserved = {{0, 5}, {7, UINT64_MAX}};
    }
    if (seed == 6)
        snapshot = MemorySnapshot();
    const auto written = writeTorchSqlite(snapshot, path());
    QVERIFY2(written.has_value(), written ? "" : written.error().detail.c_str());
    QCOMPARE(files(), 1);
    const auto again = readTorchSqlite(path(), {});
    QVERIFY2(again.has_value(), again ? "" : again.error().detail.c_str());
    const auto found = test::difference(snapshot, *again);
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(files(), 1);
}

void TorchSqliteTest::otherColumns()
{
    run(R"(CREATE TABLE "Segments"(device_id, Address, total_size, segment_type, pool_id, frames, colour);
        INSERT INTO Segments VALUES(1, 4096, 1024, 'small', '(0, 3)', '[{"name":"f","filename":"a.py","line":3}]', 'red');
        CREATE TABLE blocks(segment_address, size, state, requested_size);
        INSERT INTO blocks VALUES(4096, 512, 'active_allocated', 400), (4096, 512, 'inactive', NULL), (77, 1, 'inactive', 0);
        CREATE TABLE device_traces(id, time_us, size, action, addr, frames, shade, user_metadata, device);
        INSERT INTO device_traces VALUES(2, 9, 400, 'free_completed', 4096, '[]', NULL, NULL, 1), (1, 5, 400, 'alloc', 4096, NULL, 7, 'm', 1);
        CREATE TABLE frames(id, name);
        CREATE VIEW stacks AS SELECT 1;)",
        path());
    const auto snapshot = readTorchSqlite(path(), {});
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QCOMPARE(snapshot->segments.size(), std::size_t{1});
    QCOMPARE(snapshot->segments[0].device, 1);
    QCOMPARE(snapshot->segments[0].pool->second, std::int64_t{3});
    QVERIFY(snapshot->segments[0].isLarge == false);
    QCOMPARE(snapshot->stacks.depth(snapshot->segments[0].stack), std::size_t{1});
    QCOMPARE(snapshot->blocks.size(), std::size_t{2});
    QCOMPARE(snapshot->blocks[1].address, std::uint64_t{4608});
    QCOMPARE(snapshot->devices.size(), std::size_t{2});
    QCOMPARE(snapshot->devices[1].eventCount, std::size_t{2});
    QVERIFY(snapshot->events.action[0] == TraceAction::Alloc); // by id
    QCOMPARE(snapshot->events.stack[0], kNoStack);
    QCOMPARE(snapshot->events.stack[1], kEmptyStack);
    QCOMPARE(snapshot->contexts[snapshot->events.context[0]].attributes.size(), std::size_t{2});
    const std::map<std::string, std::uint64_t> unknown{{"event.shade", 1}, {"segment.colour", 1}, {"table.frames", 1}};
    QCOMPARE(snapshot->unknownKeys, unknown);
    QCOMPARE(snapshot->warnings.size(), std::size_t{1}); // a block of no segment
}

void TorchSqliteTest::mixedDevices()
{
    run(R"(CREATE TABLE device_traces(id INTEGER PRIMARY KEY, device, action, size);
        INSERT INTO device_traces VALUES(1, 2, 'alloc', 1), (2, 0, 'alloc', 2), (3, 2, 'free', 3), (4, NULL, 'free', 4);)",
        path());
    const auto snapshot = readTorchSqlite(path(), {});
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QCOMPARE(snapshot->devices.size(), std::size_t{3});
    QCOMPARE(snapshot->devices[1].eventCount, std::size_t{0});
    QCOMPARE(snapshot->devices[2].firstEvent, std::size_t{2});
    const std::vector<std::uint64_t> sizes(snapshot->events.sizes.span().begin(), snapshot->events.sizes.span().end());
    QCOMPARE(sizes, (std::vector<std::uint64_t>{2, 4, 1, 3}));
}

void TorchSqliteTest::blocksByAddress()
{
    run(R"(CREATE TABLE segments(device, address, total_size); INSERT INTO segments VALUES(0, 8192, 1024), (0, 4096, 1024);
        CREATE TABLE blocks(address, size, state);
        INSERT INTO blocks VALUES(4096, 1024, 'inactive'), (8192, 512, 'inactive'), (8704, 512, 'inactive'), (9216, 512, 'inactive');)",
        path());
    const auto snapshot = readTorchSqlite(path(), {});
    QVERIFY(snapshot.has_value());
    QCOMPARE(snapshot->segments[0].blockCount, std::size_t{2});
    QCOMPARE(snapshot->segments[1].blockCount, std::size_t{1});
    QCOMPARE(snapshot->warnings.size(), std::size_t{1});
}

void TorchSqliteTest::writeAheadLog()
{
    // Rows that are still in the log: its writer is alive.
    sqlite3 *database = nullptr;
    QCOMPARE(::sqlite3_open(path().c_str(), &database), SQLITE_OK);
    ::sqlite3_exec(database, "PRAGMA journal_mode=WAL; CREATE TABLE segments(device, address, total_size); INSERT INTO segments VALUES(0, 8192, 1024);",
                   nullptr, nullptr, nullptr);
    const auto snapshot = readTorchSqlite(path(), {});
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QCOMPARE(snapshot->segments.size(), std::size_t{1});
    ::sqlite3_close(database);
    // Marked as one with a log, which is gone: nothing is created.
    QCOMPARE(files(), 1);
    QVERIFY(readTorchSqlite(path(), {}).has_value());
    QCOMPARE(files(), 1);
}

void TorchSqliteTest::readOnlyFolder()
{
    const test::SmallDisk disk(path("disk"), "1m");
    if (!disk.isMounted())
        QSKIP("mounting a small disk needs root");
    const auto file = path("disk") / "a?b#c%20.db";
    QVERIFY(writeTorchSqlite(test::everything(1, 50), file).has_value());
    run("PRAGMA journal_mode=WAL; CREATE TABLE more(x);", file);
    QVERIFY(disk.makeReadOnly());
    const auto snapshot = readTorchSqlite(file, {});
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QCOMPARE(snapshot->segments.size(), std::size_t{5});
}

void TorchSqliteTest::hostileSchemas_data()
{
    QTest::addColumn<QByteArray>("sql");
    QTest::newRow("a view in its place") << QByteArray("CREATE TABLE t(device, address); CREATE VIEW segments AS SELECT * FROM t;");
    QTest::newRow("a virtual table") << QByteArray("CREATE VIRTUAL TABLE segments USING fts5(device, address)");
    QTest::newRow("a recursive view") << QByteArray("CREATE VIEW device_traces AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x AS device FROM c");
}

void TorchSqliteTest::hostileSchemas()
{
    QFETCH(QByteArray, sql);
    run(sql.constData(), path());
    const auto snapshot = readTorchSqlite(path(), {});
    QVERIFY(!snapshot);
    QVERIFY2(snapshot.error().code == Error::Code::BadInput, snapshot.error().detail.c_str());
}

void TorchSqliteTest::others_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("text") << QByteArray("{\"segments\":[]}");
    QTest::newRow("head only") << QByteArray("SQLite format 3\0", 16);
    QTest::newRow("head and zeros") << QByteArray("SQLite format 3\0", 16) + QByteArray(8192, '\0');
}

void TorchSqliteTest::others()
{
    QFETCH(QByteArray, bytes);
    QFile file(QString::fromStdString(path().string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    const auto snapshot = readTorchSqlite(path(), {});
    QVERIFY(!snapshot);
    QVERIFY(!snapshot.error().detail.empty());
    QVERIFY(!readTorchSqlite(path("not there"), {}));
    QVERIFY(!readTorchSqlite(path().parent_path(), {}));
}

void TorchSqliteTest::truncated()
{
    QVERIFY(writeTorchSqlite(test::everything(3, 60), path()).has_value());
    const auto size = fs::file_size(path());
    for (std::uintmax_t length = size - 1; length > 512; length -= std::min<std::uintmax_t>(length, 1777)) {
        fs::resize_file(path(), length);
        const auto snapshot = readTorchSqlite(path(), {});
        QVERIFY(snapshot || !snapshot.error().detail.empty());
    }
}

void TorchSqliteTest::flippedBytes()
{
    QVERIFY(writeTorchSqlite(test::everything(4, 20), path()).has_value());
    QFile file(QString::fromStdString(path().string()));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const auto bytes = file.readAll();
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        auto flipped = bytes;
        for (int i = 0; i < 4; ++i)
            flipped[static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size() - 16)) + 16] = static_cast<char>(random());
        file.seek(0);
        file.write(flipped);
        file.flush();
        const auto snapshot = readTorchSqlite(path(), {});
        QVERIFY(snapshot || !snapshot.error().detail.empty());
    }
}

void TorchSqliteTest::limits()
{
    QVERIFY(writeTorchSqlite(test::everything(1, 50), path()).has_value());
    SnapshotReading reading;
    reading.limits.events = 10;
    QVERIFY(readTorchSqlite(path(), reading).error().code == Error::Code::TooLarge);
    run("CREATE TABLE d(x); INSERT INTO device_traces(device, action) VALUES(100000, 'alloc');", path());
    QVERIFY(readTorchSqlite(path(), {}).error().code == Error::Code::TooLarge);
    run("DELETE FROM device_traces; INSERT INTO stacks VALUES(9999, zeroblob(100000));", path());
    SnapshotReading shorter;
    shorter.limits.textBytes = 50'000;
    QVERIFY(readTorchSqlite(path(), shorter).error().code == Error::Code::TooLarge);
}

void TorchSqliteTest::cancel()
{
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(writeTorchSqlite(test::everything(1), path(), {stop.get_token(), {}}).error().code == Error::Code::Cancelled);
    QCOMPARE(files(), 0);
    QVERIFY(writeTorchSqlite(test::everything(1, 5000), path()).has_value());
    SnapshotReading reading;
    reading.stop = stop.get_token();
    QVERIFY(readTorchSqlite(path(), reading).error().code == Error::Code::Cancelled);
}

void TorchSqliteTest::noSpace()
{
    const test::SmallDisk disk(path("disk"), "128k");
    if (!disk.isMounted())
        QSKIP("mounting a small disk needs root");
    const auto file = path("disk") / "a.db";
    QVERIFY(writeTorchSqlite(test::everything(1, 1), file).has_value());
    const auto before = fs::file_size(file);
    const auto written = writeTorchSqlite(test::everything(1, 5000), file);
    QVERIFY(!written);
    QVERIFY2(written.error().code == Error::Code::Full, written.error().detail.c_str());
    QCOMPARE(fs::file_size(file), before);
    QCOMPARE(QDir(QString::fromStdString(path("disk").string())).entryList(QDir::Files | QDir::Hidden).size(), 1);
}

QTEST_APPLESS_MAIN(TorchSqliteTest)
#include "tst_torch_sqlite.moc"
