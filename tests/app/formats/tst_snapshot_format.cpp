// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/byte_source.h"
#include "formats/snapshot_format.h"

#include <QDir>
#include <QTest>

using namespace plimsoll;

class SnapshotFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void sniffs_data();
    void sniffs();
    void captures_data();
    void captures();
    void anyPrefixIsSafe();
};

void SnapshotFormatTest::sniffs_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("format");
    const auto row = [](const char *name, const QByteArray &bytes, SnapshotFormat format) {
        QTest::newRow(name) << bytes << static_cast<int>(format);
    };
    using enum SnapshotFormat;
    row("nothing", {}, Empty);
    row("pickle 2", "\x80\x02}", TorchPickle);
    row("pickle 5", "\x80\x05}", TorchPickle);
    row("pickle 9: the reader refuses it", "\x80\x09}", TorchPickle);
    row("pickle 1", "}q\x01.", TorchPickle);
    row("zip", "PK\x03\x04", TorchSave);
    row("SQLite", QByteArray("SQLite format 3\0abc", 19), TorchSqlite);
    row("page", "<!DOCTYPE html><script>local_files = [{\"name\"", TorchHtml);
    row("page, lower case", "\n<html>local_files", TorchHtml);
    row("picture", "<html><img src=\"data:image/png;base64,iVBOR", MemoryTimelineHtml);
    row("snapshot", "{\"segments\": []", TorchJson);
    row("snapshot with its own key first", R"({"x": {"traceEvents": 1}, "device_traces": [[]]})", TorchJson);
    row("segments", R"([ {"device": 0, "address": 1, "blocks": []}])", TorchJson);
    row("empty list", "[]", TorchJson);
    row("trace", R"({"schemaVersion": 1)", Kineto);
    row("trace, events first", " {\"traceEvents\": [{", Kineto);
    row("trace, bare list", R"([{"name": "x", "args": {"blocks": 1}, "ph": "X"}])", Kineto);
    row("key in a text is none", R"({"a": "\"segments\": 1", "traceEvents": []})", Kineto);
    row("timeline", "[[1, 2, 3], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]]", MemoryTimeline);
    row("timeline of four times", "[[1, 2, 3, 4], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]]", MemoryTimeline);
    row("raw timeline", "[[-1, 1, 1024, 0], [5, 2, 10, 1]]", MemoryTimelineRaw);
    row("gperftools", "heap profile:    144:  8498176 [", HeapText);
    row("jemalloc", "heap_v2/1048576\n", HeapText);
    row("Java", "--- heapz 1 ---\n", HeapText);
    row("pprof", QByteArray("\x0a\x04\x08\x01\x10\x02", 6), Pprof);
    row("other JSON", R"({"name": "x"})", Unknown);
    row("text", "hello", Unknown);
    row("blanks", "  \n ", Unknown);
}

void SnapshotFormatTest::sniffs()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, format);
    QCOMPARE(static_cast<int>(sniffSnapshot({bytes.constData(), static_cast<std::size_t>(bytes.size())})), format);
}

void SnapshotFormatTest::captures_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("format");
    const QDir root(QStringLiteral(PLIMSOLL_SHARED_DATA));
    const auto rows = [&](const QString &folder, const QStringList &filters, SnapshotFormat format) {
        for (const auto &info : QDir(root.filePath(folder)).entryInfoList(filters, QDir::Files))
            QTest::newRow(qPrintable(folder + u'/' + info.fileName())) << info.filePath() << static_cast<int>(format);
    };
    rows(QStringLiteral("snapshots"), {QStringLiteral("*.pickle"), QStringLiteral("*.pkl")}, SnapshotFormat::TorchPickle);
    rows(QStringLiteral("snapshots/made"), {QStringLiteral("*.pickle")}, SnapshotFormat::TorchPickle);
    rows(QStringLiteral("kineto"), {QStringLiteral("*.json.gz")}, SnapshotFormat::Kineto);
    rows(QStringLiteral("pprof"), {QStringLiteral("*.prof")}, SnapshotFormat::Pprof);
    rows(QStringLiteral("pprof"), {QStringLiteral("*.heap"), QStringLiteral("*.heap.txt")}, SnapshotFormat::HeapText);
    if (!root.exists(QStringLiteral("snapshots")))
        QTest::newRow("absent") << QString() << 0;
}

void SnapshotFormatTest::captures()
{
    QFETCH(QString, path);
    QFETCH(int, format);
    if (path.isEmpty())
        QSKIP("no captures here: " PLIMSOLL_SHARED_DATA " is absent");
    auto source = openBytes(path.toStdString());
    QVERIFY2(source, source ? "" : source.error().detail.c_str());
    std::string first(kSniffedBytes, '\0');
    std::size_t have = 0;
    while (have < first.size()) {
        const auto got = (*source)->read(std::span<char>(first).subspan(have));
        QVERIFY(got);
        if (*got == 0)
            break;
        have += *got;
    }
    first.resize(have);
    QCOMPARE(static_cast<int>(sniffSnapshot(first)), format);
}

// Exact-size copies, so that a sanitizer sees what reads behind the end.
void SnapshotFormatTest::anyPrefixIsSafe()
{
    const std::string_view text = R"( {"a\"": [[1, "x]"], {"b": "\\"}], "c" : 1, "device_traces": [[]]} )";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const std::vector<char> copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
        (void)sniffSnapshot({copy.data(), copy.size()});
        std::string list = "[" + std::string(copy.begin(), copy.end());
        (void)sniffSnapshot(list);
    }
}

QTEST_APPLESS_MAIN(SnapshotFormatTest)
#include "tst_snapshot_format.moc"
