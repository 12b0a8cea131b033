// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_opcodes.h"
#include "formats/torch_pickle.h"

#include "pickle_writer.h"

#include <QElapsedTimer>
#include <QTest>

#include <memory>
#include <span>

using namespace plimsoll;

namespace {

/// From a buffer of exactly that size, so that a checker of memory sees what reads behind it.
Result<MemorySnapshot> read(const std::string &bytes, const SnapshotReading &reading = {})
{
    const auto exact = std::make_unique<char[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    return readTorchPickle(*bytesOf({exact.get(), bytes.size()}), reading);
}

/// A small one that has everything.
std::string smallSnapshot()
{
    PickleWriter w;
    w.dict([&] {
        std::uint32_t frames = 0;
        std::uint32_t frame = 0;
        w.key("segments", [&] {
            w.list([&] {
                for (int i = 0; i < 2; ++i)
                    w.dict([&] {
                        w.key("device", 0);
                        w.key("address", 0x7f0000000000 + i);
                        w.key("total_size", 512);
                        w.key("frames", [&] { frames = w.list([&] { frame = w.frame("a.py", 1, "f"); }); });
                        w.key("blocks", [&] {
                            w.list([&] {
                                for (int k = 0; k < 2; ++k)
                                    w.dict([&] {
                                        w.key("address", 0x7f0000000000);
                                        w.key("size", 256);
                                        w.key("state", std::string("inactive"));
                                        w.key("frames", [&] { w.get(frames); });
                                    });
                            });
                        });
                    });
            });
        });
        w.key("device_traces", [&] {
            w.bytes += ']'; // one device: it is appended at the very end
            w.put();
            w.list([&] {
                for (int i = 0; i < 6; ++i)
                    w.event("alloc", 0x7f0000000000 + i, 300, [&] {
                        w.key("time_us", 1'767'225'600'000'000 + i);
                        w.key("compile_context", [&] { w.fresh("N/A"); });
                        w.key("frames", [&] { w.list([&] { w.get(frame), w.get(frame); }); });
                    });
            });
            w.bytes += 'a';
        });
        w.key("external_annotations", [&] {
            w.list([&] {
                w.dict([&] {
                    w.key("device", 0);
                    w.key("time_us", 5);
                    w.key("stage", std::string("START"));
                    w.key("name", std::string("step"));
                });
            });
        });
    });
    return w.finished();
}

std::string hex(std::initializer_list<int> bytes)
{
    std::string out;
    for (const int byte : bytes)
        out += static_cast<char>(byte);
    return out;
}

} // namespace

/// Files that are broken, or that were made to break us.
class TorchPickleHostileTest : public QObject
{
    Q_OBJECT

private slots:
    void refusedOpcodes_data();
    void refusedOpcodes();
    void whatItMayBeInstead_data();
    void whatItMayBeInstead();
    void malformed_data();
    void malformed();
    void truncatedAtEveryByte();
    void truncatedDevices();
    void flippedBits();
    void hugeLengths_data();
    void hugeLengths();
    void bombs_data();
    void bombs();
    void limits_data();
    void limits();
    void manyTinyEvents();
    void cancel();
    void progress();
};

void TorchPickleHostileTest::refusedOpcodes_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("name");
    int count = 0;
    for (int code = 0; code < 256; ++code) {
        const auto &opcode = pickleOpcode(static_cast<std::uint8_t>(code));
        if (opcode.name.empty() || opcode.isData)
            continue;
        const auto name = QString::fromUtf8(opcode.name.data(), qsizetype(opcode.name.size()));
        QTest::newRow(qPrintable(name)) << code << name;
        ++count;
    }
    QCOMPARE(count, 19);
}

void TorchPickleHostileTest::refusedOpcodes()
{
    QFETCH(int, code);
    QFETCH(QString, name);
    // Behind an event, so that it does not matter whether it is the first thing.
    const auto before = smallSnapshot();
    const auto at = before.size() - 1;
    const auto result = read(before.substr(0, at) + static_cast<char>(code) + std::string("os\nsystem\n........."));
    QVERIFY(!result);
    QVERIFY(result.error().code == Error::Code::Unsupported);
    const auto detail = QString::fromStdString(result.error().detail);
    QVERIFY2(detail.startsWith(QStringLiteral("Byte %1: %2 ").arg(at).arg(name)), qPrintable(detail));
    if (name == QLatin1String("GLOBAL"))
        QVERIFY2(detail.contains(QStringLiteral("os.system")), qPrintable(detail));
}

void TorchPickleHostileTest::whatItMayBeInstead_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("word");
    QTest::newRow("torch.save, old") << QByteArray("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.") << "torch.save";
    QTest::newRow("torch.save, state") << QByteArray("\x80\x02" "ctorch._utils\n_rebuild_tensor_v2\nq\0.", 38) << "torch.save";
    QTest::newRow("numpy") << QByteArray("\x80\x04\x8c\x16" "numpy.core.multiarray\n\x8c\x0c_reconstruct\x93.") << "numpy";
    QTest::newRow("pandas") << QByteArray("\x80\x02" "cpandas.core.frame\nDataFrame\n.") << "pandas";
    QTest::newRow("a number") << QByteArray("\x80\x02K\x05.") << "no memory snapshot";
    QTest::newRow("another dictionary") << QByteArray("\x80\x02}X\x01\0\0\0aK\x05s.", 13) << "no memory snapshot";
    QTest::newRow("protocol 6") << QByteArray("\x80\x06}.") << "protocol 6";
}

