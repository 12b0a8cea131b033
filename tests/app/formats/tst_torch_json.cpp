// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_json.h"

#include "support/small_disk.h"
#include "support/whole_snapshot_builder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

Result<MemorySnapshot> readText(const std::string &text, const SnapshotReading &reading = {})
{
    const auto source = bytesOf(text);
    return readTorchJson(*source, reading);
}

} // namespace

class TorchJsonTest : public QObject
{
    Q_OBJECT

private slots:
    void allFields();
    void history();
    void bareList();
    void listsOfHostEvents();
    void roundTrip_data();
    void roundTrip();
    void truncatedAnywhere();
    void flippedBits();
    void others_data();
    void others();
    void invalidUtf8();
    void limits();
    void cancel();
    void nothingIsLeftOfAFailure();
    void noSpace();
};

namespace {

// Behind the class: moc loses its way in it.
const char *const kSmall = R"({
 "segments": [{"device": 1, "address": 139637976727552, "total_size": 4096, "allocated_size": 1024, "active_size": 1536,
   "requested_size": 1300, "stream": -1, "segment_type": "large", "segment_pool_id": [0, 1], "is_expandable": false,
   "frames": [{"name": "f", "filename": "a.py", "line": 18446744073709551615}],
   "blocks": [{"size": 1024, "state": "active_allocated", "requested_size": 900, "frames": []},
              {"size": 512, "state": "active_awaiting_free", "address": 139637976728576, "requested_size": 400},
              {"size": 2560, "state": "inactive", "colour": 1}], "colour": {"a": [1]}}],
 "device_traces": [[], [
   {"action": "alloc", "addr": 139637976727552, "size": 900, "stream": 0, "time_us": 1700000000000001, "compile_context": "N/A",
    "frames": [{"name": "g", "filename": "b.py", "line": 3, "fx_node_op": "call", "fx_node_name": null}], "shade": 7},
   {"action": "oom", "device_free": 77, "size": 5000, "stream": 0, "pool_id": [0, 2], "user_metadata": "a \"b\""},
   {"action": "melt", "addr": -4096, "size": 1e3, "stream": 0}]],
 "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "a:b", "max_split_size": -1},
 "external_annotations": [{"name": "n", "stage": "START", "device": 1, "time_us": 5}],
 "host_segments": [{"address": 4096, "size": 8192, "allocated": false, "active": true, "segment_pool_id": [0, 0]}],
 "host_traces": [{"action": "alloc", "addr": 4096, "size": 8000, "stream": 0}],
 "trace_alloc_overflowed": [false, true], "trace_alloc_max_entries": 900,
 "extra": [1, {"x": "]"}]
})";

} // namespace

void TorchJsonTest::allFields()
{
    const auto snapshot = readText(kSmall);
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QCOMPARE(snapshot->segments.size(), std::size_t{1});
    const auto &segment = snapshot->segments[0];
    QCOMPARE(segment.device, 1);
    QCOMPARE(snapshot->streams[segment.stream], UINT64_MAX);
    QVERIFY(segment.isLarge == true && segment.isExpandable == false);
    QCOMPARE(segment.pool->second, std::int64_t{1});
    QCOMPARE(snapshot->stacks.frame(snapshot->stacks.stack(segment.stack)[0]).line, UINT64_MAX);
    QCOMPARE(segment.blockCount, std::size_t{3});
    QCOMPARE(snapshot->blocks[0].address, std::uint64_t{139637976727552});
    QCOMPARE(snapshot->blocks[0].stack, kEmptyStack);
    QCOMPARE(snapshot->blocks[1].stack, kNoStack);
    QVERIFY(snapshot->blocks[1].state == BlockState::ActivePendingFree);
    QCOMPARE(snapshot->blocks[2].address, std::uint64_t{139637976727552 + 1536});
    QCOMPARE(snapshot->blocks[2].requested, kUnknownBytes);

    QCOMPARE(snapshot->origin.traceLists, std::size_t{2});
    QCOMPARE(snapshot->devices.size(), std::size_t{3});
    QCOMPARE(snapshot->devices[0].eventCount, std::size_t{0});
    QCOMPARE(snapshot->devices[1].eventCount, std::size_t{3});
    QVERIFY(snapshot->devices[2].kind == MemoryKind::PinnedHost);
    QCOMPARE(snapshot->devices[1].hasOverflowed, std::optional<bool>(true));
    QCOMPARE(snapshot->devices[1].maxEntries, std::optional<std::uint64_t>(900));
    const auto &events = snapshot->events;
    QCOMPARE(events.context[0] != 0, true); // "shade"
    QCOMPARE(snapshot->contexts[events.context[0]].attributes.size(), std::size_t{1});
    QVERIFY(events.action[1] == TraceAction::Oom);
    QCOMPARE(events.address[1], std::uint64_t{77});
    QCOMPARE(events.timeUs[1], kUnknownTime);
    QCOMPARE(snapshot->contexts[events.context[1]].pool->second, std::int64_t{2});
    QCOMPARE(std::string(snapshot->texts[snapshot->contexts[events.context[1]].attributes[0].second]), std::string("a \"b\""));
    QCOMPARE(snapshot->actionNames[static_cast<std::size_t>(events.action[2])], std::string("melt"));
    QCOMPARE(events.address[2], UINT64_MAX - 4095);
    QCOMPARE(events.sizes[2], std::uint64_t{1000});
    const auto frame = snapshot->stacks.stack(events.stack[0])[0];
    QCOMPARE(snapshot->stacks.attributes(frame).size(), std::size_t{1});
    QCOMPARE(snapshot->setting("PYTORCH_CUDA_ALLOC_CONF"), std::optional<std::string>("a:b"));
    QCOMPARE(snapshot->annotations.size(), std::size_t{1});
    QVERIFY(snapshot->hostBlocks[0].state == BlockState::ActivePendingFree);
    QCOMPARE(snapshot->attributes.size(), std::size_t{1});
    QCOMPARE(snapshot->attributes[0].second, std::string("[1,{\"x\":\"]\"}]"));
    const std::map<std::string, std::uint64_t> unknown{{"block.colour", 1}, {"event.shade", 1}, {"segment.colour", 1}, {"snapshot.extra", 1}};
    QCOMPARE(snapshot->unknownKeys, unknown);
    QVERIFY(snapshot->warnings.empty());
}

