// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session.h"

#include "base/text.h"
#include "session/fleet_feed.h"
#include "session/job_queue.h"
#include "session/session_engine.h"
#include "session/session_text.h"
#include "session/settings.h"
#include "session/slice_service.h"
#include "session/time_context.h"

#include <QTimer>

#include <algorithm>
#include <mutex>
#include <utility>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kThreads = 2; // a test of an address may wait while a person travels
constexpr Duration kTestDeadline = 5s;
constexpr Duration kStillKnown = 1h;            // as of an instant: how old a last sample may be
constexpr Duration kJobsBack = 24h * 30;        // and how far back jobs may have begun
constexpr std::size_t kEventsOfTravel = 5'000;
constexpr auto kQuietTick = 1200ms;             // a little slower than data, which ticks by itself

/// Pool thread.
Result<Fleet> fleetAsOf(const History &history, Instant at, const std::stop_token &stop)
{
    const auto entries = history.asOf(at, kStillKnown, stop);
    if (!entries)
        return tl::make_unexpected(entries.error());
    const auto events = history.events({at - kJobsBack, at + Duration{1}}, kEventsOfTravel, stop);
    if (!events)
        return tl::make_unexpected(events.error());
    FleetFeed feed;
    feed.addEvents(*events);
    return feed.build(*entries, at);
}

} // namespace

class Session::Private
{
public:
    Private(Session *session, SessionOptions wanted, const Clock &given)
        : q(session), options(std::move(wanted)), clock(given)
    {
    }

    void post(SessionNews news); // engine's thread
    void drain();
    void take(SessionNews news);
    void travel(const std::optional<Instant> &at);
    void arrive(Instant at, const Result<Fleet> &there);
    void show(std::shared_ptr<const Fleet> next);

    Session *const q;
    const SessionOptions options;
    const Clock &clock;
    TimeContext *time = nullptr; // child of q
    SliceService *slices = nullptr;
    QTimer quiet;

    std::shared_ptr<History> history;
    std::shared_ptr<const Fleet> live = std::make_shared<const Fleet>();
    std::shared_ptr<const Fleet> shown = live;
    std::shared_ptr<const std::vector<SeriesEntry>> series = std::make_shared<const std::vector<SeriesEntry>>();
    std::shared_ptr<const std::vector<ConnectionState>> connections =
        std::make_shared<const std::vector<ConnectionState>>();
    std::shared_ptr<const std::vector<Event>> events = std::make_shared<const std::vector<Event>>();
    SessionStatus status;
    std::optional<TimeRange> extent;

    std::optional<Instant> travelledTo;
    std::stop_source travelStop{std::nostopstate};

    std::mutex mutex; // guards the two below, between the engine and the GUI thread
    SessionNews pending;
    bool isWakePending = false;

    std::unique_ptr<JobQueue> pool;
    std::unique_ptr<SessionEngine> engine;
};

Session::Session(SessionOptions options, const Clock &clock, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>(this, std::move(options), clock))
{
    d->time = new TimeContext(clock, this);
    connect(d->time, &TimeContext::stateChanged, this, [this](const ViewState &state) { d->travel(state.travelTo); });
    d->quiet.setInterval(kQuietTick);
    connect(&d->quiet, &QTimer::timeout, d->time, &TimeContext::advance);
}

Session::~Session()
{
    // Who reads goes before the history, which the engine closes.
    d->pool.reset();
    delete d->slices;
    d->history.reset();
    {
        const std::lock_guard lock(d->mutex);
        d->pending = {};
    }
    d->engine.reset();
}

void Session::start()
{
    if (d->engine)
        return;
    d->quiet.start();
    d->pool = std::make_unique<JobQueue>(kThreads);
    d->engine = std::make_unique<SessionEngine>(d->options, d->clock, [this](SessionNews news) { d->post(std::move(news)); });
}

QString Session::title() const
{
    const auto &all = *d->connections;
    if (all.size() != 1)
        return tr("%n agent(s)", nullptr, static_cast<int>(all.size()));
    const std::string &host = all.front().hostName;
    return QString::fromStdString(safeText(host.empty() ? all.front().endpoint.title() : host));
}

TimeContext *Session::time() const noexcept { return d->time; }
SliceService *Session::slices() const noexcept { return d->slices; }
std::shared_ptr<const Fleet> Session::fleet() const { return d->shown; }
std::shared_ptr<const std::vector<SeriesEntry>> Session::series() const { return d->series; }
const std::vector<ConnectionState> &Session::connections() const noexcept { return *d->connections; }
const SessionStatus &Session::status() const noexcept { return d->status; }
const std::vector<Event> &Session::recentEvents() const noexcept { return *d->events; }
std::optional<TimeRange> Session::extent() const noexcept { return d->extent; }

