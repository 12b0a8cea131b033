// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Outcome
{
    int status = -1;
    QByteArray out;
    QByteArray err;

    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Outcome run(const QStringList &arguments)
{
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("DISPLAY")); // the command needs no window
    environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll"), QStringList{QStringLiteral("snapshot")} + arguments);
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QJsonObject readObject(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

QString text(const QJsonValue &value)
{
    if (value.isObject())
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray())
        return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    return value.isUndefined() ? QStringLiteral("nothing") : QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
}

// What `actual` lacks of `expected`, as a path and both values; empty when it has all of it.
// More keys are welcome.
QString difference(const QJsonValue &expected, const QJsonValue &actual, const QString &path = {})
{
    if (expected.isObject() && actual.isObject()) {
        const auto object = expected.toObject();
        for (auto it = object.begin(); it != object.end(); ++it) {
            const auto found = difference(it.value(), actual.toObject().value(it.key()), path + u'/' + it.key());
            if (!found.isEmpty())
                return found;
        }
        return {};
    }
    if (expected.isArray() && actual.isArray() && expected.toArray().size() == actual.toArray().size()) {
        for (int i = 0; i < expected.toArray().size(); ++i) {
            const auto found = difference(expected.toArray().at(i), actual.toArray().at(i), path + u'/' + QString::number(i));
            if (!found.isEmpty())
                return found;
        }
        return {};
    }
    if (expected == actual)
        return {};
    return QStringLiteral("%1: %2 expected, %3 found").arg(path, text(expected), text(actual));
}

QString captures(const QString &folder) { return QStringLiteral(PLIMSOLL_SHARED_DATA "/") + folder; }

void addRows(const QString &folder)
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QJsonObject>("expected");
    const auto all = readObject(captures(folder) + QStringLiteral("/expected.json"));
    for (auto it = all.begin(); it != all.end(); ++it)
        QTest::newRow(qPrintable(it.key())) << captures(folder) + u'/' + it.key() << it.value().toObject();
    if (all.isEmpty())
        QTest::newRow("absent") << QString() << QJsonObject();
}

// The ledger that the generator keeps while it simulates, in the command's own terms.
QString ledgerDifference(const QJsonObject &ledger, const QJsonObject &report)
{
    const auto devices = report.value(QLatin1String("devices")).toObject();
    QJsonObject device;
    for (const auto &one : devices) {
        if (one.toObject().value(QLatin1String("events")).toInteger() > 0 || devices.size() == 1)
            device = one.toObject();
    }
    const auto trace = device.value(QLatin1String("trace")).toObject();
    QJsonObject translated;
    for (const auto *key : {"events_by_action", "reserved_bytes", "segments"})
        translated.insert(QLatin1String(key), report.value(QLatin1String(key)));
    translated.insert(QLatin1String("events"), device.value(QLatin1String("events")));
    translated.insert(QLatin1String("blocks_by_state"), device.value(QLatin1String("blocks_by_state")));
    const QList<std::pair<const char *, const char *>> names{
        {"reserved_bytes_at_start", "reserved_at_start_bytes"},
        {"free_without_alloc", "free_without_alloc"},
        {"peak_requested_bytes_relative_to_start", "peak_requested_relative_to_start"},
        {"peak_event_index", "peak_event_index"},
        {"peak_requested_bytes_absolute", "peak_requested_absolute"},
        {"end_requested_bytes_relative_to_start", "end_requested_relative_to_start"},
        {"first_time_us", "first_time_us"},
        {"last_time_us", "last_time_us"},
    };
    for (const auto &[theirs, ours] : names)
        translated.insert(QLatin1String(theirs), trace.value(QLatin1String(ours)));
    translated.insert(QLatin1String("live_before_history_and_still_live_bytes"),
                      trace.value(QLatin1String("live_blocks_never_in_trace")).toObject().value(QLatin1String("requested_bytes")));
    qint64 inPrivatePools = 0;
    const auto pools = device.value(QLatin1String("reserved_by_pool")).toObject();
    for (auto it = pools.begin(); it != pools.end(); ++it) {
        if (it.key() != QLatin1String("(0, 0)") && it.key() != QLatin1String("None"))
            inPrivatePools += it.value().toInteger();
    }
    translated.insert(QLatin1String("private_pool_reserved_bytes"), inPrivatePools);
    auto wanted = ledger;
    wanted.remove(QLatin1String("events_dropped"));  // not in the file
    wanted.remove(QLatin1String("distinct_frames")); // counts those of dropped events, and equal ones twice
    if (trace.value(QLatin1String("first_time_us")).isNull()) { // nor are times, before PyTorch 2.2
        wanted.remove(QLatin1String("first_time_us"));
        wanted.remove(QLatin1String("last_time_us"));
    }
    if (pools.size() == 1 && pools.contains(QLatin1String("None"))) // nor are pools, before 2.1
        wanted.remove(QLatin1String("private_pool_reserved_bytes"));
    return difference(wanted, translated);
}

