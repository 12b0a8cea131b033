// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/watch_stream.h"

#include "wire/limits.h"
#include "wire/to_proto.h"

#include <plimsoll/v1/agent.pb.h>

#include <chrono>

namespace plimsoll {
namespace {

constexpr Duration kIdle = std::chrono::milliseconds(1900); // checked once a second: a heartbeat within 3 s

grpc::ByteBuffer toBuffer(const std::string &bytes)
{
    const grpc::Slice slice(bytes);
    return grpc::ByteBuffer(&slice, 1);
}

} // namespace

AgentWatchStream::AgentWatchStream(Journal &journal, StreamRequest request, HeartbeatMaker heartbeat, Done done)
    : m_journal(journal)
    , m_request(request)
    , m_heartbeat(std::move(heartbeat))
    , m_done(std::move(done))
    , m_lastSent(std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now()))
    , m_epoch(journal.bounds().epoch)
{
    if (m_request.maxMessageBytes == 0 || m_request.maxMessageBytes > wire::kMaxMessageBytes)
        m_request.maxMessageBytes = wire::kMaxMessageBytes;
}

AgentWatchStream::AgentWatchStream(Journal &journal, grpc::Status refusal, Done done)
    : m_journal(journal), m_done(std::move(done)), m_finish(std::move(refusal))
{}

void AgentWatchStream::begin(std::shared_ptr<AgentWatchStream> self)
{
    m_self = std::move(self);
    advance();
}

void AgentWatchStream::advance()
{
    Next next = Next::Nothing;
    {
        const std::lock_guard lock(m_mutex);
        next = prepare();
    }
    carryOut(next);
}

// A write and a finish are started by whoever set the flag for it, after the lock is
// released: gRPC may call back from inside.
void AgentWatchStream::carryOut(Next next)
{
    if (next == Next::Write)
        StartWrite(&m_message);
    else if (next == Next::Finish)
        Finish(*m_finish);
}

AgentWatchStream::Next AgentWatchStream::prepare()
{
    if (m_isWriting || m_hasFinished)
        return Next::Nothing;
    while (!m_finish) {
        if (m_request.last && m_request.cursor.nextSequence > *m_request.last) {
            m_finish = grpc::Status::OK;
            break;
        }
        const auto item = m_journal.read(m_request.cursor, m_payload);
        if (item.kind == SpoolItem::Kind::End) {
            if (m_finishAtEnd || m_request.last) { // of a range, the rest has not happened yet
                m_finish = m_finishAtEnd.value_or(grpc::Status::OK);
                break;
            }
            if (!m_owesHeartbeat)
                return Next::Nothing;
            prepareHeartbeat();
            return Next::Write;
        }
        if (item.kind == SpoolItem::Kind::Definitions && !prepareDefinitions())
            continue;
        if (item.kind == SpoolItem::Kind::Lost) {
            const auto last = m_request.last ? std::min(item.last, *m_request.last) : item.last;
            v1::WatchMessage message;
            wire::toProto(m_epoch, LostFrames{item.first, last}, message);
            message.SerializeToString(&m_payload);
        }
        if (item.kind == SpoolItem::Kind::Frame && m_request.last && item.first > *m_request.last) {
            m_finish = grpc::Status::OK;
            break;
        }
        if (m_payload.size() > m_request.maxMessageBytes) {
            m_finish = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                    "A message has " + std::to_string(m_payload.size()) + " bytes, and you take "
                                        + std::to_string(m_request.maxMessageBytes) + '.');
            break;
        }
        m_message = toBuffer(m_payload);
        m_isWriting = true;
        return Next::Write;
    }
    m_hasFinished = true;
    return Next::Finish;
}

// Each segment of the spool defines its series anew; a stream is told of each once.
bool AgentWatchStream::prepareDefinitions()
{
    v1::WatchMessage message;
    if (!message.ParseFromArray(m_payload.data(), static_cast<int>(m_payload.size())))
        return false;
    auto &series = *message.mutable_definitions()->mutable_series();
    int kept = 0;
    for (int i = 0; i < series.size(); ++i) {
        const auto id = series.Get(i).id();
        if (id >= m_defined.size())
            m_defined.resize(id + 1);
        if (m_defined[id])
            continue;
        m_defined[id] = true;
        if (kept != i)
            series.SwapElements(kept, i);
        ++kept;
    }
    if (kept == series.size())
        return true; // the usual case: as it was spooled
    if (kept == 0)
        return false;
    series.DeleteSubrange(kept, series.size() - kept);
    message.SerializeToString(&m_payload);
    return true;
}

void AgentWatchStream::prepareHeartbeat()
{
    v1::WatchMessage message;
    wire::toProto(m_epoch, m_heartbeat(), message);
    message.SerializeToString(&m_payload);
    m_message = toBuffer(m_payload);
    m_isWriting = true;
    m_owesHeartbeat = false;
}

void AgentWatchStream::beat(MonotonicInstant now, bool haveSourcesChanged)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_hasFinished || m_finish || m_request.last)
            return;
        if (!haveSourcesChanged && now - m_lastSent < kIdle)
            return;
        m_owesHeartbeat = true;
        if (m_isWriting)
            return;
        prepareHeartbeat();
    }
    carryOut(Next::Write);
}

void AgentWatchStream::stop(grpc::Status status)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_finish)
            m_finish = std::move(status);
    }
    advance();
}

void AgentWatchStream::stopAtEnd(grpc::Status status)
{
    {
        const std::lock_guard lock(m_mutex);
        m_finishAtEnd = std::move(status);
    }
    advance();
}

void AgentWatchStream::OnWriteDone(bool ok)
{
    {
        const std::lock_guard lock(m_mutex);
        m_isWriting = false;
        m_lastSent = std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
        if (!ok && !m_finish)
            m_finish = grpc::Status(grpc::StatusCode::CANCELLED, "The client went away.");
    }
    advance();
}

void AgentWatchStream::OnCancel()
{
    stop(grpc::Status(grpc::StatusCode::CANCELLED, "The client went away."));
}

void AgentWatchStream::OnDone()
{
    const auto self = std::move(m_self); // until the end of this function
    m_done(this);
}

} // namespace plimsoll
