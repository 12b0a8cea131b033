// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/line_raster.h"
#include "widgets/timeline/timeline_geometry.h"

#include <QFont>
#include <QImage>

class QPainter;

namespace plimsoll {

struct Tokens;

/// Replays a geometry into an image; everything but what follows the mouse.
class TimelinePainter
{
public:
    struct Look
    {
        const Tokens *tokens = nullptr;
        QFont caption;
        QFont captionStrong;
        bool isStale = false;
        bool isUtc = false;
        std::optional<Instant> now;
        QString emptyText;
    };

    /// `picture` is made anew when the size does not fit. GUI or any one thread.
    void paint(QImage &picture, QSize size, const TimelineGeometry &geometry, const std::vector<Track> &tracks,
               const std::vector<EventMark> &events, const Look &look);

private:
    void paintFills(QImage &picture, const TimelineGeometry &geometry, const std::vector<Track> &tracks, const Look &look);
    void paintLines(QImage &picture, const TimelineGeometry &geometry, const std::vector<Track> &tracks, const Look &look);
    void paintWords(QPainter &painter, const TimelineGeometry &geometry, const std::vector<Track> &tracks,
                    const std::vector<EventMark> &events, const Look &look) const;

    LineRaster m_raster;
};

} // namespace plimsoll
