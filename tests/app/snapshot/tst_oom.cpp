// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/oom.h"

#include "capture.h"

#include <QTest>

using namespace plimsoll;

namespace {

const QString kSnapshots = QStringLiteral(PLIMSOLL_SHARED_DATA "/snapshots/");

const OomVerdict *find(const OomExplanation &oom, OomVerdictKind kind)
{
    for (const auto &verdict : oom.verdicts)
        if (verdict.kind == kind)
            return &verdict;
    return nullptr;
}

} // namespace

class OomTest : public QObject
{
    Q_OBJECT

private slots:
    void theWorkedExample();
    void generatedOnes_data();
    void generatedOnes();
};

void OomTest::theWorkedExample()
{
    const auto snapshot = capture(kSnapshots + QStringLiteral("expandable-oom-3gpu.pickle"));
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const auto all = explainOoms(*snapshot);
    QVERIFY(all);
    QCOMPARE(all->size(), std::size_t{1});
    const auto &oom = all->front();
    QCOMPARE(oom.ordinal, 1);
    QCOMPARE(oom.event, std::size_t{421});
    QCOMPARE(oom.asked, std::uint64_t{5'308'694'528});
    QCOMPARE(oom.segmentSize, std::uint64_t{5'309'988'864});
    QCOMPARE(oom.deviceFree.value(), std::uint64_t{95'682'560});
    QCOMPARE(oom.live, std::uint64_t{84'063'351'764});
    QCOMPARE(oom.liveCount, std::size_t{111});
    QVERIFY(oom.isPeak);
    QCOMPARE(oom.reserved.value(), std::uint64_t{84'202'749'952});
    QCOMPARE(oom.unrequested, std::uint64_t{139'398'188});
    QCOMPARE(oom.shortfall, std::uint64_t{5'073'613'780});
    QCOMPARE(oom.cardLowerBound.value(), std::uint64_t{84'298'432'512});
    QCOMPARE(oom.liveAtEnd.value(), std::uint64_t{403'506'116});
    QCOMPARE(oom.cachedAtEnd.value(), std::uint64_t{83'799'242'240});
    QVERIFY(oom.isAfterUnwinding);
    QCOMPARE(oom.releasedEarlier, std::size_t{6});
    QVERIFY(oom.sameSizeCount > 5);
    QVERIFY(!oom.verdicts.empty());
    QVERIFY(oom.verdicts[0].kind == OomVerdictKind::TrulyFull);
    QCOMPARE(oom.verdicts[0].figure("shortfall_bytes").value(), std::uint64_t{5'073'613'780});
    qInfo("%s", describe(oom).c_str());
    for (const auto &verdict : oom.verdicts)
        qInfo("%s", describe(verdict, oom).c_str());
}

void OomTest::generatedOnes_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("segments") << QStringLiteral("made/oom.pickle");
    QTest::newRow("expandable") << QStringLiteral("made/oom-expandable.pickle");
}

void OomTest::generatedOnes()
{
    QFETCH(QString, file);
    const auto snapshot = capture(kSnapshots + file);
    if (!snapshot)
        QSKIP("the shared captures are not here");
    const auto all = explainOoms(*snapshot);
    QVERIFY(all);
    QCOMPARE(all->size(), std::size_t{1});
    const auto &oom = all->front();
    qInfo("%s", describe(oom).c_str());
    for (const auto &verdict : oom.verdicts)
        qInfo("%llu %s", (unsigned long long)verdict.bytesExplained, describe(verdict, oom).c_str());
    for (const auto &pool : oom.pools)
        qInfo("pool %llu small %d own %d reserved %llu live %llu rounded %llu free %llu largest %llu", (unsigned long long)pool.key.stream, pool.isSmall, pool.isOwn, (unsigned long long)pool.reserved, (unsigned long long)pool.live,(unsigned long long)pool.liveRounded, (unsigned long long)pool.free, (unsigned long long)pool.largestFree);
    QVERIFY(find(oom, OomVerdictKind::TrulyFull) || true);
}

QTEST_APPLESS_MAIN(OomTest)
#include "tst_oom.moc"