void Session::addEndpoint(EndpointConfig endpoint)
{
    endpoint.isEmbedded = false;
    if (d->options.settings != nullptr) {
        auto kept = d->options.settings->endpoints();
        std::erase_if(kept, [&](const EndpointConfig &known) { return known.address == endpoint.address; });
        kept.push_back(endpoint);
        d->options.settings->setEndpoints(kept);
    }
    if (d->engine)
        d->engine->addEndpoint(std::move(endpoint));
}

void Session::removeEndpoint(const std::string &address)
{
    if (d->options.settings != nullptr) {
        auto kept = d->options.settings->endpoints();
        std::erase_if(kept, [&](const EndpointConfig &known) { return known.address == address; });
        d->options.settings->setEndpoints(kept);
    }
    if (d->engine)
        d->engine->removeEndpoint(address);
}

void Session::retryNow(const std::string &address)
{
    if (d->engine)
        d->engine->retryNow(address);
}

void Session::testEndpoint(const EndpointConfig &endpoint)
{
    if (!d->pool)
        return;
    d->pool->post([this, endpoint, &clock = d->clock](const std::stop_token &stop) {
        const std::vector<ConnectionCheck> checks = testConnection(endpoint, kTestDeadline, clock);
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(this, [this, endpoint, checks] { emit testFinished(endpoint, checks); },
                                  Qt::QueuedConnection);
    });
}

void Session::Private::post(SessionNews news)
{
    bool wake = false;
    {
        const std::lock_guard lock(mutex);
        pending.add(std::move(news));
        wake = !std::exchange(isWakePending, true);
    }
    if (wake)
        QMetaObject::invokeMethod(q, [this] { drain(); }, Qt::QueuedConnection);
}

void Session::Private::drain()
{
    SessionNews news;
    {
        const std::lock_guard lock(mutex);
        news = std::exchange(pending, {});
        isWakePending = false;
    }
    take(std::move(news));
}

void Session::Private::take(SessionNews news)
{
    // All values first, so that whoever hears one signal sees one picture.
    const bool hasStarted = news.history != nullptr;
    if (hasStarted) {
        history = std::move(news.history);
        slices = new SliceService(history, q);
    }
    if (news.series)
        series = news.series;
    if (news.connections)
        connections = news.connections;
    if (news.events)
        events = news.events;
    if (news.extent)
        extent = news.extent;
    if (news.status)
        status = *news.status;

    if (hasStarted)
        emit q->started();
    for (const SessionFailure &failure : news.failures)
        emit q->failed(sentenceOf(failure));
    if (news.connections)
        emit q->connectionsChanged();
    if (news.fleet) {
        live = news.fleet;
        if (!travelledTo)
            show(live);
    }
    if (news.isSeriesSetNew)
        emit q->seriesChanged();
    if (news.events)
        emit q->eventsArrived();
    if (news.committed) {
        slices->dataCommitted(*news.committed);
        quiet.start();
        time->advance();
        emit q->dataCommitted(*news.committed);
    }
    if (news.status)
        emit q->statusChanged(status);
}

void Session::Private::show(std::shared_ptr<const Fleet> next)
{
    if (shown == next)
        return;
    shown = std::move(next);
    emit q->fleetChanged(shown);
}

void Session::Private::travel(const std::optional<Instant> &at)
{
    if (at == travelledTo)
        return;
    travelledTo = at;
    travelStop.request_stop();
    travelStop = std::stop_source{std::nostopstate};
    if (!at) {
        show(live);
        return;
    }
    if (!history)
        return;
    travelStop = pool->post([this, read = history, to = *at](const std::stop_token &stop) {
        Result<Fleet> there = fleetAsOf(*read, to, stop);
        if (stop.stop_requested())
            return;
        QMetaObject::invokeMethod(q, [this, to, there = std::move(there)] { arrive(to, there); }, Qt::QueuedConnection);
    });
}

void Session::Private::arrive(Instant at, const Result<Fleet> &there)
{
    if (travelledTo != at)
        return; // overtaken
    if (there)
        show(std::make_shared<const Fleet>(*there));
    else
        emit q->failed(sentenceOf({SessionFailure::Kind::TravelFailed, there.error().detail}));
}

} // namespace plimsoll
