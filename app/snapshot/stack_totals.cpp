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

std::vector<StackTotal> total(const Replay &replay, std::size_t first, EventInstant instant)
{
    const auto count = replay.snapshot().stacks.stackCount();
    std::vector<StackTotal> byStack(count);
    const auto stacks = replay.stacks();
    const auto sizes = replay.sizes();
    replay.forEachAliveOf(first, replay.bornUpTo(instant), instant, [&](AllocationId id) {
        const bool isStackOfFree = replay.origin(id) == AllocationOrigin::BeforeFreed;
        if (isStackOfFree && byStack.size() == count)
            byStack.resize(2 * count);
        auto &of = byStack[stacks[id] + (isStackOfFree ? count : 0)];
        of.stack = stacks[id];
        of.bytes = wrappingAdd(of.bytes, static_cast<std::int64_t>(sizes[id]));
        ++of.count;
        of.isStackOfFree = isStackOfFree;
    });
    return sorted(std::move(byStack));
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
