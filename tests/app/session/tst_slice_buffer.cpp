// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/recent_events.h"
#include "session/slice_buffer.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

const Instant kEnd{1'790'000'000s};

SliceRequest requestOf(Instant begin, Duration length, int pixels = 1000)
{
    return {{SeriesId{3}, SeriesId{9}}, {begin, begin + length}, pixels, false};
}

/// What a history would answer: a sample a second whose value is its second, in buckets of `width`
/// on one grid, samples from `hole` for a minute missing.
SliceBuffer made(const SlicePlan &plan, Duration width, Instant newest, Instant hole)
{
    SliceBuffer buffer;
    buffer.plan = plan;
    buffer.readAt = newest;
    for (const SeriesId id : plan.series) {
        SeriesSlice slice;
        slice.series = id;
        slice.range = plan.range;
        slice.width = width;
        const Instant first = std::chrono::ceil<std::chrono::seconds>(plan.range.begin);
        for (Instant t = first; t < plan.range.end && t <= newest; t += 1s) {
            if (t >= hole && t < hole + 1min)
                continue;
            const std::int64_t n = toUnixNanos(t);
            const Instant begin = width == Duration{} ? t : fromUnixNanos(n - n % width.count());
            if (slice.buckets.empty() || slice.buckets.back().begin != begin) {
                Bucket bucket;
                bucket.begin = begin;
                bucket.firstTime = t;
                bucket.first = bucket.min = bucket.max = static_cast<double>(n);
                slice.buckets.push_back(bucket);
            }
            Bucket &bucket = slice.buckets.back();
            bucket.max = bucket.last = static_cast<double>(n);
            bucket.lastTime = t;
            ++bucket.count;
        }
        Instant previous = plan.range.begin;
        for (const Bucket &bucket : slice.buckets) {
            if (bucket.firstTime - previous > 3s && previous > plan.range.begin)
                slice.gaps.push_back({{previous, bucket.firstTime}, GapReason::Away, "away"});
            previous = bucket.lastTime;
        }
        buffer.slices.push_back(std::move(slice));
    }
    return buffer;
}

} // namespace

class TestSliceBuffer : public QObject
{
    Q_OBJECT

private slots:
    void planIsOnTheGrid();
    void pansAndSmallZoomsAreCovered_data();
    void pansAndSmallZoomsAreCovered();
    void cropHasOneMoreAtEitherSide();
    void cropClipsGapsAndEvents();
    void tailEqualsTheWhole_data();
    void tailEqualsTheWhole();
    void otherGridIsRefused();
    void lateDataIsNoTail();
    void cacheForgetsTheOldest();
    void cacheKnowsWhatIsDirty_data();
    void cacheKnowsWhatIsDirty();
    void openEndsGrowOld();
    void eventsAreKeptOnce();
};

void TestSliceBuffer::planIsOnTheGrid()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
        const Duration length{static_cast<std::int64_t>(std::pow(10, 9 + static_cast<double>(random() % 700) / 100))};
        const auto request = requestOf(kEnd - Duration{static_cast<std::int64_t>(random() % 1'000'000'000'000'000)}, length,
                                       static_cast<int>(random() % 4000) + 1);
        const SlicePlan plan = SlicePlan::of(request);
        QVERIFY(plan.covers(request));
        QVERIFY(std::has_single_bit(static_cast<std::uint64_t>(plan.pixel.count())));
        const double wanted = static_cast<double>(length.count()) / request.pixels;
        const double ratio = static_cast<double>(plan.pixel.count()) / wanted;
        QVERIFY(ratio > 0.7 && ratio < 1.42);
        QVERIFY(plan.range.length() >= 2 * length);
        QVERIFY(plan.range.length() <= 3 * length + 2 * plan.pixel);
        QCOMPARE(plan.pixels() * plan.pixel, plan.range.length());
    }
}

