// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_painter.h"

#include "widgets/canvas/hatch.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/timeline/event_lane.h"
#include "widgets/timeline/track_style.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

constexpr double kMainWidth = 1.75;
constexpr double kOtherWidth = 1.25;
constexpr double kBandEdge = 1;

/// Device px of a plot; `slack` rows more above and below, so that a line on the edge keeps its width.
QRect pixelsOf(const QRect &plot, double ratio, int slack)
{
    const QRect rect = plot.adjusted(0, -slack, 0, slack);
    return {static_cast<int>(std::floor(rect.left() * ratio)), static_cast<int>(std::floor(rect.top() * ratio)),
            static_cast<int>(std::ceil(rect.width() * ratio)), static_cast<int>(std::ceil(rect.height() * ratio))};
}

void paintGrid(QPainter &painter, const TrackShape &shape, const Tokens &tokens)
{
    const double right = shape.plot.left() + shape.plot.width();
    for (const ValueTick &tick : shape.axis.ticks)
        if (tick.value > shape.axis.bottom)
            draw::horizontal(painter, shape.plot.left(), right, shape.scale.y(tick.value), tokens.grid);
    draw::horizontal(painter, shape.plot.left(), right, shape.plot.top() + shape.plot.height(), tokens.line2);
}

/// Thin verticals that lead the eye from an event to the lines; only kills are in colour.
void paintEventLines(QImage &picture, const TimelineGeometry &geometry, const std::vector<EventMark> &events, const Tokens &tokens)
{
    const double ratio = geometry.pixelRatio;
    const int dot = std::max(1, static_cast<int>(ratio));
    for (const EventShape &event : geometry.events) {
        const bool grave = isGrave(events[event.index]);
        if (event.textRect.isEmpty() && !grave)
            continue;
        const int x = static_cast<int>(std::floor(event.x * ratio));
        for (const TrackShape &track : geometry.tracks)
            LineRaster::dottedColumn(picture, pixelsOf(track.plot, ratio, 0), x, (grave ? tokens.page : tokens.line).rgb(),
                                     grave ? 0.7 : 1, grave ? 2 * dot : dot, grave ? 2 * dot : 3 * dot);
    }
}

/// Dashes by hand, for the same reason as the verticals.
void paintDashes(QPainter &painter, QPointF from, QPointF to, const QColor &colour, double on, double off)
{
    if (from.y() != to.y()) { // a limit that was set anew
        painter.fillRect(QRectF(std::floor(from.x()), std::min(from.y(), to.y()), 1, std::abs(to.y() - from.y()) + 1), colour);
        return;
    }
    for (double x = from.x(); x < to.x(); x += on + off)
        painter.fillRect(QRectF(x, std::floor(from.y()), std::min(on, to.x() - x), 1), colour);
}

void paintLimits(QPainter &painter, const TrackShape &shape, const TimelinePainter::Look &look)
{
    const Tokens &tokens = *look.tokens;
    painter.setFont(look.caption);
    const QFontMetricsF metrics(look.caption);
    double taken = -1e9; // right end of the labels so far, when they stand on one line
    double takenY = 0;
    for (const LimitShape &limit : shape.limits) {
        for (std::size_t i = 1; i < limit.points.size(); ++i)
            paintDashes(painter, limit.points[i - 1], limit.points[i], tokens.text, 6, 4);
        if (limit.text.isEmpty())
            continue;
        QPointF at = limit.textAt;
        if (std::abs(at.y() - takenY) < 14)
            at.setX(std::max(at.x(), taken + 12));
        const QRectF box(at.x(), at.y() - 14, metrics.horizontalAdvance(limit.text), 16);
        if (box.right() > shape.plot.right())
            continue;
        taken = box.right();
        takenY = at.y();
        if (at.y() > shape.plot.top()) // inside the plot there may be lines below it
            paintPlate(painter, box, tokens.panel, 0.85);
        painter.setPen(tokens.text2);
        painter.drawText(QPointF(at.x(), at.y()), limit.text);
    }
}

void paintValueLabels(QPainter &painter, const TrackShape &shape, const Track &track, const TimelinePainter::Look &look)
{
    const Tokens &tokens = *look.tokens;
    const double right = shape.plot.left() - 8.0;
    painter.setFont(look.caption);
    painter.setPen(tokens.text2);
    for (const ValueTick &tick : shape.axis.ticks) {
        const double y = shape.scale.y(tick.value);
        painter.drawText(QRectF(0, y - 8, right, 16), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, tick.label);
    }
    painter.setPen(tokens.text3);
    painter.drawText(QRectF(0, shape.plot.top() - 24, right, 16), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, shape.axis.unit);
    if (!track.title.isEmpty()) {
        painter.setPen(tokens.text2);
        const QFontMetricsF metrics(look.caption);
        painter.drawText(QRectF(shape.plot.left(), shape.plot.top() - 38, shape.plot.width(), 16),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(track.title, Qt::ElideMiddle, shape.plot.width()));
    }
}