void TorchJsonTest::history()
{
    const auto snapshot = readText(R"([{"device":0,"address":4096,"total_size":1024,"blocks":[{"size":512,"state":"active_allocated",
        "history":[{"addr":4096,"real_size":100,"frames":[{"name":"f","filename":"a","line":-1}]},{"addr":4096,"real_size":5}]},
        {"size":512,"state":"inactive"}]}])");
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QVERIFY(snapshot->origin.isTopLevelList);
    QCOMPARE(snapshot->blocks[0].requested, std::uint64_t{100});
    QCOMPARE(snapshot->blocks[0].historyLength, 2U);
    QCOMPARE(snapshot->stacks.depth(snapshot->blocks[0].stack), std::size_t{1});
    QCOMPARE(snapshot->blocks[1].address, std::uint64_t{4608});
}

void TorchJsonTest::bareList()
{
    QVERIFY(readText("[]").has_value());
    QVERIFY(!readText(R"([{"ph":"X"}])"));
    QVERIFY(!readText("[[1,2]]"));
}

void TorchJsonTest::listsOfHostEvents()
{
    const auto snapshot = readText(R"({"segments":[],"host_traces":[[],[{"action":"alloc","addr":1,"size":2}]]})");
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    QCOMPARE(snapshot->devices.size(), std::size_t{2});
    QCOMPARE(snapshot->devices[1].ordinal, 1);
    QCOMPARE(snapshot->devices[1].eventCount, std::size_t{1});
    QCOMPARE(readText(R"({"segments":[],"host_traces":[]})")->devices.size(), std::size_t{0});
    QCOMPARE(readText(R"({"segments":[],"host_traces":[[]]})")->devices.size(), std::size_t{1});
}

void TorchJsonTest::roundTrip_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 12; ++seed)
        QTest::newRow(std::to_string(seed).c_str()) << seed;
}

void TorchJsonTest::roundTrip()
{
    QFETCH(int, seed);
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.filePath(QStringLiteral("out.json")).toStdString());
    auto snapshot = test::everything(static_cast<std::uint32_t>(seed), seed == 11 ? 20'000 : 200);
    if (seed == 5) { // as a profiler's trace
        snapshot.devices[0].kind = MemoryKind::Cpu;
        snapshot.devices[0].ordinal = -1;
        snapshot.devices[0].levelAtStart = 55;
        snapshot.devices[0].hasAddresses = false;
        snapshot.devices[0].reserved = {{0, 5}, {7, UINT64_MAX}};
    }
    if (seed == 6)
        snapshot.devices.pop_back();
    const auto written = writeTorchJson(snapshot, path);
    QVERIFY2(written.has_value(), written ? "" : written.error().detail.c_str());
    const auto source = openBytes(path);
    const auto again = readTorchJson(**source, {});
    QVERIFY2(again.has_value(), again ? "" : again.error().detail.c_str());
    if (seed == 6)
        snapshot.events.action.setSize(200); // those of the device that is gone
    const auto found = test::difference(snapshot, *again);
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
}

void TorchJsonTest::truncatedAnywhere()
{
    const std::string text = kSmall;
    std::size_t most = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto snapshot = readText(text.substr(0, length));
        if (!snapshot) {
            QVERIFY(!snapshot.error().detail.empty());
            continue;
        }
        QVERIFY(snapshot->origin.truncatedAt.has_value());
        QCOMPARE(snapshot->warnings.size(), std::size_t{1});
        QVERIFY(snapshot->events.size() >= most);
        most = snapshot->events.size();
    }
    QCOMPARE(most, std::size_t{4});
}

