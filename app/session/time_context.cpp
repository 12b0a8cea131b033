// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/time_context.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;

constexpr Duration kMergeWithin = 400ms;
constexpr Duration kShortestSpan = 1s;
constexpr Duration kLongestSpan = std::chrono::hours(24 * 400);
constexpr std::size_t kUndoSteps = 200;

Duration clampedSpan(Duration span) { return std::clamp(span, kShortestSpan, kLongestSpan); }

/// In whole doubles a long span would lose nanoseconds but never range: 400 days are 3.5e16 ns.
Duration scaled(Duration length, double factor)
{
    const double wanted = static_cast<double>(length.count()) * factor;
    const auto longest = static_cast<double>(kLongestSpan.count());
    return Duration{static_cast<std::int64_t>(std::clamp(wanted, 0.0, longest))};
}

/// How far from its right edge a live range still counts as "at now": a fifth of it.
bool isNearEnd(const TimeRange &range, Instant t) { return t >= range.end - range.length() / 5; }

} // namespace

TimeContext::TimeContext(const Clock &clock, QObject *parent) : QObject(parent), m_clock(clock), m_now(clock.now()) {}

TimeRange TimeContext::visibleRange() const
{
    if (m_state.mode == TimeMode::Live)
        return {m_now - m_state.span, m_now};
    return m_state.range;
}

Instant TimeContext::now() const { return m_clock.now(); }

void TimeContext::setPage(const std::string &page)
{
    ViewState next = m_state;
    next.page = page;
    apply(std::move(next), Step::Other);
}

void TimeContext::setSpan(Duration span)
{
    ViewState next = m_state;
    next.span = clampedSpan(span);
    if (next.mode != TimeMode::Live)
        next.range = {next.range.end - next.span, next.range.end};
    apply(std::move(next), Step::Other);
}

void TimeContext::zoom(double factor, Instant keep)
{
    if (!std::isfinite(factor) || factor <= 0)
        return;
    const TimeRange range = visibleRange();
    const Duration length = clampedSpan(scaled(range.length(), factor));
    ViewState next = m_state;
    next.span = length;
    // Zooming out while live cannot show what is not yet: the right edge stays at now.
    const bool follows = m_state.mode == TimeMode::Live && (length >= range.length() || isNearEnd(range, keep));
    if (!follows) {
        const double position = range.isEmpty() ? 0.5
                                                : static_cast<double>((keep - range.begin).count())
                / static_cast<double>(range.length().count());
        const Instant begin = keep - scaled(length, std::clamp(position, 0.0, 1.0));
        moveTo(next, {begin, begin + length});
    }
    apply(std::move(next), Step::Zoom);
}

void TimeContext::pan(Duration by)
{
    const TimeRange range = visibleRange();
    if (by > Duration::zero()) {
        // Up to now and no further; who already looks past it is not pulled back.
        by = std::min(by, std::max(Duration::zero(), m_clock.now() - range.end));
        if (m_state.mode == TimeMode::Live)
            return;
    }
    ViewState next = m_state;
    moveTo(next, {range.begin + by, range.end + by});
    apply(std::move(next), Step::Pan);
}

void TimeContext::showRange(TimeRange range)
{
    if (range.isEmpty())
        return;
    const Duration length = clampedSpan(range.length());
    ViewState next = m_state;
    next.span = length;
    const bool isFree = m_state.mode == TimeMode::Live || m_state.mode == TimeMode::Frozen;
    const Duration tolerance = std::max<Duration>(1s, length / 100);
    if (isFree && range.end >= m_clock.now() - tolerance) {
        next.mode = TimeMode::Live;
        next.range = {};
    } else {
        moveTo(next, {range.begin, range.begin + length});
    }
    apply(std::move(next), Step::Range);
}

void TimeContext::freeze()
{
    if (m_state.mode != TimeMode::Live)
        return;
    ViewState next = m_state;
    moveTo(next, visibleRange());
    apply(std::move(next), Step::Other);
}

void TimeContext::follow()
{
    if (m_state.mode == TimeMode::Recorded)
        return; // nothing moves in a recording
    ViewState next = m_state;
    next.mode = TimeMode::Live;
    next.range = {};
    next.travelTo.reset();
    apply(std::move(next), Step::Other);
}

void TimeContext::toggleFreeze()
{
    if (m_state.mode == TimeMode::Live)
        freeze();
    else
        follow();
}

