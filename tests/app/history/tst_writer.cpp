// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history/support_history.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace plimsoll;
using namespace plimsoll::historytest;
using namespace std::chrono_literals;

namespace {

using Random = std::mt19937_64;
using Truth = std::map<std::int64_t, double>; // what one series was given

std::uint64_t below(Random &random, std::uint64_t limit) { return random() % limit; }

Random seeded()
{
    const auto given = qEnvironmentVariable("PLIMSOLL_SEED");
    const auto seed = given.isEmpty() ? std::uint64_t{std::random_device()()} : given.toULongLong();
    qInfo("seed %llu (set PLIMSOLL_SEED to run it again)", static_cast<unsigned long long>(seed));
    return Random(seed);
}

// What a slice must say, from the samples themselves.
QString differs(const SeriesSlice &slice, const Truth &truth)
{
    const auto width = slice.width;
    std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>> wanted;
    for (const auto &[time, value] : truth) {
        const auto step = width == Duration::zero() ? 1 : width.count();
        const auto begin = time / step * step;
        if (begin + step > toUnixNanos(slice.range.begin) && begin < toUnixNanos(slice.range.end))
            wanted[begin].emplace_back(time, value);
    }
    if (wanted.size() != slice.buckets.size())
        return QStringLiteral("%1 buckets instead of %2").arg(slice.buckets.size()).arg(wanted.size());
    auto bucket = slice.buckets.begin();
    for (const auto &[begin, samples] : wanted) {
        double min = samples[0].second;
        double max = min;
        double sum = 0;
        for (const auto &[time, value] : samples) {
            min = std::min(min, value);
            max = std::max(max, value);
            sum += value;
        }
        const auto where = QStringLiteral(" of the bucket at +%1 s").arg((begin - toUnixNanos(slice.range.begin)) / 1'000'000'000);
        if (toUnixNanos(bucket->begin) != begin)
            return QStringLiteral("begin") + where;
        if (bucket->min != min || bucket->max != max)
            return QStringLiteral("an extreme") + where;
        if (bucket->first != samples.front().second || bucket->last != samples.back().second)
            return QStringLiteral("first or last") + where;
        if (toUnixNanos(bucket->firstTime) != samples.front().first || toUnixNanos(bucket->lastTime) != samples.back().first)
            return QStringLiteral("a time") + where;
        if (bucket->count != samples.size())
            return QStringLiteral("count %1 instead of %2").arg(bucket->count).arg(samples.size()) + where;
        if (std::fabs(bucket->sum - sum) > 1e-9 * std::fabs(sum))
            return QStringLiteral("sum") + where;
        ++bucket;
    }
    return {};
}

} // namespace

/// The writer and the reader against samples kept in a plain map.
class TestWriter : public QObject
{
    Q_OBJECT

private slots:
    void slicesAreWhatWasGiven_data();
    void slicesAreWhatWasGiven();
    void settlesAndKeepsTheExtremes();
    void mergesLateRows();
    void keepsTheLastOfEqualTimes();
    void wallClockJumpsBack();
    void newEpochKeepsTheIds();
    void unexplainedJumpIsALoss();
    void countsWhatItCannotKeep();
    void tenThousandSeries();
    void hugeAndHostileLabels();
    void moreThan256ColumnsInAGroup();
    void asOfFindsThePast();
    void forgetsOldRawButNotItsExtremes();
    void staysUnderItsSize();
    void changesTheChunkLength();
    void sameInEveryTimeZone();
    void cancelsSoon();
    void readersBesideTheWriter();
    void commitsTellWhatTheyTouched();
};

void TestWriter::slicesAreWhatWasGiven_data()
{
    QTest::addColumn<int>("hours");
    QTest::addColumn<int>("reopen");
    QTest::newRow("in the head") << 0 << 0;
    QTest::newRow("chunks and strips") << 2 << 0;
    QTest::newRow("settled") << 9 << 0;
    QTest::newRow("settled and opened again") << 7 << 1;
}

void TestWriter::slicesAreWhatWasGiven()
{
    QFETCH(int, hours);
    QFETCH(int, reopen);
    auto random = seeded();
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a", "b", "c"});
    std::vector<Truth> truth(3);
    const int total = hours == 0 ? 200 : hours * 3600;
    double walk = 1000;
    for (int at = 0; at < total;) {
        const int count = static_cast<int>(std::min<std::uint64_t>(1 + below(random, 700), static_cast<std::uint64_t>(total - at)));
        const Instant begin = scene.begin + std::chrono::seconds(at) + std::chrono::milliseconds(below(random, 4));
        auto delivery = feeder.rows(begin, count, [&](int row, std::size_t c) {
            walk += double(below(random, 21)) - 10;
            const double value = c == 0 ? std::round(walk) * 1048576 : c == 1 ? double(below(random, 100'000)) / 1000 : double(random()) / 7;
            if (below(random, 50) == 0)
                return absentValue();
            truth[c][toUnixNanos(begin + std::chrono::seconds(row))] = value;
            return value;
        });
        Feeder::post(*history, std::move(delivery));
        if (below(random, 3) == 0)
            history->flush();
        at += count;
        if (below(random, 10) == 0)
            at += static_cast<int>(below(random, 2000)); // a gap
    }
    scene.clock.set(scene.begin + std::chrono::hours(hours + 1));
    history->flush();
    scene.clock.pass(20s);
    for (int i = 0; i < 6; ++i)
        history->flush(); // each may settle some more
    if (reopen != 0) {
        history.reset();
        history = scene.open();
    }
    std::vector<SeriesId> ids;
    for (const auto &entry : history->latest())
        ids.push_back(entry.id);
    QCOMPARE(ids.size(), 3U);
    QCOMPARE(history->state().dropped, 0U);
    for (int question = 0; question < 60; ++question) {
        const auto length = std::chrono::milliseconds(1 + below(random, static_cast<std::uint64_t>(total) * 1200));
        const Instant from = scene.begin + std::chrono::milliseconds(below(random, static_cast<std::uint64_t>(total) * 1000)) - 100s;
        const int pixels = static_cast<int>(1 + below(random, 1500));
        const auto slices = history->slice(ids, {from, from + length}, pixels, {});
        QVERIFY(slices);
        for (std::size_t s = 0; s < 3; ++s) {
            const auto &slice = (*slices)[s];
            QVERIFY(slice.series == ids[s]);
            QVERIFY(slice.buckets.size() <= 2U * static_cast<std::size_t>(pixels));
            const auto what = differs(slice, truth[s]);
            QVERIFY2(what.isEmpty(), qPrintable(QStringLiteral("question %1, series %2, width %3 s: %4").arg(question).arg(s)
                .arg(std::chrono::duration<double>(slice.width).count()).arg(what)));
            for (const auto &gap : slice.gaps) {
                QVERIFY(!gap.range.isEmpty() && gap.range.begin >= from && gap.range.end <= from + length);
                // No sample lies inside a gap.
                const auto after = truth[s].upper_bound(toUnixNanos(gap.range.begin));
                QVERIFY(after == truth[s].end() || after->first >= toUnixNanos(gap.range.end));
            }
        }
    }
    if (hours >= 7) {
        QVERIFY(scene.question("SELECT count(*) FROM rollup") != "0");
        QVERIFY(std::stoi(scene.question("SELECT count(*) FROM strip")) < hours * 6);
    }
    history.reset();
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
    QCOMPARE(scene.question("SELECT count(*) FROM damaged"), "0");
}

void TestWriter::settlesAndKeepsTheExtremes()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a"});
    const int seconds = 3 * 86'400;
    const int peak = 100'003;
    for (int at = 0; at < seconds; at += 3600) {
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::seconds(at), 3600, [&](int row, std::size_t) {
            return at + row == peak ? 1e9 : at + row == peak + 1 ? -1e9 : 5.0;
        }));
        history->flush();
    }
    scene.clock.set(scene.begin + std::chrono::seconds(seconds));
    for (int i = 0; i < 40; ++i) {
        scene.clock.pass(11s);
        history->flush();
    }
    const std::vector ids{history->latest()[0].id};
    const TimeRange range{scene.begin, scene.begin + std::chrono::seconds(seconds)};
    for (const int pixels : {1, 7, 40, 300, 1200, 3000}) {
        const auto slices = history->slice(ids, range, pixels, {});
        QVERIFY(slices);
        double min = 0;
        double max = 0;
        std::uint64_t count = 0;
        for (const auto &bucket : slices->front().buckets) {
            min = std::min(min, bucket.min);
            max = std::max(max, bucket.max);
            count += bucket.count;
        }
        QCOMPARE(min, -1e9);
        QCOMPARE(max, 1e9);
        QCOMPARE(count, static_cast<std::uint64_t>(seconds));
    }
    QVERIFY(std::stoi(scene.question("SELECT count(*) FROM strip")) < 30);
    QVERIFY(std::stoi(scene.question("SELECT count(*) FROM rollup WHERE id >> 56 = 3")) > 0);
}

