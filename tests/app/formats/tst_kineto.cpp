// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <string>

using namespace plimsoll;

namespace {

Result<KinetoTrace> readText(const std::string &text, const SnapshotReading &reading = {})
{
    const auto source = bytesOf(text);
    return readKineto(*source, reading);
}

std::string memory(std::int64_t ts, std::int64_t bytes, const std::string &rest = {})
{
    return R"({"ph":"i","name":"[memory]","pid":1,"tid":2,"ts":)" + std::to_string(ts)
        + R"(,"args":{"Device Type":1,"Device Id":0,"Bytes":)" + std::to_string(bytes) + rest + "}}";
}

QJsonValue number(const std::optional<std::int64_t> &value)
{
    return value ? QJsonValue(static_cast<qint64>(*value)) : QJsonValue(QJsonValue::Null);
}

QJsonValue number(const std::optional<ChromeTime> &value)
{
    return value ? value->fraction == 0 ? QJsonValue(static_cast<qint64>(value->us)) : QJsonValue(static_cast<double>(value->us) + value->fraction)
                 : QJsonValue(QJsonValue::Null);
}

QJsonObject toJson(const KinetoDeviceCensus &device)
{
    const auto count = [](auto value) { return QJsonValue(static_cast<qint64>(value)); };
    return {{QStringLiteral("memory_events"), count(device.memoryEvents)},
            {QStringLiteral("oom_events"), count(device.oomEvents)},
            {QStringLiteral("allocs"), count(device.allocs)},
            {QStringLiteral("frees"), count(device.frees)},
            {QStringLiteral("alloc_bytes"), count(device.allocBytes)},
            {QStringLiteral("free_bytes"), count(device.freeBytes)},
            {QStringLiteral("net_bytes"), count(device.netBytes)},
            {QStringLiteral("peak_net_bytes"), count(device.peakNetBytes)},
            {QStringLiteral("free_of_unknown_address"), count(device.freeOfUnknownAddress)},
            {QStringLiteral("max_total_allocated"), number(device.maxTotalAllocated)},
            {QStringLiteral("max_total_reserved"), number(device.maxTotalReserved)},
            {QStringLiteral("first_ts"), number(device.firstTime)},
            {QStringLiteral("last_ts"), number(device.lastTime)},
            {QStringLiteral("live_at_end"),
             QJsonObject{{QStringLiteral("allocations"), count(device.liveAtEnd)}, {QStringLiteral("bytes"), count(device.liveAtEndBytes)}}}};
}

QJsonObject toJson(const KinetoTrace &trace)
{
    const auto &census = trace.census;
    QJsonObject phases;
    for (const auto &[phase, count] : census.eventsByPhase)
        phases[QString::fromStdString(phase)] = static_cast<double>(count);
    QJsonObject devices;
    for (const auto &device : census.devices)
        devices[QString::fromStdString(device.key)] = toJson(device);
    QJsonArray topLevel;
    for (const auto &key : census.topLevel)
        topLevel.append(QString::fromStdString(key));
    return {{QStringLiteral("file_bytes"), static_cast<double>(trace.snapshot.origin.fileBytes)},
            {QStringLiteral("gzip"), trace.snapshot.origin.isCompressed},
            {QStringLiteral("top_level"), census.isTopLevelList ? QJsonValue(QStringLiteral("list")) : QJsonValue(topLevel)},
            {QStringLiteral("events"), static_cast<double>(census.events)},
            {QStringLiteral("events_by_phase"), phases},
            {QStringLiteral("memory_events_out_of_time_order"), static_cast<double>(census.memoryEventsOutOfTimeOrder)},
            {QStringLiteral("devices"), devices}};
}

std::string name(const MemorySnapshot &snapshot, FrameId frame)
{
    return std::string(snapshot.texts[snapshot.stacks.frame(frame).name]);
}

} // namespace

class KinetoTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
    void opsAroundAnEvent();
    void rangesThatEndInTheSameMicrosecond();
    void pythonFunctions();
    void outOfOrder();
    void outOfMemory();
    void runningTotals();
    void annotations();
    void baseTime();
    void fractions();
    void properties();
    void wideNumbers();
    void bareList();
    void oddEvents();
    void invalidUtf8();
    void truncatedAnywhere();
    void flippedBits();
    void noTrace_data();
    void noTrace();
    void nesting();
    void longValue();
    void cancel();
    void cancelBehindTheEvents();
    void windowBorders();
};

