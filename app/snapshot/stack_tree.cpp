// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/stack_tree.h"

#include "snapshot/wrapping.h"

#include <algorithm>
#include <numeric>

namespace plimsoll {
namespace {

constexpr std::size_t kStopEvery = std::size_t{1} << 14U; // comparisons between two looks at the stop token
constexpr StackId kStacksBetweenStops = 4096;

struct Cancelled
{}; // std::sort has no other way out

std::int64_t magnitude(std::int64_t a) noexcept
{
    return a < 0 ? wrappingSubtract(0, a) : a;
}

} // namespace

StackTree::StackTree(const MemorySnapshot &snapshot, TreeDirection direction, const FrameFilter &filter, std::stop_token stop)
    : m_snapshot(&snapshot), m_frames(applyFilter(snapshot, filter)), m_unit(filter.unit)
{
    const auto &stacks = snapshot.stacks;
    const auto count = stacks.stackCount();
    // Each stack as units, root first, then the order of them all.
    std::vector<std::size_t> starts{0};
    std::vector<std::uint32_t> units;
    starts.reserve(count + 1);
    m_starts.push_back(0);
    for (StackId id = 0; id < count; ++id) {
        if (id % kStacksBetweenStops == 0 && stop.stop_requested()) {
            m_isCancelled = true;
            return;
        }
        const auto stack = stacks.stack(id);
        const auto begin = units.size();
        for (std::size_t i = 0; i < stack.size(); ++i) {
            const auto unit = m_frames.unitOf[stack[direction == TreeDirection::TopDown ? stack.size() - 1 - i : i]];
            if (unit == FilteredFrames::kHidden)
                continue;
            // Lines stay apart, or recursion would not be seen; anything wider becomes one.
            if (m_unit != FrameUnit::Line && units.size() > begin && units.back() == unit)
                continue;
            units.push_back(unit);
        }
        if (units.size() == begin)
            units.push_back(stack.size() == 0 ? kNoStackUnit : kAllHiddenUnit);
        starts.push_back(units.size());
    }
    m_stackAt.resize(count);
    std::iota(m_stackAt.begin(), m_stackAt.end(), StackId{0});
    m_rankOf.resize(count);
    try {
        sort(starts, units, stop);
    } catch (const Cancelled &) {
        m_isCancelled = true;
        m_stackAt.clear();
        return;
    }
    m_starts.reserve(count + 1);
    m_units.reserve(units.size());
    for (std::size_t rank = 0; rank < count; ++rank) {
        const auto id = m_stackAt[rank];
        m_rankOf[id] = static_cast<std::uint32_t>(rank);
        m_units.insert(m_units.end(), units.begin() + static_cast<std::ptrdiff_t>(starts[id]),
                       units.begin() + static_cast<std::ptrdiff_t>(starts[id + 1]));
        m_starts.push_back(m_units.size());
    }
    m_stackAt.push_back(kNoStack);
    m_units.push_back(kBeforeUnit);
    m_starts.push_back(m_units.size());
}

void StackTree::sort(const std::vector<std::size_t> &starts, const std::vector<std::uint32_t> &units, const std::stop_token &stop)
{
    const auto *all = units.data();
    std::size_t comparisons = 0;
    std::sort(m_stackAt.begin(), m_stackAt.end(), [&](StackId a, StackId b) {
        if (++comparisons % kStopEvery == 0 && stop.stop_requested())
            throw Cancelled();
        const auto *x = all + starts[a];
        const auto *y = all + starts[b];
        const auto depthA = starts[a + 1] - starts[a];
        const auto depthB = starts[b + 1] - starts[b];
        const auto [i, j] = std::mismatch(x, x + std::min(depthA, depthB), y);
        if (i != x + std::min(depthA, depthB))
            return *i < *j;
        return depthA != depthB ? depthA < depthB : a < b;
    });
}

std::string StackTree::label(std::uint32_t unit) const
{
    if (unit == kNoStackUnit)
        return "no stack";
    if (unit == kAllHiddenUnit)
        return "hidden frames only";
    if (unit == kBeforeUnit)
        return "made before the trace";
    if (m_unit == FrameUnit::Line)
        return unit < m_snapshot->stacks.frameCount() ? frameText(*m_snapshot, unit) : std::string();
    return unit < m_frames.names.size() ? m_frames.names[unit] : std::string();
}

std::size_t StackTree::bytes() const noexcept
{
    return m_units.capacity() * sizeof(std::uint32_t) + m_starts.capacity() * sizeof(std::size_t)
        + m_stackAt.capacity() * sizeof(StackId) + m_rankOf.capacity() * sizeof(std::uint32_t)
        + m_frames.unitOf.capacity() * sizeof(std::uint32_t);
}

TreeWeights StackTree::empty() const
{
    TreeWeights weights;
    weights.value.resize(ranks() + 1);
    weights.count.resize(ranks() + 1);
    return weights;
}

// From what each rank has (at rank + 1) to prefix sums.
void StackTree::sumUp(TreeWeights &weights)
{
    for (auto *sums : {&weights.value, &weights.width, &weights.count})
        for (std::size_t i = 1; i < sums->size(); ++i)
            (*sums)[i] = wrappingAdd((*sums)[i], (*sums)[i - 1]);
}

namespace {

/// Adds what is visited to its rank; sign −1 takes it away.
class Scatter
{
public:
    Scatter(TreeWeights &weights, const Replay &replay, std::span<const std::uint32_t> rankOf, const StackTree::Wanted &wanted)
        : m_value(weights.value.data() + 1)
        , m_count(weights.count.data() + 1)
        , m_stacks(replay.stacks())
        , m_sizes(replay.sizes())
        , m_rankOf(rankOf)
        , m_wanted(wanted)
        , m_replay(replay)
        , m_before(replay.beforeCount())
        , m_rankOfBefore(weights.count.size() - 2)
    {}
    void add(AllocationId id)
    {
        if (m_wanted && !m_wanted(id))
            return;
        const auto rank = rankOf(id);
        m_value[rank] = wrappingAdd(m_value[rank], static_cast<std::int64_t>(m_sizes[id]));
        ++m_count[rank];
    }
    void takeAway(AllocationId id)
    {
        if (m_wanted && !m_wanted(id))
            return;
        const auto rank = rankOf(id);
        m_value[rank] = wrappingSubtract(m_value[rank], static_cast<std::int64_t>(m_sizes[id]));
        --m_count[rank];
    }

private:
    [[nodiscard]] std::size_t rankOf(AllocationId id) const noexcept
    {
        if (id < m_before && m_replay.origin(id) == AllocationOrigin::BeforeFreed)
            return m_rankOfBefore;
        return m_rankOf[m_stacks[id]];
    }

