// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/census.h"
#include "snapshot/replay.h"

#include <stop_token>
#include <string>
#include <vector>

namespace plimsoll {

/// What a person should know before believing the numbers of a file: plain sentences, the gravest first.
/// What it lacks and how to record it better; then, by device, what does not fit together.
[[nodiscard]] std::vector<std::string> notesOn(const MemorySnapshot &snapshot, const FileCensus &census);
[[nodiscard]] std::vector<std::string> notesOn(const Replay &replay, const DeviceCensus &census, std::stop_token stop = {});

} // namespace plimsoll