void TorchPickleHostileTest::whatItMayBeInstead()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, word);
    const auto result = read(bytes.toStdString());
    QVERIFY(!result);
    QVERIFY(result.error().code == Error::Code::Unsupported);
    QVERIFY2(QString::fromStdString(result.error().detail).contains(word), result.error().detail.c_str());
}

void TorchPickleHostileTest::malformed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("word");
    QTest::newRow("nothing") << QByteArray() << "0 bytes";
    QTest::newRow("no opcode") << QByteArray("\x80\x04\x07") << "Byte 2: 0x07";
    QTest::newRow("zeros") << QByteArray(64, '\0') << "Byte 0: 0x00";
    QTest::newRow("memo entry never put") << QByteArray("\x80\x02]h\x05" "a.") << "Byte 3: BINGET takes memo entry 5";
    QTest::newRow("memo entry far away") << QByteArray("\x80\x02]r\xff\xff\xff\xff.") << "4294967295";
    QTest::newRow("list in itself") << QByteArray("\x80\x02]q\0h\0a.", 8) << "Byte 7: APPEND";
    QTest::newRow("list in itself, batch") << QByteArray("\x80\x02]q\0(h\0e.", 9) << "Byte 8: APPENDS";
    QTest::newRow("dictionary in itself") << QByteArray("\x80\x02}q\0K\1h\0s.", 10) << "Byte 9: SETITEM";
    QTest::newRow("two in each other") << QByteArray("\x80\x02]q\0]q\1h\0aa.", 12) << "Byte 11: APPEND";
    QTest::newRow("no mark") << QByteArray("\x80\x02]e.") << "Byte 3: APPENDS needs a MARK";
    QTest::newRow("mark of nothing") << QByteArray("\x80\x02(K\1e.") << "Byte 5: APPENDS has no list";
    QTest::newRow("key without value") << QByteArray("\x80\x02}(K\1u.") << "Byte 6: SETITEMS";
    QTest::newRow("list as key") << QByteArray("\x80\x02}(]K\1u.") << "Byte 7: SETITEMS has a key";
    QTest::newRow("append to a number") << QByteArray("\x80\x02K\1K\2a.") << "Byte 6: APPEND";
    QTest::newRow("append below the mark") << QByteArray("\x80\x02](a.") << "Byte 4: APPEND needs a value";
    QTest::newRow("items into a list") << QByteArray("\x80\x02](K\1K\2u.") << "Byte 8: SETITEMS";
    QTest::newRow("stop without value") << QByteArray("\x80\x02.") << "Byte 2: STOP";
    QTest::newRow("dup of nothing") << QByteArray("\x80\x02" "2.") << "Byte 2: DUP";
    QTest::newRow("dup in itself") << QByteArray("\x80\x02]2a.") << "Byte 4: APPEND";
    QTest::newRow("number that is none") << QByteArray("Ifive\n.") << "five";
    QTest::newRow("memo number that is none") << QByteArray("gfive\n.") << "five";
}

