// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heap_text.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <string>

using namespace plimsoll;

namespace {

const QString kFolder = QStringLiteral(PLIMSOLL_SHARED_DATA "/pprof/");

Result<HeapProfile> readText(const std::string &text)
{
    const auto source = bytesOf(text);
    return readHeapText(*source, {});
}

Result<HeapProfile> readCapture(const QString &name)
{
    auto source = openBytes((kFolder + name).toStdString());
    if (!source)
        return tl::make_unexpected(source.error());
    return readHeapText(**source, {});
}

std::string frame(const HeapProfile &profile, std::size_t sample, std::size_t at)
{
    const auto &frame = profile.stacks.frame(profile.stacks.stack(profile.samples[sample].stack)[at]);
    return std::string(profile.texts[frame.file]) + ':' + std::to_string(frame.line) + ':' + std::string(profile.texts[frame.name]);
}

} // namespace

class HeapTextTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
    void sumsAreTheStatedOnes_data();
    void sumsAreTheStatedOnes();
    void jemalloc();
    void java();
    void goComments();
    void estimate();
    void mappedFiles();
    void truncatedAnywhere();
    void others_data();
    void others();
};

void HeapTextTest::captures_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QJsonObject>("expected");
    QFile file(kFolder + QStringLiteral("expected.json"));
    if (!file.open(QIODevice::ReadOnly))
        QSKIP("the captures are not on this machine");
    const auto all = QJsonDocument::fromJson(file.readAll()).object();
    for (auto each = all.begin(); each != all.end(); ++each)
        if (each.value().toObject().contains(QStringLiteral("text_first_line")))
            QTest::newRow(qPrintable(each.key())) << each.key() << each.value().toObject();
}

void HeapTextTest::captures()
{
    QFETCH(QString, name);
    QFETCH(QJsonObject, expected);
    const auto profile = readCapture(name);
    QVERIFY2(profile.has_value(), profile ? "" : profile.error().detail.c_str());
    const QJsonObject json{{QStringLiteral("file_bytes"), static_cast<double>(profile->fileBytes)},
                           {QStringLiteral("text_first_line"), QString::fromStdString(profile->firstLine)},
                           {QStringLiteral("lines"), static_cast<double>(profile->lines)}};
    QCOMPARE(json, expected);
    QVERIFY2(profile->warnings.empty(), profile->warnings.empty() ? "" : profile->warnings[0].c_str());
    QVERIFY(!profile->samples.empty());
    QVERIFY(toMemorySnapshot(*profile, profile->mainSampleType()).has_value());
}

void HeapTextTest::sumsAreTheStatedOnes_data()
{
    QTest::addColumn<QString>("name");
    if (!QFile::exists(kFolder))
        QSKIP("the captures are not on this machine");
    QTest::newRow("gperftools") << QStringLiteral("gperftools-cppbench.heap.txt");
}

void HeapTextTest::sumsAreTheStatedOnes()
{
    QFETCH(QString, name);
    const auto profile = readCapture(name);
    QVERIFY(profile.has_value());
    QVERIFY(profile->statedTotals.has_value());
    QCOMPARE(profile->valueSums, *profile->statedTotals);
}

void HeapTextTest::jemalloc()
{
    const auto profile = readText("heap_v2/524288\n  t*: 3: 700 [5: 900]\n  t0: 3: 700 [5: 900]\n"
                                  "@ 0x1010 0x3000\n  t*: 2: 600 [2: 600]\n  t0: 2: 600 [2: 600]\n"
                                  "@ 0x1020\n  t*: 1: 100 [3: 300]\n  t1: 1: 100 [3: 300]\n\n"
                                  "MAPPED_LIBRARIES:\n00001000-00002000 r-xp 00000000 00:11 9891   /usr/lib/a b.so\n");
    QVERIFY2(profile.has_value(), profile ? "" : profile.error().detail.c_str());
    QVERIFY(profile->form == HeapProfile::Form::Jemalloc);
    QCOMPARE(profile->valueSums, (std::vector<std::int64_t>{3, 700, 5, 900}));
    QCOMPARE(*profile->statedTotals, profile->valueSums);
    QCOMPARE(profile->period, std::optional<std::int64_t>(524288));
    QCOMPARE(frame(*profile, 0, 0), std::string("/usr/lib/a b.so:0:0x1010"));
    QCOMPARE(frame(*profile, 0, 1), std::string(":0:0x3000"));
    QVERIFY(profile->estimatedSums.has_value());
    QVERIFY(profile->warnings.empty());
}