    std::int64_t *m_value;
    std::int64_t *m_count;
    std::span<const StackId> m_stacks;
    std::span<const std::uint64_t> m_sizes;
    std::span<const std::uint32_t> m_rankOf;
    const StackTree::Wanted &m_wanted;
    const Replay &m_replay;
    std::size_t m_before;
    std::size_t m_rankOfBefore;
};

} // namespace

TreeWeights StackTree::alive(const Replay &replay, EventInstant instant, const Wanted &wanted) const
{
    auto weights = empty();
    Scatter scatter(weights, replay, m_rankOf, wanted);
    replay.forEachAlive(instant, [&](AllocationId id) { scatter.add(id); });
    sumUp(weights);
    return weights;
}

TreeWeights StackTree::born(const Replay &replay, EventInstant from, EventInstant to, const Wanted &wanted) const
{
    auto weights = empty();
    Scatter scatter(weights, replay, m_rankOf, wanted);
    const auto last = replay.bornUpTo(to);
    for (auto id = replay.bornUpTo(from); id < last; ++id)
        scatter.add(static_cast<AllocationId>(id));
    sumUp(weights);
    return weights;
}

TreeWeights StackTree::growth(const Replay &replay, EventInstant from, EventInstant to, const Wanted &wanted) const
{
    auto weights = empty();
    Scatter scatter(weights, replay, m_rankOf, wanted);
    replay.forEachAlive(to, [&](AllocationId id) { scatter.add(id); });
    replay.forEachAlive(from, [&](AllocationId id) { scatter.takeAway(id); });
    weights.width.resize(weights.value.size());
    for (std::size_t i = 1; i < weights.value.size(); ++i)
        weights.width[i] = magnitude(weights.value[i]);
    sumUp(weights);
    return weights;
}

TreeWeights StackTree::kept(const Replay &replay, EventInstant from, EventInstant to, EventInstant at, const Wanted &wanted) const
{
    auto weights = empty();
    Scatter scatter(weights, replay, m_rankOf, wanted);
    replay.forEachAliveOf(replay.bornUpTo(from), replay.bornUpTo(to), at, [&](AllocationId id) { scatter.add(id); });
    sumUp(weights);
    return weights;
}

TreeWeights StackTree::leaked(const Replay &replay, EventInstant from, const Wanted &wanted) const
{
    return kept(replay, from, replay.end(), replay.end(), wanted);
}

TreeWeights StackTree::weights(std::span<const std::pair<StackId, std::int64_t>> bytes) const
{
    auto weights = empty();
    bool hasNegative = false;
    for (const auto &[stack, size] : bytes) {
        if (stack >= m_rankOf.size())
            continue;
        const auto at = m_rankOf[stack] + std::size_t{1};
        weights.value[at] = wrappingAdd(weights.value[at], size);
        ++weights.count[at];
    }
    for (const auto value : weights.value)
        hasNegative = hasNegative || value < 0;
    if (hasNegative) {
        weights.width.resize(weights.value.size());
        for (std::size_t i = 1; i < weights.value.size(); ++i)
            weights.width[i] = magnitude(weights.value[i]);
    }
    sumUp(weights);
    return weights;
}

std::size_t StackTree::endOfEqual(std::size_t rank, std::size_t last, std::size_t depth) const noexcept
{
    // Galloping: the ranks of a node are sorted by their unit at this depth.
    const auto unit = unitAt(rank, depth);
    if (unitAt(last - 1, depth) == unit)
        return last; // an only child: most are
    const auto isSame = [&](std::size_t r) { return unitAt(r, depth) == unit; };
    std::size_t step = 1;
    auto low = rank; // is the same
    while (low + step < last && isSame(low + step)) {
        low += step;
        step *= 2;
    }
    auto high = std::min(last, low + step); // is not, or is the end
    while (high - low > 1) {
        const auto middle = low + (high - low) / 2;
        (isSame(middle) ? low : high) = middle;
    }
    return high;
}

TreeBox StackTree::boxOf(const TreeWeights &weights, std::size_t first, std::size_t last, std::uint32_t depth) const noexcept
{
    const auto widths = weights.widths();
    TreeBox box;
    box.first = static_cast<std::uint32_t>(first);
    box.last = static_cast<std::uint32_t>(last);
    box.depth = depth;
    box.unit = depth == 0 ? 0 : unitAt(first, depth - 1);
    box.left = widths[first];
    box.width = wrappingSubtract(widths[last], widths[first]);
    box.value = wrappingSubtract(weights.value[last], weights.value[first]);
    box.count = wrappingSubtract(weights.count[last], weights.count[first]);
    auto end = first;
    while (end < last && depthOf(end) == depth)
        ++end;
    box.self = wrappingSubtract(weights.value[end], weights.value[first]);
    return box;
}

template <class F>
void StackTree::forEachChild(const TreeBox &node, const TreeWeights &weights, std::int64_t minWidth, F f) const
{
    const auto widths = weights.widths();
    std::size_t rank = node.first;
    const std::size_t last = node.last;
    while (rank < last && depthOf(rank) == node.depth) // end right here: sorted first
        ++rank;
    while (rank < last) {
        const auto end = endOfEqual(rank, last, node.depth);
        if (wrappingSubtract(widths[end], widths[rank]) >= minWidth)
            f(boxOf(weights, rank, end, node.depth + 1));
        rank = end;
    }
}

std::vector<TreeBox> StackTree::boxes(const TreeWeights &weights, std::int64_t minWidth, std::uint32_t maxDepth) const
{
    minWidth = std::max<std::int64_t>(minWidth, 1);
    std::vector<TreeBox> boxes{boxOf(weights, 0, ranks(), 0)};
    for (std::size_t at = 0; at < boxes.size(); ++at) {
        const auto node = boxes[at];
        if (node.depth >= maxDepth || node.width < minWidth)
            continue;
        forEachChild(node, weights, minWidth, [&](TreeBox box) {
            box.parent = static_cast<std::uint32_t>(at);
            boxes.push_back(box);
        });
    }
    return boxes;
}

std::vector<TreeBox> StackTree::children(const TreeWeights &weights, const TreeBox &node) const
{
    std::vector<TreeBox> boxes;
    forEachChild(node, weights, 1, [&](const TreeBox &box) { boxes.push_back(box); });
    return boxes;
}

std::vector<std::uint32_t> StackTree::path(const TreeBox &node) const
{
    std::vector<std::uint32_t> units;
    for (std::uint32_t depth = 0; depth < node.depth; ++depth)
        units.push_back(unitAt(node.first, depth));
    return units;
}

} // namespace plimsoll