void TestWriter::mergesLateRows()
{
    auto random = seeded();
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a"});
    Truth truth;
    const auto give = [&](int from, int step, int count) {
        SampleBlock block;
        block.columns = {1};
        for (int i = 0; i < count; ++i) {
            const auto time = scene.begin + std::chrono::seconds(from + i * step);
            block.times.push_back(time);
            block.values.push_back(double(below(random, 1000)));
            truth[toUnixNanos(time)] = block.values.back();
        }
        Feeder::post(*history, feeder.frame(std::move(block)));
        history->flush();
    };
    // Even seconds first, for five hours; then odd ones, hours late: into what is folded and settled.
    for (int hour = 0; hour < 5; ++hour)
        give(hour * 3600, 2, 1800);
    scene.clock.set(scene.begin + 5h);
    const auto settle = [&] {
        for (int i = 0; i < 10; ++i) {
            scene.clock.pass(40s);
            history->flush();
        }
    };
    settle();
    QVERIFY(scene.question("SELECT count(*) FROM rollup") != "0");
    give(4000, 2, 1500); // would be 4000, 4002: the same times, newer values
    give(4001, 2, 1500);
    give(17'003, 2, 100);
    settle();
    const std::vector ids{history->latest()[0].id};
    for (int round = 0; round < 2; ++round) {
        for (const int pixels : {20'000, 1200, 100, 10}) {
            const auto slices = history->slice(ids, {scene.begin, scene.begin + 5h}, pixels, {});
            QVERIFY(slices);
            const auto what = differs(slices->front(), truth);
            QVERIFY2(what.isEmpty(), qPrintable(QStringLiteral("%1 pixels: %2").arg(pixels).arg(what)));
        }
        QCOMPARE(scene.question("SELECT count(*) FROM tail"), scene.question("SELECT count(*) FROM tail WHERE length(data) > 0"));
        history.reset();
        QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
        history = scene.open();
    }
    QCOMPARE(history->state().dropped, 0U);
}

void TestWriter::keepsTheLastOfEqualTimes()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a", "b"});
    Feeder::post(*history, feeder.rows(scene.begin, 3, [](int, std::size_t) { return 1.0; }));
    Feeder::post(*history, feeder.rows(scene.begin + 1s, 1, [](int, std::size_t c) { return c == 0 ? 2.0 : absentValue(); }));
    history->flush();
    const auto latest = history->latest();
    for (int round = 0; round < 2; ++round) {
        const auto slices = history->slice(std::vector{latest[0].id, latest[1].id}, {scene.begin, scene.begin + 3s}, 100, {});
        QVERIFY(slices);
        QCOMPARE((*slices)[0].buckets.size(), 3U);
        QCOMPARE((*slices)[0].buckets[1].last, 2.0);
        QCOMPARE((*slices)[1].buckets[1].last, 1.0); // an absent value hides nothing
        history.reset();
        history = scene.open();
    }
}

void TestWriter::wallClockJumpsBack()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a"});
    Truth truth;
    const auto give = [&](Duration from, int count, double value) {
        Feeder::post(*history, feeder.rows(scene.begin + from, count, [&](int row, std::size_t) {
            truth[toUnixNanos(scene.begin + from + std::chrono::seconds(row))] = value;
            return value;
        }));
        history->flush();
    };
    give(0s, 3000, 1);
    give(900s, 1000, 2); // two thousand seconds back
    scene.clock.set(scene.begin - 24h);
    give(3000s, 700, 3);
    scene.clock.pass(40s);
    history->flush();
    const std::vector ids{history->latest()[0].id};
    for (int round = 0; round < 2; ++round) {
        const auto slices = history->slice(ids, {scene.begin, scene.begin + 4000s}, 4000, {});
        QVERIFY(slices);
        QCOMPARE(differs(slices->front(), truth), QString());
        history.reset();
        QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
        history = scene.open();
    }
    QCOMPARE(history->resumePoint("host").nextSequence, 4U);
}