QString generator() { return QStringLiteral(PLIMSOLL_SHARED_DATA "/../tools/make_snapshot.py"); }

// One of the generator's option sets, drawn by a seed.
QStringList drawnOptions(QRandomGenerator &random)
{
    QStringList options;
    const auto maybe = [&](int percent, const QStringList &add) {
        if (random.bounded(100) < percent)
            options += add;
    };
    options << QStringLiteral("--events") << QString::number(random.bounded(200, 4000));
    options << QStringLiteral("--seed") << QString::number(random.bounded(1'000'000));
    options << QStringLiteral("--frames-depth") << QString::number(random.bounded(2, 40));
    options << QStringLiteral("--distinct-frames") << QString::number(random.bounded(20, 600));
    options << QStringLiteral("--layers") << QString::number(random.bounded(2, 9));
    options << QStringLiteral("--hidden") << QString::number(128 << random.bounded(0, 6));
    switch (random.bounded(3)) {
    case 0: options << QStringLiteral("--protocol") << QString::number(random.bounded(2, 6)); break;
    case 1: options << QStringLiteral("--writer") << QStringLiteral("cpp"); break;
    default: options << QStringLiteral("--writer") << QStringLiteral("stream"); break;
    }
    const auto versions = QStringLiteral("2.0 2.1 2.2 2.3 2.6 2.8 2.9 2.10 2.12 2.13").split(u' ');
    maybe(60, {QStringLiteral("--torch"), versions.at(random.bounded(versions.size()))});
    maybe(25, {QStringLiteral("--python-only")});
    maybe(25, {QStringLiteral("--oom")});
    maybe(30, {QStringLiteral("--leak-rate"), QStringLiteral("0.03")});
    maybe(40, {QStringLiteral("--expandable")});
    maybe(30, {QStringLiteral("--private-pools"), QString::number(random.bounded(1, 5))});
    maybe(30, {QStringLiteral("--pending"), QStringLiteral("0.08")});
    maybe(30, {QStringLiteral("--streams"), QString::number(random.bounded(2, 5))});
    maybe(20, {QStringLiteral("--max-entries"), QString::number(random.bounded(100, 2000))});
    maybe(25, {QStringLiteral("--late-history")});
    maybe(25, {QStringLiteral("--empty-cache-every"), QString::number(random.bounded(1, 6))});
    maybe(15, {QStringLiteral("--max-split-mb"), QStringLiteral("64")});
    maybe(15, {QStringLiteral("--roundup"), QStringLiteral("8")});
    maybe(20, {QStringLiteral("--devices"), QStringLiteral("8"), QStringLiteral("--device-index"), QString::number(random.bounded(8))});
    maybe(20, {QStringLiteral("--stop-mid-step")});
    return options;
}

} // namespace

// `plimsoll snapshot`, the real program, against totals that were computed without it.
class SnapshotCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void snapshots_data() { addRows(QStringLiteral("snapshots")); }
    void snapshots() { compare(); }
    void made_data();
    void made();
    void profilerTraces_data() { addRows(QStringLiteral("kineto")); }
    void profilerTraces() { compare(); }
    void tellsUnknownFromNothing();
    void heapProfiles_data() { addRows(QStringLiteral("pprof")); }
    void heapProfiles() { compare(); }
    void generated();
    void convertsThereAndBack_data();
    void convertsThereAndBack();
    void aFileDoesNotDifferFromItself();
    void explainsAnOom();
    void printsForPeople();
    void refusesBadInput_data();
    void refusesBadInput();

private:
    static void compare();
};

void SnapshotCommandTest::initTestCase()
{
    QVERIFY(QFile::exists(QStringLiteral(PLIMSOLL_BINARY_DIR "/plimsoll")));
}

void SnapshotCommandTest::compare()
{
    QFETCH(QString, path);
    QFETCH(QJsonObject, expected);
    if (path.isEmpty())
        QSKIP("no captures here: " PLIMSOLL_SHARED_DATA " is absent");
    const auto outcome = run({path, QStringLiteral("--json")});
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    const auto found = difference(expected, outcome.json());
    QVERIFY2(found.isEmpty(), qPrintable(found));
}

