// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/window/overview_feed.h"

#include "session/session.h"
#include "session/slice_service.h"
#include "session/time_context.h"
#include "views/event_text.h"
#include "views/timeline_feed.h"
#include "widgets/canvas/overview_strip.h"

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kBuckets = 400;
constexpr std::size_t kMostTracks = 64; // of a large fleet the first ones stand for all
constexpr auto kShortestExtent = std::chrono::minutes(2); // a strip that just began is not stretched wildly

/// Job starts and agents' comings are many; the strip marks what a person looks for.
bool isStripEvent(EventKind kind)
{
    switch (kind) {
    case EventKind::OomKill:
    case EventKind::OutOfMemory:
    case EventKind::LimitHit:
    case EventKind::SpotReclaim:
    case EventKind::AgentAway:
    case EventKind::SamplesLost:
    case EventKind::Deploy: return true;
    default: return false;
    }
}

} // namespace

OverviewFeed::OverviewFeed(Session &session, OverviewStrip &strip, QObject *parent)
    : QObject(parent), m_session(session), m_strip(strip)
{
    connect(&strip, &OverviewStrip::windowReleased, session.time(), &TimeContext::showRange);
    connect(&strip, &OverviewStrip::windowDragged, session.time(), &TimeContext::showRange);
    connect(session.time(), &TimeContext::rangeChanged, this, &OverviewFeed::refresh);
    connect(session.time(), &TimeContext::stateChanged, this, &OverviewFeed::refresh);
    connect(&session, &Session::dataCommitted, this, &OverviewFeed::ask);
    connect(&session, &Session::eventsArrived, this, &OverviewFeed::updateEvents);
    connect(&session, &Session::started, this, &OverviewFeed::updateEvents);
}

void OverviewFeed::refresh()
{
    const TimeContext *time = m_session.time();
    const Instant now = time->now();
    TimeRange extent = m_session.extent().value_or(TimeRange{now - kShortestExtent, now});
    extent.end = std::max(extent.end, now);
    extent.begin = std::min<Instant>(extent.begin, extent.end - kShortestExtent);
    const TimeRange visible = time->visibleRange();
    const auto &state = time->state();
    m_strip.setExtent(extent);
    m_strip.setWindow(visible.intersected(extent));
    m_strip.setFrozen(state.mode == TimeMode::Frozen);
    m_strip.setTravel(state.travelTo);
}

void OverviewFeed::ask()
{
    const auto extent = m_session.extent();
    if (!extent || !m_session.slices())
        return;
    auto tracks = tracksOf(*m_session.fleet());
    if (tracks.empty())
        return;
    if (tracks.size() > kMostTracks)
        tracks.resize(kMostTracks);
    const auto pixel = std::chrono::duration_cast<std::chrono::milliseconds>(extent->length()).count() / kBuckets;
    const bool isSameSet = tracks == m_tracks;
    if (isSameSet && m_sinceAsked.isValid() && m_sinceAsked.elapsed() < std::clamp<long long>(pixel, 2000, 120000))
        return;
    if (!m_feed) {
        m_feed = m_session.slices()->createFeed(this);
        connect(m_feed, &SliceFeed::answered, this, &OverviewFeed::take);
    }
    SliceRequest request;
    for (const auto &track : tracks)
        request.series.push_back(track.series);
    request.range = *extent;
    request.pixels = kBuckets;
    m_tracks = std::move(tracks);
    m_asked = *extent;
    m_sinceAsked.start();
    m_feed->ask(std::move(request));
}

void OverviewFeed::take(const std::shared_ptr<const SliceAnswer> &answer)
{
    if (answer->request.series.size() != m_tracks.size() || answer->request.range.isEmpty())
        return;
    const DeviceHistory history(m_tracks, answer->slices, answer->request.range);
    const auto worst = history.worstOfAll(kBuckets);
    const TimeRange range = answer->request.range;
    const Duration part = range.length() / kBuckets;
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < worst.size(); ++i) {
        if (!worst[i])
            continue;
        Bucket bucket;
        bucket.begin = range.begin + part * static_cast<Duration::rep>(i);
        bucket.min = bucket.max = bucket.first = bucket.last = bucket.sum = *worst[i];
        bucket.count = 1;
        bucket.firstTime = bucket.begin;
        bucket.lastTime = bucket.begin + part;
        buckets.push_back(bucket);
    }
    m_strip.setSilhouette(std::move(buckets), 1.0);
    m_hasAnswer = true;
}

void OverviewFeed::updateEvents()
{
    std::vector<Event> events;
    const auto &all = m_session.recentEvents();
    std::copy_if(all.begin(), all.end(), std::back_inserter(events), [](const Event &event) { return isStripEvent(event.kind); });
    m_strip.setEvents(eventMarks(events));
}

} // namespace plimsoll
