// SPDX-License-Identifier: GPL-3.0-or-later
// The captures' expected totals, all of them, and snapshots made on the spot against the ledger of their maker.
#include "snapshot/census.h"
#include "snapshot/categories.h"
#include "snapshot/leaks.h"
#include "snapshot/levels.h"
#include "snapshot/peaks.h"
#include "snapshot/segment_map.h"
#include "snapshot/stack_totals.h"
#include "snapshot/stack_tree.h"

#include "formats/byte_source.h"
#include "formats/torch_pickle.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace plimsoll;
using namespace Qt::StringLiterals;

class CapturesTest : public QObject
{
    Q_OBJECT

private slots:
    void totals_data();
    void totals();
    void engineAgreesWithItself_data() { totals_data(); }
    void engineAgreesWithItself();
    void ledgers_data();
    void ledgers();
    void lateHistory();
    void oomOfTheCapture();
    void roundedLevelsEqualPyTorchsOwn();

private:
    QTemporaryDir m_folder;
};

namespace {

const auto kFolder = QStringLiteral(PLIMSOLL_SHARED_DATA) + u"/snapshots/"_s;
const auto kMaker = QStringLiteral(PLIMSOLL_SHARED_DATA) + u"/../tools/make_snapshot.py"_s;

MemorySnapshot open(const QString &path)
{
    auto source = openBytes(path.toStdString());
    if (!source)
        qFatal("%s", source.error().detail.c_str());
    auto snapshot = readTorchPickle(**source);
    if (!snapshot)
        qFatal("%s: %s", qPrintable(path), snapshot.error().detail.c_str());
    return std::move(*snapshot);
}

QJsonObject json(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

QJsonValue number(std::uint64_t value) { return static_cast<qint64>(value); }
QJsonValue number(std::int64_t value) { return static_cast<qint64>(value); }
template <class T>
QJsonValue optional(const std::optional<T> &value) { return value ? number(*value) : QJsonValue(); }

QJsonObject object(const std::vector<std::pair<std::string, std::uint64_t>> &counts)
{
    QJsonObject all;
    for (const auto &[name, count] : counts)
        all[QString::fromStdString(name)] = number(count);
    return all;
}

/// With the names and the form of the expected totals.
QJsonObject asJson(const DeviceCensus &census)
{
    QJsonObject states;
    for (const auto state : {BlockState::Inactive, BlockState::ActiveAllocated, BlockState::ActivePendingFree, BlockState::Unknown}) {
        const auto &sum = census.of(state);
        if (sum.blocks > 0)
            states[QString::fromUtf8(toString(state).data(), static_cast<qsizetype>(toString(state).size()))] =
                QJsonObject{{u"blocks"_s, number(sum.blocks)}, {u"bytes"_s, number(sum.bytes)}, {u"requested_bytes"_s, number(sum.requested)}};
    }
    const auto &t = census.trace;
    QJsonArray ooms;
    for (const auto &oom : t.ooms)
        ooms.append(QJsonObject{{u"index"_s, number(std::uint64_t{oom.index})}, {u"size"_s, number(oom.size)}, {u"device_free"_s, optional(oom.deviceFree)}});
    const QJsonObject trace{
        {u"alloc_bytes"_s, number(t.allocBytes)},
        {u"free_completed_bytes"_s, number(t.freeCompletedBytes)},
        {u"free_without_alloc"_s, QJsonObject{{u"events"_s, number(t.freesWithoutAlloc)}, {u"bytes"_s, number(t.freesWithoutAllocBytes)}}},
        {u"alloc_of_live_address"_s, number(t.allocsOfLiveAddress)},
        {u"free_completed_not_right_after_request"_s, number(t.freesNotRightAfterRequest)},
        {u"time_goes_back"_s, number(t.timeGoesBack)},
        {u"events_without_frames_key"_s, number(t.eventsWithoutFrames)},
        {u"end_live"_s, QJsonObject{{u"allocations"_s, number(t.endLive)}, {u"bytes"_s, number(t.endLiveBytes)}}},
        {u"end_requested_relative_to_start"_s, number(t.endRelative)},
        {u"peak_requested_relative_to_start"_s, number(t.peakRelative)},
        {u"peak_event_index"_s, t.peakIndex ? number(std::uint64_t{*t.peakIndex}) : QJsonValue(-1)},
        {u"live_blocks_never_in_trace"_s,
         QJsonObject{{u"blocks"_s, number(t.blocksNeverInTrace)}, {u"requested_bytes"_s, number(t.blocksNeverInTraceBytes)}}},
        {u"peak_requested_absolute"_s, number(t.peakAbsolute)},
        {u"live_in_trace_but_not_in_blocks"_s, number(t.liveNotInBlocks)},
        {u"reserved_at_start_bytes"_s, number(t.reservedAtStart)},
        {u"oom"_s, ooms},
        {u"first_time_us"_s, optional(t.firstTimeUs)},
        {u"last_time_us"_s, optional(t.lastTimeUs)},
    };
    return {
        {u"segments"_s, number(std::uint64_t{census.segments})},
        {u"segments_not_tiled_by_blocks"_s, number(std::uint64_t{census.segmentsNotTiled})},
        {u"expandable_segments"_s, number(std::uint64_t{census.expandableSegments})},
        {u"reserved_bytes"_s, number(census.reserved)},
        {u"segment_allocated_size_sum"_s, number(census.segmentAllocatedSum)},
        {u"segment_active_size_sum"_s, number(census.segmentActiveSum)},
        {u"blocks_by_state"_s, states},
        {u"rounding_waste_bytes"_s, number(census.roundingWaste)},
        {u"free_in_wholly_free_segments_bytes"_s, number(census.freeInFreeSegments)},
        {u"free_in_partly_used_segments"_s, QJsonObject{{u"blocks"_s, number(census.freePieces)}, {u"bytes"_s, number(census.freePiecesBytes)}}},
        {u"largest_free_block_bytes"_s, number(census.largestFree)},
        {u"reserved_by_pool"_s, object(census.reservedByPool)},
        {u"streams"_s, number(std::uint64_t{census.streams})},
        {u"events"_s, number(std::uint64_t{census.events})},
        {u"events_by_action"_s, object(census.eventsByAction)},
        {u"trace"_s, trace},
    };
}

void compare(const QJsonValue &expected, const QJsonValue &got, const QString &where, QStringList &differences)
{
    if (expected.isObject() && got.isObject()) {
        auto keys = expected.toObject().keys() + got.toObject().keys();
        keys.removeDuplicates();
        for (const auto &key : std::as_const(keys))
            compare(expected[key], got[key], where + QLatin1Char('/') + key, differences);
    } else if (expected != got) {
        differences << where + u": expected "_s + QString::fromUtf8(QJsonDocument(QJsonArray{expected}).toJson(QJsonDocument::Compact))
                + u", got "_s + QString::fromUtf8(QJsonDocument(QJsonArray{got}).toJson(QJsonDocument::Compact));
    }
}

/// What must hold of any snapshot that a PyTorch wrote.
void checkEngine(const MemorySnapshot &snapshot, bool isForeign)
{
    for (const auto &device : devicesOf(snapshot)) {
        const Replay replay(snapshot, device);
        const auto census = censusOf(snapshot, device);
        QVERIFY(censusOf(replay) == census);
        QCOMPARE(replay.peakLevel(), census.trace.peakAbsolute + static_cast<std::int64_t>(census.trace.pendingBeforeTraceBytes));
        const LevelCurve requested(replay, LevelKind::Requested);
        const auto peak = peakOf(requested, replay);
        QCOMPARE(peak.level, replay.peakLevel());
        QCOMPARE(peak.instant, replay.peakInstant());
        QCOMPARE(peak.instant, census.trace.peakIndex ? static_cast<EventInstant>(*census.trace.peakIndex + 1) : 0U);
        const LevelCurve reserved(replay, LevelKind::Reserved);
        QCOMPARE(reserved.at(0), census.trace.reservedAtStart);
        QCOMPARE(reserved.at(replay.end()), static_cast<std::int64_t>(census.reserved));
        const StackTree tree(snapshot, TreeDirection::TopDown);
        const Categories categories(replay);
        const SegmentMap map(replay);
        for (EventInstant n = 0; n <= replay.end(); n += 1 + replay.end() / 20) {
            QCOMPARE(requested.at(n), replay.levelAt(n));
            QCOMPARE(tree.boxes(tree.alive(replay, n), 1).front().value, replay.levelAt(n));
            std::int64_t sum = 0;
            for (const auto bytes : categories.aliveAt(n))
                sum += bytes;
            QCOMPARE(sum, replay.levelAt(n));
            sum = 0;
            for (const auto &total : aliveByStack(replay, n))
                sum += total.bytes;
            QCOMPARE(sum, replay.levelAt(n));
            if (isForeign)
                continue;
            const auto state = map.at(n);
            QCOMPARE(static_cast<std::int64_t>(state.reserved), reserved.at(n));
            QVERIFY(state.outside.empty());
        }
        if (isForeign)
            continue;
        // At the end the map is the list of blocks; but what PyTorch 2.0 wrote has no addresses of its own.
        QCOMPARE(map.oddEvents(), std::uint64_t{0});
        const auto end = map.at(replay.end());
        QCOMPARE(end.free, census.inactive());
        QCOMPARE(end.largestFree, census.largestFree);
        std::vector<std::tuple<std::uint64_t, std::uint64_t, bool>> pieces;
        std::vector<std::tuple<std::uint64_t, std::uint64_t, bool>> blocks;
        for (const auto &piece : end.pieces)
            pieces.emplace_back(piece.address, piece.size, piece.isFree());
        for (const auto index : device.segments) {
            const auto &segment = snapshot.segments[index];
            for (auto b = segment.firstBlock; b < segment.firstBlock + segment.blockCount; ++b)
                blocks.emplace_back(snapshot.blocks[b].address, snapshot.blocks[b].size, snapshot.blocks[b].state == BlockState::Inactive);
        }
        std::sort(blocks.begin(), blocks.end());
        QVERIFY(pieces == blocks);
    }
}

} // namespace

void CapturesTest::totals_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QJsonObject>("expected");
    const auto all = json(kFolder + u"expected.json"_s);
    if (all.isEmpty())
        QSKIP("The captures of PyTorch snapshots are not there.");
    for (const auto &name : all.keys())
        QTest::newRow(qPrintable(name)) << kFolder + name << all[name].toObject();
}