void TorchPickleHostileTest::malformed()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, word);
    const auto result = read(bytes.toStdString());
    QVERIFY(!result);
    QVERIFY2(result.error().code == Error::Code::Corrupt, result.error().detail.c_str());
    QVERIFY2(QString::fromStdString(result.error().detail).contains(word), result.error().detail.c_str());
}

void TorchPickleHostileTest::truncatedAtEveryByte()
{
    const auto whole = smallSnapshot();
    QVERIFY(read(whole));
    std::size_t last = 0;
    std::size_t lastSegments = 0;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto result = read(whole.substr(0, length));
        if (!result) {
            QVERIFY(last == 0 && lastSegments == 0); // once something was complete it is shown
            QVERIFY(result.error().code == Error::Code::Corrupt);
            continue;
        }
        QCOMPARE(result->origin.truncatedAt.value_or(0), std::uint64_t(length));
        QVERIFY(result->events.size() >= last && result->segments.size() >= lastSegments);
        last = result->events.size();
        lastSegments = result->segments.size();
        const auto sentence = "The file ends at byte " + std::to_string(length) + " instead of with a STOP, "
            + std::to_string(last) + " events were read.";
        QVERIFY(std::find(result->warnings.begin(), result->warnings.end(), sentence) != result->warnings.end());
        if (last > 0) {
            QCOMPARE(result->devices.size(), std::size_t(1));
            QCOMPARE(result->devices[0].eventCount, last);
        }
        QCOMPARE(result->warnings.size(), std::size_t(1));
    }
    QCOMPARE(last, std::size_t(6));
    QCOMPARE(lastSegments, std::size_t(2));
}

// The open list's place is its device.
void TorchPickleHostileTest::truncatedDevices()
{
    PickleWriter w;
    w.dict([&] {
        w.key("segments", [&] { w.list([] {}); });
        w.key("device_traces", [&] {
            w.list([&] {
                w.list([] {});
                w.list([&] { w.event("alloc", 1, 10); });
                w.list([&] {
                    w.event("alloc", 2, 20);
                    w.event("alloc", 3, 30);
                });
                w.list([] {});
            });
        });
    });
    const auto whole = w.finished();
    // Cut behind the second event of the third device.
    const auto end = whole.rfind("uee");
    QVERIFY(end == std::string::npos);
    const auto cut = whole.rfind("ue]");
    QVERIFY(cut != std::string::npos);
    const auto result = read(whole.substr(0, cut + 1));
    QVERIFY(result);
    QCOMPARE(result->devices.size(), std::size_t(3));
    QCOMPARE(result->devices[1].eventCount, std::size_t(1));
    QCOMPARE(result->devices[2].eventCount, std::size_t(2));
    QCOMPARE(result->events.sizes[2], std::uint64_t(30));
}

void TorchPickleHostileTest::flippedBits()
{
    const auto whole = smallSnapshot();
    std::size_t readable = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (unsigned bit = 0; bit < 8; ++bit) {
            auto flipped = whole;
            flipped[at] = static_cast<char>(static_cast<unsigned char>(flipped[at]) ^ (1U << bit));
            const auto result = read(flipped);
            if (result) {
                ++readable;
                QVERIFY(result->events.size() <= 6);
            } else {
                QVERIFY(result.error().detail.size() > 20);
            }
        }
    QVERIFY(readable > 100); // most of a pickle is numbers
}

