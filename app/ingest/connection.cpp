// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/connection.h"

#include "base/format.h"
#include "base/text.h"
#include "ingest/dial.h"
#include "wire/to_model.h"
#include "wire/version.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace plimsoll {
namespace {

constexpr Duration kPublishPeriod = std::chrono::seconds(1);
constexpr Duration kHelloPeriod = std::chrono::seconds(30); // for the skew, on a live connection
constexpr Duration kSteady = std::chrono::seconds(5);       // a stream that held so long forgives the failures before
constexpr Duration kProbePatience = std::chrono::seconds(1);
constexpr Duration kLeastLag = std::chrono::seconds(3);
constexpr Duration kOutboxPeriod = std::chrono::milliseconds(100);
constexpr int kRefusedFactor = 4; // times the longest back-off, between attempts at one who said no
constexpr std::size_t kMaxProbesWaiting = 64; // a thousand dead agents must not queue a thousand seconds

MonotonicInstant steadyNow() { return std::chrono::steady_clock::now(); }

Duration tickPeriod(const ChannelOptions &options)
{
    return std::clamp<Duration>(options.silence / 4, std::chrono::milliseconds(20), kPublishPeriod);
}

} // namespace

/// One Hello under way. gRPC writes into it until the callback.
struct Connection::HelloCall
{
    grpc::ClientContext context;
    v1::HelloRequest request;
    v1::HelloReply reply;
    grpc::Status status;
    MonotonicInstant sent;
    Duration roundTrip{};
    Instant receivedAt;
    bool isFirst = false;
};

/// Where the blocking loop leaves what it found; emptied by whoever no longer wants it.
struct Connection::ProbeSlot
{
    std::mutex mutex;
    Connection *wantedBy = nullptr;
};

Connection::Connection(ChannelOptions options, Mailbox<Delivery> &inbox, Channel::ResumeLookup resume,
                       Channel::StateSink changed, const Clock &clock)
    : m_options(std::move(options))
    , m_inbox(inbox)
    , m_resume(std::move(resume))
    , m_changed(std::move(changed))
    , m_clock(clock)
    , m_threads(Loop::shared())
    , m_address(parseAddress(m_options.endpoint.address))
    , m_tickPeriod(tickPeriod(m_options))
    , m_backoff(m_options.firstBackoff, m_options.longestBackoff, std::random_device{}())
{
    m_now.endpoint = m_options.endpoint;
    m_now.since = m_clock.now();
    m_published = m_now;
    post(&Connection::begin);
}

Connection::~Connection()
{
    auto stopped = m_stopped.get_future();
    post(&Connection::beginStop);
    stopped.wait();
    m_threads->control.forget(this);
}

ConnectionState Connection::state() const
{
    const std::lock_guard lock(m_stateMutex);
    return m_published;
}

void Connection::retryNow()
{
    m_threads->control.post(this, [this](const std::stop_token &) {
        if (!m_isRetryDue || m_isStopping)
            return;
        m_backoff.reset();
        attempt();
    });
}

void Connection::post(void (Connection::*step)())
{
    m_threads->control.post(this, [this, step](const std::stop_token &) { (this->*step)(); });
}

void Connection::postIn(Duration wait, void (Connection::*step)())
{
    m_threads->control.postAt(this, steadyNow() + wait, [this, step](const std::stop_token &) { (this->*step)(); });
}

void Connection::begin()
{
    if (m_isStopping)
        return;
    m_nextPublish = steadyNow() + kPublishPeriod;
    postIn(m_tickPeriod, &Connection::tick);
    if (!m_address) {
        m_now.problem = m_address.error().detail;
        enter(ConnectionPhase::Refused, m_clock.now());
        publish();
        return;
    }
    publish();
    attempt();
}

void Connection::attempt()
{
    if (m_isStopping)
        return;
    m_isRetryDue = false;
    ++m_attempt; // a retry timer still running counts no more
    m_now.nextAttempt.reset();
    // Older frames go first: until the history has room for them there is no use in more.
    // And a Hello of the lost stream still has to hear that it was cancelled.
    if (m_hello || !flushOutbox()) {
        postIn(kOutboxPeriod, &Connection::attempt);
        return;
    }
    m_channel = dial(*m_address);
    m_stub = v1::Agent::NewStub(m_channel);
    sayHello();
}

