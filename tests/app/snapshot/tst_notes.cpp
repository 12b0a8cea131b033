// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/snapshot_builder.h"

#include "snapshot/notes.h"

#include <QTest>

#include <functional>

using namespace plimsoll;

using Make = std::function<void(SnapshotBuilder &)>;
Q_DECLARE_METATYPE(Make)

class NotesTest : public QObject
{
    Q_OBJECT

private slots:
    void files_data();
    void files();
    void devices_data();
    void devices();
    void nothingToSay();
};

void NotesTest::files_data()
{
    QTest::addColumn<Make>("make");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("empty") << Make([](SnapshotBuilder &b) {
        b.list(0);
        b.list(1);
        b.snapshot().origin.traceLists = 2;
    }) << QByteArray("This snapshot is empty: no segments and no events on 2 devices. Was CUDA used");
    QTest::newRow("no recording") << Make([](SnapshotBuilder &b) {
        b.segment(0, 4096);
        b.block(512, BlockState::ActiveAllocated, 5);
    }) << QByteArray("There is no history and there are no stacks");
    QTest::newRow("switched off") << Make([](SnapshotBuilder &b) {
        b.segment(0, 4096);
        b.block(512, BlockState::ActiveAllocated, 5, b.stack({"a.py:1 f"}));
    }) << QByteArray("There is no history, only what was allocated in the end and by whom");
    QTest::newRow("one event") << Make([](SnapshotBuilder &b) { b.alloc(4096, 5); }) << QByteArray("One event a device means that no history was recorded");
    QTest::newRow("history") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 5);
        b.free(4096, 5);
    }) << QByteArray();
    QTest::newRow("profiler") << Make([](SnapshotBuilder &b) { b.snapshot().origin.format = SnapshotOrigin::Format::Kineto; }) << QByteArray();
}

void NotesTest::files()
{
    QFETCH(Make, make);
    QFETCH(QByteArray, expected);
    SnapshotBuilder build;
    make(build);
    const auto snapshot = build.take();
    const auto notes = notesOn(snapshot, censusOf(snapshot));
    QCOMPARE(notes.size(), expected.isEmpty() ? std::size_t{0} : std::size_t{1});
    if (!notes.empty())
        QVERIFY2(QByteArray::fromStdString(notes[0]).startsWith(expected), notes[0].c_str());
}

