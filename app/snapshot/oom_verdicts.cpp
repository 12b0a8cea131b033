// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/oom_verdicts.h"

#include "snapshot/steps.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace plimsoll {
namespace {

constexpr std::uint64_t kMuchOutside = std::uint64_t {1} << 30U; // a context and the libraries take less
constexpr std::uint64_t kGiantFrom = std::uint64_t {64} << 20U;
constexpr std::uint64_t kManyTimes = 8;
constexpr std::uint64_t kLeastGrowth = 100; // parts of the level
constexpr std::uint32_t kMostPeriods = 8;
constexpr std::uint32_t kFewestPeriods = 4;
constexpr std::uint32_t kFewestParts = 6; // of a trace without steps: fewer may be the phases of one step

// How far a level went up; 0 when it fell.
std::uint64_t rise(std::int64_t from, std::int64_t to) noexcept
{
    return to > from ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) : 0;
}

using Figures = std::vector<std::pair<std::string, std::uint64_t>>;

class Judge
{
public:
    Judge(const OomExplanation &oom, const AllocatorOptions &options) : m_oom(oom)
    {
        m_free = oom.deviceFree.value_or(0);
        m_missing = oom.missing > 0 ? oom.missing : oom.segmentSize;
        m_elsewhere = oom.cachedFree - std::min(oom.usableFree, oom.cachedFree);
        // Pages come in whole units, beside what is free at the end.
        const auto unit = oom.isSmall ? kSmallSegment : options.largeSegmentSize;
        m_driverNeed = options.expandableSegments ? saturatedSum(oom.asked, unit - 1) / unit * unit : oom.segmentSize;
    }

    std::vector<OomVerdict> judge(const std::optional<LeakSigns> &leak)
    {
        const auto &o = m_oom;
        const auto needed = saturatedSum(o.live, o.segmentSize);
        const bool isFull = o.cardLowerBound && needed > *o.cardLowerBound;
        if (isFull)
            add(OomVerdictKind::TrulyFull, m_missing,
                {{"live_bytes", o.live},
                 {"segment_bytes", o.segmentSize},
                 {"available_bytes", *o.cardLowerBound},
                 {"over_bytes", needed - *o.cardLowerBound},
                 {"shortfall_bytes", o.shortfall}},
                o.holders.empty() ? kNoStack : o.holders[0].stack);
        if (o.usableFree > 0 && o.largestFreeOwn < o.asked
            && (o.usableFree >= o.asked || (!isFull && saturatedSum(m_free, o.usableFree) >= o.asked)))
            add(OomVerdictKind::Fragmentation, o.usableFree,
                {{"usable_free_bytes", o.usableFree},
                 {"largest_free_bytes", o.largestFreeOwn},
                 {"pinned_free_bytes", o.pinnedFree},
                 {"pinned_live_bytes", o.pinnedLive},
                 {"pinned_blocks", o.pinnedCount},
                 {"pinned_segments", o.pinnedSegments}},
                o.pinned.empty() || o.pinned[0].stacks.empty() ? kNoStack : o.pinned[0].stacks[0]);
        if (m_elsewhere > 0
            && (m_elsewhere >= o.asked
                || (saturatedSum(m_free, o.usableFree) < o.asked && saturatedSum(m_free, o.cachedFree) >= o.asked)))
            add(OomVerdictKind::WrongPoolOrStream, m_elsewhere,
                {{"free_elsewhere_bytes", m_elsewhere}, {"largest_free_elsewhere_bytes", o.largestFreeElsewhere}});
        if (o.pending > 0 && o.pending >= o.asked - std::min(o.largestFreeOwn, o.asked))
            add(OomVerdictKind::WaitingForStreams, o.pending,
                {{"pending_bytes", o.pending}, {"pending_allocations", o.pendingCount}});
        judgeCard();
        judgeRequest();
        if (leak)
            add(OomVerdictKind::Leak, leak->growth,
                {{"growth_bytes", leak->growth},
                 {"periods", leak->periods},
                 {"stack_bytes", leak->stackBytes},
                 {"stack_allocations", leak->stackCount}},
                leak->stack);
        if (o.roundingLoss > 0
            && (o.roundingLoss >= m_missing || o.roundingLoss >= o.reserved.value_or(o.liveRounded) / 20))
            add(OomVerdictKind::Rounding, o.roundingLoss,
                {{"rounding_bytes", o.roundingLoss}, {"live_bytes", o.live}, {"live_rounded_bytes", o.liveRounded}});
        std::stable_sort(m_verdicts.begin(), m_verdicts.end(),
                         [](const auto &a, const auto &b) { return a.bytesExplained > b.bytesExplained; });
        return std::move(m_verdicts);
    }

private:
    void add(OomVerdictKind kind, std::uint64_t bytes, Figures figures, StackId stack = kNoStack)
    {
        m_verdicts.push_back({kind, std::min(bytes, m_missing), std::move(figures), stack});
    }

    void judgeCard()
    {
        const auto &o = m_oom;
        if (o.cardKnown && o.cardLowerBound && *o.cardKnown > *o.cardLowerBound) {
            const auto outside = *o.cardKnown - *o.cardLowerBound;
            if (outside >= kMuchOutside && (outside >= m_missing || outside >= *o.cardKnown / 10))
                add(OomVerdictKind::MemoryOutside, outside, {{"outside_bytes", outside}, {"card_bytes", *o.cardKnown}});
        }
        if (o.deviceFree && *o.deviceFree >= m_driverNeed)
            add(OomVerdictKind::Limit, o.segmentSize,
                {{"device_free_bytes", *o.deviceFree}, {"segment_bytes", o.segmentSize}}, o.stack);
    }

