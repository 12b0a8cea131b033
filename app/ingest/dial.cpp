// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/dial.h"

#include "wire/grpc_life.h"
#include "wire/limits.h"

namespace plimsoll {

std::shared_ptr<grpc::Channel> dial(const Address &address)
{
    constexpr int kConnectTimeoutMs = 5000;
    wire::keepGrpcRunning();
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1); // else two channels to one address share a back-off
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs); // gRPC's name for its connect timeout
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0); // an agent is never behind the web's proxy
    arguments.SetInt(GRPC_ARG_DNS_ENABLE_SRV_QUERIES, 0);
    arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1); // no TXT queries
    arguments.SetMaxReceiveMessageSize(static_cast<int>(wire::kMaxMessageBytes));
    arguments.SetUserAgentPrefix("plimsoll/" PLIMSOLL_VERSION);
    return grpc::CreateCustomChannel(address.target(), grpc::InsecureChannelCredentials(), arguments);
}

CallFailure toFailure(const grpc::Status &status)
{
    using Kind = CallFailure::Kind;
    const std::string &detail = status.error_message();
    switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
        return {detail.find("DNS resolution failed") != std::string::npos ? Kind::NoName : Kind::Unreachable, detail};
    case grpc::StatusCode::DEADLINE_EXCEEDED: return {Kind::Timeout, detail};
    case grpc::StatusCode::UNIMPLEMENTED: return {Kind::NotAnAgent, detail};
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::PERMISSION_DENIED: return {Kind::NotAllowed, detail};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
        // An agent that has no more streams to give uses the same code with words of its own.
        return {detail.find("larger than max") != std::string::npos ? Kind::TooLarge : Kind::Other, detail};
    case grpc::StatusCode::INTERNAL: return {Kind::Damaged, detail};
    case grpc::StatusCode::OK:
    case grpc::StatusCode::CANCELLED: return {Kind::Unreachable, detail};
    default: return {Kind::Other, detail};
    }
}

} // namespace plimsoll
