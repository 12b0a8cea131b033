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
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

constexpr double kMainWidth = 1.75;
constexpr double kOtherWidth = 1.25;
constexpr double kBandEdge = 1;

/// The stretches of a line between lifted pens, as filled polygons in device px.
template <class Close>
void fillRuns(QPainter &painter, const std::vector<QPointF> &points, const QColor &colour, const Close &close)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (std::size_t begin = 0; begin < points.size();) {
        if (!std::isfinite(points[begin].y())) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < points.size() && std::isfinite(points[end].y()))
            ++end;
        QPolygonF polygon;
        polygon.reserve(static_cast<qsizetype>(2 * (end - begin) + 2));
        for (std::size_t i = begin; i < end; ++i)
            polygon.append(points[i]);
        close(polygon, begin, end);
        painter.drawPolygon(polygon);
        begin = end;
    }
}

void paintFill(QPainter &painter, const LineShape &shape, const TrackLine &line, const QColor &colour, double floorY, bool isDark)
{
    if (line.isBand) {
        fillRuns(painter, shape.points, withAlpha(colour, isDark ? 0.26 : 0.22), [&](QPolygonF &polygon, std::size_t begin, std::size_t end) {
            for (std::size_t i = end; i > begin; --i)
                polygon.append(shape.lower[i - 1]);
        });
    } else if (line.isArea) {
        fillRuns(painter, shape.points, withAlpha(colour, isDark ? 0.10 : 0.08), [&](QPolygonF &polygon, std::size_t, std::size_t) {
            polygon.append(QPointF(polygon.last().x(), floorY));
            polygon.append(QPointF(polygon.first().x(), floorY));
        });
    }
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
void paintEventLines(QPainter &painter, const TimelineGeometry &geometry, const std::vector<EventMark> &events, const Tokens &tokens)
{
    for (const EventShape &event : geometry.events) {
        const bool grave = isGrave(events[event.index]);
        if (event.textRect.isEmpty() && !grave)
            continue;
        painter.setPen(grave ? dashedHairline(withAlpha(tokens.page, 0.7), 2, 2, geometry.pixelRatio)
                             : dashedHairline(tokens.line, 1, 3, geometry.pixelRatio));
        const double x = crisp(event.x, geometry.pixelRatio);
        for (const TrackShape &track : geometry.tracks)
            painter.drawLine(QPointF(x, track.plot.top()), QPointF(x, track.plot.top() + track.plot.height()));
    }
}

void paintLimits(QPainter &painter, const TrackShape &shape, const TimelinePainter::Look &look)
{
    const Tokens &tokens = *look.tokens;
    painter.setFont(look.caption);
    const QFontMetricsF metrics(look.caption);
    double taken = -1e9; // right end of the labels so far, when they stand on one line
    double takenY = 0;
    for (const LimitShape &limit : shape.limits) {
        QPen pen(tokens.text, 1, Qt::CustomDashLine, Qt::FlatCap);
        pen.setDashPattern({6, 4});
        painter.setPen(pen);
        for (std::size_t i = 1; i < limit.points.size(); ++i) {
            const QPointF a = limit.points[i - 1];
            const QPointF b = limit.points[i];
            painter.drawLine(QPointF(a.x(), crisp(a.y())), QPointF(b.x(), crisp(b.y())));
        }
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
        const QString name = metrics.elidedText(track.lines[i].name, Qt::ElideMiddle, room);
        const double width = metrics.horizontalAdvance(name);
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
    {
        QPainter painter(&picture);
        paintGround(painter, geometry, tracks, events, look);
    }
    paintLines(picture, geometry, tracks, look);
    QPainter painter(&picture);
    paintWords(painter, geometry, tracks, events, look);
}

void TimelinePainter::paintGround(QPainter &painter, const TimelineGeometry &geometry, const std::vector<Track> &tracks,
                                  const std::vector<EventMark> &events, const Look &look) const
{
    const Tokens &tokens = *look.tokens;
    for (const TrackShape &shape : geometry.tracks)
        paintGrid(painter, shape, tokens);
    for (std::size_t t = 0; t < geometry.tracks.size(); ++t) {
        const TrackShape &shape = geometry.tracks[t];
        painter.save();
        painter.setClipRect(shape.plot);
        painter.scale(1 / geometry.pixelRatio, 1 / geometry.pixelRatio); // shapes are in device px
        const double floorY = shape.scale.y(std::max(0.0, shape.axis.bottom)) * geometry.pixelRatio;
        for (std::size_t i = 0; i < shape.lines.size(); ++i)
            paintFill(painter, shape.lines[i], tracks[t].lines[i],
                      look.isStale ? tokens.text3 : trackStyle(tracks[t].lines[i].role, tokens).line, floorY, tokens.isDark);
        painter.restore();
        for (const GapShape &gap : shape.gaps)
            paintGap(painter, gap.rect, tokens.panel, tokens.text3);
    }
    paintEventLines(painter, geometry, events, tokens);
}

void TimelinePainter::paintLines(QImage &picture, const TimelineGeometry &geometry, const std::vector<Track> &tracks, const Look &look)
{
    const double ratio = geometry.pixelRatio;
    for (std::size_t t = 0; t < geometry.tracks.size(); ++t) {
        const TrackShape &shape = geometry.tracks[t];
        const QRect plot = shape.plot.adjusted(0, -1, 0, 1); // a line on the edge keeps its width
        const QRect clip(static_cast<int>(std::floor(plot.left() * ratio)), static_cast<int>(std::floor(plot.top() * ratio)),
                         static_cast<int>(std::ceil(plot.width() * ratio)), static_cast<int>(std::ceil(plot.height() * ratio)));
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