// A profiler trace knows no segments, and without addresses no single allocation: null, not 0.
void SnapshotCommandTest::tellsUnknownFromNothing()
{
    const QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("trace.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"traceEvents": [
        {"ph": "i", "name": "[memory]", "s": "t", "pid": 1, "tid": 1, "ts": 10, "args": {"Device Type": 1, "Device Id": 0, "Bytes": 4096}},
        {"ph": "i", "name": "[memory]", "s": "t", "pid": 1, "tid": 1, "ts": 20, "args": {"Device Type": 1, "Device Id": 0, "Bytes": -1024}}]})");
    file.close();
    const auto outcome = run({path, QStringLiteral("--json")});
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    const auto report = outcome.json();
    for (const auto *key : {"reserved_bytes", "allocated_bytes", "active_bytes", "requested_bytes", "inactive_bytes"})
        QVERIFY2(report.value(QLatin1String(key)).isNull(), key);
    QCOMPARE(report.value(QLatin1String("peak_requested_absolute")).toInteger(), 4096);
    const auto device = report.value(QLatin1String("memory")).toObject().value(QLatin1String("0")).toObject();
    for (const auto *key : {"segments", "reserved_bytes", "blocks_by_state", "largest_free_block_bytes", "fragmentation"})
        QVERIFY2(device.value(QLatin1String(key)).isNull(), key);
    const auto trace = device.value(QLatin1String("trace")).toObject();
    for (const auto *key : {"end_live", "peak_requested_absolute", "peak_event_index", "reserved_at_start_bytes"})
        QVERIFY2(trace.value(QLatin1String(key)).isNull(), key);
    QCOMPARE(trace.value(QLatin1String("alloc_bytes")).toInteger(), 4096);
    QCOMPARE(device.value(QLatin1String("peak")).toObject().value(QLatin1String("requested_bytes")).toInteger(), 4096);
}

void SnapshotCommandTest::made_data()
{
    QTest::addColumn<QString>("path");
    const auto files = QDir(captures(QStringLiteral("snapshots/made"))).entryInfoList({QStringLiteral("*.pickle")}, QDir::Files);
    for (const auto &info : files)
        QTest::newRow(qPrintable(info.fileName())) << info.filePath();
    if (files.isEmpty())
        QTest::newRow("absent") << QString();
}

void SnapshotCommandTest::made()
{
    QFETCH(QString, path);
    if (path.isEmpty())
        QSKIP("no captures here: " PLIMSOLL_SHARED_DATA " is absent");
    const auto ledger = readObject(QString(path).replace(QStringLiteral(".pickle"), QStringLiteral(".expect.json")));
    const auto outcome = run({path, QStringLiteral("--json")});
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    const auto found = ledgerDifference(ledger, outcome.json());
    QVERIFY2(found.isEmpty(), qPrintable(found));
}