    void judgeRequest()
    {
        const auto &o = m_oom;
        const auto card = o.cardKnown ? o.cardKnown : o.cardLowerBound;
        const bool isOverHalf = card && o.asked > *card / 2;
        const bool isManyTimes =
            o.largestEarlier > 0 && o.asked >= kGiantFrom && o.asked / kManyTimes >= o.largestEarlier;
        if (isOverHalf || isManyTimes)
            add(OomVerdictKind::GiantRequest, o.asked,
                {{"asked_bytes", o.asked},
                 {"largest_earlier_bytes", o.largestEarlier},
                 {"card_bytes", card.value_or(0)}},
                o.stack);
    }

    const OomExplanation &m_oom;
    std::uint64_t m_free = 0;
    std::uint64_t m_missing = 0;
    std::uint64_t m_elsewhere = 0;
    std::uint64_t m_driverNeed = 0;
    std::vector<OomVerdict> m_verdicts;
};

} // namespace

LeakWatch::LeakWatch(const Replay &replay, std::stop_token stop)
    : m_replay(&replay), m_level(replay, LevelKind::Requested, {}, std::move(stop)), m_steps(findSteps(replay).starts)
{ }

// A program that repeats itself fills and empties memory again and again. Where it leaks, the lowest
// level of each period is higher than that of the one before. Loading a model rises too, but never falls.
std::optional<LeakSigns> LeakWatch::at(EventInstant instant) const
{
    const std::vector<EventInstant> steps(m_steps.begin(), std::upper_bound(m_steps.begin(), m_steps.end(), instant));
    if (steps.size() >= kFewestPeriods) {
        auto borders = steps;
        borders.push_back(instant);
        if (const auto signs = byPeriods(borders))
            return signs;
    }
    if (steps.size() >= std::size_t {2} * kMostPeriods) { // a leak need not be in every step
        std::vector<EventInstant> borders;
        for (std::uint32_t p = 0; p < kMostPeriods; ++p)
            borders.push_back(steps[steps.size() * p / kMostPeriods]);
        borders.push_back(instant);
        if (const auto signs = byPeriods(borders))
            return signs;
    }
    // Steps that are not seen may still be there: then each part must rise and fall, or one call site must be
    // to blame in nearly all parts.
    for (auto periods = kMostPeriods; periods >= kFewestParts; --periods) {
        std::vector<EventInstant> borders;
        for (std::uint32_t p = 0; p <= periods; ++p)
            borders.push_back(static_cast<EventInstant>(std::uint64_t {instant} * p / periods));
        if (const auto signs = byPeriods(borders); signs && (signs->isSteady || signs->isRepeating))
            return signs;
    }
    return std::nullopt;
}

std::optional<LeakSigns> LeakWatch::byPeriods(const std::vector<EventInstant> &borders) const
{
    const auto periods = static_cast<std::uint32_t>(borders.size() - 1);
    std::vector<std::int64_t> lows;
    std::uint64_t swings = 0;
    auto leastSwing = UINT64_MAX;
    for (std::uint32_t p = 0; p < periods; ++p) {
        if (borders[p + 1] <= borders[p])
            return std::nullopt;
        const auto extremes = m_level.extremes(borders[p], borders[p + 1]);
        lows.push_back(extremes.min);
        const auto swing = rise(extremes.min, extremes.max);
        swings = saturatedSum(swings, swing);
        leastSwing = std::min(leastSwing, swing);
    }
    // The first warms up, the last may be cut short; of many some may stand still.
    std::uint32_t standing = 0;
    for (std::uint32_t p = 2; p + 1 < periods; ++p)
        standing += lows[p] <= lows[p - 1] ? 1 : 0;
    if (standing > periods / 8 || lows[periods - 1] < lows[periods - 2])
        return std::nullopt;
    const auto growth = rise(lows[1], lows.back());
    const auto level = rise(0, m_replay->levelAt(borders.back()));
    if (growth == 0 || growth < level / kLeastGrowth || swings / 2 < rise(lows[0], lows.back()))
        return std::nullopt;

    struct Sum
    {
        std::uint64_t bytes = 0;
        std::size_t count = 0;
        std::uint32_t periods = 0;
        std::uint32_t last = UINT32_MAX;
    };
    std::unordered_map<StackId, Sum> byStack;
    const auto births = m_replay->births();
    std::uint32_t period = 0;
    m_replay->forEachAlive(borders.back(), [&](AllocationId id) {
        if (births[id] <= borders[1]) // before, or while warming up
            return;
        while (births[id] > borders[period + 1]) // births ascend
            ++period;
        if (period + 1 == periods)
            return; // it may yet be freed
        auto &sum = byStack[m_replay->stacks()[id]];
        sum.bytes += m_replay->sizes()[id];
        ++sum.count;
        sum.periods += sum.last != period ? 1 : 0;
        sum.last = period;
    });
    LeakSigns signs;
    signs.growth = growth;
    signs.periods = periods;
    signs.isRepeating = leastSwing / 2 > growth;
    for (const auto &[stack, sum] : byStack) {
        const bool isSteady = sum.periods + 2 >= periods;
        const auto rank = std::tuple(isSteady, sum.bytes, ~std::uint64_t {stack});
        if (signs.stackCount > 0 && rank < std::tuple(signs.isSteady, signs.stackBytes, ~std::uint64_t {signs.stack}))
            continue;
        signs.isSteady = isSteady;
        signs.stack = stack;
        signs.stackBytes = sum.bytes;
        signs.stackCount = sum.count;
    }
    return signs;
}

std::vector<OomVerdict> verdictsOn(const OomExplanation &oom, const AllocatorOptions &options,
                                   const std::optional<LeakSigns> &leak)
{
    return Judge(oom, options).judge(leak);
}

} // namespace plimsoll
