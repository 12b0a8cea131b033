// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_view.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"
#include "widgets/timeline/timeline_view_p.h"

#include <QEvent>
#include <QPainter>
#include <QPaintEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll {

const TimelineGeometry &TimelineView::Private::upToDate(const QWidget &view)
{
    const double ratio = view.devicePixelRatioF();
    if (!isGeometryOld && geometry.pixelRatio == ratio)
        return geometry;
    TimelineLayout layout;
    layout.size = view.size();
    layout.pixelRatio = ratio;
    layout.range = range;
    layout.isUtc = isUtc;
    layout.hasLane = hasLane;
    layout.caption = plimsoll::font(TextRole::Caption, view.font());
    layout.captionStrong = plimsoll::font(TextRole::CaptionStrong, view.font());
    if (!captionWidths || captionWidths->font() != layout.caption || strongWidths->font() != layout.captionStrong) {
        captionWidths.emplace(layout.caption);
        strongWidths.emplace(layout.captionStrong);
    }
    layout.captionWidths = &*captionWidths;
    layout.strongWidths = &*strongWidths;
    layout.locked = isLocked && geometry.hasData && geometry.tracks.size() == tracks.size() ? &geometry : nullptr;
    TimelineGeometry next = buildGeometry(tracks, events, layout);
    geometry = std::move(next);
    isGeometryOld = false;
    isPictureOld = true;
    readOverlay();
    return geometry;
}

void TimelineView::Private::readOverlay()
{
    const Duration perPixel = geometry.time.lengthOf(1);
    const auto read = [&](std::optional<Instant> time) {
        return time ? readingsOf(tracks, *time, perPixel) : std::vector<Reading>();
    };
    overlay.readings = read(overlay.crosshair);
    overlay.readingsA = read(overlay.cursorA);
    overlay.readingsB = read(overlay.cursorB);
    overlay.isUtc = isUtc;
}

TimelineView::TimelineView(QWidget *parent)
    : QWidget(parent)
    , d(std::make_unique<Private>())
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setFocusInside(this);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Timeline"));
    d->emptyText = tr("Nothing was measured in this range.");
}

TimelineView::~TimelineView() = default;

void TimelineView::setTracks(std::vector<Track> tracks)
{
    d->tracks = std::move(tracks);
    d->forget();
    update();
    if (d->table)
        d->table->setTracks(d->tracks, d->range, d->isUtc);
}

void TimelineView::setEvents(std::vector<EventMark> events)
{
    std::stable_sort(events.begin(), events.end(), [](const EventMark &a, const EventMark &b) { return a.time < b.time; });
    if (events == d->events)
        return;
    d->events = std::move(events);
    d->forget();
    update();
}

void TimelineView::setRange(TimeRange range)
{
    if (range == d->range)
        return;
    d->range = range;
    d->forget();
    if (d->table)
        d->table->setTracks(d->tracks, d->range, d->isUtc);
    // While the view moves under a resting mouse the crosshair stays with the mouse.
    if (d->drag == Private::Drag::None && underMouse() && d->overlay.crosshair && d->geometry.time.isValid()) {
        const double x = mapFromGlobal(QCursor::pos()).x();
        d->upToDate(*this);
        if (x >= d->geometry.time.left && x <= d->geometry.time.left + d->geometry.time.width)
            moveCrosshair(instantAt(x));
    }
    update();
}

void TimelineView::setNow(std::optional<Instant> now)
{
    if (now == d->now)
        return;
    const bool wasInside = d->now && d->range.contains(*d->now);
    d->now = now;
    if (wasInside || (now && d->range.contains(*now))) {
        d->isPictureOld = true;
        update();
    }
}

void TimelineView::setUtc(bool utc)
{
    if (utc == d->isUtc)
        return;
    d->isUtc = utc;
    d->forget();
    update();
}

void TimelineView::setCursors(std::optional<Instant> a, std::optional<Instant> b)
{
    if (a == d->overlay.cursorA && b == d->overlay.cursorB)
        return;
    d->overlay.cursorA = a;
    d->overlay.cursorB = b;
    d->readOverlay();
    update();
}

void TimelineView::setCrosshair(std::optional<Instant> time)
{
    if (time == d->overlay.crosshair)
        return;
    d->overlay.crosshair = time;
    d->readOverlay();
    update();
}

void TimelineView::setStale(bool stale)
{
    if (std::exchange(d->isStale, stale) == stale)
        return;
    d->isPictureOld = true;
    update();
}