void TestWriter::newEpochKeepsTheIds()
{
    Scene scene;
    auto history = scene.open();
    Feeder first("host", {"a", "b"}, 7);
    Feeder::post(*history, first.rows(scene.begin, 5, [](int, std::size_t) { return 1.0; }));
    history->flush();
    const auto before = history->latest();
    Feeder second("host", {"b", "c", "a"}, 9); // numbered in another order
    Feeder::post(*history, second.rows(scene.begin + 5s, 5, [](int, std::size_t c) { return double(c); }));
    history->flush();
    const auto after = history->latest();
    QCOMPARE(after.size(), 3U);
    QVERIFY(after[0].id == before[0].id && after[1].id == before[1].id);
    QCOMPARE(after[0].lastValue, 2.0);
    QCOMPARE(after[1].lastValue, 0.0);
    QCOMPARE(after[2].info.key.metric, std::string("c"));
    QCOMPARE(history->resumePoint("host"), (ResumePoint{9, 2}));
    QCOMPARE(history->state().duplicates, 0U);
    // Another agent's series of the same name is another series.
    Feeder other("host-2", {"a"});
    Feeder::post(*history, other.rows(scene.begin, 1, [](int, std::size_t) { return 1.0; }));
    history->flush();
    QCOMPARE(history->latest().size(), 4U);
    // A definition that changed keeps the id, too.
    other.interval = 5s;
    Feeder::post(*history, other.rows(scene.begin + 5s, 1, [](int, std::size_t) { return 1.0; }));
    history.reset();
    history = scene.open();
    QCOMPARE(history->latest().size(), 4U);
    QCOMPARE(history->latest()[3].info.interval, Duration(5s));
    QVERIFY(history->latest()[3].info.source == (Source{"source_a", "MiB", 1048576}));
}

