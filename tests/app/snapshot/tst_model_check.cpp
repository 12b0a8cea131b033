// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/model_check.h"

#include "generated.h"
#include "trace_maker.h"

#include <QDir>
#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");

double placesShare(const ModelAgreement &agreement)
{
    return double(agreement.equalPlaces) / double(std::max<std::size_t>(agreement.comparedPlaces, 1));
}

// Every device of a file; how many had a history.
int checkAll(const MemorySnapshot &snapshot, double share, double places)
{
    int checked = 0;
    for (const auto &device : devicesOf(snapshot)) {
        if (device.eventCount < 2)
            continue;
        ++checked;
        const Replay replay(snapshot, device);
        const auto agreement = checkModel(replay);
        if (!agreement) {
            qCritical("%s", agreement.error().detail.c_str());
            return -1;
        }
        if (qEnvironmentVariableIsSet("PLIMSOLL_VERBOSE"))
            qInfo("device %d: %s", device.ordinal, agreement->describe().c_str());
        const bool isNear = agreement->shareAt98 <= share && placesShare(*agreement) >= places;
        if (!isNear || !agreement->isBelievable()) {
            qCritical("device %d: %s", device.ordinal, agreement->describe().c_str());
            return -1;
        }
    }
    return checked;
}

} // namespace

class ModelCheckTest : public QObject
{
    Q_OBJECT

private slots:
    void captures_data();
    void captures();
    void madeOnes_data();
    void madeOnes();
    void garbageCollectionIsFollowed();
    void otherSettingsDisagree();
    void randomNumbersAreNotBelieved();
    void stops();
};

void ModelCheckTest::captures_data()
{
    QTest::addColumn<QString>("file");
    for (const auto *folder : {"", "made/"})
        for (const auto &name :
             QDir(kSnapshots + QString::fromUtf8(folder)).entryList({QStringLiteral("*.pickle")}, QDir::Files))
            QTest::newRow(qPrintable(QString::fromUtf8(folder) + name)) << QString::fromUtf8(folder) + name;
    if (!QDir(kSnapshots).exists())
        QTest::newRow("none") << QString();
}

// Real ones came out equal at every event and every address; the bounds leave room for others.
void ModelCheckTest::captures()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("the shared captures are not here");
    if (file.startsWith(QStringLiteral("mosaic")))
        return; // by no allocator: see below
    const auto snapshot = capture(kSnapshots + file);
    QVERIFY(snapshot);
    QVERIFY(checkAll(*snapshot, 0.001, 0.99) >= 0);
}

void ModelCheckTest::madeOnes_data()
{
    QTest::addColumn<QString>("options");
    int seed = 100;
    const auto row = [&](const char *options) {
        QTest::newRow(options) << QString::fromUtf8(options) + QStringLiteral(" --seed %1").arg(++seed);
    };
    for (const auto *base :
         {"", "--oom --leak-rate 0.05", "--expandable", "--oom --leak-rate 0.05 --expandable", "--private-pools 3",
          "--private-pools 2 --expandable", "--streams 3", "--pending 0.1", "--pending 0.1 --streams 3",
          "--max-split-mb 64 --hidden 4096", "--roundup 8", "--roundup 4 --expandable", "--empty-cache-every 1",
          "--empty-cache-every 2 --expandable", "--empty-cache-every 2 --private-pools 2 --streams 2"})
        row(base);
    for (const auto *base :
         {"--oom --leak-rate 0.1 --streams 2", "--oom --leak-rate 0.05 --private-pools 2",
          "--oom --pending 0.05 --leak-rate 0.05", "--oom --leak-rate 0.05 --max-split-mb 128 --hidden 4096",
          "--oom --leak-rate 0.03 --roundup 8", "--oom --leak-rate 0.05 --expandable --streams 2 --private-pools 2",
          "--max-entries 2000", "--max-entries 1500 --expandable", "--late-history",
          "--late-history --expandable --streams 2", "--late-history --max-entries 2500 --private-pools 2",
          "--late-history --roundup 8 --empty-cache-every 2", "--torch 2.13 --private-pools 3 --streams 2",
          "--torch 2.13 --max-entries 2000 --pending 0.1", "--stop-mid-step --max-split-mb 32 --hidden 2048",
          "--empty-cache-every 3 --max-entries 1800 --expandable"})
        row(base);
}

