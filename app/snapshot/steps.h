// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace plimsoll {

/// Where each step of a training run begins.
struct Steps
{
    enum class Source : std::uint8_t { None, Annotations, Periodicity } source = Source::None;
    std::string name; // of the annotation, without its number
    std::vector<EventInstant> starts; // ascending; a step ends where the next begins, the last one at N

    [[nodiscard]] std::size_t count() const noexcept { return starts.size(); }
};

/// By annotations (ProfilerStep#, then a range that is called once a step, then Optimizer.step), else by a
/// stack that allocates at regular distances, else by the period of the level; three at least of these.
[[nodiscard]] Steps findSteps(const Replay &replay, std::stop_token stop = {}); // when stopped: none

} // namespace plimsoll
