// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/frame.h"
#include "wire/hello.h"

#include <cstdint>
#include <span>

namespace plimsoll::v1 {
class HelloReply;
class WatchMessage;
}

namespace plimsoll::wire {

/// Over-long texts are elided and surplus labels left out, so that what is made is always within limits.h.
void toProto(const Hello &hello, v1::HelloReply &reply);
void toProto(std::uint64_t epoch, std::span<const SeriesDefinition> definitions, v1::WatchMessage &message);
void toProto(std::uint64_t epoch, const plimsoll::Frame &frame, v1::WatchMessage &message);
void toProto(std::uint64_t epoch, const LostFrames &lost, v1::WatchMessage &message);
void toProto(std::uint64_t epoch, const Heartbeat &heartbeat, v1::WatchMessage &message);

} // namespace plimsoll::wire
