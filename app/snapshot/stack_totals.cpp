// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/stack_totals.h"

#include "snapshot/wrapping.h"

#include <algorithm>

namespace plimsoll {
namespace {

std::vector<StackTotal> sorted(std::vector<StackTotal> byStack)
{
    std::erase_if(byStack, [](const StackTotal &total) { return total.count == 0; });
    std::sort(byStack.begin(), byStack.end(), [](const StackTotal &a, const StackTotal &b) {
        if (a.bytes != b.bytes)
            return a.bytes > b.bytes;
        return a.stack != b.stack ? a.stack < b.stack : a.isStackOfFree < b.isStackOfFree;
    });
    return byStack;
}

void add(StackTotal &of, const Replay &replay, AllocationId id, bool isStackOfFree)
{
    of.stack = replay.stacks()[id];
    of.bytes = wrappingAdd(of.bytes, static_cast<std::int64_t>(replay.sizes()[id]));
    ++of.count;
    of.isStackOfFree = isStackOfFree;
}

std::vector<StackTotal> total(const Replay &replay, std::size_t first, EventInstant instant)
{
    const auto stacks = replay.stacks();
    std::vector<AllocationId> alive;
    replay.forEachAliveOf(first, replay.bornUpTo(instant), instant, [&](AllocationId id) { alive.push_back(id); });
    const auto isStackOfFree = [&](AllocationId id) { return replay.origin(id) == AllocationOrigin::BeforeFreed; };
    const auto keyOf = [&](AllocationId id) { return stacks[id] * std::uint64_t{2} + (isStackOfFree(id) ? 1 : 0); };
    const auto count = replay.snapshot().stacks.stackCount();
    std::vector<StackTotal> totals;
    if (count / 4 <= alive.size()) {
        totals.resize(2 * count);
        for (const auto id : alive)
            add(totals[keyOf(id)], replay, id, isStackOfFree(id));
    } else {
        // A table of all stacks would be mostly empty, and can be far bigger than all else.
        std::sort(alive.begin(), alive.end(), [&](AllocationId a, AllocationId b) { return keyOf(a) < keyOf(b); });
        for (std::size_t i = 0; i < alive.size(); ++i) {
            if (i == 0 || keyOf(alive[i]) != keyOf(alive[i - 1]))
                totals.emplace_back();
            add(totals.back(), replay, alive[i], isStackOfFree(alive[i]));
        }
    }
    return sorted(std::move(totals));
}

} // namespace

std::vector<StackTotal> aliveByStack(const Replay &replay, EventInstant instant)
{
    return total(replay, 0, instant);
}

std::vector<StackTotal> keptByStack(const Replay &replay, EventInstant from, EventInstant to)
{
    return total(replay, replay.bornUpTo(from), to);
}

} // namespace plimsoll
