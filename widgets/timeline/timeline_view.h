// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "widgets/canvas/coordinates.h"
#include "widgets/canvas/gestures.h"
#include "widgets/timeline/range_statistics.h"
#include "widgets/timeline/track.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QAbstractTableModel;

namespace plimsoll {

/// Tracks over one time axis: plots with one left margin, an events lane, the axis, one
/// crosshair. A painter of our own rather than stacked Qt Charts: a chart lays out and
/// strokes each series through QPainterPath (25 ms a frame for eight dense ones), while
/// here a frame is one pass over at most two buckets a pixel.
///
/// Model (tracks, range) → geometry (TimelineGeometry, built when data, range or size
/// change) → picture (an image, replayed) → overlay (crosshair, cursors; never rebuilds).
/// The view holds no view state: gestures are signals, the owner answers with setRange()
/// and setCursors(). Only a drag that goes on and the crosshair are its own. GUI thread.
class TimelineView : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineView(QWidget *parent = nullptr);
    ~TimelineView() override;

    void setTracks(std::vector<Track> tracks);
    void setEvents(std::vector<EventMark> events);
    void setRange(TimeRange range);
    void setNow(std::optional<Instant> now); // the end of what can be known; the future is left empty
    void setUtc(bool utc);
    void setCursors(std::optional<Instant> a, std::optional<Instant> b);
    void setCrosshair(std::optional<Instant> time); // from elsewhere; does not emit
    void setStale(bool stale);       // grey, dotted edge
    void setScaleLocked(bool locked); // the vertical axes stay as they are
    void setEventLane(bool visible); // on by default
    void setEmptyText(const QString &text); // said in the plot while no line has a sample

    [[nodiscard]] const std::vector<Track> &tracks() const noexcept;
    [[nodiscard]] TimeRange range() const noexcept;
    [[nodiscard]] QRect plotRect(int track) const; // empty when there is no such track
    [[nodiscard]] QRect eventLaneRect() const;
    [[nodiscard]] double xOf(Instant time) const;
    [[nodiscard]] Instant instantAt(double x) const;
    [[nodiscard]] double yOf(int track, double value) const;
    [[nodiscard]] int pixelsWanted() const; // device pixels of the plot: what to ask slices for
    [[nodiscard]] bool isScaleLocked() const noexcept;

    [[nodiscard]] std::optional<Instant> crosshair() const noexcept;
    [[nodiscard]] std::optional<Instant> cursorA() const noexcept;
    [[nodiscard]] std::optional<Instant> cursorB() const noexcept;
    [[nodiscard]] std::optional<TimeRange> selection() const; // between A and B
    [[nodiscard]] std::vector<Reading> readingsAt(Instant time) const;
    [[nodiscard]] RangeStatistics statistics(int track, int line, TimeRange range) const;
    [[nodiscard]] QAbstractTableModel *tableTwin(); // owned by the view, follows it

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void zoomRequested(double factor, plimsoll::Instant keep);
    void panRequested(plimsoll::Duration by);
    void rangeRequested(plimsoll::TimeRange range);
    void fitRequested();
    void crosshairMoved(std::optional<plimsoll::Instant> time);
    void selectionChanged(std::optional<plimsoll::TimeRange> range);
    void cursorsChanged(std::optional<plimsoll::Instant> a, std::optional<plimsoll::Instant> b);
    void freezeToggled();
    void followRequested();
    void travelRequested(plimsoll::Instant at);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    class Private;
    void run(CanvasCommand command);
    void moveCrosshair(std::optional<Instant> time);
    void changeCursors(std::optional<Instant> a, std::optional<Instant> b);

    std::unique_ptr<Private> d;
};

} // namespace plimsoll