void TorchJsonTest::flippedBits()
{
    const std::string text = kSmall;
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        auto flipped = text;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        const auto snapshot = readText(flipped);
        QVERIFY(snapshot || !snapshot.error().detail.empty());
    }
}

void TorchJsonTest::others_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray("");
    QTest::newRow("a trace") << QByteArray("{\"traceEvents\":[]}");
    QTest::newRow("a number") << QByteArray("12");
    QTest::newRow("segments that are none") << QByteArray("{\"segments\":[1]}");
    QTest::newRow("events that are none") << QByteArray("{\"device_traces\":[[1]]}");
    QTest::newRow("deep") << QByteArray("{\"segments\":[{\"blocks\":[") + QByteArray(100'000, '[');
    QTest::newRow("deep objects") << QByteArray("{\"x\":") + QByteArray("{\"a\":").repeated(100'000);
    QTest::newRow("wrong bracket") << QByteArray("{\"device_traces\":[[{}}");
    QTest::newRow("no colon") << QByteArray("{\"device_traces\":[[{\"action\" 1}]]}");
}

void TorchJsonTest::others()
{
    QFETCH(QByteArray, text);
    const auto snapshot = readText(text.toStdString());
    QVERIFY(!snapshot);
    QVERIFY(!snapshot.error().detail.empty());
}

void TorchJsonTest::invalidUtf8()
{
    const auto snapshot = readText("{\"device_traces\":[[{\"action\":\"alloc\",\"addr\":1,\"size\":2,\"frames\":[{\"name\":\"a\xff\",\"filename\":\"\\ud800\",\"line\":1}]}]]}");
    QVERIFY2(snapshot.has_value(), snapshot ? "" : snapshot.error().detail.c_str());
    const auto &frame = snapshot->stacks.frame(snapshot->stacks.stack(snapshot->events.stack[0])[0]);
    QCOMPARE(std::string(snapshot->texts[frame.name]), std::string("a\xEF\xBF\xBD"));
    QCOMPARE(std::string(snapshot->texts[frame.file]), std::string("\xED\xA0\x80"));
}

void TorchJsonTest::limits()
{
    SnapshotReading reading;
    reading.limits.events = 2;
    const auto many = readText(kSmall, reading);
    QVERIFY(!many);
    QVERIFY(many.error().code == Error::Code::TooLarge);
    // More names of actions than a byte counts.
    std::string text = "{\"device_traces\":[[";
    for (int i = 0; i < 600; ++i)
        text += "{\"action\":\"a" + std::to_string(i) + "\"},";
    text.back() = ']';
    const auto snapshot = readText(text + "]}");
    QVERIFY(snapshot.has_value());
    QCOMPARE(snapshot->actionNames.size(), std::size_t{256});
    QVERIFY(static_cast<std::size_t>(snapshot->events.action[599]) == 255);
}

void TorchJsonTest::cancel()
{
    std::stop_source stop;
    stop.request_stop();
    SnapshotReading reading;
    reading.stop = stop.get_token();
    QVERIFY(readText(kSmall, reading).error().code == Error::Code::Cancelled);
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.filePath(QStringLiteral("out.json")).toStdString());
    QVERIFY(writeTorchJson(test::everything(1), path, {stop.get_token(), {}}).error().code == Error::Code::Cancelled);
    QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
}

void TorchJsonTest::nothingIsLeftOfAFailure()
{
    QTemporaryDir folder;
    const auto base = std::filesystem::path(folder.path().toStdString());
    QVERIFY(!writeTorchJson(test::everything(1), base / "missing" / "out.json"));
    QVERIFY(!writeTorchJson(test::everything(1), base));
    QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
}

void TorchJsonTest::noSpace()
{
    QTemporaryDir folder;
    const test::SmallDisk disk(std::filesystem::path(folder.path().toStdString()) / "disk", "64k");
    if (!disk.isMounted())
        QSKIP("mounting a small disk needs root");
    const auto path = std::filesystem::path(folder.path().toStdString()) / "disk" / "out.json";
    QVERIFY(writeTorchJson(test::everything(1, 1), path).has_value());
    const auto before = std::filesystem::file_size(path);
    const auto written = writeTorchJson(test::everything(1, 2000), path);
    QVERIFY(!written);
    QVERIFY(written.error().code == Error::Code::Full);
    QVERIFY(written.error().detail.find("out.json") != std::string::npos);
    QCOMPARE(std::filesystem::file_size(path), before); // what was there before is still there
    QCOMPARE(QDir(folder.path() + QStringLiteral("/disk")).entryList(QDir::Files | QDir::Hidden).size(), 1);
}

QTEST_APPLESS_MAIN(TorchJsonTest)
#include "tst_torch_json.moc"
