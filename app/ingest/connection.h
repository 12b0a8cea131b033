// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/backoff.h"
#include "ingest/channel.h"
#include "ingest/loop.h"
#include "ingest/problem.h"
#include "ingest/skew.h"
#include "ingest/watch_stream.h"

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace plimsoll {

/// The state machine behind Channel. Everything runs on the shared control loop
/// but the constructor, stop() and state(); so only what state() copies has a lock.
class Connection
{
public:
    Connection(ChannelOptions options, Mailbox<Delivery> &inbox, Channel::ResumeLookup resume,
               Channel::StateSink changed, const Clock &clock);
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    ~Connection();

    [[nodiscard]] ConnectionState state() const;
    void retryNow();

private:
    struct HelloCall;
    struct ProbeSlot;

    void post(void (Connection::*step)());
    void postIn(Duration wait, void (Connection::*step)());

    // The steps of one life, in their order.
    void begin();
    void attempt();
    void sayHello();
    void onHello();
    void onFirstHello(const HelloCall &call);
    void watch(const wire::Hello &hello);
    void onLive();
    void onStreamEnded();
    void failed(const Explanation &why, std::optional<CallFailure> failure, bool isRefusal);
    void askProbe(const CallFailure &failure);
    void onProbed(const CallFailure &failure, const ProbeResult &found);
    void tick();
    void beginStop();
    void finishStopIfIdle();

    WatchStream::Glance readGlance();
    void updateRate(MonotonicInstant now);
    void updateLag();
    void checkSilence(const WatchStream::Glance &glance);
    void learn(const wire::Hello &hello);
    void note(EventKind kind, Instant at, std::string text);
    [[nodiscard]] bool flushOutbox();
    [[nodiscard]] ResumePoint resumePoint(const wire::Hello &hello) const;
    void enter(ConnectionPhase phase, Instant since);
    void publish();

    const ChannelOptions m_options;
    Mailbox<Delivery> &m_inbox;
    const Channel::ResumeLookup m_resume;
    const Channel::StateSink m_changed;
    const Clock &m_clock;
    const std::shared_ptr<Loop::Threads> m_threads;
    const Result<Address> m_address;
    const Duration m_tickPeriod;

    mutable std::mutex m_stateMutex; // guards m_published only
    ConnectionState m_published;

    // The control loop's own.
    ConnectionState m_now;
    Backoff m_backoff;
    SkewEstimate m_skew;
    std::shared_ptr<grpc::Channel> m_channel;
    std::unique_ptr<v1::Agent::Stub> m_stub;
    std::unique_ptr<HelloCall> m_hello;
    std::unique_ptr<WatchStream> m_stream;
    std::shared_ptr<ProbeSlot> m_probe;
    std::deque<Delivery> m_outbox; // notes, and what a stream left behind when the mailbox was full
    std::string m_postedAgent;
    ResumePoint m_posted;          // of m_postedAgent: may be ahead of what is committed
    std::uint64_t m_epoch = 0;
    Duration m_interval{};
    Intake::Counts m_before; // of the streams that ended
    bool m_isSilenced = false; // the stream was ended by us because nothing came
    std::optional<MonotonicInstant> m_liveSince;
    std::optional<Instant> m_awaySince;
    MonotonicInstant m_nextHello;
    MonotonicInstant m_nextPublish;
    std::optional<MonotonicInstant> m_rateAt;
    std::uint64_t m_rateSamples = 0;
    std::uint64_t m_attempt = 0; // which retry timer counts
    bool m_isRetryDue = false;
    bool m_isStopping = false;
    std::promise<void> m_stopped;
};

} // namespace plimsoll