void paintEndLabels(QPainter &painter, const TimelineGeometry &geometry, const TrackShape &shape, const Track &track,
                    const TimelinePainter::Look &look, double widgetWidth)
{
    painter.setFont(look.captionStrong);
    const QFontMetricsF metrics(look.captionStrong);
    for (std::size_t i = 0; i < shape.lines.size(); ++i) {
        const LineShape &line = shape.lines[i];
        if (!line.end || track.lines[i].name.isEmpty())
            continue;
        const double room = widgetWidth - geometry.labelLeft;
        QString name = track.lines[i].name;
        double width = metrics.horizontalAdvance(name);
        if (width > room) {
            name = metrics.elidedText(name, Qt::ElideMiddle, room);
            width = room;
        }
        // A line that ended earlier carries its name where it ended.
        double x = geometry.labelLeft;
        if (const double after = line.end->x() + 8; after + width < shape.plot.right() - 8) {
            x = after;
            paintPlate(painter, QRectF(x, line.labelY - 8, width, 16), look.tokens->panel, 0.85);
        }
        painter.setPen(look.isStale ? look.tokens->text3 : trackStyle(track.lines[i].role, *look.tokens).text);
        painter.drawText(QRectF(x, line.labelY - 8, width + 1, 16), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, name);
    }
}

void paintTimeAxis(QPainter &painter, const TimelineGeometry &geometry, const TimelinePainter::Look &look, double widgetWidth)
{
    const Tokens &tokens = *look.tokens;
    painter.setFont(look.caption);
    const QFontMetricsF metrics(look.caption);
    double free = 0;
    double firstLeft = geometry.axis.left();
    for (const TimeTick &tick : geometry.ticks) {
        const double x = geometry.time.x(tick.time);
        draw::vertical(painter, x, geometry.axis.top(), geometry.axis.top() + 4, tokens.line2);
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, widgetWidth - width));
        if (left < free)
            continue;
        free = left + width + 6;
        firstLeft = std::min(firstLeft, left);
        painter.setPen(tokens.text2);
        painter.drawText(QRectF(left, geometry.axis.top() + 4, width + 1, 16), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, tick.label);
    }
    const QString zone = zoneText(geometry.time.range.begin, look.isUtc);
    if (metrics.horizontalAdvance(zone) + 4 > firstLeft)
        return;
    painter.setPen(tokens.text3);
    painter.drawText(QRectF(0, geometry.axis.top() + 4, firstLeft, 16), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, zone);
}

} // namespace

void TimelinePainter::paint(QImage &picture, QSize size, const TimelineGeometry &geometry, const std::vector<Track> &tracks,
                            const std::vector<EventMark> &events, const Look &look)
{
    const QSize pixels(static_cast<int>(std::lround(size.width() * geometry.pixelRatio)),
                       static_cast<int>(std::lround(size.height() * geometry.pixelRatio)));
    if (picture.size() != pixels || picture.devicePixelRatio() != geometry.pixelRatio) {
        picture = QImage(pixels, QImage::Format_RGB32);
        picture.setDevicePixelRatio(geometry.pixelRatio);
    }
    if (picture.isNull())
        return;
    picture.fill(look.tokens->panel);
    // The raster writes between two painters, never under one.
    {
        QPainter painter(&picture);
        for (const TrackShape &shape : geometry.tracks)
            paintGrid(painter, shape, *look.tokens);
    }
    paintFills(picture, geometry, tracks, look);
    {
        QPainter painter(&picture);
        for (const TrackShape &shape : geometry.tracks)
            for (const GapShape &gap : shape.gaps)
                paintGap(painter, gap.rect, look.tokens->panel, look.tokens->text3);
    }
    paintEventLines(picture, geometry, events, *look.tokens);
    paintLines(picture, geometry, tracks, look);
    QPainter painter(&picture);
    paintWords(painter, geometry, tracks, events, look);
}

