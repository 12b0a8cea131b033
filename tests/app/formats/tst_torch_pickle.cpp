// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_pickle.h"
#include "formats/torch_pickle_stream.h"

#include "pickle_writer.h"
#include "snapshot_dump.h"

#include <QTest>

using namespace plimsoll;

namespace {

Result<MemorySnapshot> read(const std::string &bytes, bool hasFastPaths = true)
{
    const auto source = bytesOf(bytes);
    PickleStream stream;
    stream.hasFastPaths = hasFastPaths;
    return readTorchPickle(*source, {}, stream);
}

/// Both ways; they must agree.
MemorySnapshot readBoth(const std::string &bytes)
{
    auto fast = read(bytes);
    const auto general = read(bytes, false);
    if (!fast || !general) {
        qWarning("%s", fast ? general.error().detail.c_str() : fast.error().detail.c_str());
        return {};
    }
    if (SnapshotDump(*fast).lines() != SnapshotDump(*general).lines())
        qFatal("the fast paths and the general machine disagree");
    return std::move(*fast);
}

std::string attribute(const MemorySnapshot &snapshot, std::size_t row, std::string_view key)
{
    for (const auto &[name, value] : snapshot.contexts[snapshot.events[row].context].attributes)
        if (snapshot.texts[name] == key)
            return std::string(snapshot.texts[value]);
    return "(absent)";
}

// Not a macro: they stumble over raw strings.
void check(const std::string &value, const std::string &expected)
{
    QCOMPARE(value, expected);
}

using Dialect = PickleWriter::Dialect;

} // namespace

/// What each schema becomes, on pickles written by hand.
class TorchPickleTest : public QObject
{
    Q_OBJECT

private slots:
    void events_data() { dialects(); }
    void events();
    void sharedStacks_data() { dialects(); }
    void sharedStacks();
    void segmentsAndBlocks_data() { dialects(); }
    void segmentsAndBlocks();
    void oldHistory();
    void listOnTop();
    void whatAnEventSays_data() { dialects(); }
    void whatAnEventSays();
    void unknownThingsAreKept();
    void oom();
    void hostMemory_data();
    void hostMemory();
    void overflow_data();
    void overflow();
    void framesOfCompiledCode();
    void numbers_data();
    void numbers();
    void batches_data();
    void batches();
    void framesInBatches_data();
    void framesInBatches();
    void anyOrder();
    void oneItemContainers();
    void memoIsOverwritten();
    void memoIsOverwrittenWhileOpen();
    void stackUnderAnUnknownKey();
    void textsThatAreLong();
    void trailingBytes();
    void emptySnapshots_data();
    void emptySnapshots();

private:
    static void dialects()
    {
        QTest::addColumn<int>("dialect");
        QTest::newRow("CPython") << int(Dialect::Python);
        QTest::newRow("C++") << int(Dialect::Cpp);
    }
};