void KinetoTest::captures_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QJsonObject>("expected");
    const QString folder = QStringLiteral(PLIMSOLL_SHARED_DATA "/kineto/");
    QFile file(folder + QStringLiteral("expected.json"));
    if (!file.open(QIODevice::ReadOnly))
        QSKIP("the captures are not on this machine");
    const auto all = QJsonDocument::fromJson(file.readAll()).object();
    for (auto each = all.begin(); each != all.end(); ++each)
        QTest::newRow(qPrintable(each.key())) << folder + each.key() << each.value().toObject();
}

void KinetoTest::captures()
{
    QFETCH(QString, path);
    QFETCH(QJsonObject, expected);
    auto source = openBytes(path.toStdString());
    QVERIFY(source.has_value());
    const auto trace = readKineto(**source, {});
    QVERIFY2(trace.has_value(), trace ? "" : trace.error().detail.c_str());
    const auto json = toJson(*trace);
    for (auto each = expected.begin(); each != expected.end(); ++each)
        QCOMPARE(json.value(each.key()), each.value());
    QCOMPARE(json, expected);
    QVERIFY(trace->snapshot.warnings.empty());
    QVERIFY(trace->snapshot.stacks.stackCount() > 100);
    for (const auto &device : trace->snapshot.devices)
        for (std::size_t row = device.firstEvent + 1; row < device.firstEvent + device.eventCount; ++row)
            QVERIFY(trace->snapshot.events.timeUs[row - 1] <= trace->snapshot.events.timeUs[row]);
}

void KinetoTest::opsAroundAnEvent()
{
    const auto trace = readText(R"({"traceEvents":[
        {"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":"2","ts":12,"dur":3,"args":{"name":"[memory]"}},
        {"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":2,"ts":10,"dur":10},
        {"ph":"X","cat":"kernel","name":"kernel","pid":1,"tid":2,"ts":10,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"elsewhere","pid":1,"tid":3,"ts":10,"dur":10},
        )" + memory(13, 512) + ',' + memory(17, 512) + ',' + memory(30, 512) + "]}");
    QVERIFY(trace.has_value());
    const auto &snapshot = trace->snapshot;
    QCOMPARE(snapshot.events.size(), std::size_t{3});
    const auto both = snapshot.stacks.stack(snapshot.events.stack[0]);
    QCOMPARE(both.size(), std::size_t{2});
    QCOMPARE(name(snapshot, both[0]), std::string("inner"));
    QCOMPARE(name(snapshot, both[1]), std::string("outer"));
    QCOMPARE(snapshot.stacks.depth(snapshot.events.stack[1]), std::size_t{1});
    QCOMPARE(snapshot.events.stack[2], kNoStack);
    QCOMPARE(trace->census.events, std::uint64_t{7});
}

void KinetoTest::rangesThatEndInTheSameMicrosecond()
{
    const auto trace = readText(R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":10,"dur":2},
        {"ph":"X","name":"b","pid":1,"tid":2,"ts":12,"dur":2},)" + memory(12, 1) + ']');
    QVERIFY(trace.has_value());
    const auto stack = trace->snapshot.stacks.stack(trace->snapshot.events.stack[0]);
    QCOMPARE(stack.size(), std::size_t{1});
    QCOMPARE(name(trace->snapshot, stack[0]), std::string("b"));
}

void KinetoTest::pythonFunctions()
{
    const auto trace = readText(R"([{"ph":"X","cat":"python_function","name":"torch/nn/m(o).py(1102): _call_impl","pid":1,"tid":2,"ts":10,"dur":2},
        {"ph":"X","cat":"python_function","name":"<built-in method run>","pid":1,"tid":2,"ts":9,"dur":9},)" + memory(12, 1) + ']');
    QVERIFY(trace.has_value());
    const auto &snapshot = trace->snapshot;
    const auto stack = snapshot.stacks.stack(snapshot.events.stack[0]);
    QCOMPARE(stack.size(), std::size_t{2});
    const auto &frame = snapshot.stacks.frame(stack[0]);
    QCOMPARE(std::string(snapshot.texts[frame.file]), std::string("torch/nn/m(o).py"));
    QCOMPARE(frame.line, std::uint64_t{1102});
    QCOMPARE(name(snapshot, stack[0]), std::string("_call_impl"));
    QCOMPARE(name(snapshot, stack[1]), std::string("<built-in method run>"));
}

