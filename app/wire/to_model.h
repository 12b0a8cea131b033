// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "model/frame.h"
#include "wire/hello.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace plimsoll::v1 {
class HelloReply;
class WatchMessage;
class Frame;
class SeriesDefinition;
}

namespace plimsoll::wire {

/// Validates everything and trusts nothing. An error ends the stream; its detail says which field.
/// Of a reply in another major version only `version` and `agent` are read: ask checkVersion first.
[[nodiscard]] Result<Hello> toModel(const v1::HelloReply &reply);

using WatchBody = std::variant<std::monostate, std::vector<SeriesDefinition>, plimsoll::Frame, LostFrames, Heartbeat>;
struct Watched
{
    std::uint64_t epoch = 0;
    WatchBody body; // monostate: a kind of message this version does not know, to be passed over
};
/// A frame of a kind this version does not know becomes an empty SampleBlock: its number is not a loss.
/// Whether the series ids of a block were defined is the receiver's to know.
[[nodiscard]] Result<Watched> toModel(const v1::WatchMessage &message);

} // namespace plimsoll::wire