void TimelineView::setScaleLocked(bool locked)
{
    if (std::exchange(d->isLocked, locked) == locked)
        return;
    d->forget();
    update();
}

void TimelineView::setEventLane(bool visible)
{
    if (std::exchange(d->hasLane, visible) == visible)
        return;
    d->forget();
    update();
}

void TimelineView::setEmptyText(const QString &text)
{
    d->emptyText = text;
    d->isPictureOld = true;
    update();
}

const std::vector<Track> &TimelineView::tracks() const noexcept { return d->tracks; }
TimeRange TimelineView::range() const noexcept { return d->range; }
bool TimelineView::isScaleLocked() const noexcept { return d->isLocked; }
std::optional<Instant> TimelineView::crosshair() const noexcept { return d->overlay.crosshair; }
std::optional<Instant> TimelineView::cursorA() const noexcept { return d->overlay.cursorA; }
std::optional<Instant> TimelineView::cursorB() const noexcept { return d->overlay.cursorB; }

QRect TimelineView::plotRect(int track) const
{
    const TimelineGeometry &geometry = d->upToDate(*this);
    const auto index = static_cast<std::size_t>(track);
    return track >= 0 && index < geometry.tracks.size() ? geometry.tracks[index].plot : QRect();
}

QRect TimelineView::eventLaneRect() const { return d->upToDate(*this).lane; }
double TimelineView::xOf(Instant time) const { return d->upToDate(*this).time.x(time); }
Instant TimelineView::instantAt(double x) const { return d->upToDate(*this).time.at(x); }

double TimelineView::yOf(int track, double value) const
{
    const TimelineGeometry &geometry = d->upToDate(*this);
    const auto index = static_cast<std::size_t>(track);
    return track >= 0 && index < geometry.tracks.size() ? geometry.tracks[index].scale.y(value) : 0;
}

int TimelineView::pixelsWanted() const
{
    const TimelineGeometry &geometry = d->upToDate(*this);
    return std::max(1, static_cast<int>(std::ceil(geometry.time.width * geometry.pixelRatio)));
}

std::optional<TimeRange> TimelineView::selection() const
{
    const auto &a = d->overlay.cursorA;
    const auto &b = d->overlay.cursorB;
    if (!a || !b || *a == *b)
        return std::nullopt;
    return TimeRange{std::min(*a, *b), std::max(*a, *b)};
}

std::vector<Reading> TimelineView::readingsAt(Instant time) const
{
    return readingsOf(d->tracks, time, d->upToDate(*this).time.lengthOf(1));
}

RangeStatistics TimelineView::statistics(int track, int line, TimeRange range) const
{
    if (track < 0 || static_cast<std::size_t>(track) >= d->tracks.size())
        return {};
    const auto &lines = d->tracks[static_cast<std::size_t>(track)].lines;
    if (line < 0 || static_cast<std::size_t>(line) >= lines.size() || !lines[static_cast<std::size_t>(line)].slice)
        return {};
    return statisticsOf(*lines[static_cast<std::size_t>(line)].slice, range);
}

QAbstractTableModel *TimelineView::tableTwin()
{
    if (!d->table) {
        d->table = new TimelineTable(this);
        d->table->setTracks(d->tracks, d->range, d->isUtc);
    }
    return d->table;
}

QSize TimelineView::sizeHint() const { return {800, 320}; }
QSize TimelineView::minimumSizeHint() const { return {240, 120}; }

void TimelineView::paintEvent(QPaintEvent *)
{
    const Tokens &colours = tokens(this);
    const TimelineGeometry &geometry = d->upToDate(*this);
    const QFont caption = plimsoll::font(TextRole::Caption, this->font());
    const QFont strong = plimsoll::font(TextRole::CaptionStrong, this->font());
    if (d->isPictureOld) {
        d->painter.paint(d->picture, size(), geometry, d->tracks, d->events,
                         {&colours, caption, strong, d->isStale, d->isUtc, d->now, d->emptyText});
        d->isPictureOld = false;
    }
    QPainter painter(this);
    painter.drawImage(QPointF(0, 0), d->picture);
    paintOverlay(painter, d->overlay, geometry, colours, caption, strong);
    if (hasFocus() && d->isFocusShown)
        draw::focusInside(painter, QRectF(rect()), metrics::kControlRadius, colours.accent);
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    d->forget();
}

void TimelineView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange
        || event->type() == QEvent::LanguageChange) {
        d->forget();
        update();
    }
}

} // namespace plimsoll
