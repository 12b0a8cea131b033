// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/slice_service.h"

#include "history/history.h"
#include "session/job_queue.h"
#include "session/slice_buffer.h"

#include <QPointer>

#include <optional>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMostEvents = 2'000; // of one buffer
constexpr unsigned kThreads = 2;

using Fetched = Result<std::shared_ptr<const SliceBuffer>>;

/// Pool thread.
Fetched fetchAll(const History &history, const SlicePlan &plan, const std::stop_token &stop)
{
    SliceBuffer buffer;
    buffer.plan = plan;
    buffer.readAt = systemClock().now();
    auto slices = history.slice(plan.series, plan.range, plan.pixels(), stop);
    if (!slices)
        return tl::make_unexpected(slices.error());
    buffer.slices = std::move(*slices);
    if (plan.withEvents) {
        auto events = history.events(plan.range, kMostEvents, stop);
        if (!events)
            return tl::make_unexpected(events.error());
        buffer.events = std::move(*events);
    }
    if (stop.stop_requested())
        return failure(Error::Code::Cancelled, "superseded");
    return std::make_shared<const SliceBuffer>(std::move(buffer));
}

Fetched fetchTail(const History &history, const SliceBuffer &old, TimeRange range, Instant dirtyFrom,
                  const std::stop_token &stop)
{
    SlicePlan plan = old.plan;
    plan.range = range;
    auto tail = fetchAll(history, plan, stop);
    if (!tail)
        return tail;
    if (auto joined = spliced(old, **tail, dirtyFrom))
        return std::make_shared<const SliceBuffer>(std::move(*joined));
    return fetchAll(history, old.plan, stop);
}

} // namespace

class SliceService::Private
{
public:
    std::shared_ptr<History> history;
    SliceCache cache;
    Statistics statistics;
    std::vector<SliceFeed *> feeds;
    std::optional<JobQueue> pool; // gone first, so that no answer is posted to a dying service
};

class SliceFeed::Private
{
public:
    /// A read on its way.
    struct Flight
    {
        std::uint64_t id = 0;
        SlicePlan plan;
        std::stop_source stop;
        std::optional<Instant> dirtyFrom; // committed since it began
    };

    QPointer<SliceService> service;
    SliceRequest request;
    std::uint64_t lastId = 0;
    std::optional<Flight> flight;
    bool isAnswerQueued = false;
    bool asksAgain = false; // the flight will land with less than is wanted by now

    void land(SliceFeed *feed, const Fetched &fetched);
    void begin(SliceFeed *feed, const SliceCache::Hit &hit);
    void cancel();
    void answerSoon(SliceFeed *feed, std::shared_ptr<const SliceAnswer> answer);
};

SliceFeed::SliceFeed(std::unique_ptr<Private> d_, QObject *parent) : QObject(parent), d(std::move(d_)) {}

SliceFeed::~SliceFeed()
{
    d->cancel();
    if (d->service)
        std::erase(d->service->d->feeds, this);
}

bool SliceFeed::isBusy() const noexcept { return d->flight.has_value() || d->isAnswerQueued; }

void SliceFeed::ask(SliceRequest request)
{
    if (!d->service)
        return;
    SliceService::Private &service = *d->service->d;
    ++service.statistics.asked;
    d->request = std::move(request);
    d->asksAgain = false;

    if (d->request.range.isEmpty() || d->request.series.empty()) {
        d->cancel();
        auto nothing = std::make_shared<SliceAnswer>();
        nothing->request = d->request;
        nothing->slices.resize(d->request.series.size());
        for (std::size_t i = 0; i < nothing->slices.size(); ++i) {
            nothing->slices[i].series = d->request.series[i];
            nothing->slices[i].range = d->request.range;
        }
        d->answerSoon(this, std::move(nothing));
        return;
    }
    const SliceCache::Hit hit = service.cache.find(d->request, systemClock().now());
    if (hit.buffer && !hit.dirtyFrom) {
        ++service.statistics.fromCache;
        d->cancel();
        d->answerSoon(this, std::make_shared<const SliceAnswer>(hit.buffer->cropped(d->request)));
        return;
    }
    // A flight that brings what is wanted now goes on: who asks faster than the disk
    // answers (a live view, a long pan) would otherwise never see anything.
    if (d->flight && d->flight->plan.covers(d->request)) {
        d->asksAgain = d->flight->dirtyFrom && *d->flight->dirtyFrom < d->request.range.end;
        return;
    }
    d->begin(this, hit);
}

