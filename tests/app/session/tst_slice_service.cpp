// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/slice_service.h"
#include "support/test_feeder.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

/// A real history in a temporary folder, an hour of three series in it, and a service over it.
struct Scene
{
    Scene()
    {
        HistoryOptions options;
        options.file = folder.filePath(QStringLiteral("history.sqlite")).toStdString();
        auto opened = History::open(options, [this](TimeRange range) {
            // As a session does: first the service, then whoever asks.
            if (service)
                QMetaObject::invokeMethod(service.get(), [this, range] { service->dataCommitted(range); }, Qt::QueuedConnection);
        });
        if (!opened)
            qFatal("%s", opened.error().detail.c_str());
        history = std::move(*opened);
        feeder = std::make_unique<test::Feeder>(*history, "a1", std::vector<std::string>{"x", "y", "z"});
        feeder->samples(begin, 3600);
        ids = feeder->ids();
        service = std::make_unique<SliceService>(history);
        feed = service->createFeed(nullptr);
    }
    ~Scene()
    {
        delete feed;
        service.reset();
    }

    [[nodiscard]] SliceRequest request(Duration from, Duration length, int pixels = 300) const
    {
        return {ids, {begin + from, begin + from + length}, pixels, false};
    }
    [[nodiscard]] std::shared_ptr<const SliceAnswer> answerTo(const SliceRequest &request)
    {
        QSignalSpy answered(feed, &SliceFeed::answered);
        feed->ask(request);
        if (!answered.wait(10'000))
            return nullptr;
        return answered.back().front().value<std::shared_ptr<const SliceAnswer>>();
    }
    void append(Duration from, int rows, double first = 0)
    {
        feeder->samples(begin + from, rows, first);
        history->flush();
        QCoreApplication::processEvents(); // the commit has been posted to the service: let it arrive
    }

    QTemporaryDir folder;
    const Instant begin = std::chrono::floor<std::chrono::hours>(systemClock().now()) - 5h;
    std::shared_ptr<History> history;
    std::unique_ptr<test::Feeder> feeder;
    std::vector<SeriesId> ids;
    std::unique_ptr<SliceService> service;
    SliceFeed *feed = nullptr;
};

} // namespace

Q_DECLARE_METATYPE(std::shared_ptr<const plimsoll::SliceAnswer>)

class TestSliceService : public QObject
{
    Q_OBJECT

private slots:
    void answersWhatWasAsked();
    void panIsAnsweredFromMemory();
    void newRequestsSupersede();
    void answersAreNeverGivenFromWithinAsk();
    void tailIsFetchedAfterACommit();
    void spliceEqualsFreshRead();
    void commitDuringAFlightIsNotLost();
    void frozenPastIsNotReadAgain();
    void emptyRequestsAreAnswered();
    void unknownSeriesFails();
    void eventsComeWithTheRange();
    void feedsMayOutliveTheService();
    void feedsMayDieWhileAsked();
};

void TestSliceService::answersWhatWasAsked()
{
    Scene scene;
    auto request = scene.request(10min, 5min);
    std::swap(request.series[0], request.series[2]);
    const auto answer = scene.answerTo(request);
    QVERIFY(answer);
    QCOMPARE(answer->request, request);
    QCOMPARE(answer->slices.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(answer->slices[i].series, request.series[i]);
    const SeriesSlice &z = answer->slices[0];
    QCOMPARE(z.range, request.range);
    QCOMPARE(z.width, Duration::zero());
    QCOMPARE(z.buckets.size(), 302U); // 300 s, and one at either side
    QCOMPARE(z.buckets[1].begin, request.range.begin);
    QCOMPARE(z.buckets[1].last, 2600.0);
    QVERIFY(!scene.feed->isBusy());
}

void TestSliceService::panIsAnsweredFromMemory()
{
    Scene scene;
    QVERIFY(scene.answerTo(scene.request(20min, 10min)));
    for (int step = 1; step <= 5; ++step) {
        const auto request = scene.request(20min + std::chrono::minutes(step), 10min);
        const auto answer = scene.answerTo(request);
        QVERIFY(answer);
        QCOMPARE(answer->request, request);
        QCOMPARE(answer->slices[0].buckets[1].begin, request.range.begin);
    }
    QCOMPARE(scene.service->statistics().fetches, 1U);
    QCOMPARE(scene.service->statistics().fromCache, 5U);
    QVERIFY(scene.answerTo(scene.request(0min, 10min)));
    QCOMPARE(scene.service->statistics().fetches, 2U);
}

void TestSliceService::newRequestsSupersede()
{
    Scene scene;
    QSignalSpy answered(scene.feed, &SliceFeed::answered);
    QSignalSpy failed(scene.feed, &SliceFeed::failed);
    SliceRequest last;
    for (int i = 0; i < 50; ++i) {
        last = scene.request(std::chrono::seconds(i), 1min + std::chrono::minutes(i), 100 + 40 * i);
        scene.feed->ask(last);
    }
    QVERIFY(scene.feed->isBusy());
    QTRY_VERIFY(!scene.feed->isBusy());
    QCoreApplication::processEvents();
    // However fast the pool was, nothing that was overtaken is told, and the last is told last, once.
    QCOMPARE(answered.size(), 1);
    QCOMPARE(answered.back().front().value<std::shared_ptr<const SliceAnswer>>()->request, last);
    QCOMPARE(failed.size(), 0);
    QVERIFY(scene.service->statistics().superseded > 0);
}

void TestSliceService::answersAreNeverGivenFromWithinAsk()
{
    Scene scene;
    const auto request = scene.request(20min, 10min);
    QVERIFY(scene.answerTo(request));
    QSignalSpy answered(scene.feed, &SliceFeed::answered);
    scene.feed->ask(request);
    QCOMPARE(answered.size(), 0);
    QVERIFY(scene.feed->isBusy());
    scene.feed->ask(request);
    QTRY_COMPARE(answered.size(), 1);
    QCoreApplication::processEvents();
    QCOMPARE(answered.size(), 1);
    QVERIFY(!scene.feed->isBusy());
}

void TestSliceService::tailIsFetchedAfterACommit()
{
    Scene scene;
    QVERIFY(scene.answerTo(scene.request(50min, 20min, 2000)));
    for (int second = 0; second < 20; ++second) {
        scene.append(60min + std::chrono::seconds(second), 1, second);
        const auto request = scene.request(50min + std::chrono::seconds(second), 10min + 1s, 1000);
        const auto answer = scene.answerTo(request);
        QVERIFY(answer);
        QCOMPARE(answer->slices[0].buckets.back().lastTime, scene.begin + 60min + std::chrono::seconds(second));
    }
    const auto statistics = scene.service->statistics();
    QVERIFY2(statistics.tailFetches >= 15, qPrintable(QString::number(statistics.tailFetches)));
    QVERIFY(statistics.fetches <= 5);
}

void TestSliceService::spliceEqualsFreshRead()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    Scene scene;
    const Duration length = 40min;
    auto at = Duration(60min);
    for (const int pixels : {4000, 800, 150}) { // raw samples, seconds, minutes
        for (int round = 0; round < 12; ++round) {
            at += std::chrono::seconds(random() % 90); // sometimes a gap
            const int rows = static_cast<int>(random() % 40) + 1;
            scene.append(at, rows, static_cast<double>(random() % 1000));
            at += std::chrono::seconds(rows);
            const auto request = scene.request(at - length, length, pixels);
            const auto answer = scene.answerTo(request);
            SliceService fresh(scene.history);
            std::unique_ptr<SliceFeed> other(fresh.createFeed(nullptr));
            QSignalSpy answered(other.get(), &SliceFeed::answered);
            other->ask(request);
            QVERIFY(answered.wait(10'000));
            const auto truth = answered.front().front().value<std::shared_ptr<const SliceAnswer>>();
            for (std::size_t i = 0; i < 3; ++i) {
                QCOMPARE(answer->slices[i].width, truth->slices[i].width);
                QVERIFY(answer->slices[i].buckets == truth->slices[i].buckets);
                QCOMPARE(answer->slices[i].gaps.size(), truth->slices[i].gaps.size());
                for (std::size_t g = 0; g < truth->slices[i].gaps.size(); ++g) {
                    // The last one may still be growing with the clock.
                    QCOMPARE(answer->slices[i].gaps[g].range.begin, truth->slices[i].gaps[g].range.begin);
                    QCOMPARE(answer->slices[i].gaps[g].reason, truth->slices[i].gaps[g].reason);
                }
            }
        }
    }
    QVERIFY(scene.service->statistics().tailFetches > 0);
}

void TestSliceService::commitDuringAFlightIsNotLost()
{
    Scene scene;
    QSignalSpy answered(scene.feed, &SliceFeed::answered);
    const auto request = scene.request(50min, 20min, 2000);
    scene.feed->ask(request);
    scene.append(60min, 10); // told while the read is on its way, or has landed but not been heard
    scene.feed->ask(request);
    QTRY_VERIFY(!scene.feed->isBusy());
    const auto last = answered.back().front().value<std::shared_ptr<const SliceAnswer>>();
    QCOMPARE(last->slices[0].buckets.back().lastTime, scene.begin + 60min + 9s);
}

void TestSliceService::frozenPastIsNotReadAgain()
{
    Scene scene;
    const auto request = scene.request(5min, 10min);
    QVERIFY(scene.answerTo(request));
    scene.append(60min, 10);
    QVERIFY(scene.answerTo(request));
    QCOMPARE(scene.service->statistics().fetches, 1U);
    QCOMPARE(scene.service->statistics().tailFetches, 0U);
    QCOMPARE(scene.service->statistics().fromCache, 1U);
}

void TestSliceService::emptyRequestsAreAnswered()
{
    Scene scene;
    auto request = scene.request(5min, 0min);
    auto answer = scene.answerTo(request);
    QVERIFY(answer);
    QCOMPARE(answer->slices.size(), 3U);
    QVERIFY(answer->slices[0].buckets.empty());
    request = scene.request(5min, 1min);
    request.series.clear();
    QCOMPARE(scene.answerTo(request)->request, request);
    request = scene.request(5min, 1min, 0);
    QVERIFY(scene.answerTo(request)); // no pixel counts as one
}

void TestSliceService::unknownSeriesFails()
{
    Scene scene;
    QSignalSpy failed(scene.feed, &SliceFeed::failed);
    auto request = scene.request(5min, 1min);
    request.series.push_back(SeriesId{4'000'000'000});
    scene.feed->ask(request);
    QVERIFY(failed.wait(10'000));
    QVERIFY(!scene.feed->isBusy());
    QVERIFY(scene.answerTo(scene.request(5min, 1min)));
}

void TestSliceService::eventsComeWithTheRange()
{
    Scene scene;
    for (const Duration at : {Duration(9min), Duration(10min), Duration(14min), Duration(15min)}) {
        Event event;
        event.time = scene.begin + at;
        event.kind = EventKind::Checkpoint;
        event.labels = {{"job.id", "j1"}};
        scene.feeder->event(event);
    }
    scene.history->flush();
    auto request = scene.request(10min, 5min);
    request.withEvents = true;
    const auto answer = scene.answerTo(request);
    QCOMPARE(answer->events.size(), 2U);
    QCOMPARE(answer->events[0].time, scene.begin + 10min);
    QCOMPARE(answer->events[1].time, scene.begin + 14min);
    request.withEvents = false;
    QVERIFY(scene.answerTo(request)->events.empty());
}

void TestSliceService::feedsMayOutliveTheService()
{
    Scene scene;
    QSignalSpy answered(scene.feed, &SliceFeed::answered);
    scene.feed->ask(scene.request(5min, 10min));
    scene.service.reset();
    scene.feed->ask(scene.request(6min, 10min));
    QCoreApplication::processEvents();
    QCOMPARE(answered.size(), 0);
}

void TestSliceService::feedsMayDieWhileAsked()
{
    Scene scene;
    for (int i = 0; i < 200; ++i) {
        SliceFeed *const feed = scene.service->createFeed(nullptr);
        feed->ask(scene.request(std::chrono::seconds(i), 20min, 100 + i));
        if (i % 3 == 0)
            QCoreApplication::processEvents();
        delete feed;
    }
    QVERIFY(scene.answerTo(scene.request(5min, 10min)));
}

QTEST_GUILESS_MAIN(TestSliceService)
#include "tst_slice_service.moc"