// PLIMSOLL_GENERATED=200 tries as many as one likes.
void SnapshotCommandTest::generated()
{
    const auto python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (python.isEmpty() || !QFile::exists(generator()))
        QSKIP("no generator of snapshots here");
    const int count = qEnvironmentVariableIsSet("PLIMSOLL_GENERATED") ? qEnvironmentVariableIntValue("PLIMSOLL_GENERATED") : 25;
    const auto seed = QRandomGenerator::system()->generate();
    QRandomGenerator random(seed);
    const QTemporaryDir folder;
    const auto file = folder.filePath(QStringLiteral("s.pickle"));
    const auto expectation = folder.filePath(QStringLiteral("s.json"));
    for (int i = 0; i < count; ++i) {
        const auto options = drawnOptions(random);
        const auto said = QStringLiteral("seed %1, file %2: %3").arg(seed).arg(i).arg(options.join(u' '));
        QProcess process;
        process.start(python, QStringList{generator(), QStringLiteral("-o"), file, QStringLiteral("--expect"), expectation} + options);
        QVERIFY(process.waitForFinished(120'000));
        if (process.exitCode() != 0) // options that it does not take together
            continue;
        const auto outcome = run({file, QStringLiteral("--json")});
        QVERIFY2(outcome.status == 0, qPrintable(said + u'\n' + QString::fromUtf8(outcome.err)));
        const auto found = ledgerDifference(readObject(expectation), outcome.json());
        QVERIFY2(found.isEmpty(), qPrintable(said + u'\n' + found));
    }
}

namespace {

// A snapshot of our own, pickled by CPython: two steps, one failure, one leak.
constexpr const char *kProgram = R"py(
import pickle, sys
def frame(name, line): return {"filename": "/home/somebody/train.py", "line": line, "name": name}
def event(action, addr, size, t, frames, **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": 1700000000000000 + t, "frames": frames, **more}
a, b = [frame("forward", 10), frame("main", 90)], [frame("backward", 20), frame("main", 91)]
base = 0x7f0000000000
events = [event("segment_alloc", base, 20 << 20, 0, a), event("alloc", base, 5 << 20, 1, a), event("alloc", base + (5 << 20), 3 << 20, 2, b),
          event("free_requested", base + (5 << 20), 3 << 20, 3, b), event("free_completed", base + (5 << 20), 3 << 20, 4, b),
          {"action": "oom", "device_free": 1 << 20, "size": 64 << 20, "stream": 0, "time_us": 1700000000000005, "frames": a}]
blocks = [{"address": base, "size": 5 << 20, "requested_size": 5 << 20, "state": "active_allocated", "frames": a},
          {"address": base + (5 << 20), "size": 15 << 20, "requested_size": 0, "state": "inactive", "frames": []}]
segment = {"device": 0, "address": base, "total_size": 20 << 20, "allocated_size": 5 << 20, "active_size": 5 << 20, "requested_size": 5 << 20,
           "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": a, "blocks": blocks}
snapshot = {"segments": [segment], "device_traces": [events], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1,
            "garbage_collection_threshold": 0.0, "expandable_segments": False}, "external_annotations": []}
pickle.dump(snapshot, open(sys.argv[1], "wb"), protocol=int(sys.argv[2]))
)py";

// Empty where there is no python3.
QString pickled(const QTemporaryDir &folder, int protocol = 4)
{
    const auto python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    const auto path = folder.filePath(QStringLiteral("own.pickle"));
    QProcess process;
    process.start(python, {QStringLiteral("-c"), QString::fromLatin1(kProgram), path, QString::number(protocol)});
    if (python.isEmpty() || !process.waitForFinished(30'000) || process.exitCode() != 0)
        return {};
    return path;
}

// What must survive a conversion; the file itself is another. The stacks of earlier uses of a block
// (PyTorch 1.13 and 2.0) are counted in the original only.
QJsonObject withoutTheFile(QJsonObject report)
{
    for (const auto *key : {"file", "format", "file_bytes", "protocol", "widest_long_bytes", "opcodes", "distinct_frame_objects",
                            "distinct_frames_by_value", "top_level"})
        report.remove(QLatin1String(key));
    return report;
}

} // namespace

void SnapshotCommandTest::convertsThereAndBack_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("of our own") << QString();
    for (const auto *name : {"linear-grad.pickle", "torch20-history.pickle", "segments-list.pkl", "private-pools-pending.pickle",
                             "expandable-oom-3gpu.pickle", "cs336-small-forward-line-minus-1.pickle", "made/torch213-late-history-ring.pickle"}) {
        const auto path = captures(QStringLiteral("snapshots/")) + QLatin1String(name);
        if (QFile::exists(path))
            QTest::newRow(name) << path;
    }
}

void SnapshotCommandTest::convertsThereAndBack()
{
    QFETCH(QString, path);
    const QTemporaryDir folder;
    if (path.isEmpty())
        path = pickled(folder);
    if (path.isEmpty())
        QSKIP("no python3 here to write a pickle");
    const auto original = withoutTheFile(run({path, QStringLiteral("--json")}).json());
    QVERIFY(!original.isEmpty());
    for (const auto *name : {"out.json", "out.db"}) {
        const auto to = folder.filePath(QLatin1String(name));
        const auto conversion = run({QStringLiteral("convert"), path, QStringLiteral("-o"), to});
        QVERIFY2(conversion.status == 0, conversion.err.constData());
        const auto again = run({to, QStringLiteral("--json")});
        QVERIFY2(again.status == 0, again.err.constData());
        const auto found = difference(original, withoutTheFile(again.json()));
        QVERIFY2(found.isEmpty(), qPrintable(QLatin1String(name) + found));
    }
}

void SnapshotCommandTest::aFileDoesNotDifferFromItself()
{
    const QTemporaryDir folder;
    const auto path = pickled(folder);
    if (path.isEmpty())
        QSKIP("no python3 here to write a pickle");
    const auto diff = run({QStringLiteral("diff"), path, path, QStringLiteral("--json")});
    QVERIFY2(diff.status == 0, diff.err.constData());
    QCOMPARE(diff.json().value(QLatin1String("is_empty")).toBool(), true);
    QCOMPARE(diff.json().value(QLatin1String("total")).toObject().value(QLatin1String("a")).toObject().value(QLatin1String("bytes")).toInteger(),
             qint64{5} << 20);
}

void SnapshotCommandTest::explainsAnOom()
{
    const QTemporaryDir folder;
    const auto path = pickled(folder, 5);
    if (path.isEmpty())
        QSKIP("no python3 here to write a pickle");
    const auto outcome = run({path, QStringLiteral("--at"), QStringLiteral("oom"), QStringLiteral("--json")});
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    const auto ooms = outcome.json().value(QLatin1String("ooms")).toArray();
    QCOMPARE(ooms.size(), 1);
    const auto oom = ooms.first().toObject();
    QCOMPARE(oom.value(QLatin1String("event")).toInteger(), 5);
    QCOMPARE(oom.value(QLatin1String("asked_bytes")).toInteger(), qint64{64} << 20);
    QCOMPARE(oom.value(QLatin1String("device_free_bytes")).toInteger(), qint64{1} << 20);
    QCOMPARE(oom.value(QLatin1String("live_requested_bytes")).toInteger(), qint64{5} << 20);
    QCOMPARE(oom.value(QLatin1String("reserved_bytes")).toInteger(), qint64{20} << 20);
    // 64 MiB asked, 1 MiB free, 15 MiB cached: 48 MiB are missing, whatever the settings.
    QCOMPARE(oom.value(QLatin1String("shortfall_bytes")).toInteger(), qint64{48} << 20);
    QCOMPARE(oom.value(QLatin1String("verdicts")).toArray().first().toObject().value(QLatin1String("kind")).toString(), QStringLiteral("truly_full"));
}

void SnapshotCommandTest::printsForPeople()
{
    const QTemporaryDir folder;
    const auto path = pickled(folder, 2);
    if (path.isEmpty())
        QSKIP("no python3 here to write a pickle");
    const auto outcome = run({path});
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    for (const auto *part : {"PyTorch snapshot (pickle)", "pickle protocol 2", "20.0 MiB in 1 segment", "8.00 MiB after event 2",
                             "train.py:10 forward", "Out of memory: device 0, event 5"})
        QVERIFY2(outcome.out.contains(part), qPrintable(QString::fromLatin1(part) + u'\n' + QString::fromUtf8(outcome.out)));
}

void SnapshotCommandTest::refusesBadInput_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("said");
    const QStringList none;
    QTest::newRow("no such file") << QByteArray() << QStringList{QStringLiteral("absent")} << 1 << QStringLiteral("No such file");
    QTest::newRow("no file named") << QByteArray() << QStringList{QStringLiteral("--json")} << 2 << QStringLiteral("FILE");
    QTest::newRow("empty") << QByteArray("") << none << 1 << QStringLiteral("empty");
    QTest::newRow("text") << QByteArray("hello") << none << 1 << QStringLiteral("no memory snapshot");
    QTest::newRow("zip") << QByteArray("PK\x03\x04....") << none << 1 << QStringLiteral("torch.save");
    QTest::newRow("runs nothing") << QByteArray("\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R.") << none << 1 << QStringLiteral("STACK_GLOBAL");
    QTest::newRow("cut") << QByteArray("\x80\x04\x95") << none << 1 << QStringLiteral("byte");
    QTest::newRow("protocol of the future") << QByteArray("\x80\x09}.") << none << 1 << QStringLiteral("9");
    QTest::newRow("wrong moment") << QByteArray("x") << QStringList{QStringLiteral("F"), QStringLiteral("--at"), QStringLiteral("noon")} << 2
                                  << QStringLiteral("noon");
    QTest::newRow("converts into nothing known")
        << QByteArray("x") << QStringList{QStringLiteral("convert"), QStringLiteral("F"), QStringLiteral("-o"), QStringLiteral("x.txt")} << 2
        << QStringLiteral(".json");
}

void SnapshotCommandTest::refusesBadInput()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, said);
    const QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("f.pickle"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    file.close();
    if (arguments.isEmpty())
        arguments = QStringList{path};
    for (auto &argument : arguments) {
        if (argument == QLatin1String("F"))
            argument = path;
    }
    const auto outcome = run(arguments);
    QCOMPARE(outcome.status, status);
    QVERIFY2(QString::fromUtf8(outcome.err).contains(said), outcome.err.constData());
    QVERIFY(outcome.out.isEmpty());
}

QTEST_GUILESS_MAIN(SnapshotCommandTest)
#include "tst_snapshot_command.moc"
