// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/reserved_array.h"
#include "formats/stack_table.h"
#include "formats/text_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

// In columns of millions of rows an optional would cost eight bytes a value.
inline constexpr std::uint64_t kUnknownBytes = UINT64_MAX; // of a size or an address that was not said
inline constexpr std::int64_t kUnknownTime = INT64_MIN;

enum class TraceAction : std::uint8_t {
    Alloc,
    FreeRequested,
    FreeCompleted,
    Free, // written by other tools: requested and completed in one
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Oom,
    Snapshot,
    Annotate,
    UserDefined,
    WorkspaceSnapshot,
    FirstUnknown, // this and above: an action by a name we do not know; no effect on memory
};
inline constexpr std::size_t kKnownActions = static_cast<std::size_t>(TraceAction::FirstUnknown);
[[nodiscard]] std::string_view toString(TraceAction action) noexcept; // of the known ones: "alloc", …

using StreamId = std::uint32_t;  // index into MemorySnapshot::streams
using ContextId = std::uint32_t; // index into MemorySnapshot::contexts; 0: nothing was said

/// What an event may say beside the common columns. Interned: few differ in a file.
struct EventContext
{
    std::optional<std::pair<std::int64_t, std::int64_t>> pool;
    // compile_context (never the "N/A" that stands for none), user_metadata, internal_metadata,
    // category, forward_frames and keys we do not know; values are text, JSON for what is not.
    std::vector<std::pair<TextId, TextId>> attributes;

    friend auto operator<=>(const EventContext &, const EventContext &) = default;
};

/// One row of the trace, gathered from the columns.
struct TraceEvent
{
    TraceAction action = TraceAction::FirstUnknown;
    std::uint64_t address = kUnknownBytes; // of an oom, which has none: device_free, the free bytes of the device
    std::uint64_t size = kUnknownBytes;    // bytes asked for; of a segment event its length
    std::int64_t timeUs = kUnknownTime;    // microseconds since the Unix epoch
    StackId stack = kNoStack;
    StreamId stream = 0;
    ContextId context = 0;
};

/// The events of all devices, device after device, oldest first. 33 bytes a row, and the
/// columns that say nothing (stream 0, context 0, no stack) are never written to.
class EventColumns
{
public:
    EventColumns() = default;
    /// Throws std::bad_alloc when there is no address space for so many.
    explicit EventColumns(std::size_t capacity);

