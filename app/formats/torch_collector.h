// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"
#include "formats/torch_version.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plimsoll {

/// Turns the parts of a snapshot, as text forms of it spell them, into columns: ids for what
/// repeats, counts of what is unknown, limits. Shared by the readers of JSON and SQLite.
class TorchCollector
{
public:
    /// `bytes`: of the file, where they are known; an event takes some of them.
    TorchCollector(const SnapshotReading &reading, std::optional<std::uint64_t> bytes);
    ~TorchCollector();
    TorchCollector(const TorchCollector &) = delete;
    TorchCollector &operator=(const TorchCollector &) = delete;

    MemorySnapshot snapshot;
    TorchFeatures features;

    [[nodiscard]] StreamId stream(std::uint64_t handle);
    [[nodiscard]] ContextId context(const EventContext &context);
    [[nodiscard]] TraceAction action(std::string_view name);
    [[nodiscard]] static BlockState state(std::string_view name) noexcept;
    /// "[0, 1]" or "(0, 1)"; nullopt for anything else.
    [[nodiscard]] static std::optional<std::pair<std::int64_t, std::int64_t>> pool(std::string_view text) noexcept;
    /// A list of frames as JSON, followed by JsonReader::kPadding readable bytes.
    [[nodiscard]] Result<StackId> stack(std::string_view json);
    void unknownKey(std::string_view where, std::string_view key);
    /// An attribute of an event; `text` is plain text, or JSON of what is none.
    void attribute(EventContext &context, std::string_view key, std::string_view text);

    /// Errors: TooLarge.
    [[nodiscard]] Result<void> append(const TraceEvent &event);
    [[nodiscard]] Result<void> checkMemory() const;
    /// Gives blocks without an address that of their place; the segment's blocks are the last ones.
    static void placeBlocks(MemorySegment &segment, std::vector<MemoryBlock> &blocks);

    /// A piece of pinned host memory; the block needs its stack and what was asked for.
    void appendHostSegment(MemorySegment segment, MemoryBlock block, std::optional<bool> isAllocated, std::optional<bool> isActive);

    /// Marks of a ring that lost its oldest events: a scalar or a list, one a device, as JSON.
    void overflowed(std::string_view json);
    void maxEntries(std::string_view json);
    /// What finishes all forms: versions, flags of the devices.
    void finish();

private:
    class Frames;

    const SnapshotReading &m_reading;
    std::unordered_map<std::uint64_t, StreamId> m_streams;
    std::map<EventContext, ContextId> m_contexts;
    std::map<std::string, TraceAction, std::less<>> m_actions;
    std::vector<std::optional<std::int64_t>> m_overflowed;
    std::vector<std::optional<std::int64_t>> m_maxEntries;
    bool m_isOverflowedForAll = false;
    bool m_isMaxForAll = false;
    std::unique_ptr<Frames> m_frames;
};

} // namespace plimsoll