void TorchPickleHostileTest::hugeLengths_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray ff8(8, '\xff');
    const QByteArray ff4(4, '\xff');
    QTest::newRow("BINUNICODE8") << QByteArray("\x80\x04\x8d") + ff8 + "abc";
    QTest::newRow("BINBYTES8") << QByteArray("\x80\x04\x8e") + ff8 + "abc";
    QTest::newRow("BINUNICODE") << QByteArray("\x80\x04X") + ff4 + "abc";
    QTest::newRow("BINSTRING, negative") << QByteArray("\x80\x04T") + ff4 + "abc";
    QTest::newRow("LONG4, negative") << QByteArray("\x80\x04\x8b") + ff4 + "abc";
    QTest::newRow("LONG4") << QByteArray("\x80\x04\x8b\xff\xff\xff\x7f", 7) + "abc";
    QTest::newRow("FRAME") << QByteArray("\x80\x04\x95") + ff8 + "abc";
    QTest::newRow("SHORT_BINUNICODE") << QByteArray("\x80\x04\x8c\xff" "abc");
    QTest::newRow("LONG1") << QByteArray("\x80\x04\x8a\xff" "abc");
}

void TorchPickleHostileTest::hugeLengths()
{
    QFETCH(QByteArray, bytes);
    const auto result = read(bytes.toStdString());
    QVERIFY(!result);
    QVERIFY(result.error().code == Error::Code::Corrupt || result.error().code == Error::Code::TooLarge);
}

