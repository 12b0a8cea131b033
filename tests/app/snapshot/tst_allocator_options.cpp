// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_options.h"

#include <QTest>

using namespace plimsoll;

Q_DECLARE_METATYPE(plimsoll::AllocatorOptions)

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

AllocatorOptions withDivisions(std::uint32_t divisions)
{
    AllocatorOptions options;
    options.roundupDivisions.fill(divisions);
    return options;
}

} // namespace

class AllocatorOptionsTest : public QObject
{
    Q_OBJECT

private slots:
    void divisionSteps();
    void rounding_data();
    void rounding();
    void segmentSizes_data();
    void segmentSizes();
    void confTexts_data();
    void confTexts();
    void whatIsNotUnderstoodIsNamed();
    void fieldsOfAFileWin();
    void confComesBackAsItWas();
};

void AllocatorOptionsTest::divisionSteps()
{
    QCOMPARE(roundUpToDivision(1200, 4), std::uint64_t {1280});
    QCOMPARE(roundUpToDivision(1024, 4), std::uint64_t {1024});
    QCOMPARE(roundUpToDivision(1025, 4), std::uint64_t {1280});
    QCOMPARE(roundUpToDivision(2047, 4), std::uint64_t {2048});
    QCOMPARE(roundUpToDivision(1200, 1), std::uint64_t {1200});
    QCOMPARE(roundUpToDivision(5, 8), std::uint64_t {5}); // a step below one byte
}

void AllocatorOptionsTest::rounding_data()
{
    QTest::addColumn<quint64>("requested");
    QTest::addColumn<quint32>("divisions");
    QTest::addColumn<quint64>("rounded");
    QTest::newRow("nothing") << quint64(0) << 0U << quint64(512);
    QTest::newRow("one byte") << quint64(1) << 0U << quint64(512);
    QTest::newRow("a unit") << quint64(512) << 0U << quint64(512);
    QTest::newRow("a unit and a byte") << quint64(513) << 0U << quint64(1024);
    QTest::newRow("large") << quint64(5 * kMiB + 1) << 0U << quint64(5 * kMiB + 512);
    QTest::newRow("too small for divisions") << quint64(1200) << 4U << quint64(1536);
    QTest::newRow("at the condition") << quint64(2048) << 4U << quint64(2048);
    QTest::newRow("past the condition") << quint64(2049) << 4U << quint64(2560);
    QTest::newRow("divisions, large") << quint64(5 * kMiB) << 4U << quint64(5 * kMiB);
    QTest::newRow("divisions, up") << quint64(5 * kMiB + 1) << 4U << quint64(6 * kMiB);
    QTest::newRow("a power of two stays") << quint64(8 * kMiB) << 8U << quint64(8 * kMiB);
    QTest::newRow("one division is off") << quint64(5 * kMiB + 1) << 1U << quint64(5 * kMiB + 512);
    QTest::newRow("beyond all cards") << quint64(UINT64_MAX) << 4U << quint64(UINT64_MAX);
}

void AllocatorOptionsTest::rounding()
{
    QFETCH(quint64, requested);
    QFETCH(quint32, divisions);
    QFETCH(quint64, rounded);
    QCOMPARE(quint64(roundedSize(requested, withDivisions(divisions))), rounded);
}

void AllocatorOptionsTest::segmentSizes_data()
{
    QTest::addColumn<quint64>("rounded");
    QTest::addColumn<quint64>("segment");
    QTest::newRow("small") << quint64(512) << quint64(2 * kMiB);
    QTest::newRow("1 MiB") << quint64(kMiB) << quint64(2 * kMiB);
    QTest::newRow("over 1 MiB") << quint64(kMiB + 512) << quint64(20 * kMiB);
    QTest::newRow("under 10 MiB") << quint64(10 * kMiB - 512) << quint64(20 * kMiB);
    QTest::newRow("10 MiB") << quint64(10 * kMiB) << quint64(10 * kMiB);
    QTest::newRow("odd") << quint64(11 * kMiB + 512) << quint64(12 * kMiB);
    QTest::newRow("the worked example") << quint64(5308694528) << quint64(5309988864);
}

void AllocatorOptionsTest::segmentSizes()
{
    QFETCH(quint64, rounded);
    QFETCH(quint64, segment);
    QCOMPARE(quint64(segmentSizeFor(rounded, {})), segment);
}

