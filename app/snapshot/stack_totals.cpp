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
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack;
    });
    return byStack;
}

std::vector<StackTotal> total(const Replay &replay, std::size_t first, EventInstant instant)
{
    std::vector<StackTotal> byStack(replay.snapshot().stacks.stackCount());
    const auto stacks = replay.stacks();
    const auto sizes = replay.sizes();
    replay.forEachAliveOf(first, replay.bornUpTo(instant), instant, [&](AllocationId id) {
        auto &of = byStack[stacks[id]];
        of.stack = stacks[id];
        of.bytes = wrappingAdd(of.bytes, static_cast<std::int64_t>(sizes[id]));
        ++of.count;
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