void TestWriter::unexplainedJumpIsALoss()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a"});
    const auto one = [](int, std::size_t) { return 1.0; };
    feeder.sequence = 100; // whoever connects late has lost nothing
    Feeder::post(*history, feeder.rows(scene.begin, 1, one));
    feeder.sequence = 111;
    Feeder::post(*history, feeder.rows(scene.begin + 60s, 1, one));
    auto said = feeder.rows(scene.begin + 120s, 1, one);
    said.frames[0].sequence = 1315;
    said.lost = {{112, 1314}};
    Feeder::post(*history, said);
    history->flush();
    const auto events = history->events({Instant{}, Instant::max()}, 10, {});
    QVERIFY(events);
    QCOMPARE(events->size(), 2U);
    QCOMPARE((*events)[0].value, std::optional(10.0));
    QCOMPARE((*events)[1].value, std::optional(1203.0));
    const auto slices = history->slice(std::vector{history->latest()[0].id}, {scene.begin, scene.begin + 121s}, 500, {});
    QVERIFY(slices);
    QCOMPARE(slices->front().gaps.size(), 2U);
    QVERIFY(slices->front().gaps[0].reason == GapReason::Dropped);
    QCOMPARE(slices->front().gaps[1].note, std::string("dropped 1,203"));
    QCOMPARE(history->resumePoint("host").nextSequence, 1316U);
}

