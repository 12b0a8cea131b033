// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/replay.h"
#include "snapshot/residency.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// By what allocations are put together.
enum class GroupBy : std::uint8_t {
    OwnLine,  // innermost line of the program itself, past all libraries
    Category, // inferred, see Categories
    Pool,
    Stream,
    SizeClass,
    Annotation,     // innermost profiler range that was open at birth
    CompileContext,
    UserMetadata,
};

struct Grouping
{
    std::vector<std::uint32_t> of;  // by AllocationId
    std::vector<std::string> names; // by group; a text for people
};

/// Any thread; tens of ms for millions of allocations. When stopped, it is empty.
[[nodiscard]] Grouping groupAllocations(const Replay &replay, GroupBy by, std::stop_token stop = {});

struct GroupTotal
{
    std::uint32_t group = 0;
    std::int64_t bytes = 0; // requested
    std::int64_t count = 0;

    friend bool operator==(const GroupTotal &, const GroupTotal &) = default;
};
/// What was alive, most bytes first; groups without an allocation are left out.
[[nodiscard]] std::vector<GroupTotal> aliveByGroup(const Replay &replay, const Grouping &grouping, EventInstant instant);
/// A band for each of the groups that held most at their own peak; Bands::stacks stays empty, `groups` says which.
[[nodiscard]] Bands bandsOfGroups(const Replay &replay, const Grouping &grouping, std::size_t most, std::vector<std::uint32_t> &groups);

/// Whether a file belongs to a library, to Python itself, or was generated: not to the program.
[[nodiscard]] bool isLibraryFile(std::string_view file) noexcept;
/// The innermost frame of the program itself; else the innermost Python frame, else the innermost one that
/// memory_viz would show; nullopt without frames.
[[nodiscard]] std::optional<FrameId> ownFrame(const MemorySnapshot &snapshot, StackId stack);

} // namespace plimsoll
