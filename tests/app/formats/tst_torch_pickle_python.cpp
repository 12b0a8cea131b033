// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"
#include "formats/torch_pickle_stream.h"

#include "snapshot_dump.h"

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace plimsoll;

/// Pickles by CPython itself, in every protocol, with what real files have seldom; read back by CPython and by us.
class TorchPicklePythonTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void sameAsCPython_data();
    void sameAsCPython();

private:
    QByteArray python(const QStringList &arguments);

    QString m_python;
    QTemporaryDir m_folder;
};

QByteArray TorchPicklePythonTest::python(const QStringList &arguments)
{
    QProcess process;
    process.start(m_python, arguments);
    if (!process.waitForFinished(100'000) || process.exitCode() != 0)
        qWarning("%s", process.readAllStandardError().constData());
    return process.readAllStandardOutput();
}

void TorchPicklePythonTest::initTestCase()
{
    m_python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (m_python.isEmpty())
        QSKIP("there is no python3 to write pickles with");
    python({QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/app/formats/odd_snapshots.py"), m_folder.path()});
}

void TorchPicklePythonTest::sameAsCPython_data()
{
    QTest::addColumn<QString>("name");
    // The names are known before the files are: rows are made before the first test runs.
    for (const char *graph : {"mixed", "plain", "deep", "wide", "list", "nothing"})
        for (int protocol = 0; protocol < 6; ++protocol) {
            if (std::string_view(graph) == "wide" && protocol != 2 && protocol != 4)
                continue; // 70,000 frames take a while
            QTest::addRow("%s, protocol %d", graph, protocol) << QStringLiteral("%1-protocol%2.pickle").arg(QLatin1String(graph)).arg(protocol);
        }
    for (const char *graph : {"mixed", "deep", "list"})
        for (const char *writer : {"optimized", "python"})
            for (const int protocol : {2, 4})
                QTest::addRow("%s, %s, protocol %d", graph, writer, protocol)
                    << QStringLiteral("%1-%2%3.pickle").arg(QLatin1String(graph), QLatin1String(writer)).arg(protocol);
}

void TorchPicklePythonTest::sameAsCPython()
{
    QFETCH(QString, name);
    const auto path = m_folder.filePath(name);
    auto theirs = python({QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/app/formats/snapshot_dump.py"), path}).split('\n');
    theirs.removeLast();
    for (const bool hasFastPaths : {true, false}) {
        auto source = openBytes(path.toStdString());
        QVERIFY(source);
        PickleStream stream;
        stream.hasFastPaths = hasFastPaths;
        const auto snapshot = readTorchPickle(**source, {}, stream);
        QVERIFY2(snapshot, snapshot ? "" : snapshot.error().detail.c_str());
        const auto ours = SnapshotDump(*snapshot).lines();
        for (qsizetype i = 0; i < std::min(ours.size(), theirs.size()); ++i)
            if (ours[i] != theirs[i])
                QFAIL(("line " + QByteArray::number(i) + "\n  ours:   " + ours[i].left(400) + "\n  theirs: " + theirs[i].left(400)).constData());
        QCOMPARE(ours.size(), theirs.size());
        QVERIFY(snapshot->warnings.empty() && snapshot->unknownKeys.empty());
        source = openBytes(path.toStdString());
        const auto census = countOpcodes(**source);
        QVERIFY(census);
        QCOMPARE(census->bytes, snapshot->origin.fileBytes);
        QCOMPARE(census->opcodes.at("STOP"), std::uint64_t(1));
        if (snapshot->origin.pickleProtocol >= 2)
            QCOMPARE(census->widestLongBytes, snapshot->origin.widestLongBytes);
    }
}

QTEST_GUILESS_MAIN(TorchPicklePythonTest)
#include "tst_torch_pickle_python.moc"
