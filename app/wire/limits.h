// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

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
inline constexpr std::size_t kMaxCapabilities = 100;

// Instants lie between 1970 and 2200, so that a difference or a small offset never overflows.
inline constexpr std::int64_t kLatestUnixNano = 7'258'118'400'000'000'000;
// Sequence and step numbers, byte counts: they fit a signed column and have a successor.
inline constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 62U;

} // namespace plimsoll::wire