void KinetoTest::outOfOrder()
{
    const auto trace = readText('[' + memory(20, 100) + ',' + memory(10, 7) + ',' + memory(20, -100) + ']');
    QVERIFY(trace.has_value());
    QCOMPARE(trace->census.memoryEventsOutOfTimeOrder, std::uint64_t{1});
    QCOMPARE(trace->snapshot.events.timeUs[0], std::int64_t{10});
    QCOMPARE(trace->snapshot.events.sizes[1], std::uint64_t{100});
    QVERIFY(trace->snapshot.events.action[1] == TraceAction::Alloc); // of equal times the file's order
    QVERIFY(trace->snapshot.events.action[2] == TraceAction::Free);
    QCOMPARE(trace->census.devices[0].peakNetBytes, std::int64_t{107});
    QVERIFY(!trace->snapshot.devices[0].hasAddresses);
}

void KinetoTest::outOfMemory()
{
    const auto trace = readText('[' + memory(1, 100, R"(,"Addr":4096)") + R"(,{"ph":"i","name":"[OutOfMemory]","pid":1,"tid":2,"ts":5,
        "args":{"Device Type":1,"Device Id":0,"Bytes":900,"Total Allocated":100,"Total Reserved":200}}])");
    QVERIFY(trace.has_value());
    QCOMPARE(trace->census.devices[0].oomEvents, std::uint64_t{1});
    QCOMPARE(trace->census.devices[0].memoryEvents, std::uint64_t{1});
    QVERIFY(trace->snapshot.events.action[1] == TraceAction::Oom);
    QCOMPARE(trace->snapshot.events.sizes[1], std::uint64_t{900});
    QCOMPARE(trace->snapshot.events.address[1], kUnknownBytes);
    QVERIFY(!trace->census.devices[0].maxTotalAllocated);
    QCOMPARE(trace->census.devices[0].liveAtEndBytes, std::int64_t{100});
}

void KinetoTest::runningTotals()
{
    const auto trace = readText('[' + memory(1, 100, R"(,"Addr":1,"Total Allocated":600,"Total Reserved":1000)") + ','
                                + memory(2, -100, R"(,"Addr":1,"Total Allocated":500,"Total Reserved":1000)") + ','
                                + memory(3, 700, R"(,"Addr":2,"Total Allocated":1200,"Total Reserved":2000)") + ']');
    QVERIFY(trace.has_value());
    const auto &device = trace->snapshot.devices[0];
    QVERIFY(device.hasAddresses);
    QCOMPARE(device.levelAtStart, std::optional<std::uint64_t>(500));
    const std::vector<std::pair<std::size_t, std::uint64_t>> reserved{{0, 1000}, {2, 2000}};
    QCOMPARE(device.reserved, reserved);
    QCOMPARE(trace->census.devices[0].maxTotalReserved, std::optional<std::int64_t>(2000));
}

void KinetoTest::annotations()
{
    const auto trace = readText(R"([{"ph":"X","cat":"user_annotation","name":"a","pid":1,"tid":2,"ts":10,"dur":2},
        {"ph":"X","cat":"cpu_op","name":"ProfilerStep#7","pid":1,"tid":2,"ts":12,"dur":5},
        {"ph":"X","cat":"gpu_user_annotation","name":"a","pid":0,"tid":7,"ts":12,"dur":5},)" + memory(12, 1) + ']');
    QVERIFY(trace.has_value());
    const auto &marks = trace->snapshot.annotations;
    QCOMPARE(marks.size(), std::size_t{4});
    QVERIFY(marks[1].stage == TraceAnnotation::Stage::End); // before the next one's start at the same time
    QCOMPARE(std::string(trace->snapshot.texts[marks[2].name]), std::string("ProfilerStep#7"));
    QCOMPARE(marks[3].timeUs, std::int64_t{17});
    QCOMPARE(marks[3].device, 0);
}

void KinetoTest::baseTime()
{
    const auto trace = readText("{\"traceEvents\":[" + memory(5, 1) + "],\"baseTimeNanoseconds\":1700000000000000500}");
    QVERIFY(trace.has_value());
    QCOMPARE(trace->snapshot.events.timeUs[0], std::int64_t{1700000000000005});
    QCOMPARE(trace->census.devices[0].firstTime->us, std::int64_t{5});
}

