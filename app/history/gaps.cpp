// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/gaps.h"

#include "base/format.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr Duration kSlack = std::chrono::seconds(2); // clocks of agent and desktop, a sample's way

struct Explained
{
    GapReason reason = GapReason::NotSampled;
    std::string note;
};

bool isOfJob(const Event &event, const Labels &series)
{
    const auto job = event.labels.value(label::kJob);
    return !job.empty() && job == series.value(label::kJob);
}

// `isLast`: no sample follows as far as we know.
Explained explain(const SeriesRow &series, TimeRange stretch, bool isLast, const GapContext &context)
{
    const TimeRange near{stretch.begin - kSlack, stretch.end + kSlack};
    std::optional<Instant> awaySince;
    std::optional<TimeRange> away;
    bool isRestarted = false;
    double lost = 0;
    for (const auto &event : context.events) {
        // Away and back enclose the stretch, so they may lie outside it.
        if (event.kind == EventKind::AgentAway && event.time <= near.end) {
            awaySince = event.time;
            continue;
        }
        if (event.kind == EventKind::AgentBack && awaySince) {
            if (TimeRange{*awaySince, event.time}.overlaps(near))
                away = TimeRange{*awaySince, event.time};
            awaySince.reset();
            continue;
        }
        if (event.time < near.begin || event.time > near.end)
            continue;
        if (event.kind == EventKind::JobEnded && isOfJob(event, series.info.key.labels))
            return {GapReason::Ended, {}};
        if (event.time <= stretch.begin)
            continue; // restart and loss are stamped with what came first afterwards: this one ended the gap before
        isRestarted = isRestarted || event.kind == EventKind::AgentStarted;
        if (event.kind == EventKind::SamplesLost)
            lost += event.value.value_or(0);
    }
    if (awaySince && isLast)
        away = TimeRange{*awaySince, std::max(stretch.end, *awaySince)};
    if (away)
        return {GapReason::Away, "away " + formatDuration(away->length())};
    if (isRestarted)
        return {GapReason::Restarted, {}};
    if (lost > 0)
        return {GapReason::Dropped, "dropped " + formatExact(static_cast<std::int64_t>(lost))};
    return {};
}

} // namespace

std::vector<Gap> findGaps(const SeriesRow &series, std::span<const Bucket> buckets, TimeRange range,
                          const GapContext &context)
{
    std::vector<Gap> gaps;
    const Duration pace = std::max<Duration>(series.info.interval, std::chrono::milliseconds(1));
    const Duration tolerated = pace < Duration::max() / 3 ? 3 * pace : Duration::max();
    const auto add = [&](TimeRange stretch, bool isLast) {
        if (stretch.length() <= tolerated)
            return;
        const auto shown = stretch.intersected(range);
        if (shown.isEmpty())
            return;
        auto [reason, note] = explain(series, stretch, isLast, context);
        gaps.push_back({shown, reason, std::move(note)});
    };

    const Instant end = std::min(range.end, context.now);
    if (!context.firstSample || *context.firstSample >= range.end) {
        if (range.begin < range.end)
            gaps.push_back({range, GapReason::NotStarted, {}});
        return gaps;
    }
    Instant previous = range.begin;
    if (!buckets.empty())
        previous = std::min(previous, buckets.front().firstTime);
    if (*context.firstSample > range.begin) {
        gaps.push_back({{range.begin, *context.firstSample}, GapReason::NotStarted, {}});
        previous = *context.firstSample;
    }
    for (const auto &bucket : buckets) {
        if (bucket.firstTime > previous)
            add({previous, bucket.firstTime}, false);
        previous = std::max(previous, bucket.lastTime);
    }
    add({previous, end}, true);
    return gaps;
}

} // namespace plimsoll