void TimeContext::travelTo(Instant at)
{
    ViewState next = m_state;
    TimeRange range = visibleRange();
    if (at < range.begin || at > range.end)
        range = {at - next.span / 2, at + (next.span - next.span / 2)};
    next.mode = TimeMode::Travelling;
    next.range = range;
    next.travelTo = at;
    apply(std::move(next), Step::Other);
}

void TimeContext::returnFromTravel()
{
    if (m_state.mode != TimeMode::Travelling)
        return;
    const auto before = std::find_if(m_past.rbegin(), m_past.rend(),
                                     [](const ViewState &s) { return s.mode != TimeMode::Travelling; });
    if (before == m_past.rend())
        follow(); // so many steps were made while travelling that the place before is forgotten
    else
        apply(*before, Step::Other);
}

void TimeContext::setFilter(std::vector<FilterChip> filter)
{
    ViewState next = m_state;
    next.filter = std::move(filter);
    apply(std::move(next), Step::Other);
}

void TimeContext::selectJob(const std::string &job)
{
    ViewState next = m_state;
    next.job = job;
    apply(std::move(next), Step::Other);
}

void TimeContext::selectDevice(const std::string &device)
{
    ViewState next = m_state;
    next.device = device;
    apply(std::move(next), Step::Other);
}

void TimeContext::openJob(const std::string &job)
{
    ViewState next = m_state;
    next.page = kJobPage;
    next.job = job;
    apply(std::move(next), Step::Other);
}

void TimeContext::setCursors(std::optional<Instant> a, std::optional<Instant> b)
{
    ViewState next = m_state;
    next.cursorA = a;
    next.cursorB = b;
    apply(std::move(next), Step::Cursor);
}

bool TimeContext::canGoBack() const noexcept { return !m_past.empty(); }
bool TimeContext::canGoForward() const noexcept { return !m_future.empty(); }

void TimeContext::back()
{
    if (m_past.empty())
        return;
    m_future.push_back(m_state);
    ViewState next = std::move(m_past.back());
    m_past.pop_back();
    enter(std::move(next));
    emit historyChanged();
}

void TimeContext::forward()
{
    if (m_future.empty())
        return;
    m_past.push_back(m_state);
    ViewState next = std::move(m_future.back());
    m_future.pop_back();
    enter(std::move(next));
    emit historyChanged();
}

void TimeContext::home()
{
    ViewState next = m_state;
    const bool isRecorded = m_state.mode == TimeMode::Recorded;
    next.span = ViewState{}.span;
    next.filter.clear();
    next.travelTo.reset();
    next.cursorA.reset();
    next.cursorB.reset();
    if (!isRecorded) {
        next.mode = TimeMode::Live;
        next.range = {};
    }
    apply(std::move(next), Step::Other);
}

void TimeContext::advance()
{
    m_now = m_clock.now();
    if (m_state.mode == TimeMode::Live)
        emit rangeChanged(visibleRange());
}

void TimeContext::moveTo(ViewState &next, TimeRange range) const
{
    if (next.mode == TimeMode::Live)
        next.mode = TimeMode::Frozen;
    next.range = range;
    next.span = range.length();
}

bool TimeContext::mergesWithLast(Step step) const
{
    return step != Step::Other && step == m_lastStep && !m_past.empty()
        && m_clock.monotonicNow() - m_lastStepAt <= kMergeWithin;
}

void TimeContext::apply(ViewState next, Step step)
{
    if (next == m_state)
        return;
    if (!mergesWithLast(step)) {
        m_past.push_back(m_state);
        if (m_past.size() > kUndoSteps)
            m_past.erase(m_past.begin());
    }
    m_future.clear();
    enter(std::move(next));
    // After enter(): it ends a run of merged steps, this one may go on.
    m_lastStep = step;
    m_lastStepAt = m_clock.monotonicNow();
    emit historyChanged();
}

void TimeContext::enter(ViewState next)
{
    const TimeRange before = visibleRange();
    m_state = std::move(next);
    m_lastStep = Step::Other;
    if (m_state.mode == TimeMode::Live)
        m_now = m_clock.now();
    if (m_state.mode != TimeMode::Frozen)
        m_frozenSince.reset();
    else if (!m_frozenSince)
        m_frozenSince = m_clock.now();
    emit stateChanged(m_state);
    if (visibleRange() != before)
        emit rangeChanged(visibleRange());
}

} // namespace plimsoll
