// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/address.h"
#include "ingest/problem.h"

#include <grpcpp/grpcpp.h>

#include <memory>

namespace plimsoll {

/// A gRPC channel that shares nothing with any other, so that its state and its
/// back-off end with it and ours is the only one. Does not connect by itself.
[[nodiscard]] std::shared_ptr<grpc::Channel> dial(const Address &address);

[[nodiscard]] CallFailure toFailure(const grpc::Status &status);

} // namespace plimsoll
