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

/// Over-long texts are elided, bytes that are no UTF-8 replaced and surplus labels left out, so that what
/// is made is always within limits.h. How many definitions or rows go into one message is the caller's to
/// bound (kMaxMessageBytes, kMaxBatchRows, kMaxBatchSamples). The message is cleared first.
void toProto(const Hello &hello, v1::HelloReply &reply);
void toProto(std::uint64_t epoch, std::span<const SeriesDefinition> definitions, v1::WatchMessage &message);
void toProto(std::uint64_t epoch, const plimsoll::Frame &frame, v1::WatchMessage &message);
void toProto(std::uint64_t epoch, const LostFrames &lost, v1::WatchMessage &message);
void toProto(std::uint64_t epoch, const Heartbeat &heartbeat, v1::WatchMessage &message);

} // namespace plimsoll::wire
