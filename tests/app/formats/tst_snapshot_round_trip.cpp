// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto.h"
#include "formats/pprof.h"
#include "formats/torch_json.h"
#include "formats/torch_pickle.h"
#include "formats/torch_sqlite.h"

#include "support/sanitizer.h"
#include "support/whole_snapshot_builder.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace plimsoll;
namespace fs = std::filesystem;

namespace {

// Whatever the file is.
Result<MemorySnapshot> readAny(const fs::path &path)
{
    auto source = openBytes(path);
    if (!source)
        return tl::make_unexpected(source.error());
    if (path.string().find("/kineto/") != std::string::npos) {
        auto trace = readKineto(**source, {});
        if (!trace)
            return tl::make_unexpected(trace.error());
        return std::move(trace->snapshot);
    }
    if (path.string().find("/pprof/") != std::string::npos) {
        const auto profile = readPprof(**source, {});
        if (!profile)
            return tl::make_unexpected(profile.error());
        return toMemorySnapshot(*profile, profile->mainSampleType());
    }
    return readTorchPickle(**source, {});
}

} // namespace

/// Every capture, written in both forms and read again, is the same snapshot.
class SnapshotRoundTripTest : public QObject
{
    Q_OBJECT

private slots:
    void json_data() { captures(1'200'000); } // spells each stack each time: tens of megabytes
    void json();
    void sqlite_data() { captures(INT64_MAX); }
    void sqlite();

private:
    static void captures(qint64 most);
};

void SnapshotRoundTripTest::captures(qint64 most)
{
    if (test::kIsSanitized)
        most = std::min<qint64>(most, 100'000); // the large ones hold nothing else, only more of it
    QTest::addColumn<QString>("path");
    if (!QDir(QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots")).exists())
        QSKIP("the captures are not on this machine");
    for (const char *folder : {"/snapshots", "/snapshots/made", "/kineto", "/pprof"}) {
        const QDir captures(QStringLiteral(PLIMSOLL_SHARED_DATA) + QLatin1String(folder));
        for (const auto &name : captures.entryList({QStringLiteral("*.pickle"), QStringLiteral("*.pkl"), QStringLiteral("*.gz"), QStringLiteral("*.prof")}, QDir::Files))
            if (QFileInfo(captures.filePath(name)).size() <= most)
                QTest::newRow(qPrintable(name)) << captures.filePath(name);
    }
}

void SnapshotRoundTripTest::json()
{
    QFETCH(QString, path);
    const auto snapshot = readAny(path.toStdString());
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QTemporaryDir folder;
    const auto file = fs::path(folder.path().toStdString()) / "out.json";
    const auto written = writeTorchJson(*snapshot, file);
    QVERIFY2(written.has_value(), written ? "" : written.error().detail.c_str());
    auto source = openBytes(file);
    const auto again = readTorchJson(**source, {});
    QVERIFY2(again.has_value(), again ? "" : again.error().detail.c_str());
    const auto found = test::difference(*snapshot, *again);
    QVERIFY2(found.empty(), found.c_str());
}

void SnapshotRoundTripTest::sqlite()
{
    QFETCH(QString, path);
    const auto snapshot = readAny(path.toStdString());
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QTemporaryDir folder;
    const auto file = fs::path(folder.path().toStdString()) / "out.db";
    const auto written = writeTorchSqlite(*snapshot, file);
    QVERIFY2(written.has_value(), written ? "" : written.error().detail.c_str());
    const auto again = readTorchSqlite(file, {});
    QVERIFY2(again.has_value(), again ? "" : again.error().detail.c_str());
    const auto found = test::difference(*snapshot, *again);
    QVERIFY2(found.empty(), found.c_str());
}

QTEST_APPLESS_MAIN(SnapshotRoundTripTest)
#include "tst_snapshot_round_trip.moc"