void Connection::sayHello()
{
    m_hello = std::make_unique<HelloCall>();
    HelloCall &call = *m_hello;
    call.isFirst = !m_stream;
    call.context.set_deadline(std::chrono::system_clock::now() + m_options.helloDeadline);
    call.request.mutable_version()->set_major(wire::kProtocolVersion.major);
    call.request.mutable_version()->set_minor(wire::kProtocolVersion.minor);
    call.request.set_client("plimsoll " PLIMSOLL_VERSION);
    call.sent = steadyNow();
    m_nextHello = call.sent + kHelloPeriod;
    // The threads are held too: this may still be inside of post() when the Connection is gone.
    m_stub->async()->Hello(&call.context, &call.request, &call.reply,
                           [this, &call, threads = m_threads](grpc::Status status) {
                               call.receivedAt = m_clock.now();
                               call.roundTrip = steadyNow() - call.sent;
                               call.status = std::move(status);
                               threads->control.post(this, [this](const std::stop_token &) { onHello(); });
                           });
}

void Connection::onHello()
{
    const auto call = std::move(m_hello);
    if (m_isStopping) {
        finishStopIfIdle();
        return;
    }
    if (call->isFirst) {
        onFirstHello(*call);
    } else if (call->status.ok()) { // a later one that fails says nothing that the stream would not
        if (const auto hello = wire::toModel(call->reply); hello && hello->version.major == wire::kProtocolVersion.major)
            m_skew.addAnswer(hello->wall, call->receivedAt, call->roundTrip);
    }
}

void Connection::onFirstHello(const HelloCall &call)
{
    if (!call.status.ok()) {
        const CallFailure failure = toFailure(call.status);
        failed(explainCall(*m_address, failure, m_options.helloDeadline), failure, failure.isRefusal());
        return;
    }
    const auto hello = wire::toModel(call.reply);
    if (!hello) {
        failed(explainNonsense(*m_address, hello.error().detail), std::nullopt, false);
        return;
    }
    const std::string who = "The agent at " + safeText(m_address->text(), 160);
    if (const auto spoken = wire::checkVersion(hello->version, who, "this window"); !spoken) {
        m_now.agentVersion = hello->agent;
        failed({spoken.error().detail, {}}, std::nullopt, true);
        return;
    }
    if (hello->agentId != m_now.agentId)
        m_skew = {};
    m_skew.addAnswer(hello->wall, call.receivedAt, call.roundTrip);
    learn(*hello);
    watch(*hello);
}

void Connection::learn(const wire::Hello &hello)
{
    m_now.agentVersion = hello.agent;
    m_now.agentId = hello.agentId;
    m_now.hostName = hello.hostName;
    m_now.capabilities = hello.capabilities;
    m_now.sources = hello.sources;
    m_now.skew = m_skew.skew();
    m_now.roundTrip = m_skew.roundTrip();
    m_interval = hello.interval;
    m_epoch = hello.epoch;
}

void Connection::watch(const wire::Hello &hello)
{
    // Hooks are called on gRPC's threads. `ended` holds the threads for the reason that sayHello() does.
    WatchStream::Hooks hooks;
    hooks.live = [this] { post(&Connection::onLive); };
    hooks.wantFlush = [this] {
        m_threads->control.postAt(this, steadyNow() + WatchStream::kGatherTime, [this](const std::stop_token &) {
            if (m_stream)
                m_stream->flush();
        });
    };
    hooks.ended = [this, threads = m_threads] {
        threads->control.post(this, [this](const std::stop_token &) { onStreamEnded(); });
    };
    m_stream = std::make_unique<WatchStream>(m_inbox, hello.agentId, resumePoint(hello), m_clock, std::move(hooks));
    m_isSilenced = false;
    m_stream->start(*m_stub);
}

// What is in the mailbox will be committed: asking for it again would only make duplicates.
ResumePoint Connection::resumePoint(const wire::Hello &hello) const
{
    const ResumePoint committed = m_resume ? m_resume(hello.agentId) : ResumePoint{};
    const bool isPostedCurrent = m_postedAgent == hello.agentId && m_posted.epoch == hello.epoch;
    ResumePoint chosen = committed;
    if (isPostedCurrent && (committed.epoch != hello.epoch || m_posted.nextSequence > committed.nextSequence))
        chosen = m_posted;
    chosen.nextSequence = std::max<std::uint64_t>(chosen.nextSequence, 1);
    return chosen;
}

void Connection::onLive()
{
    if (m_isStopping || !m_stream)
        return;
    m_liveSince = steadyNow();
    m_now.problem.clear();
    enter(ConnectionPhase::Live, m_clock.now());
    if (m_awaySince) {
        const Duration away = m_clock.now() - *m_awaySince;
        note(EventKind::AgentBack, m_clock.now(), "The agent is back after " + formatDuration(std::max(away, Duration{})));
        m_awaySince.reset();
    }
    readGlance();
    publish();
}