void NotesTest::devices_data()
{
    QTest::addColumn<Make>("make");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("late") << Make([](SnapshotBuilder &b) {
        b.event(TraceAction::FreeCompleted, 4096, 1000, b.stack({"a.py:1 f"}));
        b.event(TraceAction::Snapshot, 0, 0);
    }) << QByteArray("The history begins late: 1 allocation of 1000 B (1,000 bytes) was there before it. The level counts them exactly; of the one that");
    QTest::newRow("ring") << Make([](SnapshotBuilder &b) {
        b.list(0).hasOverflowed = true;
        b.alloc(4096, 1, b.stack({"a.py:1 f"}));
        b.event(TraceAction::Snapshot, 0, 0);
    }) << QByteArray("The ring of events was full and lost its oldest ones.");
    QTest::newRow("live address") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1);
        b.alloc(4096, 1);
    }) << QByteArray("1 allocation came at an address that was still in use");
    QTest::newRow("negative") << Make([](SnapshotBuilder &b) { b.event(TraceAction::SegmentAlloc, 4096, 4096); })
                              << QByteArray("Reserved memory would have been");
    QTest::newRow("too much") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1'000'000);
        b.segment(0, 1U << 20U);
        b.block(1024, BlockState::Inactive);
    }) << QByteArray("At the peak 977 KiB (1,000,000 bytes) were requested, but only 1.00 KiB (1,024 bytes) reserved");
    QTest::newRow("gone") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1);
        b.segment(0, 1U << 20U);
        b.block(1024, BlockState::Inactive);
    }) << QByteArray("1 allocation of the trace is alive at its end, but no block says so");
    QTest::newRow("clock") << Make([](SnapshotBuilder &b) {
        b.event({TraceAction::Snapshot, 0, 0, 100, kNoStack, 0, 0});
        b.event({TraceAction::Snapshot, 0, 0, 50, kNoStack, 0, 0});
    }) << QByteArray("The clock goes back 1 time");
    QTest::newRow("requests") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1);
        b.event(TraceAction::FreeRequested, 4096, 1);
    }) << QByteArray("No free was completed in this trace");
    QTest::newRow("no stacks") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1);
        b.alloc(8192, 1);
    }) << QByteArray("No allocation of the trace has a stack.");
    QTest::newRow("some stacks") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1);
        b.alloc(8192, 1, b.stack({"a.py:1 f"}));
    }) << QByteArray("1 of 2 allocations of the trace have no stack.");
    QTest::newRow("unknown action") << Make([](SnapshotBuilder &b) {
        b.snapshot().actionNames.emplace_back("defragment");
        b.event(TraceAction::FirstUnknown, 4096, 1);
    }) << QByteArray("Events that this version does not know, and that change nothing here: defragment (1).");
    QTest::newRow("pending") << Make([](SnapshotBuilder &b) {
        b.alloc(4096, 1);
        b.event(TraceAction::Snapshot, 0, 0);
        b.segment(0, 1U << 20U);
        b.block(1024, BlockState::ActivePendingFree, 1000);
    }) << QByteArray("1 block of 1000 B (1,000 bytes) waited for another stream all the time");
    QTest::newRow("overlap") << Make([](SnapshotBuilder &b) {
        b.segment(0, 1U << 20U);
        b.block(4096, BlockState::Inactive);
        b.segment(0, (1U << 20U) + 512);
        b.block(4096, BlockState::Inactive);
    }) << QByteArray("1 segment or event of one did not fit the others");
    QTest::newRow("no addresses") << Make([](SnapshotBuilder &b) {
        b.list(0).hasAddresses = false;
        b.event(TraceAction::Alloc, kUnknownBytes, 1);
    }) << QByteArray("The events of this device name no addresses");
    QTest::newRow("running totals") << Make([](SnapshotBuilder &b) {
        b.list(0).levelAtStart = 2048;
        b.alloc(4096, 1);
        b.alloc(8192, 1);
    }) << QByteArray("2.00 KiB (2,048 bytes) were allocated before the first event");
    QTest::newRow("not tiled") << Make([](SnapshotBuilder &b) {
        b.segment(0, 1U << 20U);
        b.block(4096, BlockState::Inactive);
        b.snapshot().segments.back().totalSize = 8192;
    }) << QByteArray("1 segment is not filled by the blocks listed for it.");
}

void NotesTest::devices()
{
    QFETCH(Make, make);
    QFETCH(QByteArray, expected);
    SnapshotBuilder build;
    make(build);
    const auto snapshot = build.take();
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    QByteArray all;
    bool isThere = false;
    for (const auto &note : notesOn(replay, censusOf(replay))) {
        all += note + '\n';
        isThere = isThere || QByteArray::fromStdString(note).startsWith(expected);
    }
    QVERIFY2(isThere, all.constData());
}

void NotesTest::nothingToSay()
{
    SnapshotBuilder build;
    const auto stack = build.stack({"a.py:1 f"});
    build.event(TraceAction::SegmentAlloc, 1U << 20U, 2U << 20U, stack);
    build.alloc(1U << 20U, 1000, stack);
    build.segment(0, 1U << 20U);
    build.block(1024, BlockState::ActiveAllocated, 1000, stack);
    build.block((2U << 20U) - 1024, BlockState::Inactive);
    const auto snapshot = build.take();
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    QVERIFY(notesOn(replay, censusOf(replay)).empty());
}

QTEST_GUILESS_MAIN(NotesTest)
#include "tst_notes.moc"
