// SPDX-License-Identifier: GPL-3.0-or-later
// The gestures of TimelineView: what a hand does becomes a signal, or a cursor.
#include "widgets/timeline/timeline_view_p.h"

#include <QApplication>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace plimsoll {

std::optional<Instant> TimelineView::Private::peak(std::optional<Instant> after) const
{
    // "Next" means the next lower peak in time order after the crosshair: the highest bucket
    // that is not lower than its neighbours within a fiftieth of the range.
    if (tracks.empty() || tracks.front().lines.empty() || !tracks.front().lines.front().slice)
        return std::nullopt;
    const SeriesSlice &slice = *tracks.front().lines.front().slice;
    const Bucket *best = nullptr;
    const Duration apart = range.length() / 50;
    for (const Bucket &b : slice.buckets) {
        if (b.lastTime < range.begin || b.firstTime >= range.end || (after && b.firstTime <= *after + apart))
            continue;
        if (!best || b.max > best->max)
            best = &b;
    }
    if (!best)
        return std::nullopt;
    return best->firstTime + (best->lastTime - best->firstTime) / 2;
}

std::optional<Instant> TimelineView::Private::nextOom(std::optional<Instant> after) const
{
    const auto isOom = [](const EventMark &m) { return m.kind == EventKind::OomKill || m.kind == EventKind::OutOfMemory; };
    const EventMark *first = nullptr;
    for (const EventMark &mark : events) {
        if (!isOom(mark) || !range.contains(mark.time))
            continue;
        if (!after || mark.time > *after)
            return mark.time;
        first = first ? first : &mark;
    }
    return first ? std::optional(first->time) : std::nullopt; // round again
}

void TimelineView::moveCrosshair(std::optional<Instant> time)
{
    if (time == d->overlay.crosshair)
        return;
    setCrosshair(time);
    emit crosshairMoved(time);
}

void TimelineView::changeCursors(std::optional<Instant> a, std::optional<Instant> b)
{
    if (a == d->overlay.cursorA && b == d->overlay.cursorB)
        return;
    const auto before = selection();
    setCursors(a, b);
    emit cursorsChanged(a, b);
    if (selection() != before)
        emit selectionChanged(selection());
}