void Connection::onStreamEnded()
{
    const auto glance = readGlance();
    const grpc::Status status = m_stream->status();
    const std::string complaint = m_stream->complaint();
    m_inbox.forget(m_stream.get());
    m_postedAgent = m_now.agentId;
    m_posted = m_stream->next();
    for (auto &left : m_stream->takeLeftovers())
        m_outbox.push_back(std::move(left));
    m_before.frames += glance.counts.frames;
    m_before.samples += glance.counts.samples;
    m_before.lost += glance.counts.lost;
    m_stream.reset();
    if (m_isStopping) {
        finishStopIfIdle();
        return;
    }
    if (m_hello)
        m_hello->context.TryCancel();

    CallFailure failure = toFailure(status);
    if (glance.isLive && failure.kind == CallFailure::Kind::Unreachable)
        failure.kind = CallFailure::Kind::Lost;
    Explanation why = explainCall(*m_address, failure, m_options.silence);
    std::optional<CallFailure> probed = failure;
    if (!complaint.empty() || m_isSilenced) {
        why = complaint.empty() ? explainSilence(*m_address, m_options.silence) : explainNonsense(*m_address, complaint);
        probed.reset();
    }
    if (glance.isLive) {
        m_awaySince = glance.lastMessageAt;
        note(EventKind::AgentAway, glance.lastMessageAt, why.happened);
        if (m_liveSince && steadyNow() - *m_liveSince >= kSteady)
            m_backoff.reset();
        m_now.problem.clear(); // the next sentence is about this loss, not about the one before
    }
    m_liveSince.reset();
    failed(why, probed, false);
}

void Connection::failed(const Explanation &why, std::optional<CallFailure> failure, bool isRefusal)
{
    m_stub.reset();
    m_channel.reset();
    m_now.lag.reset();
    m_now.samplesPerSecond = 0;
    m_rateAt.reset();
    const bool isProbed = failure && failure->isWorthProbing();
    // A sentence that a probe found for the same trouble is better than the general one: it stays until the next.
    if (!isProbed || m_now.problem.empty())
        m_now.problem = why.advice.empty() ? why.happened : why.sentence();
    enter(isRefusal ? ConnectionPhase::Refused : ConnectionPhase::Unreachable,
          m_awaySince ? *m_awaySince : m_clock.now());

    const Duration wait = isRefusal ? m_options.longestBackoff * kRefusedFactor : m_backoff.next();
    m_now.nextAttempt = m_clock.now() + wait;
    m_isRetryDue = true;
    const std::uint64_t attemptNow = m_attempt;
    m_threads->control.postAt(this, steadyNow() + wait, [this, attemptNow](const std::stop_token &) {
        if (m_isRetryDue && attemptNow == m_attempt)
            attempt();
    });
    publish();
    if (isProbed)
        askProbe(*failure);
}

void Connection::askProbe(const CallFailure &failure)
{
    if (m_probe || m_threads->blocking.waiting() > kMaxProbesWaiting)
        return; // one under way will do
    m_probe = std::make_shared<ProbeSlot>();
    m_probe->wantedBy = this;
    m_threads->blocking.post(m_probe.get(), [slot = m_probe, address = *m_address, failure](const std::stop_token &stop) {
        {
            const std::lock_guard lock(slot->mutex);
            if (!slot->wantedBy)
                return;
        }
        const ProbeResult found = probe(address, kProbePatience, stop);
        const std::lock_guard lock(slot->mutex);
        if (Connection *wanted = slot->wantedBy)
            wanted->m_threads->control.post(wanted, [wanted, failure, found](const std::stop_token &) {
                wanted->onProbed(failure, found);
            });
    });
}

void Connection::onProbed(const CallFailure &failure, const ProbeResult &found)
{
    m_probe.reset();
    const bool isStillAway = m_now.phase == ConnectionPhase::Unreachable;
    if (m_isStopping || !isStillAway)
        return;
    const std::string sentence = explain(*m_address, failure, found, m_options.helloDeadline).sentence();
    if (sentence == m_now.problem)
        return;
    m_now.problem = sentence;
    publish();
}

