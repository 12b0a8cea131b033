// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/leaks.h"

#include "snapshot/wrapping.h"

#include <algorithm>
#include <unordered_map>

namespace plimsoll {

LeakReport findLeaks(const Replay &replay, EventInstant from, std::stop_token stop)
{
    return findLeaks(replay, from, findSteps(replay, stop));
}

LeakReport findLeaks(const Replay &replay, EventInstant from, Steps steps)
{
    LeakReport report;
    const auto &starts = steps.starts;
    // Whole steps after `from`, but the first, which makes what stays on purpose.
    const auto firstWhole = static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), from) - starts.begin());
    const auto firstCounted = firstWhole + 1;
    const auto lastCounted = starts.empty() ? 0 : starts.size() - 1; // the last step begins here
    if (lastCounted > firstCounted)
        report.stepsCounted = static_cast<std::uint32_t>(lastCounted - firstCounted);
    const auto until = report.stepsCounted > 0 ? starts.back() : replay.end();

    struct Sum
    {
        Leak leak;
        std::int64_t counted = 0;     // bytes of the steps that count
        std::size_t lastStep = SIZE_MAX;
    };
    std::unordered_map<StackId, Sum> byStack;
    const auto births = replay.births();
    const auto sizes = replay.sizes();
    const auto stacks = replay.stacks();
    std::size_t step = 0;
    replay.forEachAliveOf(replay.bornUpTo(from), replay.bornUpTo(until), replay.end(), [&](AllocationId id) {
        auto &sum = byStack[stacks[id]];
        auto &leak = sum.leak;
        if (leak.count++ == 0) {
            leak.stack = stacks[id];
            leak.first = births[id];
        }
        leak.last = births[id];
        leak.bytes = wrappingAdd(leak.bytes, static_cast<std::int64_t>(sizes[id]));
        while (step < starts.size() && starts[step] < births[id]) // births ascend
            ++step;
        if (report.stepsCounted == 0 || step < firstCounted + 1 || step > lastCounted)
            return;
        sum.counted = wrappingAdd(sum.counted, static_cast<std::int64_t>(sizes[id]));
        if (sum.lastStep != step)
            ++leak.steps;
        sum.lastStep = step;
    });
    for (auto &[stack, sum] : byStack) {
        if (report.stepsCounted > 0)
            sum.leak.bytesPerStep = static_cast<double>(sum.counted) / report.stepsCounted;
        sum.leak.isSteady = sum.leak.steps >= std::max(2U, (report.stepsCounted + 1) / 2);
        report.leaks.push_back(sum.leak);
    }
    std::sort(report.leaks.begin(), report.leaks.end(), [](const Leak &a, const Leak &b) {
        if (a.bytesPerStep != b.bytesPerStep)
            return a.bytesPerStep > b.bytesPerStep;
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack;
    });
    report.steps = std::move(steps);
    return report;
}

} // namespace plimsoll
