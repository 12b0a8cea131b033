// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/text_widths.h"
#include "widgets/timeline/timeline_overlay.h"
#include "widgets/timeline/timeline_painter.h"
#include "widgets/timeline/timeline_table.h"
#include "widgets/timeline/timeline_view.h"

#include <QImage>
#include <QPointF>

namespace plimsoll {

class TimelineView::Private
{
public:
    std::vector<Track> tracks;
    std::vector<EventMark> events; // rising
    TimeRange range;
    std::optional<Instant> now;
    bool isUtc = false;
    bool isStale = false;
    bool isLocked = false;
    bool hasLane = true;
    bool isFocusShown = false;
    QString emptyText;
    TimelineOverlay overlay;

    // Kept until something they follow from changes.
    TimelineGeometry geometry;
    bool isGeometryOld = true;
    QImage picture;
    bool isPictureOld = true;
    std::optional<TextWidths> captionWidths;
    std::optional<TextWidths> strongWidths;
    TimelinePainter painter;
    TimelineTable *table = nullptr;
    bool isTableOld = false;

    // A drag that goes on.
    enum class Drag { None, Pressed, Select, Pan };
    Drag drag = Drag::None;
    QPointF pressedAt;
    double panX = 0;
    Qt::KeyboardModifiers pressedWith;
    std::optional<Instant> cursorABefore; // what Escape brings back
    std::optional<Instant> cursorBBefore;

    void forget() noexcept
    {
        isGeometryOld = true;
        isPictureOld = true;
        isTableOld = true;
    }
    const TimelineGeometry &upToDate(const QWidget &view);
    void readOverlay();

    /// The next time a person may look for: a peak of the first line, an OOM.
    [[nodiscard]] std::optional<Instant> peak(std::optional<Instant> after) const;
    [[nodiscard]] std::optional<Instant> nextOom(std::optional<Instant> after) const;
};

} // namespace plimsoll
