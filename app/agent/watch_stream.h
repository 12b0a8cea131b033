// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/journal.h"
#include "base/time.h"
#include "wire/hello.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

struct StreamRequest
{
    SpoolCursor cursor;
    std::optional<std::uint64_t> last; // a backfill ends behind it; a watch goes on
    std::size_t maxMessageBytes = 0;
};

/// One stream to one client. It reads the next record out of the spool when the one
/// before has left; messages go out as the bytes that were spooled. Calls come from
/// gRPC's threads, the journal's and the heartbeat's.
class AgentWatchStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer>
{
public:
    using Done = std::function<void(AgentWatchStream *)>; // last call: forget it
    using HeartbeatMaker = std::function<wire::Heartbeat()>;

    AgentWatchStream(Journal &journal, StreamRequest request, HeartbeatMaker heartbeat, Done done);
    /// A stream that only says why not.
    AgentWatchStream(Journal &journal, grpc::Status refusal, Done done);

    void begin(std::shared_ptr<AgentWatchStream> self); // lives until OnDone
    void advance();                                // there may be something to send
    void beat(MonotonicInstant now, bool haveSourcesChanged);
    void stop(grpc::Status status);      // after what is being written
    void stopAtEnd(grpc::Status status); // after all that the journal has

    void OnWriteDone(bool ok) override;
    void OnCancel() override;
    void OnDone() override;

private:
    enum class Next { Nothing, Write, Finish };
    [[nodiscard]] Next prepare(); // with m_mutex held
    [[nodiscard]] bool prepareDefinitions();
    void prepareHeartbeat();
    void carryOut(Next next);

    Journal &m_journal;
    StreamRequest m_request;
    HeartbeatMaker m_heartbeat;
    Done m_done;
    std::shared_ptr<AgentWatchStream> m_self;

    std::mutex m_mutex; // over all below; never held while gRPC is called
    std::string m_payload;
    grpc::ByteBuffer m_message;
    std::optional<grpc::Status> m_finish; // wanted
    std::optional<grpc::Status> m_finishAtEnd;
    std::vector<bool> m_defined;          // by series id: sent on this stream
    MonotonicInstant m_lastSent{};
    std::uint64_t m_epoch = 0;
    bool m_isWriting = false;
    bool m_owesHeartbeat = false; // a source changed while something was written
    bool m_hasFinished = false;
};

} // namespace plimsoll
