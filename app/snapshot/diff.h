// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "formats/memory_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Something alive on one side.
struct DiffItem
{
    StackId stack = kNoStack;
    std::uint64_t bytes = 0; // requested
    std::uint64_t count = 1;
};

/// One side: a snapshot and what was alive in it at some instant.
struct DiffSide
{
    const MemorySnapshot *snapshot = nullptr;
    std::vector<DiffItem> items;
};

/// What the final blocks hold: active allocations of all devices, or of one (its ordinal).
[[nodiscard]] DiffSide finalSide(const MemorySnapshot &snapshot, std::optional<std::int32_t> ordinal = {});
/// What was alive after `instant` events of a device (an index into MemorySnapshot::devices).
[[nodiscard]] DiffSide sideAt(const MemorySnapshot &snapshot, std::size_t device, std::size_t instant);

enum class DiffChange : std::uint8_t { Added, Removed, Changed };
[[nodiscard]] std::string_view toString(DiffChange change) noexcept; // "added", …

struct DiffAmount
{
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;

    friend bool operator==(const DiffAmount &, const DiffAmount &) = default;
};

struct DiffRow
{
    std::string name;                 // of a stack: its innermost telling frame; of a category or class its name
    std::vector<std::string> frames;  // of a stack: "file:line name", normalised, innermost first
    StackId stackA = kNoStack;        // one of those on each side, where there is one
    StackId stackB = kNoStack;
    DiffAmount a;
    DiffAmount b;
    DiffChange change = DiffChange::Changed;
    bool hasLineDrift = false;        // matched by file and function: the lines differ

    [[nodiscard]] std::int64_t delta() const noexcept { return static_cast<std::int64_t>(b.bytes - a.bytes); }
};

struct SnapshotDiff
{
    DiffAmount totalA;
    DiffAmount totalB;
    std::vector<DiffRow> byStack;    // what differs, largest absolute change first
    std::vector<DiffRow> byCategory;
    std::vector<DiffRow> bySizeClass; // of the mean size of an item, by powers of two
    std::size_t unchangedStacks = 0;

    [[nodiscard]] bool isEmpty() const noexcept { return byStack.empty() && byCategory.empty() && bySizeClass.empty(); }
};

/// Names the category of an item of one side.
using DiffCategory = std::function<std::string(const MemorySnapshot &, const DiffItem &)>;

/// Compares by meaning, not by place: home folders, site-packages, notebook and compiler cache
/// numbers and the direction of slashes do not make a difference. Errors: Cancelled.
[[nodiscard]] Result<SnapshotDiff> diffSnapshots(const DiffSide &a, const DiffSide &b, const DiffCategory &category = {},
                                                 std::stop_token stop = {});

/// A path as it compares: "~" for a home folder, "site-packages/…" for what is installed, "ipykernel/…".
[[nodiscard]] std::string normalisedPath(std::string_view path);

} // namespace plimsoll