void TorchPickleTest::events()
{
    QFETCH(int, dialect);
    PickleWriter w{Dialect(dialect)};
    w.snapshot([&] {
        w.event("alloc", 0x7f2a00000000, 512, [&] { w.key("time_us", 1'767'225'600'000'001); });
        w.event("free_requested", 0x7f2a00000000, 512, [&] { w.key("time_us", 1'767'225'600'000'002); });
        w.event("free_completed", -16, 70'000, [&] { w.key("time_us", 1'767'225'600'000'003); });
        w.event("workspace_snapshot", 0, 0);
        w.event("user_defined", 0, 0);
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(5));
    QVERIFY(s.events.action[0] == TraceAction::Alloc && s.events.action[1] == TraceAction::FreeRequested
            && s.events.action[2] == TraceAction::FreeCompleted && s.events.action[3] == TraceAction::WorkspaceSnapshot
            && s.events.action[4] == TraceAction::UserDefined);
    QCOMPARE(s.events.address[0], std::uint64_t(0x7f2a00000000));
    QCOMPARE(s.events.address[2], std::uint64_t(-16)); // a pattern of 64 bits
    QCOMPARE(s.events.sizes[2], std::uint64_t(70'000));
    QCOMPARE(s.events.timeUs[1], std::int64_t(1'767'225'600'000'002));
    QCOMPARE(s.events.timeUs[3], kUnknownTime);
    QCOMPARE(s.events.stack[0], kNoStack);
    QCOMPARE(s.devices.size(), std::size_t(1));
    QCOMPARE(s.devices[0].eventCount, std::size_t(5));
    QCOMPARE(s.origin.pickleProtocol, dialect == int(Dialect::Cpp) ? 2 : 4);
    QVERIFY(s.warnings.empty() && s.unknownKeys.empty());
}

void TorchPickleTest::sharedStacks()
{
    QFETCH(int, dialect);
    PickleWriter w{Dialect(dialect)};
    w.snapshot([&] {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        std::uint32_t twin = 0;
        std::uint32_t list = 0;
        w.event("alloc", 1, 1, [&] {
            w.key("frames", [&] {
                list = w.list([&] {
                    a = w.frame("a.py", 1, "f");
                    b = w.frame("b.py", 2, "g");
                });
            });
        });
        w.event("alloc", 2, 1, [&] { w.key("frames", [&] { w.get(list); }); }); // the same list
        w.event("alloc", 3, 1, [&] { w.key("frames", [&] { w.list([&] { w.get(a), w.get(b); }); }); }); // an equal one
        w.event("alloc", 4, 1, [&] { w.key("frames", [&] { w.list([&] { w.get(b), w.get(a); }); }); });
        w.event("alloc", 5, 1, [&] { w.key("frames", [&] { w.list([] {}); }); });
        w.event("alloc", 6, 1);
        w.event("alloc", 7, 1, [&] { // an equal frame that is another object
            w.key("frames", [&] {
                w.list([&] {
                    twin = w.frame("a.py", 1, "f");
                    w.get(b);
                });
            });
        });
        w.event("alloc", 8, 1, [&] { w.key("frames", [&] { w.list([&] { w.get(twin), w.get(b); }); }); });
        for (int i = 0; i < 300; ++i)
            w.event("alloc", 100 + i, 1, [&] { w.key("frames", [&] { w.list([&] { w.get(i % 2 ? a : twin), w.get(b); }); }); });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(308));
    const auto &stack = s.events.stack;
    QVERIFY(stack[0] == stack[1] && stack[0] == stack[2] && stack[0] == stack[6] && stack[0] == stack[7]);
    for (std::size_t i = 8; i < 308; ++i)
        QCOMPARE(stack[i], stack[0]);
    QVERIFY(stack[3] != stack[0]);
    QCOMPARE(stack[4], kEmptyStack);
    QCOMPARE(stack[5], kNoStack);
    QCOMPARE(s.origin.frameObjects, std::size_t(3));
    QCOMPARE(s.stacks.frameCount(), std::size_t(2));
    const auto view = s.stacks.stack(stack[0]);
    QCOMPARE(view.size(), std::size_t(2));
    QVERIFY(s.texts[s.stacks.frame(view[0]).file] == "a.py" && s.texts[s.stacks.frame(view[1]).name] == "g");
}

void TorchPickleTest::segmentsAndBlocks()
{
    QFETCH(int, dialect);
    PickleWriter w{Dialect(dialect)};
    w.dict([&] {
        w.key("segments", [&] {
            w.list([&] {
                for (int i = 0; i < 2; ++i)
                    w.dict([&] {
                        w.key("device", i);
                        w.key("address", 0x7f0000000000 + i * 0x1000000);
                        w.key("total_size", 3072);
                        w.key("allocated_size", 512);
                        w.key("active_size", 1536);
                        w.key("requested_size", 1500);
                        w.key("stream", i * 0x5555);
                        w.key("segment_type", i == 0 ? std::string("small") : std::string("large"));
                        w.key("segment_pool_id", [&] { w.pair(0, i); });
                        w.key("is_expandable", [&] { w.flag(i == 1); });
                        std::uint32_t frames = 0;
                        w.key("frames", [&] { frames = w.list([&] { w.frame("x.py", 7, "h"); }); });
                        w.key("blocks", [&] {
                            w.list([&] {
                                for (const auto *state : {"active_allocated", "active_pending_free", "inactive", "active_awaiting_free", "odd"})
                                    w.dict([&] {
                                        w.key("address", 0x7f0000000000);
                                        w.key("size", 512);
                                        w.key("requested_size", 500);
                                        w.key("state", std::string(state));
                                        w.key("frames", [&] { w.get(frames); });
                                    });
                            });
                        });
                    });
            });
        });
        w.key("device_traces", [&] { w.list([&] { w.list([] {}), w.list([] {}); }); });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.segments.size(), std::size_t(2));
    QCOMPARE(s.blocks.size(), std::size_t(10));
    const auto &segment = s.segments[1];
    QCOMPARE(segment.device, 1);
    QCOMPARE(segment.totalSize, std::uint64_t(3072));
    QCOMPARE(segment.activeSize, std::uint64_t(1536));
    QCOMPARE(s.streams[segment.stream], std::uint64_t(0x5555));
    QVERIFY(segment.isLarge == true && s.segments[0].isLarge == false && segment.isExpandable == true);
    QVERIFY((segment.pool == std::pair<std::int64_t, std::int64_t>{0, 1}));
    QCOMPARE(segment.firstBlock, std::size_t(5));
    QCOMPARE(segment.blockCount, std::size_t(5));
    QCOMPARE(s.stacks.depth(segment.stack), std::size_t(1));
    QCOMPARE(s.blocks[5].stack, segment.stack);
    QVERIFY(s.blocks[0].state == BlockState::ActiveAllocated && s.blocks[1].state == BlockState::ActivePendingFree
            && s.blocks[2].state == BlockState::Inactive && s.blocks[3].state == BlockState::ActivePendingFree
            && s.blocks[4].state == BlockState::Unknown);
    QCOMPARE(s.origin.traceLists, std::size_t(2));
    QCOMPARE(s.devices.size(), std::size_t(2));
    QCOMPARE(s.warnings.size(), std::size_t(1)); // the odd state
    QCOMPARE(s.origin.torchVersions, std::string("2.1 or 2.2"));
}

void TorchPickleTest::oldHistory()
{
    PickleWriter w;
    w.list([&] {
        w.dict([&] {
            w.key("device", 0);
            w.key("address", 4096);
            w.key("total_size", 2048);
            w.key("blocks", [&] {
                w.list([&] {
                    w.dict([&] {
                        w.key("size", 512);
                        w.key("state", std::string("active_allocated"));
                        w.key("history", [&] {
                            w.list([&] {
                                for (int i = 0; i < 2; ++i)
                                    w.dict([&] {
                                        w.key("addr", 4096);
                                        w.key("real_size", 100 + i);
                                        w.key("frames", [&] { w.list([&] { w.frame("old.py", -1, i == 0 ? "newest" : "older"); }); });
                                    });
                            });
                        });
                    });
                    w.dict([&] {
                        w.key("size", 1536);
                        w.key("state", std::string("inactive"));
                    });
                });
            });
        });
    });
    const auto s = readBoth(w.finished());
    QVERIFY(s.origin.isTopLevelList);
    QCOMPARE(s.blocks.size(), std::size_t(2));
    QCOMPARE(s.blocks[0].address, std::uint64_t(4096));
    QCOMPARE(s.blocks[1].address, std::uint64_t(4096 + 512)); // run on where they are not said
    QCOMPARE(s.blocks[0].requested, std::uint64_t(100));
    QCOMPARE(s.blocks[1].requested, kUnknownBytes);
    QCOMPARE(s.blocks[0].historyLength, 2U);
    const auto &frame = s.stacks.frame(s.stacks.stack(s.blocks[0].stack)[0]);
    QVERIFY(s.texts[frame.name] == "newest" && frame.line == UINT64_MAX);
    QCOMPARE(s.origin.frameObjects, std::size_t(2));
    QCOMPARE(s.origin.torchVersions, std::string("1.13"));
    QVERIFY(s.warnings.empty());
}

void TorchPickleTest::listOnTop()
{
    PickleWriter w;
    w.list([] {});
    const auto s = readBoth(w.finished());
    QVERIFY(s.origin.isTopLevelList && s.segments.empty() && s.devices.empty());
    PickleWriter other;
    other.list([&] { other.number(1); });
    const auto refused = read(other.finished());
    QVERIFY(!refused);
    QVERIFY(refused.error().code == Error::Code::Unsupported);
}

void TorchPickleTest::whatAnEventSays()
{
    QFETCH(int, dialect);
    PickleWriter w{Dialect(dialect)};
    w.snapshot([&] {
        for (int round = 0; round < 2; ++round) { // the second one by the fast path
            w.event("alloc", 1, 1, [&] {
                w.key("compile_context", [&] { w.fresh("N/A"); });
                w.key("user_metadata", std::string());
                w.key("pool_id", [&] { w.pair(0, 0); });
            });
            w.event("alloc", 2, 1, [&] {
                w.key("compile_context", [&] { w.fresh("Torch-Compiled Region: 0/0"); });
                w.key("user_metadata", std::string("{\"step\": 1}"));
                w.key("pool_id", [&] { w.pair(3, -1); });
                w.key("category", std::string("gradient"));
            });
            w.event("annotate", 2, 1, [&] {
                w.key("user_metadata", std::string("payload"));
                w.key("internal_metadata", std::string("inside"));
            });
        }
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(6));
    for (const std::size_t row : {0U, 3U}) {
        const auto &plain = s.contexts[s.events[row].context];
        QVERIFY((plain.pool == std::pair<std::int64_t, std::int64_t>{0, 0}) && plain.attributes.empty());
        QCOMPARE(attribute(s, row + 1, "compile_context"), std::string("Torch-Compiled Region: 0/0"));
        QCOMPARE(attribute(s, row + 1, "user_metadata"), std::string("{\"step\": 1}"));
        QCOMPARE(attribute(s, row + 1, "category"), std::string("gradient"));
        QVERIFY((s.contexts[s.events[row + 1].context].pool == std::pair<std::int64_t, std::int64_t>{3, -1}));
        QVERIFY(s.events.action[row + 2] == TraceAction::Annotate);
        QCOMPARE(attribute(s, row + 2, "internal_metadata"), std::string("inside"));
    }
    QCOMPARE(s.contexts.size(), std::size_t(4)); // nothing, and three kinds
    QVERIFY(s.unknownKeys.empty());
    QCOMPARE(s.origin.torchVersions, std::string("2.14 or newer"));
}

void TorchPickleTest::unknownThingsAreKept()
{
    PickleWriter w;
    w.snapshot(
        [&] {
            for (int i = 0; i < 3; ++i)
                w.event("teleport", 1, 1, [&] {
                    w.key("colour", [&] {
                        w.list([&] {
                            w.text("red\n");
                            w.number(-5);
                            w.none();
                            w.flag(true);
                            w.dict([&] { w.key("a", [&] { w.pair(1, 2); }); });
                        });
                    });
                    w.key("forward_frames", [&] { w.list([&] { w.text("one"), w.text("two"); }); });
                    w.key("weight", 7);
                });
            w.event("alloc", 1, 1, [&] {
                w.key("frames", [&] {
                    w.list([&] {
                        w.dict([&] {
                            w.key("name", std::string("f"));
                            w.key("filename", std::string("f.py"));
                            w.key("line", 3);
                            w.key("shade", std::string("dark"));
                        });
                    });
                });
            });
        },
        [&] {
            w.key("source_code", [&] { w.dict([&] { w.key("a.py", std::string("print(\"x\")")); }); });
            w.key("allocator_settings", [&] {
                w.dict([&] {
                    w.key("PYTORCH_CUDA_ALLOC_CONF", std::string("expandable_segments:True"));
                    w.key("max_split_size", -1);
                    w.key("garbage_collection_threshold", [&] { w.bytes += std::string("G\x3f\xe8\0\0\0\0\0\0", 9); });
                    w.key("roundup_power2_divisions", [&] { w.dict([&] { w.key("1", 8); }); });
                });
            });
        });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(4));
    QVERIFY(s.events.action[0] == TraceAction::FirstUnknown);
    QCOMPARE(s.actionNames[kKnownActions], std::string("teleport"));
    check(attribute(s, 2, "colour"), R"(["red\n",-5,null,true,{"a":[1,2]}])");
    check(attribute(s, 0, "forward_frames"), R"(["one","two"])");
    QCOMPARE(attribute(s, 0, "weight"), std::string("7"));
    const std::map<std::string, std::uint64_t> unknown{{"event.colour", 3}, {"event.weight", 3}, {"frame.shade", 1}, {"snapshot.source_code", 1}};
    QVERIFY(s.unknownKeys == unknown);
    QCOMPARE(s.stacks.attributes(0).size(), std::size_t(1));
    QCOMPARE(s.attributes.size(), std::size_t(1));
    check(s.attributes[0].second, R"j({"a.py":"print(\"x\")"})j");
    QCOMPARE(s.settings[1].second, std::string("-1"));
    QCOMPARE(s.settings[2].second, std::string("0.75"));
    check(s.settings[3].second, R"({"1":8})");
    QCOMPARE(s.setting("PYTORCH_CUDA_ALLOC_CONF").value_or(""), std::string("expandable_segments:True"));
}

void TorchPickleTest::oom()
{
    PickleWriter w;
    w.snapshot([&] {
        for (int i = 0; i < 3; ++i)
            w.dict([&] {
                w.key("action", std::string("oom"));
                w.key("device_free", 95'682'560);
                w.key("size", 5'308'694'528);
                w.key("stream", 0x1234);
            });
    });
    const auto s = readBoth(w.finished());
    QVERIFY(s.events.action[2] == TraceAction::Oom);
    QCOMPARE(s.events.address[2], std::uint64_t(95'682'560));
    QCOMPARE(s.streams[s.events[2].stream], std::uint64_t(0x1234));
}

void TorchPickleTest::hostMemory_data()
{
    QTest::addColumn<bool>("isNested");
    QTest::newRow("list of events") << false;
    QTest::newRow("list of lists") << true;
}

void TorchPickleTest::hostMemory()
{
    QFETCH(bool, isNested);
    PickleWriter w;
    const auto hostEvents = [&] {
        w.event("alloc", 0x1000, 4096);
        w.event("free_completed", 0x1000, 4096);
    };
    w.dict([&] {
        w.key("host_traces", [&] { w.list([&] { isNested ? (w.list(hostEvents), void()) : hostEvents(); }); });
        w.key("host_segments", [&] {
            w.list([&] {
                w.dict([&] {
                    w.key("address", 0x1000);
                    w.key("size", 8192);
                    w.key("allocated", [&] { w.flag(false); });
                    w.key("active", [&] { w.flag(true); });
                    w.key("pool_id", [&] { w.pair(0, 2); });
                    w.key("frames", [&] { w.list([&] { w.frame("pin.py", 1, "pin_memory"); }); });
                });
            });
        });
        w.key("device_traces", [&] { w.list([&] { w.list([&] { w.event("alloc", 1, 1); }); }); });
        w.key("segments", [&] { w.list([] {}); });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.devices.size(), std::size_t(2));
    QVERIFY(s.devices[0].kind == MemoryKind::Accelerator && s.devices[1].kind == MemoryKind::PinnedHost);
    // The host's stood in front of the device's: the columns are put in order.
    QCOMPARE(s.devices[1].firstEvent, std::size_t(1));
    QCOMPARE(s.devices[1].eventCount, std::size_t(2));
    QCOMPARE(s.events.sizes[0], std::uint64_t(1));
    QCOMPARE(s.events.sizes[2], std::uint64_t(4096));
    QCOMPARE(s.hostSegments.size(), std::size_t(1));
    QVERIFY(s.hostBlocks[0].state == BlockState::ActivePendingFree && s.hostBlocks[0].size == 8192);
    QVERIFY((s.hostSegments[0].pool == std::pair<std::int64_t, std::int64_t>{0, 2}));
    QCOMPARE(s.origin.traceLists, std::size_t(1));
    QCOMPARE(s.origin.torchVersions, std::string("2.13 or newer"));
}

void TorchPickleTest::overflow_data()
{
    QTest::addColumn<bool>("isInSettings");
    QTest::addColumn<bool>("isList");
    QTest::newRow("on top") << false << false;
    QTest::newRow("on top, a list") << false << true;
    QTest::newRow("in the settings") << true << false;
    QTest::newRow("in the settings, a list") << true << true;
}

void TorchPickleTest::overflow()
{
    QFETCH(bool, isInSettings);
    QFETCH(bool, isList);
    PickleWriter w;
    const auto flags = [&] {
        w.key("trace_alloc_overflowed", [&] { isList ? (w.list([&] { w.flag(false), w.flag(true); }), void()) : w.flag(true); });
        w.key("trace_alloc_max_entries", [&] { isList ? (w.list([&] { w.number(10), w.number(900); }), void()) : w.number(900); });
    };
    w.dict([&] {
        w.key("segments", [&] { w.list([] {}); });
        w.key("device_traces", [&] { w.list([&] { w.list([] {}), w.list([&] { w.event("alloc", 1, 1); }); }); });
        if (isInSettings)
            w.key("allocator_settings", [&] { w.dict(flags); });
        else
            flags();
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.devices.size(), std::size_t(2));
    QVERIFY(s.devices[1].hasOverflowed == true);
    QVERIFY(s.devices[1].maxEntries == 900U);
    QVERIFY(s.devices[0].hasOverflowed == !isList);
    QCOMPARE(s.origin.torchVersions, std::string("2.12"));
}

void TorchPickleTest::framesOfCompiledCode()
{
    PickleWriter w;
    w.snapshot([&] {
        w.event("alloc", 1, 1, [&] {
            w.key("frames", [&] {
                w.list([&] {
                    w.dict([&] {
                        w.key("filename", std::string("gen.py"));
                        w.key("line", 3);
                        w.key("name", std::string("call"));
                        w.key("fx_node_op", [&] { w.none(); });
                        w.key("fx_node_target", std::string("aten.mm"));
                        w.key("fx_original_trace", std::string("File \"m.py\", line 5"));
                    });
                });
            });
        });
    });
    const auto s = readBoth(w.finished());
    const auto attributes = s.stacks.attributes(0);
    QCOMPARE(attributes.size(), std::size_t(2));
    QVERIFY(s.texts[attributes[0].first] == "fx_node_target" && s.texts[attributes[1].second] == "File \"m.py\", line 5");
    QVERIFY(s.unknownKeys.empty());
}

void TorchPickleTest::numbers_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<quint64>("value");
    QTest::addColumn<int>("widest");
    QTest::addColumn<int>("warnings");
    const auto long1 = [](const QByteArray &digits) { return QByteArray("\x8a") + char(digits.size()) + digits; };
    QTest::newRow("LONG1 of no bytes") << long1("") << quint64(0) << 0 << 0;
    QTest::newRow("LONG1 of one") << long1("\x05") << quint64(5) << 1 << 0;
    QTest::newRow("LONG1 negative") << long1("\xff") << quint64(-1) << 1 << 0;
    QTest::newRow("LONG1 of six") << long1(QByteArray("\0\0\0\0\x2a\x7f", 6)) << quint64(0x7f2a00000000) << 6 << 0;
    QTest::newRow("LONG1 of eight with air") << long1(QByteArray("\0\0\0\0\x2a\x7f\0\0", 8)) << quint64(0x7f2a00000000) << 6 << 0;
    QTest::newRow("LONG1 of eight, negative") << long1(QByteArray("\xf0\xff\xff\xff\xff\xff\xff\xff", 8)) << quint64(-16) << 1 << 0;
    QTest::newRow("LONG1 of nine") << long1(QByteArray("\xff\xff\xff\xff\xff\xff\xff\xff\0", 9)) << quint64(-1) << 9 << 0;
    QTest::newRow("LONG1 of nine with air") << long1(QByteArray("\x01\0\0\0\0\0\0\0\0", 9)) << quint64(1) << 1 << 0;
    QTest::newRow("LONG1 of ten") << long1(QByteArray("\0\0\0\0\0\0\0\0\0\x01", 10)) << quint64(UINT64_MAX) << 10 << 1;
    QTest::newRow("LONG1 of ten, negative") << long1(QByteArray("\0\0\0\0\0\0\0\0\0\xf0", 10)) << quint64(INT64_MIN) << 10 << 1;
    QTest::newRow("LONG4") << QByteArray("\x8b\x02\0\0\0\x01\x01", 7) << quint64(257) << 2 << 0;
    QTest::newRow("BININT negative") << QByteArray("J\xfe\xff\xff\xff", 5) << quint64(-2) << 0 << 0;
    QTest::newRow("BININT2") << QByteArray("M\xff\xff", 3) << quint64(65535) << 0 << 0;
    QTest::newRow("INT") << QByteArray("I-7\n") << quint64(-7) << 0 << 0;
    QTest::newRow("LONG") << QByteArray("L18446744073709551615L\n") << quint64(UINT64_MAX) << 0 << 0;
    QTest::newRow("LONG beyond") << QByteArray("L28446744073709551615L\n") << quint64(UINT64_MAX) << 0 << 1;
    QTest::newRow("NONE") << QByteArray("N") << quint64(kUnknownBytes) << 0 << 0;
}

void TorchPickleTest::numbers()
{
    QFETCH(QByteArray, code);
    QFETCH(quint64, value);
    QFETCH(int, widest);
    QFETCH(int, warnings);
    PickleWriter w;
    w.snapshot([&] {
        for (int i = 0; i < 2; ++i) {
            w.dict([&] {
                w.key("action", std::string("alloc"));
                w.key("size", 1);
                w.key("addr", [&] { w.bytes += code.toStdString(); });
            });
        }
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(2));
    QCOMPARE(quint64(s.events.address[0]), value);
    QCOMPARE(quint64(s.events.address[1]), value);
    QCOMPARE(int(s.origin.widestLongBytes), widest);
    QVERIFY(int(s.warnings.size()) >= warnings && (warnings > 0) == !s.warnings.empty());
}

void TorchPickleTest::batches_data()
{
    QTest::addColumn<int>("count");
    for (const int count : {0, 1, 2, 999, 1000, 1001, 2000, 2001, 2002})
        QTest::addRow("%d", count) << count;
}

// CPython writes lists in batches of 1000, and a last single item without a mark.
void TorchPickleTest::batches()
{
    QFETCH(int, count);
    PickleWriter w;
    w.dict([&] {
        w.key("segments", [&] { w.list([] {}); });
        w.key("device_traces", [&] {
            w.bytes += ']';
            w.put();
            w.bytes += ']';
            w.put();
            for (int i = 0; i < count;) {
                const int batch = std::min(1000, count - i);
                if (batch > 1)
                    w.bytes += '(';
                for (int k = 0; k < batch; ++k, ++i)
                    w.event("alloc", i, i);
                w.bytes += batch > 1 ? 'e' : 'a';
            }
            w.bytes += 'a';
        });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(int(s.events.size()), count);
    for (int i = 0; i < count; ++i)
        QCOMPARE(int(s.events.sizes[std::size_t(i)]), i);
    QCOMPARE(s.devices.size(), std::size_t(1));
    QCOMPARE(int(s.devices[0].eventCount), count);
}

void TorchPickleTest::framesInBatches_data()
{
    batches_data();
}

void TorchPickleTest::framesInBatches()
{
    QFETCH(int, count);
    PickleWriter w;
    w.snapshot([&] {
        std::vector<std::uint32_t> frames;
        const auto list = [&] {
            w.bytes += ']';
            w.put();
            for (int i = 0; i < count;) {
                const int batch = std::min(1000, count - i);
                if (batch > 1)
                    w.bytes += '(';
                for (int k = 0; k < batch; ++k, ++i)
                    w.get(frames[std::size_t(i) % frames.size()]);
                w.bytes += batch > 1 ? 'e' : 'a';
            }
        };
        w.event("alloc", 1, 1, [&] {
            w.key("frames", [&] {
                w.list([&] {
                    for (int i = 0; i < 7; ++i)
                        frames.push_back(w.frame("f.py", i, "f"));
                });
            });
        });
        w.event("alloc", 2, 1, [&] { w.key("frames", list); });
        w.dict([&] { // in the middle of the dictionary
            w.key("action", std::string("alloc"));
            w.key("frames", list);
            w.key("size", 3);
        });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(3));
    QCOMPARE(s.events.stack[1], s.events.stack[2]);
    QCOMPARE(int(s.stacks.depth(s.events.stack[1])), count);
    const auto stack = s.stacks.stack(s.events.stack[1]);
    for (std::size_t i = 0; i < stack.size(); ++i)
        QCOMPARE(s.stacks.frame(stack[i]).line, i % 7);
}

void TorchPickleTest::anyOrder()
{
    PickleWriter w;
    w.snapshot([&] {
        std::uint32_t list = 0;
        for (int i = 0; i < 3; ++i)
            w.dict([&] {
                w.key("size", 10 + i);
                w.key("frames", [&] {
                    if (i == 0)
                        list = w.list([&] { w.frame("f.py", 1, "f"); });
                    else
                        w.get(list);
                });
                w.key("time_us", 5);
                w.key("stream", 9);
                w.key("addr", 77);
                w.key("action", std::string("free"));
            });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(3));
    const auto event = s.events[2];
    QVERIFY(event.action == TraceAction::Free && event.address == 77 && event.size == 12 && event.timeUs == 5);
    QCOMPARE(s.stacks.depth(event.stack), std::size_t(1));
    QCOMPARE(s.streams[event.stream], std::uint64_t(9));
}

// A dictionary of one item is written by SETITEM, which does not say that it is complete.
void TorchPickleTest::oneItemContainers()
{
    std::string bytes("\x80\x04}\x94\x8c\x0d" "device_traces\x94]\x94]\x94}\x94\x8c\x06" "action\x94\x8c\x05" "alloc\x94s" "aas.");
    const auto s = readBoth(bytes);
    QCOMPARE(s.events.size(), std::size_t(1));
    QVERIFY(s.events.action[0] == TraceAction::Alloc);
    QCOMPARE(s.events.sizes[0], kUnknownBytes);
}

void TorchPickleTest::memoIsOverwritten()
{
    PickleWriter w{Dialect::Cpp};
    w.snapshot([&] {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        w.event("alloc", 1, 1, [&] {
            w.key("frames", [&] {
                w.list([&] {
                    a = w.frame("a.py", 1, "a");
                    b = w.frame("b.py", 1, "b");
                });
            });
        });
        const auto list = [&] { w.key("frames", [&] { w.list([&] { w.get(a), w.get(a); }); }); };
        w.event("alloc", 2, 1, list);
        w.event("alloc", 3, 1, list);
        w.get(b); // the entry of a becomes b
        w.bytes += 'q';
        w.bytes += static_cast<char>(a);
        w.bytes += '0';
        w.event("alloc", 4, 1, list); // the same bytes, another stack
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(4));
    QCOMPARE(s.events.stack[1], s.events.stack[2]);
    QVERIFY(s.events.stack[3] != s.events.stack[2]);
    const auto stack = s.stacks.stack(s.events.stack[3]);
    QVERIFY(s.texts[s.stacks.frame(stack[0]).name] == "b");
}

// A list whose number went to something else before the list was complete.
void TorchPickleTest::memoIsOverwrittenWhileOpen()
{
    PickleWriter w{Dialect::Cpp};
    w.snapshot([&] {
        w.event("alloc", 1, 1, [&] {
            w.key("user_metadata", std::string("first"));
            w.key("frames", [&] {
                w.bytes += "]r";
                w.raw(std::uint32_t{200}); // far from the writer's own
                w.bytes += '(';
                w.frame("a.py", 1, "f");
                w.text("first");
                w.bytes += 'r';
                w.raw(std::uint32_t{200});
                w.bytes += '0';
                w.bytes += 'e';
            });
        });
        w.event("alloc", 2, 1, [&] { w.key("user_metadata", [&] { w.get(200); }); });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(2));
    QCOMPARE(s.stacks.depth(s.events.stack[0]), std::size_t(1));
    QCOMPARE(attribute(s, 1, "user_metadata"), std::string("first"));
}

void TorchPickleTest::stackUnderAnUnknownKey()
{
    PickleWriter w;
    w.snapshot([&] {
        std::uint32_t frame = 0;
        std::uint32_t list = 0;
        std::uint32_t empty = 0;
        w.event("alloc", 1, 1, [&] { w.key("frames", [&] { w.list([&] { frame = w.frame("a.py", 1, "f"); }); }); });
        w.event("alloc", 2, 1, [&] {
            w.key("other_frames", [&] { list = w.list([&] { w.get(frame), w.get(frame); }); });
            w.key("no_frames", [&] { empty = w.list([] {}); });
        });
        w.event("alloc", 3, 1, [&] { w.key("frames", [&] { w.get(list); }); });
        w.event("alloc", 4, 1, [&] { w.key("frames", [&] { w.get(empty); }); });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(4));
    QCOMPARE(s.stacks.depth(s.events.stack[2]), std::size_t(2));
    QCOMPARE(s.events.stack[3], kEmptyStack);
    QCOMPARE(attribute(s, 1, "no_frames"), std::string("[]"));
    QVERIFY(attribute(s, 1, "other_frames").starts_with("[{\"filename\":\"a.py\",\"line\":1"));
    QVERIFY(s.warnings.empty());
}

void TorchPickleTest::textsThatAreLong()
{
    const std::string text(3'000'000, 'x'); // more than the window
    PickleWriter w;
    w.snapshot([&] {
        w.event("alloc", 1, 1, [&] { w.key("user_metadata", text); });
        w.event("alloc", 2, 1, [&] { w.key("user_metadata", text); });
        w.event("alloc", 3, 1, [&] { w.key("user_metadata", [&] { w.fresh("\xed\xa0\x80 alone"); }); }); // a lone surrogate
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(s.events.size(), std::size_t(3));
    QCOMPARE(attribute(s, 1, "user_metadata").size(), text.size());
    QCOMPARE(attribute(s, 2, "user_metadata"), std::string("\xed\xa0\x80 alone"));
}

void TorchPickleTest::trailingBytes()
{
    PickleWriter w;
    w.snapshot([&] { w.event("alloc", 1, 1); });
    const auto padded = readBoth(w.finished() + std::string(3, '\0'));
    QCOMPARE(padded.origin.trailingBytes, std::uint64_t(3));
    QVERIFY(padded.warnings.empty());
    const auto more = readBoth(w.finished() + std::string(3'000'000, 'x'));
    QCOMPARE(more.origin.trailingBytes, std::uint64_t(3'000'000));
    QCOMPARE(more.warnings.size(), std::size_t(1));
}

void TorchPickleTest::emptySnapshots_data()
{
    QTest::addColumn<int>("devices");
    QTest::newRow("no device") << 0;
    QTest::newRow("four devices") << 4;
}

void TorchPickleTest::emptySnapshots()
{
    QFETCH(int, devices);
    PickleWriter w;
    w.dict([&] {
        w.key("segments", [&] { w.list([] {}); });
        w.key("device_traces", [&] {
            w.list([&] {
                for (int i = 0; i < devices; ++i)
                    w.list([] {});
            });
        });
    });
    const auto s = readBoth(w.finished());
    QCOMPARE(int(s.devices.size()), devices);
    QCOMPARE(int(s.origin.traceLists), devices);
    QCOMPARE(s.events.size(), std::size_t(0));
    QCOMPARE(s.origin.torchVersions, std::string());
}

QTEST_GUILESS_MAIN(TorchPickleTest)
#include "tst_torch_pickle.moc"