void Connection::tick()
{
    if (m_isStopping)
        return;
    postIn(m_tickPeriod, &Connection::tick);
    const ConnectionPhase before = m_now.phase;
    (void)flushOutbox();
    const MonotonicInstant now = steadyNow();
    const bool isSecond = now >= m_nextPublish;
    if (m_stream) {
        const auto glance = readGlance();
        if (isSecond)
            updateRate(now);
        updateLag();
        checkSilence(glance);
        if (now >= m_nextHello && !m_hello && m_liveSince)
            sayHello();
    }
    if (isSecond)
        m_nextPublish = now + kPublishPeriod - std::min<Duration>(now - m_nextPublish, m_tickPeriod);
    if (isSecond || m_now.phase != before)
        publish();
}

WatchStream::Glance Connection::readGlance()
{
    const auto glance = m_stream->glance();
    if (glance.heartbeat) {
        m_skew.addMessage(glance.heartbeat->wall, glance.heartbeatAt);
        m_now.sources = glance.heartbeat->sources;
    }
    m_now.skew = m_skew.skew();
    m_now.roundTrip = m_skew.roundTrip();
    m_now.frames = m_before.frames + glance.counts.frames;
    m_now.samples = m_before.samples + glance.counts.samples;
    m_now.lost = m_before.lost + glance.counts.lost;
    if (glance.newest) // the skew is an estimate: a hair below zero is zero
        m_now.lag = std::max(m_clock.now() - (*glance.newest - m_now.skew.value_or(Duration{})), Duration{});
    return glance;
}

void Connection::updateRate(MonotonicInstant now)
{
    constexpr double kMemorySeconds = 5;
    if (m_rateAt) {
        const double seconds = std::chrono::duration<double>(now - *m_rateAt).count();
        const double rate = static_cast<double>(m_now.samples - m_rateSamples) / std::max(seconds, 1e-3);
        const bool isFresh = m_now.samplesPerSecond == 0;
        m_now.samplesPerSecond += (rate - m_now.samplesPerSecond) * (isFresh ? 1 : 1 - std::exp(-seconds / kMemorySeconds));
    }
    m_rateAt = now;
    m_rateSamples = m_now.samples;
}

void Connection::updateLag()
{
    if (!m_liveSince)
        return;
    const bool isLate = m_now.lag && *m_now.lag > std::max(kLeastLag, 3 * m_interval);
    if (isLate)
        m_now.problem = safeText(m_now.endpoint.title(), 160) + " lags " + formatDuration(*m_now.lag)
            + " behind. It is catching up, or its collectors or the network are too slow.";
    else
        m_now.problem.clear();
    enter(isLate ? ConnectionPhase::Lagging : ConnectionPhase::Live, m_clock.now());
}

void Connection::checkSilence(const WatchStream::Glance &glance)
{
    if (m_isSilenced || glance.isHeldBack || m_clock.monotonicNow() - glance.lastMessage <= m_options.silence)
        return;
    m_isSilenced = true;
    m_stream->cancel();
}

void Connection::note(EventKind kind, Instant at, std::string text)
{
    Event event;
    event.time = at + m_skew.skew().value_or(Duration{}); // by the agent's clock, as its samples beside it
    event.kind = kind;
    if (!m_now.hostName.empty())
        event.labels.set(label::kHost, m_now.hostName);
    event.text = std::move(text);
    Delivery &delivery = m_outbox.emplace_back();
    delivery.agent = m_now.agentId;
    delivery.epoch = m_epoch;
    delivery.notes.push_back(std::move(event));
    (void)flushOutbox();
}

bool Connection::flushOutbox()
{
    while (!m_outbox.empty()) {
        if (!m_inbox.tryPost(m_outbox.front(), m_outbox.front().weight()))
            return false;
        m_outbox.pop_front();
    }
    return true;
}

void Connection::enter(ConnectionPhase phase, Instant since)
{
    if (m_now.phase == phase)
        return;
    m_now.phase = phase;
    m_now.since = since;
}

void Connection::publish()
{
    {
        const std::lock_guard lock(m_stateMutex);
        m_published = m_now;
    }
    if (m_changed)
        m_changed(m_now);
}

void Connection::beginStop()
{
    m_isStopping = true;
    if (m_probe) {
        const std::lock_guard lock(m_probe->mutex);
        m_probe->wantedBy = nullptr;
    }
    if (m_hello)
        m_hello->context.TryCancel();
    if (m_stream)
        m_stream->cancel();
    finishStopIfIdle();
}

void Connection::finishStopIfIdle()
{
    if (m_hello || m_stream)
        return;
    m_stub.reset();
    m_channel.reset();
    m_stopped.set_value();
}

} // namespace plimsoll