void TestWriter::countsWhatItCannotKeep()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a"});
    SampleBlock before1970{{Instant(Duration(-5))}, {1}, {1.0}};
    SampleBlock undefined{{scene.begin}, {1, 99}, {1.0, 2.0}};
    SampleBlock misshapen{{scene.begin}, {1}, {1.0, 2.0, 3.0}};
    for (auto *block : {&before1970, &undefined, &misshapen})
        Feeder::post(*history, feeder.frame(*block));
    history->flush();
    const auto state = history->state();
    QCOMPARE(state.dropped, 5U);
    QCOMPARE(state.samples, 1U);
    for (const char *why : {"1970", "not defined", "shape"})
        QVERIFY2(state.detail.find(why) != std::string::npos, state.detail.c_str());
    QCOMPARE(history->resumePoint("host").nextSequence, 4U);
}

void TestWriter::tenThousandSeries()
{
    Scene scene;
    auto history = scene.open();
    std::vector<std::string> names;
    for (int i = 0; i < 10'000; ++i)
        names.push_back("metric." + std::to_string(i));
    Feeder feeder("host", names);
    for (int i = 0; i < 3; ++i)
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::seconds(i), 1, [](int, std::size_t c) { return double(c); }));
    history->flush();
    QElapsedTimer timer;
    timer.start();
    const auto latest = history->latest();
    QVERIFY(timer.elapsed() < 2000);
    QCOMPARE(latest.size(), 10'000U);
    QCOMPARE(history->state().series, 10'000U);
    history.reset();
    history = scene.open();
    const auto again = history->latest();
    QVERIFY(again == latest);
    std::vector<SeriesId> ids;
    for (const auto &entry : again)
        ids.push_back(entry.id);
    const auto slices = history->slice(ids, {scene.begin, scene.begin + 3s}, 100, {});
    QVERIFY(slices);
    for (std::size_t i = 0; i < slices->size(); ++i)
        QVERIFY((*slices)[i].buckets.size() == 3 && (*slices)[i].buckets[2].last == double(i));
}

void TestWriter::hugeAndHostileLabels()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("ho\"st'; DROP TABLE agent; --", {"a", "a\nb", "<b>\xe2\x80\xae"});
    std::vector<Labels::Pair> pairs;
    for (int i = 0; i < 64; ++i)
        pairs.emplace_back("label_" + std::to_string(i), std::string(4096, static_cast<char>('!' + i)));
    pairs.emplace_back("bytes", std::string("\0\xff\"=,\\\n", 7));
    feeder.labels = Labels(pairs);
    Feeder::post(*history, feeder.rows(scene.begin, 2, [](int, std::size_t) { return 1.0; }));
    history->flush();
    const auto before = history->latest();
    QCOMPARE(before.size(), 3U);
    QVERIFY(before[0].info.key.labels == feeder.labels);
    history.reset();
    history = scene.open();
    QVERIFY(history->latest() == before);
}

