// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "session/slice_service.h"
#include "widgets/timeline/track.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>
#include <vector>

namespace plimsoll {

class Session;
class TimelineView;

/// Keeps one timeline in step with the session: range, cursors and mode both ways, and
/// slices of its series. While frozen it asks for twice the visible range, so that
/// panning moves a picture that is there already. Works only while active. GUI thread.
class TimelineFeed : public QObject
{
    Q_OBJECT

public:
    using Convert = std::function<std::vector<Track>(const SliceAnswer &)>;
    using KeepEvent = std::function<bool(const Event &)>;

    TimelineFeed(Session &session, TimelineView &view, QObject *parent);

    /// Another set of series asks at once; the old picture stays until the answer.
    void setSeries(std::vector<SeriesId> series, Convert convert);
    void setEventFilter(KeepEvent keep);
    void setActive(bool isActive);
    void clear(); // no series, no picture
    /// The newest sample of any line that is visible; the end of the range when there is none.
    [[nodiscard]] Instant newestShown() const;
    /// What a legend reads: the values at the crosshair, or without one the newest visible of each line,
    /// however rarely it is sampled.
    [[nodiscard]] std::vector<Reading> legendReadings() const;
    [[nodiscard]] bool hasAnswer() const noexcept { return m_answer != nullptr; }
    [[nodiscard]] const std::vector<Event> &events() const noexcept { return m_events; } // of the answered range

signals:
    void answered();
    void failed(const plimsoll::Error &error);
    void busyChanged(bool isBusy);

private:
    void bindGestures();
    void followRange();
    void askIfNeeded();
    void ask();
    void take(const std::shared_ptr<const SliceAnswer> &answer);
    void ensureFeed();

    Session &m_session;
    TimelineView &m_view;
    QPointer<SliceFeed> m_feed;
    std::vector<SeriesId> m_series;
    Convert m_convert;
    KeepEvent m_keep;
    std::shared_ptr<const SliceAnswer> m_answer;
    SliceRequest m_asked;
    std::vector<Event> m_events;
    bool m_isActive = false;
    bool m_isDirty = false; // new data or series since the last question
};

/// The marks a timeline draws for these events.
[[nodiscard]] std::vector<EventMark> eventMarks(const std::vector<Event> &events);

} // namespace plimsoll
