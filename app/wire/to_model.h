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
[[nodiscard]] Result<Hello> toModel(const v1::HelloReply &reply);

using WatchBody = std::variant<std::monostate, std::vector<SeriesDefinition>, plimsoll::Frame, LostFrames, Heartbeat>;
struct Watched
{
    std::uint64_t epoch = 0;
    WatchBody body; // monostate: a kind of message this version does not know, to be passed over
};
[[nodiscard]] Result<Watched> toModel(const v1::WatchMessage &message);

} // namespace plimsoll::wire
