// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/overview_strip.h"

#include "widgets/canvas/coordinates.h"
#include "widgets/canvas/hatch.h"
#include "widgets/canvas/ruler.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QEvent>
#include <QFocusEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll {
namespace {

constexpr int kStripHeight = 32;
constexpr int kLabelHeight = 14;
constexpr int kGripWidth = 4;
constexpr int kGripHeight = 12;
constexpr double kReach = 6;         // px around an edge where the mouse takes it
constexpr double kSmallestWindow = 4; // px

/// The silhouette as steps of whole pixels: the highest value of each.
std::vector<double> heights(const std::vector<Bucket> &buckets, const TimeScale &time, double top, double height)
{
    std::vector<double> columns(static_cast<std::size_t>(std::max(0.0, std::ceil(time.width))), -1);
    for (const Bucket &b : buckets) {
        const double value = std::clamp(b.max / top, 0.0, 1.0) * height;
        if (!std::isfinite(value))
            continue;
        const auto last = static_cast<double>(columns.size()) - 1;
        const double from = std::floor(time.x(b.firstTime) - time.left);
        const double to = std::floor(time.x(b.lastTime) - time.left);
        if (to < 0 || from > last)
            continue;
        for (auto x = static_cast<std::size_t>(std::max(0.0, from)); x <= static_cast<std::size_t>(std::min(last, to)); ++x)
            columns[x] = std::max(columns[x], value);
    }
    return columns;
}

} // namespace

OverviewStrip::OverviewStrip(QWidget *parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setFocusInside(this);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Overview of all history"));
    setAccessibleDescription(tr("Arrow keys move the window that the page shows"));
}

void OverviewStrip::setExtent(TimeRange extent)
{
    if (std::exchange(m_extent, extent) != extent)
        invalidate();
}

void OverviewStrip::setWindow(TimeRange window)
{
    if (m_grab == Grab::None && std::exchange(m_window, window) != window)
        update(); // while it is dragged, the hand knows better
}

void OverviewStrip::setSilhouette(std::vector<Bucket> buckets, double top)
{
    m_buckets = std::move(buckets);
    m_top = top;
    invalidate();
}

void OverviewStrip::setEvents(std::vector<EventMark> events)
{
    if (events == m_events)
        return;
    m_events = std::move(events);
    invalidate();
}

void OverviewStrip::setGaps(std::vector<Gap> gaps)
{
    if (gaps == m_gaps)
        return;
    m_gaps = std::move(gaps);
    invalidate();
}

void OverviewStrip::setRecorded(bool recorded)
{
    if (std::exchange(m_isRecorded, recorded) != recorded)
        update();
}

void OverviewStrip::setFrozen(bool frozen)
{
    if (std::exchange(m_isFrozen, frozen) != frozen)
        update();
}

void OverviewStrip::setTravel(std::optional<Instant> at)
{
    if (std::exchange(m_travel, at) != at)
        update();
}

void OverviewStrip::setUtc(bool utc)
{
    if (std::exchange(m_isUtc, utc) != utc)
        update();
}

QRect OverviewStrip::stripRect() const
{
    return {0, 0, width(), kStripHeight};
}

TimeScale OverviewStrip::scale() const
{
    // The grips of a window at the edge stay whole.
    return {m_extent, kGripWidth / 2.0 + 1, std::max(0.0, width() - kGripWidth - 2.0)};
}

double OverviewStrip::xOf(Instant time) const
{
    return scale().x(time);
}

QSize OverviewStrip::sizeHint() const
{
    return {480, kStripHeight + kLabelHeight};
}

QSize OverviewStrip::minimumSizeHint() const
{
    return {120, kStripHeight + kLabelHeight};
}

QColor OverviewStrip::windowColour() const
{
    const Tokens &colours = tokens(this);
    return m_isRecorded ? colours.rec : m_isFrozen ? colours.text3 : colours.accent;
}

void OverviewStrip::invalidate()
{
    m_picture = QPixmap();
    update();
}