void AllocatorOptionsTest::confTexts_data()
{
    QTest::addColumn<QByteArray>("conf");
    QTest::addColumn<AllocatorOptions>("expected");
    AllocatorOptions options;
    QTest::newRow("nothing") << QByteArray("") << options;
    options.expandableSegments = true;
    QTest::newRow("expandable") << QByteArray("expandable_segments:True") << options;
    options.maxSplitSize = 128 * kMiB;
    QTest::newRow("two") << QByteArray(" expandable_segments : True , max_split_size_mb:128 ") << options;
    QTest::newRow("with silent ones") << QByteArray(
        "backend:native,expandable_segments:True,max_split_size_mb:128,pinned_use_cuda_host_register:True")
                                      << options;
    options = {};
    options.garbageCollectionThreshold = 0.8;
    options.memoryFraction = 0.5;
    QTest::newRow("shares") << QByteArray("garbage_collection_threshold:0.8,per_process_memory_fraction:0.5")
                            << options;
    options = withDivisions(8);
    QTest::newRow("divisions") << QByteArray("roundup_power2_divisions:8") << options;
    options = {};
    options.roundupDivisions.fill(8);
    std::fill_n(options.roundupDivisions.begin(), 9, 1U); // up to 256 MiB
    options.roundupDivisions[9] = 2;
    options.roundupDivisions[10] = 4;
    QTest::newRow("a list") << QByteArray("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]") << options;
    options.expandableSegments = true;
    QTest::newRow("a list, and behind it")
        << QByteArray("roundup_power2_divisions:[256:1,512:2,1024:4,>:8],expandable_segments:True") << options;
    options = {};
    options.largeSegmentSize = 64 * kMiB;
    options.maxNonSplitRounding = 30 * kMiB;
    QTest::newRow("newer") << QByteArray("large_segment_size_mb:64,max_non_split_rounding_mb:30") << options;
}

void AllocatorOptionsTest::confTexts()
{
    QFETCH(QByteArray, conf);
    QFETCH(AllocatorOptions, expected);
    AllocatorOptions options;
    std::vector<std::string> warnings;
    applyAllocatorConf(conf.toStdString(), options, warnings);
    QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings[0].c_str());
    QVERIFY(options == expected);
}

void AllocatorOptionsTest::whatIsNotUnderstoodIsNamed()
{
    AllocatorOptions options;
    std::vector<std::string> warnings;
    applyAllocatorConf("colour:red,max_split_size_mb:many,garbage_collection_threshold:7,roundup_power2_divisions:3,"
                       "roundup_power2_divisions:[4,bare,max_split_size_mb:99999999999999999999",
                       options, warnings);
    QVERIFY(options == AllocatorOptions());
    QVERIFY(warnings.size() >= 5);
    QVERIFY(warnings[0].find("colour:red") != std::string::npos);
}

void AllocatorOptionsTest::fieldsOfAFileWin()
{
    MemorySnapshot snapshot;
    QVERIFY(!allocatorSettingsOf(snapshot).isKnown);
    snapshot.settings = {{"PYTORCH_CUDA_ALLOC_CONF", "\"expandable_segments:True,max_split_size_mb:64\""},
                         {"max_split_size", "-1"},
                         {"garbage_collection_threshold", "0.25"},
                         {"expandable_segments", "false"},
                         {"roundup_power2_divisions", R"({"1": 8, "2": 4, "32768": 2})"}};
    const auto settings = allocatorSettingsOf(snapshot);
    QVERIFY(settings.isKnown);
    QCOMPARE(settings.options.maxSplitSize, AllocatorOptions::kNoLimit);
    QCOMPARE(settings.options.garbageCollectionThreshold, 0.25);
    QVERIFY(!settings.options.expandableSegments);
    QCOMPARE(settings.options.roundupDivisions[0], 8U);
    QCOMPARE(settings.options.roundupDivisions[1], 4U);
    QCOMPARE(settings.options.roundupDivisions[2], 0U);
    QCOMPARE(settings.options.roundupDivisions[15], 2U);
}

void AllocatorOptionsTest::confComesBackAsItWas()
{
    QCOMPARE(toConf({}), std::string());
    for (const auto *conf : {"expandable_segments:True", "max_split_size_mb:64,garbage_collection_threshold:0.6",
                             "roundup_power2_divisions:8", "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]"}) {
        AllocatorOptions options;
        std::vector<std::string> warnings;
        applyAllocatorConf(conf, options, warnings);
        AllocatorOptions again;
        applyAllocatorConf(toConf(options), again, warnings);
        QVERIFY(options == again);
        QVERIFY(warnings.empty());
    }
}

QTEST_APPLESS_MAIN(AllocatorOptionsTest)
#include "tst_allocator_options.moc"