void CapturesTest::totals()
{
    QFETCH(QString, path);
    QFETCH(QJsonObject, expected);
    const auto snapshot = open(path);
    QJsonObject got;
    for (const auto &census : censusOf(snapshot).devices)
        got[QString::number(census.ordinal)] = asJson(census);
    QStringList differences;
    compare(expected[u"devices"_s], got, QString(), differences);
    QVERIFY2(differences.isEmpty(), qPrintable(differences.join(QLatin1Char('\n'))));
}

void CapturesTest::engineAgreesWithItself()
{
    QFETCH(QString, path);
    checkEngine(open(path), path.contains(u"mosaic-random"_s));
}

void CapturesTest::ledgers_data()
{
    QTest::addColumn<QString>("pickle");
    QTest::addColumn<QString>("ledger");
    QTest::addColumn<QStringList>("options");
    if (QFile::exists(kFolder + u"made"_s))
        for (const auto *name : {"proto5", "proto3", "cpp-dialect-proto2", "torch20-history", "torch213-late-history-ring", "oom",
                                 "oom-expandable", "private-pools-pending", "expandable-unmap", "device3-of-8", "max-split-64mb", "roundup-8"})
            QTest::newRow(name) << kFolder + u"made/%1.pickle"_s.arg(QLatin1String(name))
                                << kFolder + u"made/%1.expect.json"_s.arg(QLatin1String(name)) << QStringList();
    if (!QFile::exists(kMaker))
        return;
    // A draw from all that the maker can do; more of them with PLIMSOLL_TEST_SNAPSHOTS=200.
    bool isNumber = false;
    const auto wished = qEnvironmentVariableIntValue("PLIMSOLL_TEST_SNAPSHOTS", &isNumber);
    std::mt19937 random(20261201);
    for (int i = 0; i < (isNumber ? wished : 12); ++i) {
        const auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
        const QStringList torch{u"2.0"_s, u"2.1"_s, u"2.2"_s, u"2.3"_s, u"2.6"_s, u"2.8"_s, u"2.9"_s, u"2.10"_s, u"2.12"_s, u"2.13"_s};
        QStringList o{u"--events"_s, QString::number(300 + pick(3000)), u"--frames-depth"_s, QString::number(4 + pick(20)), u"--distinct-frames"_s,
                      u"200"_s, u"--layers"_s, QString::number(2 + pick(6)), u"--hidden"_s, pick(2) ? u"512"_s : u"1024"_s, u"--seed"_s,
                      QString::number(random() % 1'000'000)};
        o << u"--torch"_s << torch[pick(10)];
        if (pick(5) == 0)
            o << u"--writer"_s << u"cpp"_s;
        else
            o << u"--protocol"_s << QString::number(2 + pick(4)) << u"--writer"_s << (pick(2) ? u"c"_s : u"stream"_s);
        if (pick(5) < 2)
            o << u"--expandable"_s;
        if (pick(3) == 0)
            o << u"--oom"_s << u"--leak-rate"_s << u"0.05"_s;
        if (pick(3) == 0)
            o << u"--private-pools"_s << QString::number(1 + pick(3));
        if (pick(5) < 2)
            o << u"--pending"_s << (pick(2) ? u"0.02"_s : u"0.2"_s);
        if (pick(3) == 0)
            o << u"--streams"_s << QString::number(2 + pick(2));
        if (pick(3) == 0)
            o << u"--max-entries"_s << QString::number(50 + pick(900));
        if (pick(5) < 2)
            o << u"--late-history"_s;
        if (pick(3) == 0)
            o << u"--empty-cache-every"_s << QString::number(1 + pick(3));
        if (pick(5) == 0)
            o << u"--max-split-mb"_s << u"64"_s;
        if (pick(5) == 0)
            o << u"--roundup"_s << QString::number(2 << pick(3));
        if (pick(4) == 0)
            o << u"--stop-mid-step"_s;
        if (pick(4) == 0)
            o << u"--python-only"_s;
        if (pick(5) == 0)
            o << u"--devices"_s << u"8"_s << u"--device-index"_s << u"5"_s;
        QTest::addRow("made %d", i) << QString() << QString() << o;
    }
}

