// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/steps.h"

#include "snapshot/annotation_ranges.h"
#include "snapshot/frame_text.h"
#include "snapshot/levels.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace plimsoll {
namespace {

constexpr std::size_t kFewest = 3;       // steps that a period is believed for
constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kStopEvery = std::size_t{1} << 16U; // allocations between two looks at the stop token
constexpr double kRegular = 0.25;        // standard deviation of the distances, of their mean
constexpr std::uint32_t kSamples = 2048; // of the level, where no stack helps

// "ProfilerStep#12" and "ProfilerStep#13" are one name; "Optimizer.step#AdamW.step" has no number.
std::string withoutNumber(std::string_view name)
{
    const auto hash = name.rfind('#');
    if (hash == std::string_view::npos || hash + 1 == name.size())
        return std::string(name);
    const auto digits = name.substr(hash + 1);
    const bool isNumber = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    return std::string(isNumber ? name.substr(0, hash + 1) : name);
}

// Lower is better.
int rankOf(const std::string &name)
{
    const auto lower = lowerCase(name);
    if (lower.starts_with("profilerstep#"))
        return 0;
    if (lower.starts_with("optimizer.step"))
        return 2;
    if (lower.starts_with("optimizer.zero_grad"))
        return 3;
    return lower.find("step") != std::string::npos || lower.find("iteration") != std::string::npos ? 1 : 4;
}

Steps byAnnotations(const Replay &replay)
{
    if (!hasAnnotations(replay))
        return {};
    const TimeAxis axis(replay);
    std::map<std::string, std::vector<EventInstant>> starts;
    for (const auto &range : annotationRanges(replay, axis))
        if (range.hasStart && range.begin < replay.end())
            starts[withoutNumber(replay.snapshot().texts[range.name])].push_back(range.begin);
    Steps best;
    int bestRank = 4; // what has no name of a step is none
    for (auto &[name, at] : starts) {
        std::sort(at.begin(), at.end());
        at.erase(std::unique(at.begin(), at.end()), at.end());
        const auto rank = rankOf(name);
        // Even a single one tells: whatever else repeats in the trace is then no step.
        if (rank >= bestRank)
            continue;
        bestRank = rank;
        best.source = Steps::Source::Annotations;
        best.name = name;
        best.starts = at;
    }
    return best;
}

struct Regularity
{
    StackId stack = kNoStack;
    std::size_t count = 0;
    double deviation = 0;
};

// Stacks that allocate at regular distances from one end of the trace to the other. What is called once a
// step is called least often of those that many others are as often as.
Steps byStacks(const Replay &replay, const std::stop_token &stop)
{
    const auto births = replay.births();
    const auto stacks = replay.stacks();
    const auto stackCount = replay.snapshot().stacks.stackCount();
    std::vector<std::uint32_t> starts(stackCount + 1);
    for (auto id = replay.beforeCount(); id < replay.size(); ++id)
        ++starts[stacks[id] + 1];
    for (std::size_t s = 1; s < starts.size(); ++s)
        starts[s] += starts[s - 1];
    std::vector<EventInstant> sorted(starts.back());
    auto next = starts;
    for (auto id = replay.beforeCount(); id < replay.size() && !(id % kStopEvery == 0 && stop.stop_requested()); ++id)
        sorted[next[stacks[id]]++] = births[id];

    if (stop.stop_requested())
        return {};
    std::map<std::size_t, std::vector<Regularity>> byCount;
    std::size_t most = 0;
    for (StackId stack = kEmptyStack + 1; stack < stackCount; ++stack) {
        const std::span<const EventInstant> mine(sorted.data() + starts[stack], starts[stack + 1] - starts[stack]);
        if (mine.size() < kFewest || mine.size() > kMostSteps)
            continue;
        const auto gaps = static_cast<double>(mine.size() - 1);
        const auto mean = static_cast<double>(mine.back() - mine.front()) / gaps;
        if (mean < 3 || mine.front() > mean * 2 || replay.end() - mine.back() > mean * 2)
            continue;
        double squares = 0;
        for (std::size_t i = 1; i < mine.size(); ++i) {
            const auto off = static_cast<double>(mine[i] - mine[i - 1]) - mean;
            squares += off * off;
        }
        const auto deviation = std::sqrt(squares / gaps) / mean;
        if (deviation > kRegular)
            continue;
        auto &alike = byCount[mine.size()];
        alike.push_back({stack, mine.size(), deviation});
        most = std::max(most, alike.size());
    }
    Steps steps;
    for (const auto &[count, alike] : byCount) {
        if (alike.size() * 10 < most)
            continue;
        const auto anchor = *std::min_element(alike.begin(), alike.end(), [&](const Regularity &a, const Regularity &b) {
            return std::tuple(a.deviation, sorted[starts[a.stack]]) < std::tuple(b.deviation, sorted[starts[b.stack]]);
        });
        steps.source = Steps::Source::Periodicity;
        for (auto i = starts[anchor.stack]; i < starts[anchor.stack + 1]; ++i)
            steps.starts.push_back(sorted[i] - 1); // the state just before
        break;
    }
    return steps;
}

// The period of the level, and the phase at which it is lowest.
Steps byLevel(const Replay &replay, const std::stop_token &stop)
{
    Steps steps;
    const LevelCurve curve(replay, LevelKind::Requested, {}, stop);
    if (curve.size() < 64 || stop.stop_requested())
        return steps;
    const auto buckets = curve.slice(0, curve.size(), kSamples / 2);
    const auto n = buckets.size();
    std::vector<double> level(n);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i)
        mean += level[i] = static_cast<double>(buckets[i].max);
    mean /= static_cast<double>(n);
    double power = 0;
    for (auto &l : level) {
        l -= mean;
        power += l * l;
    }
    if (power <= 0)
        return steps;
    std::vector<double> alike(n / kFewest + 1);
    for (std::size_t lag = 1; lag < alike.size(); ++lag) {
        double sum = 0;
        for (std::size_t i = 0; i + lag < n; ++i)
            sum += level[i] * level[i + lag];
        alike[lag] = sum / power * static_cast<double>(n) / static_cast<double>(n - lag);
    }
    std::size_t from = 1;
    while (from < alike.size() && alike[from] > 0) // away from being like itself
        ++from;
    double best = 0;
    for (auto lag = from; lag + 1 < alike.size(); ++lag)
        best = std::max(best, alike[lag]);
    if (best < 0.5)
        return steps;
    std::size_t period = 0;
    for (auto lag = from; lag + 1 < alike.size() && period == 0; ++lag)
        if (alike[lag] >= 0.9 * best && alike[lag] >= alike[lag - 1] && alike[lag] >= alike[lag + 1])
            period = lag;
    if (period < 2)
        return steps;
    std::vector<double> phase(period);
    for (std::size_t i = 0; i < n; ++i)
        phase[i % period] += level[i];
    const auto first = static_cast<std::size_t>(std::min_element(phase.begin(), phase.end()) - phase.begin());
    for (auto i = first; i < n; i += period)
        steps.starts.push_back(buckets[i].begin);
    if (steps.starts.size() >= kFewest)
        steps.source = Steps::Source::Periodicity;
    else
        steps.starts.clear();
    return steps;
}

} // namespace

Steps findSteps(const Replay &replay, std::stop_token stop)
{
    auto steps = byAnnotations(replay);
    if (steps.source == Steps::Source::None && replay.hasAllocations())
        steps = byStacks(replay, stop);
    if (steps.source == Steps::Source::None && !stop.stop_requested())
        steps = byLevel(replay, stop);
    return steps;
}

} // namespace plimsoll
