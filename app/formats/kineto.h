// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/byte_source.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

/// A time of a Chrome trace in microseconds, as exact as it was written.
struct ChromeTime
{
    std::int64_t us = 0;
    double fraction = 0; // [0, 1)

    friend auto operator<=>(const ChromeTime &, const ChromeTime &) = default;
};

/// What the [memory] events of one device come to, without its [OutOfMemory] events.
struct KinetoDeviceCensus
{
    std::string key; // "type:id": "0:-1" the CPU, "1:0" the first GPU
    std::uint64_t memoryEvents = 0;
    std::uint64_t oomEvents = 0;
    std::uint64_t allocs = 0;
    std::uint64_t frees = 0;
    std::int64_t allocBytes = 0;
    std::int64_t freeBytes = 0;
    std::int64_t netBytes = 0;
    std::int64_t peakNetBytes = 0; // of the sum over time, from 0; never below 0
    std::uint64_t freeOfUnknownAddress = 0;
    std::optional<std::int64_t> maxTotalAllocated; // absent in old files
    std::optional<std::int64_t> maxTotalReserved;
    std::optional<ChromeTime> firstTime; // as in the file, without its base
    std::optional<ChromeTime> lastTime;
    std::uint64_t liveAtEnd = 0; // of those with an address
    std::int64_t liveAtEndBytes = 0;
};

struct KinetoCensus
{
    bool isTopLevelList = false;
    std::vector<std::string> topLevel;
    std::uint64_t events = 0;
    std::vector<std::pair<std::string, std::uint64_t>> eventsByPhase; // by first appearance; "null": without "ph"
    std::uint64_t memoryEventsOutOfTimeOrder = 0; // in the file's order
    std::vector<KinetoDeviceCensus> devices;      // by first appearance
};

/// A card that the trace names, used or not.
struct KinetoDeviceProperties
{
    std::int64_t id = 0;
    std::string name;
    std::optional<std::uint64_t> totalBytes; // totalGlobalMem: its capacity
};

/// The memory side of a PyTorch profiler trace. A device of the snapshot is a "type:id" of the
/// trace, in the census's order; its events are sorted by time, allocations as Alloc, frees as
/// Free. The stack is what was running on the thread: ops, annotations, Python functions.
struct KinetoTrace
{
    MemorySnapshot snapshot;
    KinetoCensus census;
    std::vector<KinetoDeviceProperties> deviceProperties;
};

/// Reads a trace as an object or a bare list, in memory bounded by its memory events and its ops. A
/// file that ends too early gives what came before and a warning. Errors: Corrupt, TooLarge,
/// Cancelled, Io; BadInput for a JSON text that is no trace.
[[nodiscard]] Result<KinetoTrace> readKineto(ByteSource &source, const SnapshotReading &reading);

} // namespace plimsoll