void ModelCheckTest::madeOnes()
{
    QFETCH(QString, options);
    if (!hasGenerator())
        QSKIP("the generator of snapshots is not here");
    const auto snapshot = generated(options);
    QVERIFY(snapshot);
    const bool isCut = options.contains(QStringLiteral("--max-entries")) || options.contains(QStringLiteral("--late"));
    QCOMPARE(checkAll(*snapshot, isCut ? 0.01 : 0.001, isCut ? 0.95 : 0.99), 1);
}

// How much is allowed is not in a file, so what was collected is taken from the record.
void ModelCheckTest::garbageCollectionIsFollowed()
{
    AllocatorOptions options;
    options.garbageCollectionThreshold = 0.6;
    options.memoryFraction = 1;
    constexpr std::uint64_t kGiB = 1U << 30U;
    TraceMaker maker(options, {4 * kGiB, 4 * kGiB}); // requests grow, so that old segments serve no more
    std::uint64_t random = 1;
    std::vector<RequestId> live;
    for (int i = 0; i < 6000; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        if (random >> 63U && !live.empty()) {
            const auto victim = (random >> 33U) % live.size();
            maker.free(live[victim]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
        } else if (live.size() < 8) {
            live.push_back(maker.alloc(((random >> 40U) % 100 + 20 + static_cast<std::uint64_t>(i) / 20) << 20U));
        }
    }
    auto snapshot = maker.finish();
    QVERIFY(std::count(snapshot->events.action.span().begin(), snapshot->events.action.span().end(),
                       TraceAction::SegmentFree)
            > 10);
    snapshot->settings = {{"garbage_collection_threshold", "0.6"}, {"max_split_size", "-1"}};
    QCOMPARE(checkAll(*snapshot, 0, 1), 1);
    snapshot->settings = {{"garbage_collection_threshold", "0.0"}, {"max_split_size", "-1"}};
    QVERIFY(checkModel(Replay(*snapshot, devicesOf(*snapshot).at(0)))->exactShare < 0.9);
}

// It is the settings that make the agreement, not that everything agrees.
void ModelCheckTest::otherSettingsDisagree()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("windows-python-only.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const Replay replay(*snapshot, devicesOf(*snapshot).at(0));
    AllocatorSettings other;
    other.options.roundupDivisions.fill(2);
    const auto requests = allocatorRequestsOf(replay, other.options);
    QVERIFY(requests);
    const auto agreement = checkModel(replay, *requests, other);
    QVERIFY(agreement);
    QVERIFY2(!agreement->isBelievable(), agreement->describe().c_str());
    QVERIFY(placesShare(*agreement) < 0.8);
    QVERIFY(agreement->exactShare < 0.5);
}

void ModelCheckTest::randomNumbersAreNotBelieved()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("mosaic-random.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const auto agreement = checkModel(Replay(*snapshot, devicesOf(*snapshot).at(0)));
    QVERIFY(agreement);
    QVERIFY(!agreement->isBelievable());
    QVERIFY(!agreement->describe().empty());
}

void ModelCheckTest::stops()
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(4);
    for (std::uint64_t i = 1; i <= 2; ++i)
        snapshot.events.append({TraceAction::Alloc, i << 21U, 512, 0, kNoStack, 0, 0});
    snapshot.devices.push_back({});
    snapshot.devices[0].eventCount = 2;
    const Replay replay(snapshot, devicesOf(snapshot).at(0));
    std::stop_source source;
    source.request_stop();
    const auto stopped = checkModel(replay, source.get_token());
    QVERIFY(!stopped && stopped.error().code == Error::Code::Cancelled);
    int last = -1;
    const auto agreement = checkModel(replay, {}, [&](const Progress &progress) { last = progress.perMille; });
    QVERIFY(agreement);
    QCOMPARE(last, 0);
    QVERIFY(!agreement->hasSegmentEvents);
}

QTEST_APPLESS_MAIN(ModelCheckTest)
#include "tst_model_check.moc"
