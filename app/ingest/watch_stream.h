// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mailbox.h"
#include "base/time.h"
#include "ingest/intake.h"

#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// The reading end of one Watch call: reads, converts, gathers, posts. gRPC's
/// threads run the reactions, the receiver of the mailbox runs onRoom(). When the
/// mailbox is full and a Delivery is ready, no read is started and HTTP/2 pushes back.
/// It may be destroyed after `ended` was called, not before.
class WatchStream final : public grpc::ClientReadReactor<v1::WatchMessage>
{
public:
    struct Hooks
    {
        std::function<void()> live;      // the first message came
        std::function<void()> wantFlush; // call flush() in kGatherTime
        std::function<void()> ended;     // the last call of all
    };
    struct Glance
    {
        Intake::Counts counts;
        std::optional<Instant> newest;
        Instant lastMessageAt;             // our clock
        MonotonicInstant lastMessage;      // the same moment; of the start before the first
        bool isLive = false;
        bool isHeldBack = false;           // we do not read: silence is our own
        std::optional<wire::Heartbeat> heartbeat; // the newest since the last glance
        Instant heartbeatAt;
    };

    WatchStream(Mailbox<Delivery> &inbox, std::string agent, ResumePoint resume, const Clock &clock, Hooks hooks);

    void start(v1::Agent::Stub &stub);
    void cancel(); // any thread, any number of times
    void flush();

    [[nodiscard]] Glance glance();

    // After `ended` only:
    [[nodiscard]] const grpc::Status &status() const noexcept { return m_status; }
    [[nodiscard]] const std::string &complaint() const noexcept { return m_complaint; } // why we ended it
    [[nodiscard]] ResumePoint next() const noexcept { return m_intake.next(); }
    [[nodiscard]] std::deque<Delivery> takeLeftovers(); // accepted but not posted

    static constexpr Duration kGatherTime = std::chrono::milliseconds(20);

private:
    void OnReadDone(bool ok) override;
    void OnDone(const grpc::Status &status) override;

    struct Next
    {
        bool live = false;
        bool wantFlush = false;
        bool awaitRoom = false;
        bool read = false;
        bool complain = false;
    };
    [[nodiscard]] Next take(Result<wire::Watched> message); // one message, under the lock
    void act(const Next &next);                             // what follows from it, without
    [[nodiscard]] bool postAll();                           // under the lock; false when the box is full
    void awaitRoom();
    void onRoom();
    void releaseHold();

    Mailbox<Delivery> &m_inbox;
    const Clock &m_clock;
    const Hooks m_hooks;
    const ResumePoint m_resume;
    grpc::ClientContext m_context;
    v1::WatchRequest m_request;
    v1::WatchMessage m_message; // belongs to gRPC while a read is under way

    std::mutex m_mutex; // guards what follows, up to the status
    Intake m_intake;
    Glance m_glance;
    MonotonicInstant m_lastPost;
    bool m_isReading = false;
    bool m_isEnding = false;
    bool m_isHeld = true; // gRPC's hold, which keeps OnDone away while nothing is read
    bool m_isAwaitingRoom = false;
    bool m_isFlushWanted = false;
    std::string m_complaint;

    grpc::Status m_status; // written once, in OnDone
};

} // namespace plimsoll
