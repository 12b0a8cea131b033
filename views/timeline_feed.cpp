// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline_feed.h"

#include "session/session.h"
#include "session/time_context.h"
#include "views/event_text.h"
#include "widgets/timeline/timeline_view.h"

#include <algorithm>

namespace plimsoll {

namespace {

/// How far beyond the visible range to ask, on each side, as a part of its length.
constexpr int kFrozenMarginParts = 2;
constexpr int kLiveMarginParts = 8;

} // namespace

std::vector<EventMark> eventMarks(const std::vector<Event> &events)
{
    std::vector<EventMark> out;
    for (const auto &event : events) {
        if (!isMarkedEvent(event.kind))
            continue;
        EventMark mark;
        mark.time = event.time;
        mark.glyph = eventGlyph(event.kind);
        mark.text = eventTitle(event.kind);
        mark.kind = event.kind;
        out.push_back(std::move(mark));
    }
    return out;
}

TimelineFeed::TimelineFeed(Session &session, TimelineView &view, QObject *parent)
    : QObject(parent), m_session(session), m_view(view)
{
    bindGestures();
    connect(session.time(), &TimeContext::rangeChanged, this, &TimelineFeed::followRange);
    connect(session.time(), &TimeContext::stateChanged, this, &TimelineFeed::followRange);
    connect(&session, &Session::started, this, [this] {
        m_isDirty = true;
        askIfNeeded();
    });
    connect(&session, &Session::dataCommitted, this, [this](TimeRange range) {
        if (range.overlaps(m_asked.range) || m_session.time()->state().mode == TimeMode::Live) {
            m_isDirty = true;
            askIfNeeded();
        }
    });
}

void TimelineFeed::bindGestures()
{
    TimeContext *time = m_session.time();
    connect(&m_view, &TimelineView::zoomRequested, time, &TimeContext::zoom);
    connect(&m_view, &TimelineView::panRequested, time, &TimeContext::pan);
    connect(&m_view, &TimelineView::rangeRequested, time, &TimeContext::showRange);
    connect(&m_view, &TimelineView::cursorsChanged, time, &TimeContext::setCursors);
    connect(&m_view, &TimelineView::freezeToggled, time, &TimeContext::toggleFreeze);
    connect(&m_view, &TimelineView::followRequested, time, &TimeContext::follow);
    connect(&m_view, &TimelineView::travelRequested, time, &TimeContext::travelTo);
    connect(&m_view, &TimelineView::fitRequested, time, [this] {
        if (const auto extent = m_session.extent())
            m_session.time()->showRange(*extent);
    });
}

void TimelineFeed::setSeries(std::vector<SeriesId> series, Convert convert)
{
    m_convert = std::move(convert);
    if (m_series == series)
        return;
    m_series = std::move(series);
    m_answer.reset();
    m_isDirty = true;
    askIfNeeded();
}

void TimelineFeed::setEventFilter(KeepEvent keep)
{
    m_keep = std::move(keep);
}

void TimelineFeed::setActive(bool isActive)
{
    m_isActive = isActive;
    if (!isActive)
        return;
    m_isDirty = true;
    followRange();
}

void TimelineFeed::clear()
{
    m_series.clear();
    m_answer.reset();
    m_events.clear();
    m_view.setTracks({});
    m_view.setEvents({});
}

Instant TimelineFeed::newestShown() const
{
    const TimeRange visible = m_session.time()->visibleRange();
    std::optional<Instant> newest;
    for (const auto &track : m_view.tracks())
        for (const auto &line : track.lines)
            if (line.slice && !line.slice->buckets.empty())
                newest = std::max(newest.value_or(visible.begin), line.slice->buckets.back().lastTime);
    return std::min(newest.value_or(visible.end), visible.end);
}

std::vector<Reading> TimelineFeed::legendReadings() const
{
    if (const auto at = m_view.crosshair())
        return m_view.readingsAt(*at);
    const TimeRange visible = m_session.time()->visibleRange();
    auto out = m_view.readingsAt(newestShown());
    for (auto &reading : out) {
        if (reading.value)
            continue;
        const auto &slice = m_view.tracks()[static_cast<std::size_t>(reading.track)].lines[static_cast<std::size_t>(reading.line)].slice;
        if (!slice)
            continue;
        const auto bucket = std::find_if(slice->buckets.rbegin(), slice->buckets.rend(),
                                         [&visible](const Bucket &b) { return visible.contains(b.lastTime); });
        if (bucket == slice->buckets.rend())
            continue;
        reading.value = bucket->last;
        reading.at = bucket->lastTime;
    }
    return out;
}

void TimelineFeed::followRange()
{
    if (!m_isActive)
        return;
    const TimeContext *time = m_session.time();
    m_view.setRange(time->visibleRange());
    m_view.setNow(time->now());
    m_view.setCursors(time->state().cursorA, time->state().cursorB);
    askIfNeeded();
}

void TimelineFeed::askIfNeeded()
{
    if (!m_isActive || m_series.empty() || !m_session.slices())
        return;
    const TimeRange visible = m_session.time()->visibleRange();
    if (visible.isEmpty())
        return;
    const bool isCovered = m_asked.range.begin <= visible.begin
                           && (visible.end <= m_asked.range.end || m_session.time()->state().mode == TimeMode::Live);
    // A zoom needs finer buckets; a pan within what was asked needs nothing.
    const auto askedLength = static_cast<double>(m_asked.range.length().count());
    const double perPixel = askedLength / std::max(1, m_asked.pixels);
    const double wanted = static_cast<double>(visible.length().count()) / std::max(1, m_view.pixelsWanted());
    const bool isFine = perPixel <= wanted * 1.05 && perPixel >= wanted / 4;
    if (m_isDirty || !isCovered || !isFine)
        ask();
}

void TimelineFeed::ask()
{
    ensureFeed();
    const TimeContext *time = m_session.time();
    const TimeRange visible = time->visibleRange();
    const Duration length = visible.length();
    const bool isLive = time->state().mode == TimeMode::Live;
    const Duration margin = length / (isLive ? kLiveMarginParts : kFrozenMarginParts);
    SliceRequest request;
    request.series = m_series;
    request.range = {visible.begin - margin, visible.end + margin};
    const double share = static_cast<double>(request.range.length().count()) / static_cast<double>(length.count());
    request.pixels = std::max(1, static_cast<int>(m_view.pixelsWanted() * share + 0.5));
    request.withEvents = true;
    m_asked = request;
    m_isDirty = false;
    m_feed->ask(std::move(request));
    emit busyChanged(true);
}

void TimelineFeed::ensureFeed()
{
    if (m_feed)
        return;
    m_feed = m_session.slices()->createFeed(this);
    connect(m_feed, &SliceFeed::answered, this, &TimelineFeed::take);
    connect(m_feed, &SliceFeed::failed, this, [this](const Error &error) {
        emit busyChanged(false);
        if (error.code != Error::Code::Cancelled)
            emit failed(error);
    });
}

void TimelineFeed::take(const std::shared_ptr<const SliceAnswer> &answer)
{
    emit busyChanged(false);
    if (answer->request.series != m_series || !m_convert)
        return; // asked for another job
    m_answer = answer;
    m_events = answer->events;
    if (m_keep)
        std::erase_if(m_events, [this](const Event &event) { return !m_keep(event); });
    m_view.setTracks(m_convert(*answer));
    m_view.setEvents(eventMarks(m_events));
    emit answered();
}

} // namespace plimsoll