void TimelineView::run(CanvasCommand command)
{
    const Instant middle = d->range.begin + d->range.length() / 2;
    const auto &crosshair = d->overlay.crosshair;
    switch (command.action) {
    case CanvasAction::ZoomIn:
    case CanvasAction::ZoomOut:
        emit zoomRequested(zoomFactor(command.action, command.stride),
                           crosshair && d->range.contains(*crosshair) ? *crosshair : middle);
        break;
    case CanvasAction::PanLeft:
    case CanvasAction::PanRight: {
        const double share = panShare(command.action, command.stride);
        emit panRequested(Duration{std::llround(static_cast<double>(d->range.length().count()) * share)});
        break;
    }
    case CanvasAction::FitAll: emit fitRequested(); break;
    case CanvasAction::FitSelection:
    case CanvasAction::EnterSelection:
        if (const auto range = selection())
            emit rangeRequested(*range);
        break;
    case CanvasAction::CursorA:
        if (crosshair)
            changeCursors(crosshair, d->overlay.cursorB);
        break;
    case CanvasAction::CursorB:
        if (crosshair)
            changeCursors(d->overlay.cursorA, crosshair);
        break;
    case CanvasAction::ToggleFreeze: emit freezeToggled(); break;
    case CanvasAction::Follow: emit followRequested(); break;
    case CanvasAction::Travel:
        if (crosshair)
            emit travelRequested(*crosshair);
        break;
    case CanvasAction::Peak:
        if (const auto at = d->peak(std::nullopt))
            moveCrosshair(at);
        break;
    case CanvasAction::NextPeak:
        if (const auto at = d->peak(crosshair))
            moveCrosshair(at);
        break;
    case CanvasAction::NextOom:
        if (const auto at = d->nextOom(crosshair))
            moveCrosshair(at);
        break;
    }
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && d->drag != Private::Drag::None) {
        d->drag = Private::Drag::None;
        setCursors(d->cursorABefore, d->cursorBBefore);
        return;
    }
    if (const auto command = canvasCommand(*event)) {
        run(*command);
        event->accept();
        return;
    }
    QWidget::keyPressEvent(event);
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    const double notches = wheelNotches(*event);
    const TimeScale &time = d->upToDate(*this).time;
    if (notches == 0 || !time.isValid())
        return;
    event->accept();
    const bool isSideways = event->angleDelta().y() == 0 && event->modifiers() == Qt::NoModifier;
    if (event->modifiers().testFlag(Qt::ShiftModifier) || isSideways) {
        emit panRequested(Duration{std::llround(-0.1 * notches * static_cast<double>(d->range.length().count()))});
        return;
    }
    const double step = event->modifiers().testFlag(Qt::ControlModifier) ? 0.95 : 0.8;
    const double x = std::clamp(event->position().x(), time.left, time.left + time.width);
    emit zoomRequested(std::pow(step, std::clamp(notches, -10.0, 10.0)), time.at(x));
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    d->drag = Private::Drag::Pressed;
    d->pressedAt = event->position();
    d->panX = event->position().x();
    d->pressedWith = event->modifiers();
    d->cursorABefore = d->overlay.cursorA;
    d->cursorBBefore = d->overlay.cursorB;
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    const TimeScale time = d->upToDate(*this).time;
    const double x = std::clamp(event->position().x(), time.left, time.left + time.width);
    if (d->drag == Private::Drag::Pressed
        && std::abs(event->position().x() - d->pressedAt.x()) >= QApplication::startDragDistance() / 2.0)
        d->drag = d->pressedWith.testFlag(Qt::ShiftModifier) ? Private::Drag::Pan : Private::Drag::Select;
    if (d->drag == Private::Drag::Pan) {
        // Against the last answered range: each step is small, so a slow owner loses nothing.
        const Duration by = time.lengthOf(d->panX - event->position().x());
        d->panX = event->position().x();
        setCursor(Qt::ClosedHandCursor);
        if (by != Duration::zero())
            emit panRequested(by);
        return;
    }
    if (d->drag == Private::Drag::Select)
        setCursors(time.at(std::clamp(d->pressedAt.x(), time.left, time.left + time.width)), time.at(x));
    const bool isInside = event->position().x() >= time.left - 1 && event->position().x() <= time.left + time.width + 1;
    if (time.isValid() && (isInside || d->drag == Private::Drag::Select))
        moveCrosshair(time.at(x));
    else
        moveCrosshair(std::nullopt);
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const auto drag = std::exchange(d->drag, Private::Drag::None);
    unsetCursor();
    if (drag == Private::Drag::Select) {
        // The drag showed itself; now it becomes the owner's.
        const auto a = d->overlay.cursorA;
        const auto b = d->overlay.cursorB;
        setCursors(d->cursorABefore, d->cursorBBefore);
        if (a && b)
            changeCursors(std::min(*a, *b), std::max(*a, *b));
    } else if (drag == Private::Drag::Pressed) {
        changeCursors(std::nullopt, std::nullopt); // a click lets go of the range
    }
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept(); // the first click has cleared the range; a second one means nothing
}

void TimelineView::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    if (d->drag == Private::Drag::None)
        moveCrosshair(std::nullopt);
}

void TimelineView::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    // A mouse shows by itself what it hit; a window that comes back leaves it as it was.
    if (event->reason() == Qt::MouseFocusReason)
        d->isFocusShown = false;
    else if (event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason)
        d->isFocusShown = true;
    update();
}

void TimelineView::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    update();
}

bool TimelineView::event(QEvent *event)
{
    // Plain letters are ours while we have the focus, also where a window gave them a shortcut.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (!(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) && canvasCommand(*key)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

} // namespace plimsoll
