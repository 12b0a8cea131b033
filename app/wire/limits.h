// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace plimsoll::wire {

/// Enforced by both sides: a sender splits or refuses, a receiver ends the stream with a sentence.
inline constexpr std::size_t kMaxMessageBytes = 4 << 20;
inline constexpr std::size_t kMaxLabels = 64;
inline constexpr std::size_t kMaxNameBytes = 512;        // metric, label and group names
inline constexpr std::size_t kMaxLabelValueBytes = 4096; // longer ones are elided by the agent
inline constexpr std::size_t kMaxTextBytes = 16 << 10;   // of an event
inline constexpr std::size_t kMaxBatchRows = 4096;
inline constexpr std::size_t kMaxBatchSamples = 1 << 18;
inline constexpr std::size_t kMaxSeries = 1'000'000; // of one agent
inline constexpr std::size_t kMaxSources = 1000;

} // namespace plimsoll::wire
