// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"
#include "formats/torch_pickle.h"
#include "formats/torch_pickle_stream.h"

#include "snapshot_dump.h"
#include "support/sanitizer.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace plimsoll;

namespace {

const QString kFolder = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots");

Result<MemorySnapshot> readFile(const QString &path, bool hasFastPaths = true)
{
    auto source = openBytes(path.toStdString());
    if (!source)
        return tl::make_unexpected(source.error());
    PickleStream stream;
    stream.hasFastPaths = hasFastPaths;
    return readTorchPickle(**source, {}, stream);
}

void compare(const QByteArrayList &ours, const QByteArrayList &theirs)
{
    for (qsizetype i = 0; i < std::min(ours.size(), theirs.size()); ++i)
        if (ours[i] != theirs[i])
            QFAIL(("line " + QByteArray::number(i) + "\n  ours:   " + ours[i].left(400) + "\n  theirs: " + theirs[i].left(400)).constData());
    QCOMPARE(ours.size(), theirs.size());
}

} // namespace

// Real files and made ones, against CPython's own reader and against totals that were computed without us.
class TorchPickleCapturesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void sameAsCPython_data();
    void sameAsCPython();
    void generalMachineAlone_data() { sameAsCPython_data(); }
    void generalMachineAlone();
    void expectedTotals_data();
    void expectedTotals();
    void versions_data();
    void versions();
};

void TorchPickleCapturesTest::initTestCase()
{
    if (!QDir(kFolder).exists())
        QSKIP("the captures are not on this machine");
}

