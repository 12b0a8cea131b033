// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/to_model.h"
#include "wire/to_proto.h"

#include <google/protobuf/stubs/logging.h>
#include <plimsoll/v1/agent.pb.h>

#include <cstdlib>

using namespace plimsoll;

/// Any bytes a peer may send as a HelloReply.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const google::protobuf::LogSilencer silence;
    v1::HelloReply reply;
    if (!reply.ParseFromArray(data, static_cast<int>(size)))
        return 0;
    const auto hello = wire::toModel(reply);
    if (!hello || hello->version.major != wire::kProtocolVersion.major)
        return 0;
    v1::HelloReply again;
    wire::toProto(*hello, again);
    const auto back = wire::toModel(again);
    if (!back || back->agentId != hello->agentId || back->epoch != hello->epoch || back->wall != hello->wall)
        std::abort();
    return 0;
}
