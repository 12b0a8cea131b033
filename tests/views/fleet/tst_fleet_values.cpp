// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_values.h"

#include "views/fleet/device_timeline.h"

#include <QRandomGenerator>
#include <QtTest>

using namespace plimsoll;

namespace {

constexpr double kGi = 1024.0 * 1024.0 * 1024.0;
const Instant kBegin{std::chrono::seconds(1'790'000'000)};

/// One sample a second, from the values.
SeriesSlice slice(const std::vector<double> &values, std::uint32_t id = 1)
{
    SeriesSlice out;
    out.series = SeriesId{id};
    out.range = {kBegin, kBegin + std::chrono::seconds(static_cast<long>(values.size()))};
    for (std::size_t i = 0; i < values.size(); ++i) {
        Bucket bucket;
        bucket.begin = bucket.firstTime = bucket.lastTime = kBegin + std::chrono::seconds(static_cast<long>(i));
        bucket.min = bucket.max = bucket.first = bucket.last = bucket.sum = values[i];
        bucket.count = 1;
        out.buckets.push_back(bucket);
    }
    return out;
}

DeviceState host(const std::string &node, double capacity, double used)
{
    DeviceState out;
    out.id = "host:" + node;
    out.node = node;
    out.name = "host";
    out.capacity = Bytes{static_cast<std::int64_t>(capacity)};
    out.used = Bytes{static_cast<std::int64_t>(used)};
    out.availableSeries = SeriesId{1};
    return out;
}

Fleet fleetOf(std::vector<DeviceState> devices, Freshness freshness = Freshness::Live)
{
    Fleet fleet;
    fleet.at = kBegin;
    for (auto &device : devices)
        fleet.nodes.push_back({device.node, freshness, kBegin, {device}});
    return fleet;
}

} // namespace

class TestFleetValues : public QObject
{
    Q_OBJECT

private slots:
    void worstOfANodeIsItsFullest()
    {
        const DeviceTrack a{"a", "n", SeriesId{1}, true, 100};
        const DeviceTrack b{"b", "n", SeriesId{2}, false, 200};
        // Of a there are 80 free of 100, then 10: loads 0.2 and 0.9. Of b 100 and 20 of 200 are used: 0.5 and 0.1.
        const DeviceHistory history({a, b}, {slice({80, 10}), slice({100, 20}, 2)}, {kBegin, kBegin + std::chrono::seconds(2)});
        const auto worst = history.worstOfNode("n", 2);
        QCOMPARE(worst.size(), std::size_t{2});
        QCOMPARE(worst[0].value(), 0.5);
        QCOMPARE(worst[1].value(), 0.9);
        QVERIFY(!history.worstOfNode("other", 2)[0]);
    }
    void nothingSeenStaysUnknown()
    {
        const DeviceTrack track{"a", "n", SeriesId{1}, false, 100};
        const DeviceHistory history({track}, {slice({50})}, {kBegin - std::chrono::seconds(10), kBegin + std::chrono::seconds(10)});
        const auto worst = history.worstOfNode("n", 20);
        QVERIFY(!worst[0]);
        QVERIFY(worst[10]);
        QVERIFY(!worst[15]);
    }
    void availableTurnsIntoUsed()
    {
        const std::uint32_t seed = QRandomGenerator::global()->generate();
        qInfo("seed %u", seed);
        QRandomGenerator random(seed);
        for (int round = 0; round < 200; ++round) {
            const double capacity = 1 + random.bounded(1000.0);
            Bucket bucket;
            bucket.min = random.bounded(capacity);
            bucket.max = bucket.min + random.bounded(capacity - bucket.min + 1e-9);
            bucket.first = bucket.min;
            bucket.last = bucket.max;
            bucket.count = 2;
            bucket.sum = bucket.min + bucket.max;
            SeriesSlice in;
            in.buckets = {bucket};
            const Bucket out = usedSlice({"a", "n", SeriesId{1}, true, capacity}, in).buckets.front();
            QVERIFY(out.min <= out.max + 1e-9);
            QVERIFY(std::abs(out.min - (capacity - bucket.max)) < 1e-6);
            QVERIFY(std::abs(out.sum / out.count - (capacity - bucket.sum / bucket.count)) < 1e-6);
        }
    }
    void timeToFull_data()
    {
        QTest::addColumn<double>("perSecond"); // of what is available, bytes
        QTest::addColumn<int>("seconds");
        QTest::addColumn<int>("kind");
        QTest::newRow("fills") << -0.01 * kGi << 300 << static_cast<int>(TimeToFull::Kind::Filling);
        QTest::newRow("steady") << 0.0 << 300 << static_cast<int>(TimeToFull::Kind::Steady);
        QTest::newRow("empties") << 0.01 * kGi << 300 << static_cast<int>(TimeToFull::Kind::Steady);
        QTest::newRow("too short") << -0.01 * kGi << 20 << static_cast<int>(TimeToFull::Kind::Unknown);
        QTest::newRow("fills in a year") << -100.0 << 300 << static_cast<int>(TimeToFull::Kind::Steady);
    }
    void timeToFull()
    {
        QFETCH(double, perSecond);
        QFETCH(int, seconds);
        QFETCH(int, kind);
        std::vector<double> values;
        for (int i = 0; i < seconds; ++i)
            values.push_back(8 * kGi + perSecond * i);
        const DeviceTrack track{"a", "n", SeriesId{1}, true, 64 * kGi};
        const TimeToFull estimate = timeToFullOf(track, slice(values));
        QCOMPARE(static_cast<int>(estimate.kind), kind);
        if (estimate.kind != TimeToFull::Kind::Filling)
            return;
        const double expected = values.back() / -perSecond;
        QVERIFY(std::chrono::duration<double>(estimate.soonest).count() <= expected * 1.01);
        QVERIFY(std::chrono::duration<double>(estimate.latest).count() >= expected * 0.99);
        QVERIFY(estimate.bytesPerHour.value() > 0);
        QVERIFY(timeToFullText(estimate).endsWith(QStringLiteral("min")));
    }
    void sumsOnlyWhatIsKnown()
    {
        auto unknown = host("n3", 0, 0);
        unknown.capacity.reset();
        const Fleet fleet = fleetOf({host("n1", 100, 50), host("n2", 100, 95), unknown});
        const MemorySum sum = memorySum(fleet, false);
        QCOMPARE(sum.used, 145.0);
        QCOMPARE(sum.capacity, 200.0);
        QCOMPARE(sum.unknown, 1);
        QCOMPARE(sum.high, 1);
        QVERIFY(!memorySum(fleet, true).ratio());
        QCOMPARE(leastHeadroom(fleet)->node, std::string("n2"));
    }
    void awayNodesHaveNoFigures()
    {
        const Fleet fleet = fleetOf({host("n1", 100, 50)}, Freshness::Away);
        QVERIFY(!memorySum(fleet, false).ratio());
        QVERIFY(!leastHeadroom(fleet));
        const auto groups = heatGroups(fleet, {}, 10);
        QCOMPARE(groups.front().rows.front().freeText, QStringLiteral("\u2013"));
        QVERIFY(!groups.front().rows.front().cells.front().load);
        QVERIFY(!headroomEntries(fleet, {}).front().freeBytes);
    }
    void fullDevicesAreMarked()
    {
        const Fleet fleet = fleetOf({host("n1", 100, 99), host("n2", 100, 92), host("n3", 100, 10)});
        const auto entries = headroomEntries(fleet, {});
        QCOMPARE(entries[0].glyph, std::optional(Glyph::Page));
        QCOMPARE(entries[1].glyph, std::optional(Glyph::Trend));
        QVERIFY(!entries[2].glyph);
        QVERIFY(entries[0].tip.contains(QStringLiteral("n1")));
    }
    void foreignNodeNamesAreHarmless()
    {
        const Fleet fleet = fleetOf({host("<b>x</b>\u202e", 100, 1)});
        QVERIFY(!heatGroups(fleet, {}, 4).front().rows.front().name.contains(QChar(0x202e)));
        QVERIFY(!headroomEntries(fleet, {}).front().name.contains(QChar(0x202e)));
    }
};

QTEST_APPLESS_MAIN(TestFleetValues)
#include "tst_fleet_values.moc"