void OverviewStrip::renderPicture()
{
    const Tokens &colours = tokens(this);
    const double ratio = devicePixelRatioF();
    m_picture = QPixmap(stripRect().size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(colours.sunken);
    QPainter painter(&m_picture);
    const TimeScale time = scale();
    if (!time.isValid())
        return;

    double top = m_top;
    if (!(top > 0))
        for (const Bucket &b : m_buckets)
            top = std::isfinite(b.max) ? std::max(top, b.max) : top;
    const double floor = kStripHeight - 1;
    const std::vector<double> columns = heights(m_buckets, time, top > 0 ? top : 1, kStripHeight - 10.0);
    const QColor body = withAlpha(colours.text3, 0.22);
    const QColor edge = withAlpha(colours.text3, 0.55);
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (columns[x] < 0)
            continue;
        const double left = time.left + static_cast<double>(x);
        painter.fillRect(QRectF(left, floor - columns[x], 1, columns[x]), body);
        painter.fillRect(QRectF(left, floor - columns[x], 1, 1), edge);
    }
    for (const Gap &gap : m_gaps) {
        const double left = std::max(time.x(gap.range.begin), time.left);
        const double right = std::min(time.x(gap.range.end), time.left + time.width);
        if (right - left >= 2)
            paintGap(painter, QRectF(left, 1, right - left, kStripHeight - 2), colours.sunken, colours.text3);
    }
    double last = -1e9;
    for (const EventMark &mark : m_events) {
        const double x = crisp(time.x(mark.time), ratio);
        if (!m_extent.contains(mark.time) || x - last < 3)
            continue;
        last = x;
        const bool isFlag = mark.glyph == Glyph::Mark || mark.glyph == Glyph::Retry || mark.glyph == Glyph::Started;
        const QColor colour = isFlag ? colours.text2 : glyphColour(mark.glyph, colours);
        painter.setPen(QPen(withAlpha(colour, 0.6), 1 / ratio));
        painter.drawLine(QPointF(x, 8), QPointF(x, kStripHeight - 1));
        paintGlyph(painter, QRectF(x - 5, 0, 10, 10), mark.glyph, colour);
    }
}