void TestWriter::moreThan256ColumnsInAGroup()
{
    Scene scene;
    auto history = scene.open();
    std::vector<std::string> names;
    for (int i = 0; i < 600; ++i)
        names.push_back("m" + std::to_string(i));
    Feeder feeder("host", names);
    Feeder::post(*history, feeder.rows(scene.begin, 1500, [](int row, std::size_t c) { return double(c) * 1000 + row; }));
    history->flush();
    QCOMPARE(scene.question("SELECT count(*) FROM grp"), "3");
    QCOMPARE(scene.question("SELECT max(columns) FROM grp"), "256");
    const auto latest = history->latest();
    const auto slices = history->slice(std::vector{latest[599].id}, {scene.begin, scene.begin + 1500s}, 1000, {});
    QVERIFY(slices);
    QCOMPARE(slices->front().buckets.size(), 1500U);
    QCOMPARE(slices->front().buckets[777].last, 599'777.0);
}

void TestWriter::asOfFindsThePast()
{
    Scene scene;
    auto history = scene.open();
    Feeder feeder("host", {"a", "b"});
    Feeder::post(*history, feeder.rows(scene.begin, 4000, [](int row, std::size_t c) {
        return c == 1 && row >= 1000 ? absentValue() : double(row);
    }));
    history->flush();
    for (int round = 0; round < 2; ++round) {
        const auto at = history->asOf(scene.begin + 1005s + 500ms, 10s, {});
        QVERIFY(at);
        QCOMPARE(at->size(), 2U);
        QCOMPARE((*at)[0].lastValue, 1005.0);
        QCOMPARE((*at)[0].lastTime, std::optional(scene.begin + 1005s));
        QCOMPARE((*at)[1].lastValue, 999.0);
        QCOMPARE(history->asOf(scene.begin + 1015s, 10s, {})->size(), 1U);
        QCOMPARE(history->asOf(scene.begin - 1s, 1h, {})->size(), 0U);
        QCOMPARE(history->asOf(scene.begin + 3999s, 1s, {})->front().lastValue, 3999.0);
        history.reset();
        history = scene.open();
        // One that ended long before the last chunk is still known with its last sample.
        QCOMPARE(history->latest()[1].lastTime, std::optional(scene.begin + 999s));
        QCOMPARE(history->latest()[1].lastValue, 999.0);
    }
}

void TestWriter::forgetsOldRawButNotItsExtremes()
{
    Scene scene;
    scene.options.keepRaw = 3h;
    auto history = scene.open();
    Feeder feeder("host", {"a"});
    Truth truth;
    for (int hour = 0; hour < 12; ++hour) {
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::hours(hour), 3600, [&](int row, std::size_t) {
            const double value = (hour * 3600 + row) % 977;
            truth[toUnixNanos(scene.begin + std::chrono::seconds(hour * 3600 + row))] = value;
            return value;
        }));
        history->flush();
    }
    const auto chunks = std::stoi(scene.question("SELECT count(*) FROM chunk"));
    // While our clock stands far behind nothing is old.
    scene.clock.set(scene.begin);
    scene.clock.pass(11s);
    history->flush();
    QCOMPARE(std::stoi(scene.question("SELECT count(*) FROM chunk")), chunks);
    scene.clock.set(scene.begin + 12h);
    for (int i = 0; i < 20; ++i) {
        scene.clock.pass(11s);
        history->flush();
    }
    QVERIFY(std::stoi(scene.question("SELECT count(*) FROM chunk")) < chunks / 2);
    const std::vector ids{history->latest()[0].id};
    for (int round = 0; round < 2; ++round) {
        // So near that raw samples would be shown: where there are none, minutes are.
        const auto old = history->slice(ids, {scene.begin + 1h, scene.begin + 1h + 10min}, 1200, {});
        QVERIFY(old);
        QCOMPARE(old->front().width, Duration(1min));
        QCOMPARE(differs(old->front(), truth), QString());
        const auto all = history->slice(ids, {scene.begin, scene.begin + 12h}, 100, {});
        QVERIFY(all);
        QCOMPARE(differs(all->front(), truth), QString());
        const auto at = history->asOf(scene.begin + 1h + 90s, 10s, {});
        QVERIFY(at && at->size() == 1);
        history.reset();
        QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
        history = scene.open();
    }
    // What comes for a time whose samples are gone is counted, not lost in silence.
    Feeder::post(*history, feeder.rows(scene.begin + 60s, 5, [](int, std::size_t) { return 1.0; }));
    history->flush();
    QCOMPARE(history->state().dropped, 5U);
    // A block that begins in such a time loses the rows that are too old, and no other.
    const auto since = std::stoll(scene.question("SELECT value FROM meta WHERE key = 'raw_since'"));
    const auto edge = std::chrono::ceil<std::chrono::seconds>(fromUnixNanos(since));
    Feeder late("other", {"late"});
    Feeder::post(*history, late.rows(edge - 3s, 10, [](int row, std::size_t) { return 1000.0 + row; }));
    history->flush();
    QCOMPARE(history->state().dropped, 8U);
    const auto kept = history->slice(std::vector{history->latest()[1].id}, {edge - 10s, edge + 10s}, 100, {});
    QVERIFY(kept);
    std::size_t count = 0;
    for (const auto &bucket : kept->front().buckets)
        count += bucket.count;
    QCOMPARE(count, std::size_t{7});
    QCOMPARE(kept->front().buckets.back().last, 1009.0);
}