void CapturesTest::ledgers()
{
    if (!QFile::exists(kFolder + u"made"_s) && !QFile::exists(kMaker))
        QSKIP("Neither made snapshots nor their maker are there.");
    QFETCH(QString, pickle);
    QFETCH(QString, ledger);
    QFETCH(QStringList, options);
    if (pickle.isEmpty()) {
        pickle = m_folder.filePath(u"made.pickle"_s);
        ledger = m_folder.filePath(u"made.json"_s);
        QProcess maker;
        maker.start(u"python3"_s, QStringList{kMaker, u"-o"_s, pickle, u"--expect"_s, ledger} + options);
        QVERIFY2(maker.waitForFinished(60'000) && maker.exitCode() == 0, maker.readAllStandardError().constData());
    }
    const auto snapshot = open(pickle);
    const auto expected = json(ledger);
    QVERIFY(!expected.isEmpty());
    const auto file = censusOf(snapshot);
    QCOMPARE(file.devices.size(), std::size_t{1});
    const auto &census = file.devices.front();
    const auto got = asJson(census);
    const auto trace = got[u"trace"_s].toObject();
    auto states = expected[u"blocks_by_state"_s].toObject();
    for (const auto &state : states.keys())
        if (states[state][u"blocks"_s].toInteger() == 0)
            states.remove(state);
    QStringList differences;
    const auto check = [&](const char *key, const QJsonValue &value) { compare(expected[QLatin1String(key)], value, QLatin1String(key), differences); };
    compare(states, got[u"blocks_by_state"_s], u"blocks_by_state"_s, differences);
    check("events", got[u"events"_s]);
    check("events_by_action", got[u"events_by_action"_s]);
    check("segments", got[u"segments"_s]);
    check("reserved_bytes", got[u"reserved_bytes"_s]);
    check("reserved_bytes_at_start", trace[u"reserved_at_start_bytes"_s]);
    check("free_without_alloc", trace[u"free_without_alloc"_s]);
    check("live_before_history_and_still_live_bytes", trace[u"live_blocks_never_in_trace"_s][u"requested_bytes"_s]);
    check("peak_requested_bytes_relative_to_start", trace[u"peak_requested_relative_to_start"_s]);
    check("peak_event_index", trace[u"peak_event_index"_s]);
    check("peak_requested_bytes_absolute", trace[u"peak_requested_absolute"_s]);
    check("end_requested_bytes_relative_to_start", trace[u"end_requested_relative_to_start"_s]);
    if (census.trace.firstTimeUs) { // old versions wrote no times
        check("first_time_us", trace[u"first_time_us"_s]);
        check("last_time_us", trace[u"last_time_us"_s]);
    }
    QVERIFY2(differences.isEmpty(), qPrintable(options.join(QLatin1Char(' ')) + QLatin1Char('\n') + differences.join(QLatin1Char('\n'))));
    checkEngine(snapshot, false);
}

void CapturesTest::lateHistory()
{
    if (!QFile::exists(kMaker))
        QSKIP("The maker of snapshots is not there.");
    // Recording began after the first step: two viewers say 9,744,285,680 here.
    const auto path = m_folder.filePath(u"late.pickle"_s);
    QProcess maker;
    maker.start(u"python3"_s, QStringList{kMaker, u"-o"_s, path, u"--events"_s, u"20000"_s, u"--late-history"_s});
    QVERIFY(maker.waitForFinished(60'000));
    const auto snapshot = open(path);
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    QCOMPARE(replay.peakLevel(), std::int64_t{26'759'659'504});
    QCOMPARE(censusOf(replay).trace.peakAbsolute, std::int64_t{26'759'659'504});
    QCOMPARE(censusOf(replay).trace.blocksNeverInTraceBytes, std::uint64_t{17'015'373'824});
}

void CapturesTest::oomOfTheCapture()
{
    const auto path = kFolder + u"expandable-oom-3gpu.pickle"_s;
    if (!QFile::exists(path))
        QSKIP("The capture is not there.");
    const auto snapshot = open(path);
    const Replay replay(snapshot, devicesOf(snapshot)[1]);
    const auto moments = oomMoments(replay);
    QCOMPARE(moments.size(), std::size_t{1});
    QCOMPARE(moments[0].instant, 422U);
    QCOMPARE(moments[0].size, std::uint64_t{5'308'694'528});
    QCOMPARE(*moments[0].deviceFree, std::uint64_t{95'682'560});
    QCOMPARE(moments[0].level, std::int64_t{84'063'351'764});
    QCOMPARE(replay.aliveAt(moments[0].instant).size(), std::size_t{111});
    QCOMPARE(LevelCurve(replay, LevelKind::Reserved).at(moments[0].instant), std::int64_t{84'202'749'952});
    QCOMPARE(replay.peakInstant(), 421U);
}

void CapturesTest::roundedLevelsEqualPyTorchsOwn()
{
    // A "snapshot" event says how much was active when an earlier snapshot was taken.
    const auto path = kFolder + u"nine-snapshot-events.pickle"_s;
    if (!QFile::exists(path))
        QSKIP("The capture is not there.");
    const auto snapshot = open(path);
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    const LevelCurve rounded(replay, LevelKind::Rounded);
    int compared = 0;
    for (EventInstant n = 1; n <= replay.end(); ++n) {
        if (snapshot.events.action[replay.rowOf(n)] != TraceAction::Snapshot)
            continue;
        QCOMPARE(rounded.at(n), static_cast<std::int64_t>(snapshot.events.sizes[replay.rowOf(n)]));
        ++compared;
    }
    QCOMPARE(compared, 9);
}

QTEST_GUILESS_MAIN(CapturesTest)
#include "tst_captures.moc"
