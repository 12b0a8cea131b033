// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_trace.h"

#include "snapshot/residency.h"

#include <QTest>

using namespace plimsoll;

class ResidencyTest : public QObject
{
    Q_OBJECT

private slots:
    void columnsEqualBruteForce_data();
    void columnsEqualBruteForce();
    void bandsAreTheBiggest();
    void longTraces();
    void columnsWithoutEvents();
};

namespace {

void check(const LevelCurve &curve, const Bands &bands, const BandPicture &picture)
{
    const auto &replay = curve.replay();
    std::vector<std::int64_t> all(curve.size());
    curve.values(0, all);
    for (std::size_t c = 0; c < picture.columns.size(); ++c) {
        const auto &column = picture.columns[c];
        QVERIFY(column.begin < column.end && column.end <= curve.size());
        const auto high = std::max_element(all.begin() + column.begin, all.begin() + column.end);
        QCOMPARE(column.at, static_cast<EventInstant>(high - all.begin()));
        QCOMPARE(column.total, *high);
        QCOMPARE(column.low, *std::min_element(all.begin() + column.begin, all.begin() + column.end));
        std::vector<std::int64_t> levels(bands.count);
        replay.forEachAlive(column.at, [&](AllocationId id) { levels[bands.of[id]] += static_cast<std::int64_t>(replay.sizes()[id]); });
        std::int64_t sum = 0;
        for (std::size_t b = 0; b < bands.count; ++b) {
            QCOMPARE(picture.level(c, b), levels[b]);
            sum += levels[b];
        }
        QCOMPARE(sum, column.total);
    }
}

} // namespace

void ResidencyTest::columnsEqualBruteForce_data()
{
    QTest::addColumn<unsigned>("seed");
    QTest::addColumn<bool>("isForeign");
    for (unsigned seed = 1; seed <= 3; ++seed) {
        QTest::addRow("allocator %u", seed) << seed << false;
        QTest::addRow("foreign %u", seed) << seed << true;
    }
}

void ResidencyTest::columnsEqualBruteForce()
{
    QFETCH(unsigned, seed);
    QFETCH(bool, isForeign);
    RandomTraceWish wish;
    wish.isForeign = isForeign;
    const auto snapshot = randomTrace(seed, wish);
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    const LevelCurve curve(replay, LevelKind::Requested);
    const auto bands = bandsOfStacks(replay, 7);
    QCOMPARE(bands.count, std::size_t{8});
    std::mt19937 random(seed);
    for (int round = 0; round < 20; ++round) {
        const auto begin = static_cast<EventInstant>(random() % curve.size());
        const auto end = static_cast<EventInstant>(begin + 1 + random() % (curve.size() - begin));
        check(curve, bands, bandPicture(curve, bands, eventBorders(begin, end, 1 + static_cast<std::uint32_t>(random() % 200))));
    }
    const TimeAxis axis(replay);
    check(curve, bands, bandPicture(curve, bands, timeBorders(axis, axis.firstUs() - 100, axis.lastUs() + 100, 333)));
}

void ResidencyTest::bandsAreTheBiggest()
{
    SnapshotBuilder build;
    const auto big = build.stack({"a.py:1 big"});
    const auto often = build.stack({"a.py:2 often"});
    const auto small = build.stack({"a.py:3 small"});
    build.alloc(0x10000, 5000, big);
    build.free(0x10000, 5000, big);
    for (unsigned i = 0; i < 50; ++i) { // more in sum, never as much at once
        build.alloc(0x20000, 4000, often);
        build.free(0x20000, 4000, often);
    }
    build.alloc(0x30000, 1, small);
    const auto snapshot = build.take();
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    const auto bands = bandsOfStacks(replay, 2);
    QCOMPARE(bands.stacks, (std::vector<StackId>{big, often}));
    QCOMPARE(bands.of.back(), std::uint8_t{2});
}

void ResidencyTest::longTraces()
{
    RandomTraceWish wish;
    wish.events = 300'000; // beyond what is made exactly
    const auto snapshot = randomTrace(1, wish);
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    const LevelCurve curve(replay, LevelKind::Requested);
    const auto bands = bandsOfStacks(replay, 15);
    const auto picture = bandPicture(curve, bands, eventBorders(0, curve.size(), 100));
    QCOMPARE(picture.columns.size(), std::size_t{100});
    QCOMPARE(picture.columns.front().begin, 0U);
    QCOMPARE(picture.columns.back().end, curve.size());
    std::int64_t highest = 0;
    for (std::size_t c = 0; c < picture.columns.size(); ++c) {
        if (c > 0)
            QCOMPARE(picture.columns[c].begin, picture.columns[c - 1].end);
        highest = std::max(highest, picture.columns[c].total);
    }
    QCOMPARE(highest, replay.peakLevel());
    check(curve, bands, picture);
}

void ResidencyTest::columnsWithoutEvents()
{
    SnapshotBuilder build;
    build.alloc(0x10000, 5000);
    const auto snapshot = build.take();
    const Replay replay(snapshot, devicesOf(snapshot)[0]);
    const LevelCurve curve(replay, LevelKind::Requested);
    const auto bands = bandsOfStacks(replay, 3);
    const auto picture = bandPicture(curve, bands, eventBorders(0, 2, 50));
    QCOMPARE(picture.columns.size(), std::size_t{50});
    check(curve, bands, picture);
    QCOMPARE(picture.columns.front().total, std::int64_t{0});
    QCOMPARE(picture.columns.back().total, std::int64_t{5000});
    QVERIFY(bandPicture(curve, bands, {}).columns.empty());
}

QTEST_GUILESS_MAIN(ResidencyTest)
#include "tst_residency.moc"