void OverviewStrip::paintWindow(QPainter &painter) const
{
    const Tokens &colours = tokens(this);
    const TimeScale time = scale();
    const QColor colour = windowColour();
    const double left = std::clamp(time.x(m_window.begin), time.left, time.left + time.width);
    const double right = std::max(std::clamp(time.x(m_window.end), time.left, time.left + time.width), left + 1);
    const QRectF strip(1, 1, width() - 2.0, kStripHeight - 2.0);
    const QColor wash = withAlpha(colours.rail, 0.55);
    painter.fillRect(QRectF(QPointF(strip.left(), strip.top()), QPointF(left, strip.bottom())), wash);
    painter.fillRect(QRectF(QPointF(right, strip.top()), strip.bottomRight()), wash);
    painter.fillRect(QRectF(left, strip.top(), right - left, strip.height()), withAlpha(colour, 0.12));
    QPen pen(colour, 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    const double ratio = devicePixelRatioF();
    for (const double x : {crisp(left, ratio), crisp(right - 0.5, ratio)})
        painter.drawLine(QPointF(x, 0), QPointF(x, kStripHeight));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (const double x : {left, right})
        painter.drawRoundedRect(QRectF(x - kGripWidth / 2.0, (kStripHeight - kGripHeight) / 2.0, kGripWidth, kGripHeight), 2, 2);
    if (m_travel && m_extent.contains(*m_travel))
        painter.fillRect(QRectF(time.x(*m_travel) - 1, 0, 2, kStripHeight), colours.accent);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void OverviewStrip::paintLabels(QPainter &painter) const
{
    const Tokens &colours = tokens(this);
    const TimeScale time = scale();
    const QFont caption = plimsoll::font(TextRole::Caption, font());
    const QFont strong = plimsoll::font(TextRole::CaptionStrong, font());
    const QFontMetricsF metrics(caption);
    const double top = kStripHeight;
    // The ends say what there is; round times stand where they leave room.
    const bool isLong = m_extent.length() > std::chrono::hours(24);
    const auto endLabel = [&](Instant t) { return timeText(t, m_isUtc, isLong ? TimeText::Date : TimeText::Minutes); };
    const QString first = endLabel(m_extent.begin);
    const QString last = endLabel(m_extent.end);
    const double firstEnd = metrics.horizontalAdvance(first);
    const double lastBegin = width() - QFontMetricsF(strong).horizontalAdvance(last);
    if (firstEnd + 12 > lastBegin)
        return;
    painter.setFont(caption);
    painter.setPen(colours.text2);
    painter.drawText(QRectF(0, top, firstEnd + 1, kLabelHeight), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, first);
    for (const TimeTick &tick : timeTicks(m_extent, time.width, m_isUtc, 150)) {
        const double half = metrics.horizontalAdvance(tick.label) / 2;
        const double x = time.x(tick.time);
        if (x - half < firstEnd + 12 || x + half > lastBegin - 12)
            continue;
        painter.drawText(QRectF(x - half, top, 2 * half + 1, kLabelHeight), Qt::AlignCenter | Qt::TextSingleLine, tick.label);
    }
    painter.setFont(strong);
    painter.setPen(colours.text);
    painter.drawText(QRectF(lastBegin - 1, top, width() - lastBegin + 1, kLabelHeight), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, last);
}

void OverviewStrip::paintEvent(QPaintEvent *)
{
    const Tokens &colours = tokens(this);
    if (m_picture.isNull() || m_picture.devicePixelRatio() != devicePixelRatioF())
        renderPicture();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing, true);
    QPainterPath round;
    round.addRoundedRect(QRectF(stripRect()), metrics::kTagRadius, metrics::kTagRadius);
    painter.setClipPath(round);
    painter.drawPixmap(0, 0, m_picture);
    painter.setClipping(false);
    painter.setPen(QPen(colours.line2, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(stripRect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kTagRadius, metrics::kTagRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (!scale().isValid())
        return;
    if (!m_window.isEmpty())
        paintWindow(painter);
    paintLabels(painter);
    if (hasFocus() && m_isFocusShown)
        draw::focusInside(painter, QRectF(stripRect()), metrics::kTagRadius, colours.accent);
}

OverviewStrip::Grab OverviewStrip::grabAt(double x) const
{
    const double begin = xOf(m_window.begin);
    const double end = xOf(m_window.end);
    const double toBegin = std::abs(x - begin);
    const double toEnd = std::abs(x - end);
    // Of two edges that lie close, the one on whose outer side the mouse is.
    if (std::min(toBegin, toEnd) <= kReach && (x <= begin || x >= end || end - begin > 3 * kReach))
        return toBegin <= toEnd && x < (begin + end) / 2 ? Grab::Begin : Grab::End;
    return Grab::Move;
}

TimeRange OverviewStrip::dragged(double x) const
{
    const TimeScale time = scale();
    const Duration by = time.lengthOf(x - m_grabX);
    const Duration least = std::max(time.lengthOf(kSmallestWindow), Duration{1});
    TimeRange next = m_grabWindow;
    switch (m_grab) {
    case Grab::Begin: next.begin = std::clamp(next.begin + by, std::min(m_extent.begin, next.end - least), next.end - least); break;
    case Grab::End: next.end = std::clamp(next.end + by, next.begin + least, std::max(m_extent.end, next.begin + least)); break;
    case Grab::Move: {
        const Duration length = next.length();
        const Instant latest = std::max(m_extent.begin, m_extent.end - length);
        next.begin = std::clamp(next.begin + by, m_extent.begin, latest);
        next.end = next.begin + length;
        break;
    }
    case Grab::None: break;
    }
    return next;
}

void OverviewStrip::mousePressEvent(QMouseEvent *event)
{
    const TimeScale time = scale();
    if (event->button() != Qt::LeftButton || !time.isValid() || m_window.isEmpty())
        return;
    const double x = event->position().x();
    m_grab = grabAt(x);
    m_grabX = x;
    m_grabWindow = m_window;
    if (m_grab == Grab::Move && !m_window.contains(time.at(x))) {
        m_grabX = (time.x(m_window.begin) + time.x(m_window.end)) / 2; // jumps under the mouse, then follows it
        m_window = dragged(x);
        emit windowDragged(m_window);
        update();
    }
}

void OverviewStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (m_grab == Grab::None) {
        const bool isEdge = scale().isValid() && !m_window.isEmpty() && event->position().y() < kStripHeight
            && grabAt(event->position().x()) != Grab::Move;
        setCursor(isEdge ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    const TimeRange next = dragged(event->position().x());
    if (next == m_window)
        return;
    m_window = next;
    emit windowDragged(m_window);
    update();
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_grab == Grab::None)
        return;
    m_grab = Grab::None;
    if (m_window != m_grabWindow)
        emit windowReleased(m_window);
}

void OverviewStrip::keyPressEvent(QKeyEvent *event)
{
    if (m_grab != Grab::None && event->key() == Qt::Key_Escape) {
        m_grab = Grab::None;
        m_window = m_grabWindow;
        emit windowDragged(m_window);
        update();
        return;
    }
    const double direction = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (direction == 0 || m_window.isEmpty() || m_extent.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const Duration length = m_window.length();
    const double share = event->modifiers().testFlag(Qt::ShiftModifier) ? 0.5 : 0.1;
    const Duration by{std::llround(direction * share * static_cast<double>(length.count()))};
    const Instant begin = std::clamp(m_window.begin + by, m_extent.begin, std::max(m_extent.begin, m_extent.end - length));
    const TimeRange next{begin, begin + length};
    if (next == m_window)
        return;
    m_window = next;
    update();
    emit windowReleased(m_window);
}

void OverviewStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    invalidate();
}

void OverviewStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        invalidate();
}

void OverviewStrip::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    // A mouse shows by itself what it hit; a window that comes back leaves it as it was.
    if (event->reason() == Qt::MouseFocusReason)
        m_isFocusShown = false;
    else if (event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason)
        m_isFocusShown = true;
    update();
}

void OverviewStrip::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace plimsoll
