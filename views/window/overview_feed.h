// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/device_history.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>

#include <memory>
#include <vector>

namespace plimsoll {

class OverviewStrip;
class Session;
class SliceFeed;
struct SliceAnswer;

/// Fills the overview strip: the worst load of any device over all there is, events as
/// marks, gaps, and the visible range as its window; its drags move that range. Asks the
/// history only as often as a pixel's worth of time has passed.
class OverviewFeed : public QObject
{
    Q_OBJECT

public:
    OverviewFeed(Session &session, OverviewStrip &strip, QObject *parent);

    void refresh(); // extent, window, mode
    [[nodiscard]] bool hasAnswer() const noexcept { return m_hasAnswer; }

private:
    void ask();
    void take(const std::shared_ptr<const SliceAnswer> &answer);
    void updateEvents();

    Session &m_session;
    OverviewStrip &m_strip;
    QPointer<SliceFeed> m_feed;
    std::vector<DeviceTrack> m_tracks;
    TimeRange m_asked{};
    QElapsedTimer m_sinceAsked;
    bool m_hasAnswer = false;
};

} // namespace plimsoll
