// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/frame_filter.h"
#include "snapshot/replay.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

enum class TreeDirection : std::uint8_t { TopDown, BottomUp }; // from main() inwards; from the allocation outwards

/// What the boxes of a tree weigh: bytes by rank, as prefix sums. Growth can be negative: then
/// `value` is the signed sum and `width` the sum of absolute values.
struct TreeWeights
{
    std::vector<std::int64_t> value; // one more than ranks
    std::vector<std::int64_t> width; // empty: the same as value
    std::vector<std::int64_t> count; // allocations

    [[nodiscard]] std::span<const std::int64_t> widths() const noexcept { return width.empty() ? value : width; }
};

/// A box: a node with at least the wished weight.
struct TreeBox
{
    std::uint32_t first = 0; // ranks [first, last)
    std::uint32_t last = 0;
    std::uint32_t depth = 0; // 0: the root, which is everything
    std::uint32_t unit = 0;  // what it shows: StackTree::label; of the root 0
    std::uint32_t parent = 0; // in the list of boxes; of the root itself
    std::int64_t left = 0;   // widths of all that lies before it
    std::int64_t width = 0;
    std::int64_t value = 0;  // bytes
    std::int64_t self = 0;   // bytes of allocations that were made right there
    std::int64_t count = 0;

    friend bool operator==(const TreeBox &, const TreeBox &) = default;
};

/// All distinct stacks of a snapshot, sorted: a node of the flame graph is a range of ranks and a
/// depth, so nothing is built for an instant. Made once for each filter and direction (30 ms for
/// 50,000 stacks); any thread. Devices share it.
///
/// Allocations without a stack, or with all frames hidden, have a box of their own: parts add up. So have those
/// from before the trace that only their free tells of, since its stack is not who made them.
class StackTree
{
public:
    StackTree(const MemorySnapshot &snapshot, TreeDirection direction, const FrameFilter &filter = {}, std::stop_token stop = {});
    [[nodiscard]] bool isCancelled() const noexcept { return m_isCancelled; } // then it has no ranks

    static constexpr std::uint32_t kNoStackUnit = UINT32_MAX - 1;
    static constexpr std::uint32_t kAllHiddenUnit = UINT32_MAX - 2;
    static constexpr std::uint32_t kBeforeUnit = UINT32_MAX - 3;

    [[nodiscard]] std::size_t ranks() const noexcept { return m_starts.size() - 1; } // stacks, and one for kBeforeUnit
    [[nodiscard]] std::size_t rankOf(StackId stack) const noexcept { return m_rankOf[stack]; }
    [[nodiscard]] std::span<const StackId> stacksByRank() const noexcept { return m_stackAt; }
    [[nodiscard]] std::string label(std::uint32_t unit) const; // "file:line name", a file, a module, "no stack"
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// Which allocations count: a category, a pool, …; empty: all.
    using Wanted = std::function<bool(AllocationId)>;

    // Weights, in requested bytes
    [[nodiscard]] TreeWeights alive(const Replay &replay, EventInstant instant, const Wanted &wanted = {}) const;
    [[nodiscard]] TreeWeights born(const Replay &replay, EventInstant from, EventInstant to, const Wanted &wanted = {}) const; // in (from, to]
    /// Alive at `to`, less alive at `from`.
    [[nodiscard]] TreeWeights growth(const Replay &replay, EventInstant from, EventInstant to, const Wanted &wanted = {}) const;
    /// Born in (from, to] and alive at `at`, which is not before `to`.
    [[nodiscard]] TreeWeights kept(const Replay &replay, EventInstant from, EventInstant to, EventInstant at, const Wanted &wanted = {}) const;
    /// Born after `from` and never freed.
    [[nodiscard]] TreeWeights leaked(const Replay &replay, EventInstant from, const Wanted &wanted = {}) const;
    [[nodiscard]] TreeWeights weights(std::span<const std::pair<StackId, std::int64_t>> bytes) const; // any others: a diff, a heap profile

    /// The root and every node of at least `minWidth` (≥ 1), parents before children, children by rank.
    [[nodiscard]] std::vector<TreeBox> boxes(const TreeWeights &weights, std::int64_t minWidth, std::uint32_t maxDepth = 512) const;
    /// The children of one node, whatever they weigh (but not nothing).
    [[nodiscard]] std::vector<TreeBox> children(const TreeWeights &weights, const TreeBox &node) const;
    /// The units from the outermost shown frame to the node.
    [[nodiscard]] std::vector<std::uint32_t> path(const TreeBox &node) const;

private:
    void sort(const std::vector<std::size_t> &starts, const std::vector<std::uint32_t> &units, const std::stop_token &stop);
    [[nodiscard]] std::size_t depthOf(std::size_t rank) const noexcept { return m_starts[rank + 1] - m_starts[rank]; }
    [[nodiscard]] std::uint32_t unitAt(std::size_t rank, std::size_t depth) const noexcept { return m_units[m_starts[rank] + depth]; }
    [[nodiscard]] std::size_t endOfEqual(std::size_t rank, std::size_t last, std::size_t depth) const noexcept;
    template <class F>
    void forEachChild(const TreeBox &node, const TreeWeights &weights, std::int64_t minWidth, F f) const;
    [[nodiscard]] TreeBox boxOf(const TreeWeights &weights, std::size_t first, std::size_t last, std::uint32_t depth) const noexcept;
    [[nodiscard]] TreeWeights empty() const;
    static void sumUp(TreeWeights &weights);

    const MemorySnapshot *m_snapshot;
    FilteredFrames m_frames;
    FrameUnit m_unit;
    bool m_isCancelled = false;
    std::vector<StackId> m_stackAt;       // by rank
    std::vector<std::uint32_t> m_rankOf;  // by stack
    std::vector<std::size_t> m_starts;    // by rank, in m_units; one more
    std::vector<std::uint32_t> m_units;   // root first
};

} // namespace plimsoll