void TimelinePainter::paintFills(QImage &picture, const TimelineGeometry &geometry, const std::vector<Track> &tracks, const Look &look)
{
    const Tokens &tokens = *look.tokens;
    const double ratio = geometry.pixelRatio;
    for (std::size_t t = 0; t < geometry.tracks.size(); ++t) {
        const TrackShape &shape = geometry.tracks[t];
        const QRect clip = pixelsOf(shape.plot, ratio, 0);
        const double floorY = shape.scale.y(std::max(0.0, shape.axis.bottom)) * ratio;
        for (std::size_t i = 0; i < shape.lines.size(); ++i) {
            const TrackLine &line = tracks[t].lines[i];
            const QRgb colour = (look.isStale ? tokens.text3 : trackStyle(line.role, tokens).line).rgb();
            if (line.isBand)
                m_raster.fillBetween(picture, clip, shape.lines[i].points, shape.lines[i].lower, colour, tokens.isDark ? 0.26 : 0.22);
            else if (line.isArea)
                m_raster.fillBelow(picture, clip, shape.lines[i].points, floorY, colour, tokens.isDark ? 0.10 : 0.08);
        }
    }
}

void TimelinePainter::paintLines(QImage &picture, const TimelineGeometry &geometry, const std::vector<Track> &tracks, const Look &look)
{
    const double ratio = geometry.pixelRatio;
    for (std::size_t t = 0; t < geometry.tracks.size(); ++t) {
        const TrackShape &shape = geometry.tracks[t];
        const QRect clip = pixelsOf(shape.plot, ratio, 1);
        // The first line is the main one and lies on top.
        for (std::size_t i = shape.lines.size(); i-- > 0;) {
            const TrackLine &line = tracks[t].lines[i];
            const TrackStyle style = trackStyle(line.role, *look.tokens);
            LineRaster::Pen pen;
            pen.colour = (look.isStale ? look.tokens->text3 : style.line).rgb();
            pen.width = (line.isBand ? kBandEdge : i == 0 ? kMainWidth : kOtherWidth) * ratio;
            if (look.isStale) {
                pen.dashOn = pen.dashOff = 2 * ratio;
            } else if (line.isDashed || style.isDashed) {
                pen.dashOn = 5 * ratio;
                pen.dashOff = 3 * ratio;
            }
            m_raster.stroke(picture, clip, shape.lines[i].points, pen);
        }
    }
}

void TimelinePainter::paintWords(QPainter &painter, const TimelineGeometry &geometry, const std::vector<Track> &tracks,
                                 const std::vector<EventMark> &events, const Look &look) const
{
    const Tokens &tokens = *look.tokens;
    const double widgetWidth = painter.device()->width() / geometry.pixelRatio;
    for (std::size_t t = 0; t < geometry.tracks.size(); ++t) {
        const TrackShape &shape = geometry.tracks[t];
        paintLimits(painter, shape, look);
        paintValueLabels(painter, shape, tracks[t], look);
        painter.setFont(look.caption);
        for (const GapShape &gap : shape.gaps) {
            if (gap.textRect.isEmpty())
                continue;
            paintPlate(painter, gap.textRect, tokens.panel);
            painter.setPen(tokens.text2);
            painter.drawText(gap.textRect.adjusted(0, 0, 1, 0), Qt::AlignCenter | Qt::TextSingleLine, gap.text);
        }
        paintEndLabels(painter, geometry, shape, tracks[t], look, widgetWidth);
        if (look.isStale) {
            painter.setPen(dashedHairline(tokens.text3, 2, 2, geometry.pixelRatio));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(shape.plot).adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }
    if (look.now && look.now < geometry.time.range.end && look.now > geometry.time.range.begin) {
        const double x = geometry.time.x(*look.now);
        if (x < geometry.axis.right() - 8)
            for (const TrackShape &shape : geometry.tracks)
                draw::vertical(painter, x, shape.plot.top(), shape.plot.top() + shape.plot.height(), tokens.line2);
    }
    if (!geometry.hasData && !look.emptyText.isEmpty() && !geometry.tracks.empty()) {
        painter.setFont(look.caption);
        painter.setPen(tokens.text3);
        painter.drawText(geometry.tracks.front().plot, Qt::AlignCenter | Qt::TextWordWrap, look.emptyText);
    }
    if (!geometry.lane.isEmpty()) {
        painter.setFont(look.caption);
        painter.setPen(tokens.text3);
        painter.drawText(QRectF(0, geometry.lane.top() + 2, geometry.lane.left() - 8.0, 16),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, QCoreApplication::translate("plimsoll::TimelineView", "events"));
        paintEventLane(painter, geometry, events, tokens, look.caption);
    }
    paintTimeAxis(painter, geometry, look, widgetWidth);
}

} // namespace plimsoll