void KinetoTest::fractions()
{
    const auto trace = readText(R"([{"ph":"i","name":"[memory]","ts":100.75,"pid":"p","tid":"t","args":{"Device Type":0,"Device Id":-1,"Bytes":8}},
        {"ph":"i","name":"[memory]","ts":100.5,"pid":"p","tid":"t","args":{"Device Type":0,"Device Id":-1,"Bytes":-8}}])");
    QVERIFY(trace.has_value());
    QCOMPARE(trace->census.devices[0].key, std::string("0:-1"));
    QVERIFY(trace->snapshot.devices[0].kind == MemoryKind::Cpu);
    QCOMPARE(trace->census.devices[0].firstTime->fraction, 0.5);
    QCOMPARE(trace->census.memoryEventsOutOfTimeOrder, std::uint64_t{1});
    QCOMPARE(trace->census.devices[0].peakNetBytes, std::int64_t{0});
}

void KinetoTest::properties()
{
    const auto trace = readText(R"({"schemaVersion":1,"deviceProperties":[{"id":3,"name":"A \"card\"","totalGlobalMem":85899345920}],
        "distributedInfo":{"rank": 1},"traceEvents":[]})");
    QVERIFY(trace.has_value());
    QCOMPARE(trace->deviceProperties.size(), std::size_t{1});
    QCOMPARE(trace->deviceProperties[0].name, std::string("A \"card\""));
    QCOMPARE(trace->deviceProperties[0].totalBytes, std::optional<std::uint64_t>(85899345920));
    QCOMPARE(trace->snapshot.attributes[1].second, std::string("{\"rank\":1}"));
    QCOMPARE(trace->snapshot.warnings.size(), std::size_t{1}); // no memory events
}

void KinetoTest::wideNumbers()
{
    const auto trace = readText('[' + memory(1, 100, R"(,"Addr":18446744073709547520)") + ',' + memory(2, 100, R"(,"Addr":1.4e14)") + ','
                                + memory(3, 100, R"(,"Addr":-4096)") + ']');
    QVERIFY(trace.has_value());
    QCOMPARE(trace->snapshot.events.address[0], std::uint64_t{18446744073709547520U});
    QCOMPARE(trace->snapshot.events.address[1], std::uint64_t{140000000000000});
    QCOMPARE(trace->snapshot.events.address[2], std::uint64_t{18446744073709547520U});
}

void KinetoTest::bareList()
{
    const auto trace = readText("\xEF\xBB\xBF [ " + memory(1, 1) + " ] ");
    QVERIFY(trace.has_value());
    QVERIFY(trace->census.isTopLevelList);
    QCOMPARE(trace->census.events, std::uint64_t{1});
    QVERIFY(readText("[]").has_value());
}

void KinetoTest::oddEvents()
{
    const auto trace = readText(R"([1, null, "x", [{"name":"[memory]"}], {}, {"ph":null}, {"ph":"XX"}, {"name":"[memory]"},
        {"name":"[memory]","args":7,"ts":1}, {"ph":"X","name":"n","ts":"x","dur":-1}, {"ph":"i","a":NaN}])");
    QVERIFY2(trace.has_value(), trace ? "" : trace.error().detail.c_str());
    QCOMPARE(trace->census.events, std::uint64_t{11});
    QCOMPARE(trace->census.eventsByPhase[0], (std::pair<std::string, std::uint64_t>("null", 8)));
    QCOMPARE(trace->census.devices.size(), std::size_t{0});
    QCOMPARE(trace->snapshot.warnings.size(), std::size_t{3});
}

void KinetoTest::invalidUtf8()
{
    const auto trace = readText("[{\"ph\":\"X\",\"name\":\"a\xff\tb\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":9}," + memory(3, 5) + ']');
    QVERIFY2(trace.has_value(), trace ? "" : trace.error().detail.c_str());
    QCOMPARE(name(trace->snapshot, trace->snapshot.stacks.stack(trace->snapshot.events.stack[0])[0]), std::string("a\xEF\xBF\xBD b"));
}

void KinetoTest::truncatedAnywhere()
{
    const std::string text = R"({"schemaVersion":1,"traceEvents":[{"ph":"X","name":"a \" b","ts":1,"dur":9}, )" + memory(3, 5) + ',' + memory(4, 7)
        + R"(],"traceName":"x\\"})";
    const auto begin = text.find('[') + 1;
    std::uint64_t most = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto trace = readText(text.substr(0, length));
        QCOMPARE(trace.has_value(), length >= begin);
        if (!trace)
            continue;
        QCOMPARE(trace->snapshot.origin.truncatedAt, std::optional<std::uint64_t>(length));
        QVERIFY(trace->census.events >= most);
        most = trace->census.events;
    }
    QCOMPARE(most, std::uint64_t{3});
    QVERIFY(!readText(text)->snapshot.origin.truncatedAt);
}