void TorchPickleHostileTest::bombs_data()
{
    QTest::addColumn<QByteArray>("bytes");
    {
        // Lists of ten times the same list, nine levels: a billion if they were written out.
        PickleWriter w;
        w.snapshot([&] {
            std::uint32_t inner = 0;
            w.event("alloc", 1, 1, [&] {
                w.key("extra", [&] {
                    w.list([&] {
                        inner = w.list([&] { w.text("ha"); });
                        for (int level = 0; level < 30; ++level)
                            inner = w.list([&] {
                                for (int i = 0; i < 10; ++i)
                                    w.get(inner);
                            });
                    });
                });
            });
            for (int i = 0; i < 3000; ++i)
                w.event("alloc", 1, 1, [&] { w.key("extra", [&] { w.list([&] { w.get(inner), w.number(i); }); }); });
        });
        QTest::newRow("laughs") << QByteArray::fromStdString(w.finished());
    }
    {
        // One segment of many blocks, named again and again.
        PickleWriter w;
        w.dict([&] {
            w.key("segments", [&] {
                w.list([&] {
                    const auto segment = w.dict([&] {
                        w.key("total_size", 1);
                        w.key("blocks", [&] {
                            w.list([&] {
                                const auto block = w.dict([&] {
                                    w.key("size", 1);
                                    w.key("state", std::string("inactive"));
                                });
                                for (int i = 0; i < 50'000; ++i)
                                    w.get(block);
                            });
                        });
                    });
                    for (int i = 0; i < 50'000; ++i)
                        w.get(segment);
                });
            });
        });
        QTest::newRow("segments") << QByteArray::fromStdString(w.finished());
    }
    {
        PickleWriter w;
        w.dict([&] {
            w.key("device_traces", [&] {
                w.list([&] {
                    const auto trace = w.list([&] {
                        const auto slot = w.dict([&] { w.key("action", std::string("alloc")); w.key("size", 1); });
                        for (int i = 0; i < 50'000; ++i)
                            w.get(slot);
                    });
                    for (int i = 0; i < 50'000; ++i)
                        w.get(trace);
                });
            });
        });
        QTest::newRow("traces") << QByteArray::fromStdString(w.finished());
    }
    QTest::newRow("marks") << QByteArray("\x80\x04") + QByteArray(1'000'000, '(');
    QTest::newRow("lists in lists") << QByteArray("\x80\x04") + QByteArray(1'000'000, ']') + QByteArray(999'999, 'a') + '.';
    QTest::newRow("tuples in tuples") << QByteArray("\x80\x04)") + QByteArray(1'000'000, '\x85') + '.';
    QTest::newRow("open dictionaries") << QByteArray("\x80\x04") + QByteArray(3'000'000, '}');
}

void TorchPickleHostileTest::bombs()
{
    QFETCH(QByteArray, bytes);
    QElapsedTimer timer;
    timer.start();
    const auto result = read(bytes.toStdString());
    if (result)
        QVERIFY(result->texts.bytes() < 80U << 20U);
    else
        QVERIFY(result.error().detail.size() > 20);
    qInfo("%s, %lld ms", result ? "read" : result.error().detail.c_str(), timer.elapsed());
    QVERIFY(timer.elapsed() < 20'000); // generous for a sanitized build on a busy machine
}

void TorchPickleHostileTest::limits_data()
{
    QTest::addColumn<QString>("which");
    for (const char *which : {"depth", "events", "textBytes", "memoryBytes"})
        QTest::newRow(which) << QString::fromLatin1(which);
}

void TorchPickleHostileTest::limits()
{
    QFETCH(QString, which);
    PickleWriter w;
    w.snapshot([&] {
        for (int i = 0; i < 50'000; ++i)
            w.event("alloc", i, 1, [&] { w.key("time_us", 1'767'225'600'000'000 + i); });
    });
    SnapshotReading reading;
    QVERIFY(read(w.finished(), reading));
    if (which == QLatin1String("depth"))
        reading.limits.depth = 2;
    else if (which == QLatin1String("events"))
        reading.limits.events = 49'999;
    else if (which == QLatin1String("textBytes"))
        reading.limits.textBytes = 12;
    else
        reading.limits.memoryBytes = 1'000'000;
    const auto result = read(w.finished(), reading);
    QVERIFY(!result);
    QVERIFY2(result.error().code == Error::Code::TooLarge, result.error().detail.c_str());
}

// Six bytes an event, fewer than the columns were reserved for.
void TorchPickleHostileTest::manyTinyEvents()
{
    PickleWriter w;
    w.snapshot([&] {
        for (int i = 0; i < 20'000; ++i)
            w.bytes += i == 0 ? std::string("}\x8c\x06" "action\x94\x8c\x05" "alloc\x94s") : hex({'}', 'h', 6, 'h', 7, 's'});
    });
    const auto result = read(w.finished());
    QVERIFY2(result, result ? "" : result.error().detail.c_str());
    QCOMPARE(result->events.size(), std::size_t(20'000));
    QVERIFY(result->events.action[19'999] == TraceAction::Alloc);
}

void TorchPickleHostileTest::cancel()
{
    std::stop_source stop;
    SnapshotReading reading;
    reading.stop = stop.get_token();
    QVERIFY(read(smallSnapshot(), reading));
    stop.request_stop();
    const auto result = read(smallSnapshot(), reading);
    QVERIFY(!result);
    QVERIFY(result.error().code == Error::Code::Cancelled);
}

void TorchPickleHostileTest::progress()
{
    PickleWriter w;
    w.snapshot([&] {
        for (int i = 0; i < 200'000; ++i)
            w.event("alloc", i, 1, [&] { w.key("time_us", 1'767'225'600'000'000 + i); });
    });
    std::vector<int> steps;
    SnapshotReading reading;
    reading.progress = [&](const Progress &progress) { steps.push_back(progress.perMille); };
    QVERIFY(read(w.finished(), reading));
    QVERIFY(steps.size() > 3 && steps.back() == 1000);
    QVERIFY(std::is_sorted(steps.begin(), steps.end()) && std::adjacent_find(steps.begin(), steps.end()) == steps.end());
}

QTEST_GUILESS_MAIN(TorchPickleHostileTest)
#include "tst_torch_pickle_hostile.moc"