void HeapTextTest::java()
{
    const auto profile = readText("--- heapz 1 ---\nformat = java\nresolution = bytes\n   7048     2 @ 0x00000003 0x00000004\n"
                                  " 0x00000003 com.example.f (A.java:12)\n 0x00000004 com.example.g (Native Method)\n");
    QVERIFY(profile.has_value());
    QCOMPARE(profile->valueSums, (std::vector<std::int64_t>{2, 7048}));
    QCOMPARE(frame(*profile, 0, 0), std::string("A.java:12:com.example.f"));
    QCOMPARE(frame(*profile, 0, 1), std::string("Native Method:0:com.example.g"));
    QVERIFY(!profile->estimatedSums);
}

void HeapTextTest::goComments()
{
    const auto profile = readText("heap profile: 1: 16 [1: 16] @ heap/1048576\n1: 16 [1: 16] @ 0x4011 0x4022\n"
                                  "#\t0x4010\tmain.make+0x30\t/src/main.go:41\n#\t0x4021\tmain.main+0x1\t/src/main.go:9\n\n"
                                  "# runtime.MemStats\n# Alloc = 12\n");
    QVERIFY(profile.has_value());
    QVERIFY(profile->form == HeapProfile::Form::Go);
    QCOMPARE(profile->period, std::optional<std::int64_t>(524288));
    QCOMPARE(frame(*profile, 0, 0), std::string("/src/main.go:41:main.make"));
    QCOMPARE(frame(*profile, 0, 1), std::string("/src/main.go:9:main.main"));
    QVERIFY(profile->warnings.empty());
}

void HeapTextTest::estimate()
{
    const auto profile = readText("heap_v2/1000\n@ 0x1\n  t*: 2: 2000 [0: 0]\n@ 0x2\n  t*: 10: 10 [0: 0]\n");
    QVERIFY(profile.has_value());
    const auto scale = [](double size) { return 1 / (1 - std::exp(-size / 1000)); };
    QVERIFY(std::abs((*profile->estimatedSums)[0] - (2 * scale(1000) + 10 * scale(1))) < 1e-6);
    QVERIFY(std::abs((*profile->estimatedSums)[1] - (2000 * scale(1000) + 10 * scale(1))) < 1e-6);
    QVERIFY(!readText("heap profile: 1: 2 [3: 4] @ heapprofile\n")->estimatedSums);
}

void HeapTextTest::mappedFiles()
{
    const auto profile = readText("heap profile: 1: 2 [1: 2] @ heapz_v2/524288\n 1: 2 [ 1: 2] @ 0x7f0000001000\n"
                                  "\nMAPPED_LIBRARIES:\n  7f0000000000-7f0000002000: /lib/librt.so\n");
    QVERIFY(profile.has_value());
    QCOMPARE(frame(*profile, 0, 0), std::string("/lib/librt.so:0:0x7f0000001000"));
}

void HeapTextTest::truncatedAnywhere()
{
    const std::string text = "heap profile: 1: 16 [1: 16] @ heap/1048576\n1: 16 [1: 16] @ 0x4011 0x4022\n#\t0x4010\tmain.make+0x30\t/src/main.go:41\n"
                             "MAPPED_LIBRARIES:\n00400000-00401000 r-xp 00000000 00:11 9891   /usr/lib/a.so\n";
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto profile = readText(text.substr(0, length));
        QVERIFY(profile || !profile.error().detail.empty());
    }
}

void HeapTextTest::others_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray("");
    QTest::newRow("JSON") << QByteArray("{}");
    QTest::newRow("no totals") << QByteArray("heap profile: many");
}

void HeapTextTest::others()
{
    QFETCH(QByteArray, text);
    QVERIFY(!readText(text.toStdString()));
}

QTEST_APPLESS_MAIN(HeapTextTest)
#include "tst_heap_text.moc"