void KinetoTest::flippedBits()
{
    const std::string text = R"({"deviceProperties":[{"id":0}],"traceEvents":[{"ph":"X","name":"ab","ts":1,"dur":9},)" + memory(3, 5) + "]}";
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        auto flipped = text;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        const auto trace = readText(flipped);
        QVERIFY(trace || !trace.error().detail.empty());
    }
}

void KinetoTest::noTrace_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray("");
    QTest::newRow("a number") << QByteArray("17");
    QTest::newRow("another object") << QByteArray("{\"segments\":[]}");
    QTest::newRow("events are no list") << QByteArray("{\"traceEvents\":{}}");
    QTest::newRow("binary") << QByteArray("\x80\x04\x95");
}

void KinetoTest::noTrace()
{
    QFETCH(QByteArray, text);
    const auto trace = readText(text.toStdString());
    QVERIFY(!trace);
    QVERIFY(trace.error().code == Error::Code::BadInput);
}

void KinetoTest::nesting()
{
    for (const std::string open : {"[", "{\"a\":"}) {
        std::string bomb = "{\"traceEvents\":[";
        for (int i = 0; i < 100'000; ++i)
            bomb += open;
        const auto trace = readText(bomb);
        QVERIFY(!trace);
        QVERIFY(trace.error().code == Error::Code::TooLarge);
        QVERIFY(!readText(bomb.replace(2, 1, "x")));
    }
}

void KinetoTest::longValue()
{
    SnapshotReading reading;
    reading.limits.textBytes = 1U << 20U;
    const auto event = [](std::size_t length) { return "[{\"ph\":\"X\",\"name\":\"" + std::string(length, 'x') + "\"}]"; };
    QVERIFY(readText(event(900'000), reading).has_value());
    const auto trace = readText(event(1'100'000), reading);
    QVERIFY(!trace);
    QVERIFY(trace.error().code == Error::Code::TooLarge);
}

void KinetoTest::cancel()
{
    std::stop_source stop;
    stop.request_stop();
    SnapshotReading reading;
    reading.stop = stop.get_token();
    const auto trace = readText('[' + memory(1, 1) + ']', reading);
    QVERIFY(!trace);
    QVERIFY(trace.error().code == Error::Code::Cancelled);
}

void KinetoTest::cancelBehindTheEvents()
{
    // All was read; what is left is sorting.
    std::string text = "[";
    for (int i = 0; i < 60'000; ++i)
        text += "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":" + std::to_string(i * 7919 % 60'000) + ",\"dur\":3}," + memory(i, 1) + ',';
    text.back() = ']';
    std::stop_source stop;
    SnapshotReading reading;
    reading.stop = stop.get_token();
    reading.progress = [&stop](const Progress &progress) {
        if (progress.perMille == 1000)
            stop.request_stop();
    };
    // The reader asks before it tells how far it is, so the end is the first it can miss.
    const auto trace = readText(text, reading);
    QVERIFY(!trace);
    QVERIFY(trace.error().code == Error::Code::Cancelled);
}

void KinetoTest::windowBorders()
{
    // Events of many lengths, so that the window's border meets each place of an event.
    std::string text = "[";
    for (int i = 0; i < 20'000; ++i) {
        text += R"({"ph":"X","name":")";
        for (int j = 0; j < i % 131; ++j)
            text += i % 3 == 0 ? "\\\"" : "n";
        text += R"(","ts":1,"dur":1},)" + memory(i, i + 1, R"(,"Addr":)" + std::to_string(i)) + ',';
    }
    text.back() = ']';
    const auto trace = readText(text);
    QVERIFY2(trace.has_value(), trace ? "" : trace.error().detail.c_str());
    QCOMPARE(trace->census.events, std::uint64_t{40'000});
    QCOMPARE(trace->census.devices[0].allocBytes, std::int64_t{20'000} * 20'001 / 2);
    QCOMPARE(trace->census.devices[0].liveAtEnd, std::uint64_t{20'000});
}

QTEST_APPLESS_MAIN(KinetoTest)
#include "tst_kineto.moc"