void TorchPickleCapturesTest::sameAsCPython_data()
{
    QTest::addColumn<QString>("path");
    for (const auto &folder : {kFolder, kFolder + QStringLiteral("/made")})
        for (const auto &file : QDir(folder).entryInfoList({QStringLiteral("*.pickle"), QStringLiteral("*.pkl")}, QDir::Files, QDir::Name)) {
            if (!test::kIsSanitized || file.size() < 600'000) // the large ones hold nothing else, only more of it
                QTest::newRow(qPrintable(QDir(kFolder).relativeFilePath(file.filePath()))) << file.filePath();
        }
}

void TorchPickleCapturesTest::sameAsCPython()
{
    QFETCH(QString, path);
    const auto python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (python.isEmpty())
        QSKIP("there is no python3 to compare with");
    QProcess process;
    process.start(python, {QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/app/formats/snapshot_dump.py"), path});
    QVERIFY(process.waitForFinished(60'000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    auto theirs = process.readAllStandardOutput().split('\n');
    theirs.removeLast();
    const auto snapshot = readFile(path);
    QVERIFY2(snapshot, snapshot ? "" : snapshot.error().detail.c_str());
    compare(SnapshotDump(*snapshot).lines(), theirs);
    for (const auto &warning : snapshot->warnings)
        qInfo("%s", warning.c_str());
    for (const auto &[key, count] : snapshot->unknownKeys)
        qInfo("%s: %llu", key.c_str(), static_cast<unsigned long long>(count));
}

void TorchPickleCapturesTest::generalMachineAlone()
{
    QFETCH(QString, path);
    const auto fast = readFile(path);
    const auto general = readFile(path, false);
    QVERIFY(fast && general);
    compare(SnapshotDump(*general).lines(), SnapshotDump(*fast).lines());
    QCOMPARE(general->origin.widestLongBytes, fast->origin.widestLongBytes);
    QCOMPARE(general->origin.frameObjects, fast->origin.frameObjects);
    QCOMPARE(general->origin.torchVersions, fast->origin.torchVersions);
    QCOMPARE(general->warnings, fast->warnings);
    QVERIFY(general->unknownKeys == fast->unknownKeys);
}

void TorchPickleCapturesTest::expectedTotals_data()
{
    QTest::addColumn<QString>("name");
    QFile file(kFolder + QStringLiteral("/expected.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    for (const auto &name : QJsonDocument::fromJson(file.readAll()).object().keys())
        QTest::newRow(qPrintable(name)) << name;
}

void TorchPickleCapturesTest::expectedTotals()
{
    QFETCH(QString, name);
    QFile file(kFolder + QStringLiteral("/expected.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto expected = QJsonDocument::fromJson(file.readAll()).object()[name].toObject();
    const auto path = kFolder + QLatin1Char('/') + name;
    const auto snapshot = readFile(path);
    QVERIFY(snapshot);
    const auto &origin = snapshot->origin;
    QCOMPARE(qint64(origin.fileBytes), qint64(expected[QStringLiteral("file_bytes")].toDouble()));
    QCOMPARE(origin.pickleProtocol, expected[QStringLiteral("protocol")].toInt());
    QCOMPARE(int(origin.widestLongBytes), expected[QStringLiteral("widest_long_bytes")].toInt());
    QCOMPARE(int(origin.frameObjects), expected[QStringLiteral("distinct_frame_objects")].toInt());
    QCOMPARE(int(snapshot->stacks.frameCount()), expected[QStringLiteral("distinct_frames_by_value")].toInt());
    QCOMPARE(int(origin.traceLists), expected[QStringLiteral("device_traces_length")].toInt());
    QCOMPARE(int(snapshot->segments.size()), expected[QStringLiteral("segments")].toInt());
    QCOMPARE(int(snapshot->annotations.size()), expected[QStringLiteral("external_annotations")].toInt());
    QVERIFY(!origin.truncatedAt);
    const auto conf = snapshot->setting("PYTORCH_CUDA_ALLOC_CONF");
    if (expected[QStringLiteral("allocator_settings_conf")].isNull())
        QVERIFY(!conf);
    else
        QCOMPARE(QString::fromStdString(conf.value_or("?")), expected[QStringLiteral("allocator_settings_conf")].toString());
    if (expected[QStringLiteral("top_level")].isArray()) {
        QStringList keys;
        for (const auto &key : origin.topLevel)
            keys << QString::fromStdString(key);
        QCOMPARE(QJsonArray::fromStringList(keys), expected[QStringLiteral("top_level")].toArray());
    } else {
        QVERIFY(origin.isTopLevelList);
    }
    std::size_t deepest = 0;
    for (std::size_t row = 0; row < snapshot->events.size(); ++row)
        deepest = std::max(deepest, snapshot->stacks.depth(snapshot->events[row].stack));
    QCOMPARE(int(deepest), expected[QStringLiteral("deepest_stack")].toInt());

    auto source = openBytes(path.toStdString());
    QVERIFY(source);
    const auto census = countOpcodes(**source);
    QVERIFY(census);
    QCOMPARE(census->protocol, origin.pickleProtocol);
    QCOMPARE(census->widestLongBytes, origin.widestLongBytes);
    QJsonObject opcodes;
    for (const auto &[opcode, count] : census->opcodes)
        opcodes[QString::fromStdString(opcode)] = double(count);
    QCOMPARE(opcodes, expected[QStringLiteral("opcodes")].toObject());
}

void TorchPickleCapturesTest::versions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("versions");
    QTest::newRow("history without addresses") << "torch20-history.pickle" << "2.0";
    QTest::newRow("no events, no settings") << "state-only-2974-blocks.pickle" << "2.1 or 2.2";
    QTest::newRow("no time") << "notebook-no-time.pickle" << "2.1";
    QTest::newRow("time") << "nine-snapshot-events.pickle" << "2.2";
    QTest::newRow("settings") << "linear-grad.pickle" << "2.3 or 2.4";
    QTest::newRow("annotations") << "cs336-tiny.pickle" << "2.5 to 2.7";
    QTest::newRow("annotations, no events") << "empty-4gpu.pickle" << "2.5 or newer";
    QTest::newRow("compile context") << "expandable-oom-3gpu.pickle" << "2.8";
    QTest::newRow("user metadata") << "cs336-windows.pickle" << "2.10 or 2.11";
    QTest::newRow("host segments") << "made/torch213-late-history-ring.pickle" << "2.13 or newer";
}

void TorchPickleCapturesTest::versions()
{
    QFETCH(QString, name);
    QFETCH(QString, versions);
    const auto snapshot = readFile(kFolder + QLatin1Char('/') + name);
    QVERIFY(snapshot);
    QCOMPARE(QString::fromStdString(snapshot->origin.torchVersions), versions);
}

QTEST_GUILESS_MAIN(TorchPickleCapturesTest)
#include "tst_torch_pickle_captures.moc"
