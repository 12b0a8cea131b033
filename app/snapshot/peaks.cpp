// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/peaks.h"

#include "snapshot/wrapping.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16U;

std::optional<std::int64_t> timeOf(const Replay &replay, EventInstant instant)
{
    if (instant == 0)
        return std::nullopt;
    const auto time = replay.snapshot().events.timeUs[replay.rowOf(instant)];
    return time == kUnknownTime ? std::nullopt : std::optional(time);
}

/// Prominence in one pass: peaks on the stack fall from bottom to top, each with the lowest level
/// between it and the next. A higher one ends all lower ones before it; each then stands above the
/// higher of the two valleys beside it.
class PeakScan
{
public:
    explicit PeakScan(std::int64_t minProminence) : m_minProminence(minProminence) {}

    void add(EventInstant instant, std::int64_t level)
    {
        if (m_isFirst) {
            m_isFirst = false;
            m_last = m_valley = m_lowest = level;
            m_lastAt = instant;
            m_isRising = true;
            return;
        }
        if (level > m_last) {
            if (!m_isRising)
                m_valley = m_last;
            m_isRising = true;
            m_lastAt = instant;
        } else if (level < m_last) {
            if (m_isRising)
                close();
            m_isRising = false;
        }
        m_last = level;
        m_lowest = std::min(m_lowest, level);
    }

    std::vector<LevelPeak> finish()
    {
        if (!m_isFirst && m_isRising)
            close();
        // What is left falls to the right: each stands above the valley to its left, where a higher one begins.
        while (!m_stack.empty()) {
            const auto peak = m_stack.back();
            m_stack.pop_back();
            keep(peak, m_stack.empty() ? m_lowest : peak.valley);
        }
        return std::move(m_found);
    }

private:
    struct Open
    {
        EventInstant instant;
        std::int64_t level;
        std::int64_t valley; // lowest level between it and the one below it on the stack
    };

    // A peak ends at m_last; m_valley is the lowest level since the one before.
    void close()
    {
        Open peak{m_lastAt, m_last, m_valley};
        while (!m_stack.empty() && m_stack.back().level < peak.level) {
            const auto lower = m_stack.back();
            m_stack.pop_back();
            // Both neighbours are higher now, or there is none to the left.
            keep(lower, m_stack.empty() ? peak.valley : std::max(lower.valley, peak.valley));
            peak.valley = std::min(peak.valley, lower.valley);
        }
        m_stack.push_back(peak);
    }

    void keep(const Open &peak, std::int64_t valley)
    {
        const auto prominence = wrappingSubtract(peak.level, valley);
        if (prominence >= m_minProminence)
            m_found.push_back({peak.instant, peak.level, prominence, std::nullopt});
    }

    std::int64_t m_minProminence;
    std::vector<Open> m_stack;
    std::vector<LevelPeak> m_found;
    bool m_isFirst = true;
    bool m_isRising = true;
    std::int64_t m_last = 0;
    std::int64_t m_valley = 0;
    std::int64_t m_lowest = 0;
    EventInstant m_lastAt = 0;
};

} // namespace

LevelPeak peakOf(const LevelCurve &curve, const Replay &replay)
{
    LevelPeak peak;
    const auto all = curve.extremes(0, curve.size());
    peak.instant = curve.firstMaximum(0, curve.size());
    peak.level = all.max;
    peak.prominence = wrappingSubtract(all.max, all.min);
    peak.timeUs = timeOf(replay, peak.instant);
    return peak;
}

std::vector<LevelPeak> localPeaks(const LevelCurve &curve, const Replay &replay, std::int64_t minProminence, std::size_t limit,
                                  std::stop_token stop)
{
    PeakScan scan(std::max<std::int64_t>(minProminence, 1));
    std::vector<std::int64_t> chunk(kChunk);
    for (std::size_t begin = 0; begin < curve.size() && !stop.stop_requested(); begin += kChunk) {
        const auto length = std::min<std::size_t>(kChunk, curve.size() - begin);
        curve.values(static_cast<EventInstant>(begin), std::span(chunk.data(), length));
        for (std::size_t i = 0; i < length; ++i)
            scan.add(static_cast<EventInstant>(begin + i), chunk[i]);
    }
    auto peaks = scan.finish();
    std::sort(peaks.begin(), peaks.end(), [](const LevelPeak &a, const LevelPeak &b) {
        return a.prominence != b.prominence ? a.prominence > b.prominence : a.instant < b.instant;
    });
    if (peaks.size() > limit)
        peaks.resize(limit);
    for (auto &peak : peaks)
        peak.timeUs = timeOf(replay, peak.instant);
    return peaks;
}

std::vector<OomMoment> oomMoments(const Replay &replay)
{
    std::vector<OomMoment> moments;
    const auto &events = replay.snapshot().events;
    const auto &device = replay.device();
    for (std::size_t i = 0; i < device.eventCount; ++i) {
        const auto row = device.firstEvent + i;
        if (events.action[row] != TraceAction::Oom)
            continue;
        OomMoment moment;
        moment.instant = static_cast<EventInstant>(i + 1);
        moment.size = events.sizes[row] == kUnknownBytes ? 0 : events.sizes[row];
        if (events.address[row] != kUnknownBytes)
            moment.deviceFree = events.address[row];
        moment.level = replay.levelAt(moment.instant);
        moment.timeUs = timeOf(replay, moment.instant);
        moment.stack = events.stack[row];
        moment.stream = events.stream[row];
        moments.push_back(moment);
    }
    return moments;
}

} // namespace plimsoll
