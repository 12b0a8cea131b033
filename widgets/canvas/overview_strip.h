// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/series_slice.h"
#include "widgets/canvas/event_mark.h"

#include <QPixmap>
#include <QWidget>

#include <optional>
#include <vector>

namespace plimsoll {

struct TimeScale;

/// All history in 32 px with labels below; the window of the page is a lighter stretch
/// with two grips. Drag grips to resize, the window to move, elsewhere to jump there;
/// arrow keys move it. The picture is kept; dragging paints only the window over it.
class OverviewStrip : public QWidget
{
    Q_OBJECT

public:
    explicit OverviewStrip(QWidget *parent = nullptr);

    void setExtent(TimeRange extent);
    void setWindow(TimeRange window);
    void setSilhouette(std::vector<Bucket> buckets, double top); // top: the value of full height, 0 = fit
    void setEvents(std::vector<EventMark> events);
    void setGaps(std::vector<Gap> gaps);
    void setRecorded(bool recorded); // the window in the colour of recorded sessions
    void setFrozen(bool frozen);     // … or in grey
    void setTravel(std::optional<Instant> at); // a line at the instant that is shown
    void setUtc(bool utc);

    [[nodiscard]] TimeRange extent() const noexcept { return m_extent; }
    [[nodiscard]] TimeRange window() const noexcept { return m_window; }
    [[nodiscard]] double xOf(Instant time) const;
    [[nodiscard]] QRect stripRect() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void windowDragged(plimsoll::TimeRange window);  // while the button is down
    void windowReleased(plimsoll::TimeRange window); // the step to take

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    enum class Grab { None, Begin, End, Move };

    [[nodiscard]] TimeScale scale() const;
    [[nodiscard]] Grab grabAt(double x) const;
    [[nodiscard]] TimeRange dragged(double x) const;
    [[nodiscard]] QColor windowColour() const;
    void invalidate();
    void renderPicture();
    void paintWindow(QPainter &painter) const;
    void paintLabels(QPainter &painter) const;

    TimeRange m_extent;
    TimeRange m_window;
    std::vector<Bucket> m_buckets;
    double m_top = 0;
    std::vector<EventMark> m_events;
    std::vector<Gap> m_gaps;
    std::optional<Instant> m_travel;
    bool m_isRecorded = false;
    bool m_isFrozen = false;
    bool m_isUtc = false;
    bool m_isFocusShown = false;

    QPixmap m_picture;
    Grab m_grab = Grab::None;
    double m_grabX = 0;
    TimeRange m_grabWindow;
};

} // namespace plimsoll