void SliceFeed::Private::cancel()
{
    if (!flight)
        return;
    flight->stop.request_stop();
    flight.reset();
    if (service)
        ++service->d->statistics.superseded;
}

void SliceFeed::Private::begin(SliceFeed *feed, const SliceCache::Hit &hit)
{
    cancel();
    isAnswerQueued = false; // the id below makes it late
    SliceService::Private &owner = *service->d;
    std::optional<TimeRange> tail;
    if (hit.buffer)
        tail = tailRange(*hit.buffer, *hit.dirtyFrom);
    ++(tail ? owner.statistics.tailFetches : owner.statistics.fetches);

    Flight next;
    next.id = ++lastId;
    next.plan = tail ? hit.buffer->plan : SlicePlan::of(request);
    const auto read = [history = owner.history, plan = next.plan, tail, old = hit.buffer,
                       dirtyFrom = hit.dirtyFrom](const std::stop_token &stop) {
        return tail ? fetchTail(*history, *old, *tail, *dirtyFrom, stop) : fetchAll(*history, plan, stop);
    };
    // The service lives while its pool runs; whether the feed still does, only its own thread can tell.
    next.stop = owner.pool->post([home = service.data(), weak = QPointer(feed), id = next.id, read](std::stop_token stop) {
        Fetched fetched = read(stop);
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(
            home,
            [weak, id, fetched = std::move(fetched)] {
                if (weak && weak->d->flight && weak->d->flight->id == id)
                    weak->d->land(weak, fetched);
            },
            Qt::QueuedConnection);
    });
    flight = std::move(next);
}

void SliceFeed::Private::land(SliceFeed *feed, const Fetched &fetched)
{
    const std::optional<Instant> dirtyFrom = flight->dirtyFrom;
    flight.reset();
    if (!fetched) {
        const Error error = fetched.error();
        emit feed->failed(error);
        return;
    }
    service->d->cache.insert(*fetched, dirtyFrom);
    const bool again = std::exchange(asksAgain, false);
    const QPointer<SliceFeed> alive(feed);
    const SliceRequest answered = request;
    emit feed->answered(std::make_shared<const SliceAnswer>((*fetched)->cropped(request)));
    if (alive && again && request == answered)
        feed->ask(request);
}

void SliceFeed::Private::answerSoon(SliceFeed *feed, std::shared_ptr<const SliceAnswer> answer)
{
    isAnswerQueued = true;
    const std::uint64_t id = ++lastId; // a later ask makes this one late
    QMetaObject::invokeMethod(
        feed,
        [feed, id, answer = std::move(answer)] {
            if (id != feed->d->lastId)
                return;
            feed->d->isAnswerQueued = false;
            emit feed->answered(answer);
        },
        Qt::QueuedConnection);
}

SliceService::SliceService(std::shared_ptr<History> history, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->history = std::move(history);
    d->pool.emplace(kThreads);
}

SliceService::~SliceService() = default;

SliceFeed *SliceService::createFeed(QObject *parent)
{
    auto priv = std::make_unique<SliceFeed::Private>();
    priv->service = this;
    auto *const feed = new SliceFeed(std::move(priv), parent);
    d->feeds.push_back(feed);
    return feed;
}

void SliceService::dataCommitted(TimeRange range)
{
    d->cache.markDirty(range);
    for (SliceFeed *feed : d->feeds) {
        auto &flight = feed->d->flight;
        if (flight)
            flight->dirtyFrom = flight->dirtyFrom ? std::min(*flight->dirtyFrom, range.begin) : range.begin;
    }
}

SliceService::Statistics SliceService::statistics() const noexcept { return d->statistics; }

} // namespace plimsoll