    [[nodiscard]] std::size_t size() const noexcept { return action.size(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return action.capacity(); }
    [[nodiscard]] bool isFull() const noexcept { return size() == capacity(); }
    void append(const TraceEvent &event) noexcept; // the caller checks isFull
    [[nodiscard]] TraceEvent operator[](std::size_t row) const noexcept;

    ReservedArray<TraceAction> action;
    ReservedArray<std::uint64_t> address; // of an oom: the device's free bytes
    ReservedArray<std::uint64_t> sizes;
    ReservedArray<std::int64_t> timeUs;
    ReservedArray<StackId> stack;
    ReservedArray<StreamId> stream;
    ReservedArray<ContextId> context;
};

inline void EventColumns::append(const TraceEvent &event) noexcept
{
    const auto row = action.size();
    action.append(event.action);
    address.append(event.address);
    sizes.append(event.size);
    timeUs.append(event.timeUs);
    if (event.stack != kNoStack) // pages that nobody writes to take no memory
        stack[row] = event.stack;
    if (event.stream != 0)
        stream[row] = event.stream;
    if (event.context != 0)
        context[row] = event.context;
    stack.setSize(row + 1);
    stream.setSize(row + 1);
    context.setSize(row + 1);
}

enum class BlockState : std::uint8_t { Inactive, ActiveAllocated, ActivePendingFree, Unknown };
[[nodiscard]] std::string_view toString(BlockState state) noexcept; // "inactive", "active_allocated", …

struct MemoryBlock
{
    std::uint64_t address = kUnknownBytes;
    std::uint64_t size = 0;                  // rounded; part of the segment
    std::uint64_t requested = kUnknownBytes; // of an inactive block stale: ignore
    BlockState state = BlockState::Unknown;
    StackId stack = kNoStack;
    std::uint32_t historyLength = 0; // entries of the old "history" form (PyTorch 1.13, 2.0)
};

struct MemorySegment
{
    std::int32_t device = 0;
    std::uint64_t address = kUnknownBytes;
    std::uint64_t totalSize = 0;
    std::uint64_t allocatedSize = kUnknownBytes;
    std::uint64_t activeSize = kUnknownBytes;
    std::uint64_t requestedSize = kUnknownBytes;
    StreamId stream = 0;
    std::optional<bool> isLarge; // which half of the pool
    std::optional<std::pair<std::int64_t, std::int64_t>> pool;
    std::optional<bool> isExpandable;
    StackId stack = kNoStack;
    std::size_t firstBlock = 0; // in MemorySnapshot::blocks, in address order
    std::size_t blockCount = 0;
};

enum class MemoryKind : std::uint8_t { Accelerator, PinnedHost, Cpu };

/// One list of events: a device's ring, pinned host memory, a profiler's device.
struct TraceDevice
{
    MemoryKind kind = MemoryKind::Accelerator;
    std::int32_t ordinal = 0;  // of the device in its process; of the list for pinned host memory
    std::size_t firstEvent = 0; // rows [firstEvent, firstEvent + eventCount)
    std::size_t eventCount = 0;
    std::optional<bool> hasOverflowed; // whether the ring lost its oldest events, where the file says it
    std::optional<std::uint64_t> maxEntries;
    // Profiler traces without addresses: nothing can be matched, the level is all there is.
    bool hasAddresses = true;
    std::optional<std::uint64_t> levelAtStart;    // bytes, where running totals say it
    std::vector<std::pair<std::size_t, std::uint64_t>> reserved; // (row, bytes) where running totals say it
};

/// A mark of a profiler range.
struct TraceAnnotation
{
    std::int32_t device = 0;
    std::int64_t timeUs = kUnknownTime;
    enum class Stage : std::uint8_t { Start, End, Other } stage = Stage::Other;
    TextId name = 0;
};

/// How the file was made, as far as it can be seen.
struct SnapshotOrigin
{
    enum class Format : std::uint8_t { Pickle, Json, Sqlite, Kineto, MemoryTimeline, Pprof, HeapText } format = Format::Pickle;
    std::uint64_t fileBytes = 0;       // as it lies on the disk
    bool isCompressed = false;
    bool isHtml = false;               // found inside a page of memory_viz
    int pickleProtocol = -1;           // −1: not a pickle
    std::size_t widestLongBytes = 0;   // of LONG1/LONG4
    std::size_t frameObjects = 0;      // frame dictionaries as objects, before interning by value
    bool isTopLevelList = false;       // a bare list of segments
    std::vector<std::string> topLevel; // keys in file order
    std::size_t traceLists = 0;        // length of device_traces, with the empty ones
    std::optional<std::uint64_t> truncatedAt; // byte at which the file ends too early; what came before is here
    std::uint64_t trailingBytes = 0;   // behind the end of the data
    std::string torchVersions;         // "2.5 to 2.7": by the newest feature present; empty when nothing says it
};

/// A picture of an allocator's memory and of the events that led to it: what each of the formats
/// becomes. Written once by a reader, then read from any thread.
struct MemorySnapshot
{
    SnapshotOrigin origin;
    TextTable texts;
    StackTable stacks;
    std::vector<std::uint64_t> streams;   // the stream's handle; [0] is the default stream, 0
    std::vector<EventContext> contexts;   // [0] says nothing
    std::vector<std::string> actionNames; // the known ones, then those of this file; index = TraceAction
    std::vector<MemorySegment> segments;  // in file order
    std::vector<MemoryBlock> blocks;      // segment after segment
    std::vector<MemorySegment> hostSegments; // pinned host memory: one block each, in hostBlocks
    std::vector<MemoryBlock> hostBlocks;
    EventColumns events;
    std::vector<TraceDevice> devices; // one a list of device_traces, then pinned host memory
    std::vector<TraceAnnotation> annotations; // in file order
    std::vector<std::pair<std::string, std::string>> settings;   // allocator_settings; values as JSON
    std::vector<std::pair<std::string, std::string>> attributes; // unknown top-level keys; values as JSON, cut at a limit
    std::map<std::string, std::uint64_t> unknownKeys; // "event.colour" → how often
    std::vector<std::string> warnings; // plain sentences; each once

    MemorySnapshot();
    /// The text of a setting ("PYTORCH_CUDA_ALLOC_CONF", …) without JSON's quotes; nullopt when absent.
    [[nodiscard]] std::optional<std::string> setting(std::string_view key) const;
};

} // namespace plimsoll
