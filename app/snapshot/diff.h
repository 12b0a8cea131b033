// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "snapshot/categories.h"
#include "snapshot/replay.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Allocations alive on one side, alike in stack, size class and category.
struct DiffItem
{
    StackId stack = kNoStack;
    std::uint8_t sizeClass = 0; // bits of the requested size: 2^(n−1) ≤ size < 2^n
    MemoryCategory category = MemoryCategory::Unknown;
    std::uint64_t bytes = 0; // requested
    std::uint64_t count = 0;
};

/// One side: a snapshot, which must live, and what was alive in it at some instant.
struct DiffSide
{
    const MemorySnapshot *snapshot = nullptr;
    bool hasCategories = false;
    std::vector<DiffItem> items;
};

/// What the final blocks hold: allocated and pending ones, of all accelerators or of one (its ordinal).
[[nodiscard]] DiffSide finalSide(const MemorySnapshot &snapshot, std::optional<std::int32_t> ordinal = {});
/// What is alive at an instant of a device.
[[nodiscard]] DiffSide sideAt(const Replay &replay, EventInstant instant, const Categories *categories = nullptr);

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
    std::string name; // of a stack: its innermost telling frame; of a category or class its name
    std::vector<std::string> frames; // of a stack: "file:line name", normalised, innermost first, as on side B if there
    StackId stackA = kNoStack; // one of those on each side, where there is one
    StackId stackB = kNoStack;
    DiffAmount a;
    DiffAmount b;
    DiffChange change = DiffChange::Changed;
    bool hasLineDrift = false; // matched by files and functions: the lines differ

    [[nodiscard]] std::int64_t delta() const noexcept { return static_cast<std::int64_t>(b.bytes - a.bytes); }
};

struct SnapshotDiff
{
    DiffAmount totalA;
    DiffAmount totalB;
    std::vector<DiffRow> byStack; // what differs, largest absolute change first
    std::vector<DiffRow> byCategory; // only when both sides have them
    std::vector<DiffRow> bySizeClass;
    std::size_t unchangedStacks = 0;
    std::size_t driftedStacks = 0; // the same but for their lines, and unchanged otherwise

    [[nodiscard]] bool isEmpty() const noexcept { return byStack.empty() && byCategory.empty() && bySizeClass.empty(); }
};

/// Compares by meaning, not by place: home folders, where packages are installed, numbers of notebook
/// processes and the direction of slashes make no difference; what is left over on both sides is
/// matched by files and functions without the lines. Errors: Cancelled.
[[nodiscard]] Result<SnapshotDiff> diffSnapshots(const DiffSide &a, const DiffSide &b, std::stop_token stop = {});

/// A path as it compares: "~/…" for a home folder, "site-packages/…" and "python/…" for what is
/// installed, "ipykernel/…" and "torchinductor/…" for generated files; forward slashes.
[[nodiscard]] std::string normalisedPath(std::string_view path);

} // namespace plimsoll