void TestWriter::staysUnderItsSize()
{
    auto random = seeded();
    Scene scene;
    scene.options.sizeLimit = Bytes{2 * kMiB};
    auto history = scene.open();
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i)
        names.push_back("m" + std::to_string(i));
    Feeder feeder("host", names);
    for (int hour = 0; hour < 24; ++hour) {
        scene.clock.set(scene.begin + std::chrono::hours(hour + 1));
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::hours(hour), 3600, [&](int, std::size_t) { return double(random()); }));
        for (int i = 0; i < 4; ++i) {
            scene.clock.pass(11s);
            history->flush();
        }
    }
    for (int i = 0; i < 40; ++i) {
        scene.clock.pass(11s);
        history->flush();
    }
    // 24 hours are 14 MB of noise; what is left: the newest hours, the rollups, and free pages.
    const auto used = std::stoll(scene.question("SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"));
    QVERIFY2(used < 3 * kMiB, std::to_string(used).c_str());
    const auto slices = history->slice(std::vector{history->latest()[0].id}, {scene.begin, scene.begin + 24h}, 24, {});
    QVERIFY(slices);
    QVERIFY(slices->front().buckets.size() > 12);
    history.reset();
    QCOMPARE(scene.question("PRAGMA integrity_check"), "ok");
}