void TestSliceBuffer::pansAndSmallZoomsAreCovered_data()
{
    QTest::addColumn<double>("shift"); // in lengths
    QTest::addColumn<double>("zoom");
    QTest::addColumn<bool>("covered");
    QTest::newRow("same") << 0.0 << 1.0 << true;
    QTest::newRow("a little left") << -0.3 << 1.0 << true;
    QTest::newRow("a little right") << 0.49 << 1.0 << true;
    QTest::newRow("two lengths away") << 2.0 << 1.0 << false;
    QTest::newRow("a little in") << 0.0 << 0.99 << true;
    QTest::newRow("much in: finer wanted") << 0.0 << 0.25 << false;
    QTest::newRow("out") << 0.0 << 4.0 << false;
}

void TestSliceBuffer::pansAndSmallZoomsAreCovered()
{
    QFETCH(double, shift);
    QFETCH(double, zoom);
    QFETCH(bool, covered);
    const Duration length = 10min;
    const SlicePlan plan = SlicePlan::of(requestOf(kEnd, length, 600));
    const auto scaled = [length](double f) { return Duration{static_cast<std::int64_t>(f * static_cast<double>(length.count()))}; };
    QCOMPARE(plan.covers(requestOf(kEnd + scaled(shift), scaled(zoom), 600)), covered);
}

void TestSliceBuffer::cropHasOneMoreAtEitherSide()
{
    const auto request = requestOf(kEnd, 1min);
    const SliceBuffer buffer = made(SlicePlan::of(request), Duration{}, kEnd + 1h, kEnd + 1h);
    const SliceAnswer answer = buffer.cropped(request);
    QCOMPARE(answer.request, request);
    QCOMPARE(answer.slices.size(), 2U);
    QCOMPARE(answer.slices[1].series, SeriesId{9});
    QCOMPARE(answer.slices[0].range, request.range);
    QCOMPARE(answer.slices[0].buckets.size(), 62U);
    QCOMPARE(answer.slices[0].buckets.front().begin, kEnd - 1s);
    QCOMPARE(answer.slices[0].buckets.back().begin, kEnd + 60s);
    SliceBuffer empty;
    empty.plan = buffer.plan;
    empty.slices.resize(2);
    QVERIFY(empty.cropped(request).slices[0].buckets.empty());
}

void TestSliceBuffer::cropClipsGapsAndEvents()
{
    auto request = requestOf(kEnd, 1min);
    request.withEvents = true;
    SliceBuffer buffer = made(SlicePlan::of(request), Duration{}, kEnd + 1h, kEnd - 30s);
    for (const Duration offset : {-1s, 0s, 59s, 60s}) {
        buffer.events.emplace_back();
        buffer.events.back().time = kEnd + offset;
    }
    const SliceAnswer answer = buffer.cropped(request);
    QCOMPARE(answer.slices[0].gaps.size(), 1U);
    QCOMPARE(answer.slices[0].gaps[0].range, (TimeRange{kEnd, kEnd + 30s})); // from kEnd − 31 s
    QCOMPARE(answer.events.size(), 2U);
    request.withEvents = false;
    QVERIFY(buffer.cropped(request).events.empty());
}

