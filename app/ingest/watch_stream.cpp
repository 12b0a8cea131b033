// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/watch_stream.h"

#include "wire/limits.h"
#include "wire/version.h"

#include <utility>

namespace plimsoll {

WatchStream::WatchStream(Mailbox<Delivery> &inbox, std::string agent, ResumePoint resume, const Clock &clock,
                         Hooks hooks)
    : m_inbox(inbox)
    , m_clock(clock)
    , m_hooks(std::move(hooks))
    , m_resume(resume)
    , m_intake(std::move(agent), resume)
{
    m_glance.lastMessage = clock.monotonicNow();
    m_glance.lastMessageAt = clock.now();
}

void WatchStream::start(v1::Agent::Stub &stub)
{
    m_request.mutable_version()->set_major(wire::kProtocolVersion.major);
    m_request.mutable_version()->set_minor(wire::kProtocolVersion.minor);
    m_request.set_epoch(m_resume.epoch);
    m_request.set_resume_after(m_resume.nextSequence - 1);
    m_request.set_max_message_bytes(static_cast<std::uint32_t>(wire::kMaxMessageBytes));
    stub.async()->Watch(&m_context, &m_request, this);
    AddHold(); // reads may be started from the receiver's thread, outside of a reaction
    m_isReading = true;
    StartRead(&m_message);
    StartCall();
}

void WatchStream::cancel()
{
    bool release = false;
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
        // A read under way ends with false and lets go of the hold; without one nobody else would.
        release = !m_isReading && std::exchange(m_isHeld, false);
    }
    m_context.TryCancel();
    if (release)
        RemoveHold();
}

void WatchStream::OnReadDone(bool ok)
{
    if (!ok) {
        releaseHold();
        return;
    }
    // Converted without the lock: m_message is ours until the next read.
    act(take(wire::toModel(m_message)));
}

WatchStream::Next WatchStream::take(Result<wire::Watched> message)
{
    Next next;
    const std::lock_guard lock(m_mutex);
    m_isReading = false;
    if (m_isEnding) {
        next.complain = true; // lets go of the hold
        return next;
    }
    m_glance.lastMessage = m_clock.monotonicNow();
    m_glance.lastMessageAt = m_clock.now();
    const bool isDefinitions = message && std::holds_alternative<std::vector<SeriesDefinition>>(message->body);
    if (message) {
        if (auto *heartbeat = std::get_if<wire::Heartbeat>(&message->body)) {
            m_glance.heartbeat = std::move(*heartbeat);
            m_glance.heartbeatAt = m_glance.lastMessageAt;
        } else if (const auto added = m_intake.add(std::move(*message)); !added) {
            message = tl::make_unexpected(added.error());
        }
    }
    if (!message) {
        m_complaint = std::move(message.error().detail);
        m_isEnding = true;
        next.complain = true;
        return next;
    }
    next.live = !std::exchange(m_glance.isLive, true);

    // A slow stream is handed over at once, a fast one in pieces: one wake-up for many frames.
    // Definitions wait for the frame that needs them.
    const MonotonicInstant now = std::chrono::steady_clock::now();
    const bool isDue = (!isDefinitions && now - m_lastPost >= kGatherTime)
        || m_intake.pendingWeight() >= kFullDelivery / 2;
    if (isDue && !m_isAwaitingRoom) {
        m_lastPost = now;
        next.awaitRoom = !postAll();
        m_isAwaitingRoom = next.awaitRoom;
    } else if (!m_intake.isEmpty() && !m_isAwaitingRoom) {
        next.wantFlush = !std::exchange(m_isFlushWanted, true);
    }
    m_glance.isHeldBack = m_isAwaitingRoom && m_intake.pendingWeight() >= kFullDelivery / 2;
    next.read = m_isReading = !m_glance.isHeldBack;
    return next;
}

void WatchStream::act(const Next &next)
{
    if (next.complain) {
        m_context.TryCancel();
        releaseHold();
        return;
    }
    if (next.live)
        m_hooks.live();
    if (next.wantFlush)
        m_hooks.wantFlush();
    if (next.awaitRoom)
        awaitRoom();
    if (next.read)
        StartRead(&m_message); // the next reaction may run before this line returns: nothing after it
}

bool WatchStream::postAll()
{
    while (!m_intake.isEmpty()) {
        if (!m_inbox.tryPost(m_intake.front(), m_intake.frontWeight()))
            return false;
        m_intake.popFront();
    }
    return true;
}

void WatchStream::flush()
{
    bool await = false;
    {
        const std::lock_guard lock(m_mutex);
        m_isFlushWanted = false;
        if (m_isAwaitingRoom)
            return;
        m_lastPost = std::chrono::steady_clock::now();
        await = m_isAwaitingRoom = !postAll();
    }
    if (await)
        awaitRoom();
}

// Never under m_mutex: the retry may run inside of this call.
void WatchStream::awaitRoom()
{
    m_inbox.callWhenRoom(this, [this] { onRoom(); });
}

void WatchStream::onRoom()
{
    bool read = false;
    bool await = false;
    {
        const std::lock_guard lock(m_mutex);
        await = m_isAwaitingRoom = !postAll();
        if (!await) {
            m_lastPost = std::chrono::steady_clock::now();
            if (std::exchange(m_glance.isHeldBack, false))
                m_glance.lastMessage = m_clock.monotonicNow(); // the silence was ours
            if (!m_isReading && !m_isEnding && m_isHeld)
                read = m_isReading = true;
        }
    }
    if (await)
        awaitRoom();
    if (read)
        StartRead(&m_message);
}

void WatchStream::releaseHold()
{
    bool release = false;
    {
        const std::lock_guard lock(m_mutex);
        m_isReading = false;
        m_isEnding = true;
        release = std::exchange(m_isHeld, false);
    }
    if (release)
        RemoveHold();
}

void WatchStream::OnDone(const grpc::Status &status)
{
    m_status = status;
    // The owner may destroy this stream as soon as it hears of the end.
    const auto ended = m_hooks.ended;
    ended();
}

WatchStream::Glance WatchStream::glance()
{
    const std::lock_guard lock(m_mutex);
    m_glance.counts = m_intake.counts();
    m_glance.newest = m_intake.newest();
    Glance seen = m_glance;
    m_glance.heartbeat.reset();
    return seen;
}

std::deque<Delivery> WatchStream::takeLeftovers()
{
    std::deque<Delivery> left;
    const std::lock_guard lock(m_mutex);
    while (!m_intake.isEmpty()) {
        left.push_back(std::move(m_intake.front()));
        m_intake.popFront();
    }
    return left;
}

} // namespace plimsoll