void TestWriter::changesTheChunkLength()
{
    Scene scene;
    Truth truth;
    Feeder feeder("host", {"a"});
    const auto give = [&](History &history, int from, int count) {
        Feeder::post(history, feeder.rows(scene.begin + std::chrono::seconds(from), count, [&](int row, std::size_t) {
            truth[toUnixNanos(scene.begin + std::chrono::seconds(from + row))] = from + row;
            return from + row;
        }));
        history.flush();
    };
    int from = 0;
    for (const Duration length : {Duration(10min), Duration(90s), Duration(25min), Duration(10min)}) {
        scene.options.chunkLength = length;
        const auto history = scene.open();
        QVERIFY(history);
        give(*history, from, 4000);
        from += 4000;
    }
    const auto history = scene.open();
    give(*history, 100, 10); // into the first era
    scene.clock.pass(40s);
    history->flush();
    for (const int pixels : {20'000, 100}) {
        const auto slices = history->slice(std::vector{history->latest()[0].id}, {scene.begin, scene.begin + 16'000s}, pixels, {});
        QVERIFY(slices);
        QCOMPARE(differs(slices->front(), truth), QString());
    }
}

void TestWriter::sameInEveryTimeZone()
{
    const auto before = qgetenv("TZ");
    std::vector<std::string> answers;
    for (const char *zone : {"UTC", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia"}) {
        qputenv("TZ", zone);
        ::tzset();
        Scene scene;
        const auto history = scene.open();
        Feeder feeder("host", {"a"});
        Feeder::post(*history, feeder.rows(scene.begin, 5000, [](int row, std::size_t) { return double(row); }));
        history->flush();
        const auto slices = history->slice(std::vector{history->latest()[0].id}, {scene.begin, scene.begin + 5000s}, 50, {});
        QVERIFY(slices);
        std::string answer;
        for (const auto &bucket : slices->front().buckets)
            answer += std::to_string(toUnixNanos(bucket.begin)) + ' ' + std::to_string(bucket.sum) + '\n';
        answers.push_back(answer + scene.question("SELECT group_concat(id) FROM chunk"));
    }
    qputenv("TZ", before);
    ::tzset();
    for (const auto &answer : answers)
        QCOMPARE(answer, answers.front());
}

void TestWriter::cancelsSoon()
{
    Scene scene;
    const auto history = scene.open();
    Feeder feeder("host", {"a", "b", "c", "d"});
    for (int i = 0; i < 12; ++i)
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::hours(i), 3600, [](int row, std::size_t) { return double(row) / 7; }));
    history->flush();
    std::vector<SeriesId> ids;
    for (const auto &entry : history->latest())
        ids.insert(ids.end(), 200, entry.id); // a lot of work
    std::stop_source stop;
    QElapsedTimer timer;
    std::jthread later([&] {
        std::this_thread::sleep_for(20ms); // the work must be under way
        timer.start();
        stop.request_stop();
    });
    const auto slices = history->slice(ids, {scene.begin, scene.begin + 12h}, 100'000, stop.get_token());
    const auto took = timer.isValid() ? timer.elapsed() : 0;
    QVERIFY(!slices);
    QVERIFY(slices.error().code == Error::Code::Cancelled);
    QVERIFY2(took < 500, qPrintable(QString::number(took))); // 50 ms on an idle machine
    QVERIFY(history->events({Instant{}, Instant::max()}, 10, stop.get_token()).error().code == Error::Code::Cancelled);
    QVERIFY(history->asOf(scene.begin + 1h, 1h, stop.get_token()).error().code == Error::Code::Cancelled);
    QVERIFY(history->slice(std::vector{ids[0]}, {scene.begin, scene.begin + 1h}, 10, {}));
}

// No row twice, none missing, whatever the writer is doing just then.
void TestWriter::readersBesideTheWriter()
{
    Scene scene;
    scene.options.commitInterval = 1ms;
    scene.options.chunkLength = 1min;
    const auto history = scene.open();
    Feeder feeder("host", {"a"});
    Feeder::post(*history, feeder.rows(scene.begin, 10, [](int row, std::size_t) { return double(row); }));
    history->flush();
    const auto id = history->latest()[0].id;
    std::atomic<int> given = 10;
    std::atomic<bool> isDone = false;
    std::string problem;
    std::mutex problemMutex;
    std::vector<std::jthread> readers;
    for (int r = 0; r < 3; ++r) {
        readers.emplace_back([&, r] {
            while (!isDone) {
                const int least = given;
                const auto slices = history->slice(std::vector{id}, {scene.begin, scene.begin + 5h}, r == 0 ? 300 : 20'000, {});
                std::string what;
                if (!slices) {
                    what = slices.error().detail;
                } else {
                    std::int64_t expected = 0;
                    std::uint64_t count = 0;
                    for (const auto &bucket : slices->front().buckets) {
                        if (bucket.first != double(expected))
                            what = "a row is missing or twice";
                        expected += bucket.count;
                        count += bucket.count;
                    }
                    if (count < static_cast<std::uint64_t>(least))
                        what = "rows that were there are gone";
                }
                if (!what.empty()) {
                    const std::lock_guard lock(problemMutex);
                    problem = what;
                    return;
                }
            }
        });
    }
    for (int i = 0; i < 500; ++i) {
        const int from = 10 + i * 30;
        Feeder::post(*history, feeder.rows(scene.begin + std::chrono::seconds(from), 30, [&](int row, std::size_t) { return double(from + row); }));
        if (i % 10 == 0)
            history->flush();
        if (i % 10 == 0)
            given = from + 30;
    }
    history->flush();
    isDone = true;
    readers.clear();
    QCOMPARE(problem, std::string());
    QVERIFY(std::stoi(scene.question("SELECT count(*) FROM chunk")) > 200);
}

void TestWriter::commitsTellWhatTheyTouched()
{
    Scene scene;
    std::vector<TimeRange> told;
    std::mutex mutex;
    const auto history = scene.open([&](TimeRange range) {
        const std::lock_guard lock(mutex);
        told.push_back(range);
    });
    Feeder feeder("host", {"a"});
    Feeder::post(*history, feeder.rows(scene.begin, 10, [](int, std::size_t) { return 1.0; }));
    history->flush();
    history->flush(); // nothing new: nothing told
    const std::lock_guard lock(mutex);
    QCOMPARE(told.size(), 1U);
    QVERIFY((told[0] == TimeRange{scene.begin, scene.begin + 9s + Duration(1)}));
}

QTEST_GUILESS_MAIN(TestWriter)
#include "tst_writer.moc"