void TestSliceBuffer::tailEqualsTheWhole_data()
{
    QTest::addColumn<qint64>("width"); // ns
    QTest::addColumn<int>("dirtyAfter"); // s after kEnd
    QTest::addColumn<int>("hole");
    for (const qint64 width : {qint64(0), qint64(7'000'000'000), qint64(1) << 33}) {
        QTest::addRow("width %lld", width) << width << 1 << 100'000;
        QTest::addRow("width %lld, odd second", width) << width << 17 << 100'000;
        QTest::addRow("width %lld, gap before the cut", width) << width << 200 << 20;
        QTest::addRow("width %lld, gap across the cut", width) << width << 20 << -10;
        QTest::addRow("width %lld, gap after the cut", width) << width << 5 << 40;
    }
}

void TestSliceBuffer::tailEqualsTheWhole()
{
    QFETCH(qint64, width);
    QFETCH(int, dirtyAfter);
    QFETCH(int, hole);
    // Looked at until kEnd + dirtyAfter, then more came until ten minutes later.
    const SlicePlan plan = SlicePlan::of(requestOf(kEnd - 30min, 40min));
    const Instant dirtyFrom = kEnd + std::chrono::seconds(dirtyAfter);
    const Instant holeAt = kEnd + std::chrono::seconds(hole);
    const SliceBuffer before = made(plan, Duration{width}, dirtyFrom - 1s, holeAt);
    const SliceBuffer whole = made(plan, Duration{width}, kEnd + 10min, holeAt);
    const auto range = tailRange(before, dirtyFrom);
    QVERIFY(range);
    QVERIFY(range->begin < dirtyFrom);
    QCOMPARE(range->end, plan.range.end);
    SlicePlan tailPlan = plan;
    tailPlan.range = *range;
    const auto joined = spliced(before, made(tailPlan, Duration{width}, kEnd + 10min, holeAt), dirtyFrom);
    QVERIFY(joined);
    QCOMPARE(joined->slices.size(), whole.slices.size());
    for (std::size_t i = 0; i < whole.slices.size(); ++i) {
        QCOMPARE(joined->slices[i].buckets.size(), whole.slices[i].buckets.size());
        QVERIFY(joined->slices[i] == whole.slices[i]);
    }
    QCOMPARE(joined->plan.range, plan.range);
}

void TestSliceBuffer::otherGridIsRefused()
{
    const SlicePlan plan = SlicePlan::of(requestOf(kEnd - 30min, 40min));
    const SliceBuffer before = made(plan, 8s, kEnd, kEnd + 1h);
    SlicePlan tailPlan = plan;
    tailPlan.range = tailRange(before, kEnd).value();
    QVERIFY(spliced(before, made(tailPlan, 8s, kEnd + 5min, kEnd + 1h), kEnd));
    QVERIFY(!spliced(before, made(tailPlan, 4s, kEnd + 5min, kEnd + 1h), kEnd));
    SliceBuffer shifted = made(tailPlan, 8s, kEnd + 5min, kEnd + 1h);
    for (Bucket &bucket : shifted.slices[1].buckets)
        bucket.begin += 1s;
    QVERIFY(!spliced(before, shifted, kEnd));
    SliceBuffer fewer = made(tailPlan, 8s, kEnd + 5min, kEnd + 1h);
    fewer.slices.pop_back();
    QVERIFY(!spliced(before, fewer, kEnd));
}

void TestSliceBuffer::lateDataIsNoTail()
{
    const SlicePlan plan = SlicePlan::of(requestOf(kEnd - 30min, 40min));
    const SliceBuffer buffer = made(plan, Duration{}, kEnd, kEnd + 1h);
    QVERIFY(tailRange(buffer, kEnd));
    QVERIFY(!tailRange(buffer, plan.range.begin));
    QVERIFY(!tailRange(buffer, plan.range.begin - 1h));
    SliceBuffer silent = buffer; // one of two has never been heard of
    silent.slices[1].buckets.clear();
    QVERIFY(!tailRange(silent, kEnd));
    silent = buffer; // or not for twenty minutes: the tail reaches back to its last sample
    std::erase_if(silent.slices[1].buckets, [](const Bucket &b) { return b.begin > kEnd - 20min; });
    QVERIFY(tailRange(silent, kEnd));
    QVERIFY(tailRange(silent, kEnd)->begin < kEnd - 20min);
}

void TestSliceBuffer::cacheForgetsTheOldest()
{
    std::vector<std::shared_ptr<const SliceBuffer>> buffers;
    for (int i = 0; i < 4; ++i) {
        const auto request = requestOf(kEnd + std::chrono::hours(i), 1min);
        buffers.push_back(std::make_shared<const SliceBuffer>(made(SlicePlan::of(request), Duration{}, kEnd + 10h, kEnd + 10h)));
    }
    SliceCache cache(buffers[0]->bytes() * 7 / 2);
    const auto ask = [&](int i) { return cache.find(requestOf(kEnd + std::chrono::hours(i), 1min), kEnd + 10h).buffer; };
    for (int i = 0; i < 3; ++i)
        cache.insert(buffers[static_cast<std::size_t>(i)], {});
    QCOMPARE(ask(0), buffers[0]); // used again: 1 is the oldest now
    cache.insert(buffers[3], {});
    QVERIFY(!ask(1));
    QCOMPARE(ask(0), buffers[0]);
    QCOMPARE(ask(2), buffers[2]);
    QCOMPARE(ask(3), buffers[3]);
}

void TestSliceBuffer::cacheKnowsWhatIsDirty_data()
{
    QTest::addColumn<int>("begin"); // s after kEnd, of what is committed
    QTest::addColumn<int>("end");
    QTest::addColumn<bool>("dirty");
    QTest::newRow("inside") << -30 << -20 << true;
    QTest::newRow("its last instant") << -30 << -30 << true;
    QTest::newRow("behind what is asked") << 1 << 10 << false;
    QTest::newRow("before all that was fetched") << -9000 << -8000 << false;
    QTest::newRow("late, from long before on") << -9000 << -30 << true;
}

void TestSliceBuffer::cacheKnowsWhatIsDirty()
{
    QFETCH(int, begin);
    QFETCH(int, end);
    QFETCH(bool, dirty);
    SliceCache cache;
    const auto request = requestOf(kEnd - 1min, 1min);
    cache.insert(std::make_shared<const SliceBuffer>(made(SlicePlan::of(request), Duration{}, kEnd, kEnd + 1h)), {});
    cache.markDirty({kEnd + std::chrono::seconds(begin), kEnd + std::chrono::seconds(end)});
    const SliceCache::Hit hit = cache.find(request, kEnd + 1min);
    QVERIFY(hit.buffer);
    QCOMPARE(hit.dirtyFrom.has_value(), dirty);
    if (dirty)
        QCOMPARE(*hit.dirtyFrom, kEnd + std::chrono::seconds(begin));
}

void TestSliceBuffer::openEndsGrowOld()
{
    SliceCache cache;
    const auto request = requestOf(kEnd - 1min, 1min); // ends at now
    cache.insert(std::make_shared<const SliceBuffer>(made(SlicePlan::of(request), Duration{}, kEnd - 1s, kEnd + 1h)), {});
    QVERIFY(!cache.find(request, kEnd).dirtyFrom);
    QCOMPARE(cache.find(request, kEnd + 3s).dirtyFrom, std::optional(kEnd - 1s));
    QVERIFY(!cache.find(requestOf(kEnd - 61s, 1min), kEnd + 3s).dirtyFrom);
}

void TestSliceBuffer::eventsAreKeptOnce()
{
    std::vector<Event> all;
    for (int i = 0; i < 10; ++i) {
        all.emplace_back();
        all.back().time = kEnd + std::chrono::seconds(i / 2); // two at an instant
        all.back().text = std::to_string(i);
    }
    RecentEvents recent(6);
    QVERIFY(recent.add(std::span(all).subspan(4, 4)));
    QVERIFY(!recent.add(std::span(all).subspan(4, 4)));
    QVERIFY(recent.add(all));
    QCOMPARE(recent.all().size(), 6U);
    QCOMPARE(recent.all().front().text, std::string("4"));
    QCOMPARE(recent.all().back().text, std::string("9"));
    QVERIFY(!recent.add(all));
}

QTEST_APPLESS_MAIN(TestSliceBuffer)
#include "tst_slice_buffer.moc"
