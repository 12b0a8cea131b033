// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_overlay.h"

#include "base/format.h"
#include "widgets/canvas/hatch.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/timeline/band_steps.h"
#include "widgets/timeline/track_style.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace plimsoll {
namespace {

double plotsTop(const TimelineGeometry &geometry)
{
    return geometry.tracks.empty() ? 0.0 : geometry.tracks.front().plot.top() - 8.0;
}

double plotsBottom(const TimelineGeometry &geometry)
{
    return geometry.axis.top();
}

bool isInSight(const TimelineGeometry &geometry, std::optional<Instant> time)
{
    return time && *time >= geometry.time.range.begin && *time <= geometry.time.range.end;
}

void paintRings(QPainter &painter, const std::vector<Reading> &readings, const TimelineGeometry &geometry, const Tokens &tokens)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(tokens.panel);
    for (const Reading &reading : readings) {
        const auto track = static_cast<std::size_t>(reading.track);
        if (!reading.value || track >= geometry.tracks.size())
            continue;
        const TrackShape &shape = geometry.tracks[track];
        const QPointF centre(geometry.time.x(reading.at), shape.scale.y(*reading.value));
        if (centre.x() < shape.plot.left() - 1 || centre.x() > shape.plot.left() + shape.plot.width() + 1
            || centre.y() < shape.plot.top() - 4 || centre.y() > shape.plot.top() + shape.plot.height() + 4)
            continue;
        painter.setPen(QPen(trackStyle(reading.role, tokens).line, 2));
        painter.drawEllipse(centre, 3, 3);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// The number of the main line beside a cursor, on a plate.
void paintCursorFigure(QPainter &painter, const std::vector<Reading> &readings, const TimelineGeometry &geometry,
                       const Tokens &tokens, const QFont &font, bool isLeft)
{
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    for (const Reading &reading : readings) {
        const auto track = static_cast<std::size_t>(reading.track);
        if (reading.line != 0 || !reading.value || track >= geometry.tracks.size())
            continue;
        const TrackShape &shape = geometry.tracks[track];
        const QString text = QString::fromStdString(formatNumber(*reading.value / shape.axis.unitFactor));
        const double width = metrics.horizontalAdvance(text);
        const double x = geometry.time.x(reading.at) + (isLeft ? -10 - width : 10);
        const double y = std::clamp(shape.scale.y(*reading.value) + 6, shape.plot.top() + 2.0, shape.plot.bottom() - 16.0);
        if (x < shape.plot.left() || x + width > shape.plot.right())
            continue;
        const QRectF box(x, y, width, 16);
        paintPlate(painter, box, tokens.panel, 0.9);
        painter.setPen(tokens.text);
        painter.drawText(box.adjusted(0, 0, 1, 0), Qt::AlignCenter | Qt::TextSingleLine, text);
    }
}

void paintCursor(QPainter &painter, Instant time, const QString &name, const TimelineGeometry &geometry, const Tokens &tokens,
                 const QFont &strong)
{
    const double x = crisp(geometry.time.x(time), geometry.pixelRatio);
    painter.fillRect(QRectF(std::floor(x), plotsTop(geometry) + 6, 1, plotsBottom(geometry) - plotsTop(geometry) - 6), tokens.accent);
    const QRectF tag(std::floor(x) - 8, plotsTop(geometry) - 9, 17, 15);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens.accent);
    painter.drawRoundedRect(tag, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(tokens.onAccent);
    painter.setFont(strong);
    painter.drawText(tag, Qt::AlignCenter | Qt::TextSingleLine, name);
}

void paintRange(QPainter &painter, const TimelineOverlay &overlay, const TimelineGeometry &geometry, const Tokens &tokens)
{
    if (!overlay.cursorA || !overlay.cursorB)
        return;
    const double left = std::max(geometry.time.x(std::min(*overlay.cursorA, *overlay.cursorB)), geometry.time.left);
    const double right = std::min(geometry.time.x(std::max(*overlay.cursorA, *overlay.cursorB)), geometry.time.left + geometry.time.width);
    if (right > left)
        painter.fillRect(QRectF(left, plotsTop(geometry) + 6, right - left, plotsBottom(geometry) - plotsTop(geometry) - 6),
                         withAlpha(tokens.accent, 0.07));
}

void paintTimeTag(QPainter &painter, Instant time, const TimelineOverlay &overlay, const TimelineGeometry &geometry,
                  const Tokens &tokens, const QFont &caption, const QFont &strong)
{
    const QString text = timeTagText(time, geometry.time.lengthOf(1), overlay.isUtc);
    const double width = std::max(56.0, QFontMetricsF(strong).horizontalAdvance(text) + 10);
    const double last = painter.device()->width() - width;
    const double left = std::clamp(std::floor(geometry.time.x(time) - width / 2), 0.0, std::max(0.0, last));
    const QRectF tag(left, geometry.axis.top() + 4, width, 16);
    // Labels that it would cut in two go away whole.
    const QFontMetricsF metrics(caption);
    for (const TimeTick &tick : geometry.ticks) {
        const double half = metrics.horizontalAdvance(tick.label) / 2 + 1;
        const double x = geometry.time.x(tick.time);
        if (x + half > tag.left() - 4 && x - half < tag.right() + 4)
            painter.fillRect(QRectF(x - half - 12, tag.top(), 2 * half + 24, 16), tokens.panel);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens.text);
    painter.drawRoundedRect(tag, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(tokens.panel);
    painter.setFont(strong);
    painter.drawText(tag, Qt::AlignCenter | Qt::TextSingleLine, text);
}

std::optional<Reading> readingOf(const TrackLine &line, Instant time, Duration perPixel)
{
    if (!line.slice || line.slice->buckets.empty())
        return std::nullopt;
    const auto &buckets = line.slice->buckets;
    for (const Gap &gap : line.slice->gaps)
        if (gap.range.contains(time))
            return std::nullopt;
    const auto after = std::partition_point(buckets.begin(), buckets.end(), [&](const Bucket &b) { return b.lastTime < time; });
    const auto distance = [&](const Bucket &b) {
        return time < b.firstTime ? b.firstTime - time : time > b.lastTime ? time - b.lastTime : Duration::zero();
    };
    auto best = after;
    if (best == buckets.end() || (after != buckets.begin() && distance(*std::prev(after)) < distance(*best)))
        --best;
    // Between two samples of an unbroken line the nearer one counts, however far; at its ends
    // only what is near enough to be the same point for the eye.
    const bool isBetween = after != buckets.begin() && after != buckets.end();
    if (!isBetween && distance(*best) > std::max(line.slice->width / 2, 2 * perPixel))
        return std::nullopt;
    Reading reading;
    reading.value = best->last;
    reading.min = best->min;
    reading.max = best->max;
    if (line.isBand) { // what the band shows here, so that the ring lies on its edge
        const BandStep step = bandStepAt(*line.slice, static_cast<std::size_t>(best - buckets.begin()), perPixel);
        reading.value = step.max;
        reading.min = step.min;
        reading.max = step.max;
        if (time >= step.begin && time <= step.end) {
            reading.at = time;
            return reading;
        }
    }
    reading.at = time >= best->firstTime && time <= best->lastTime ? time : time < best->firstTime ? best->firstTime : best->lastTime;
    return reading;
}

} // namespace

std::vector<Reading> readingsOf(const std::vector<Track> &tracks, Instant time, Duration perPixel)
{
    std::vector<Reading> readings;
    for (std::size_t t = 0; t < tracks.size(); ++t)
        for (std::size_t l = 0; l < tracks[t].lines.size(); ++l) {
            const TrackLine &line = tracks[t].lines[l];
            Reading reading = readingOf(line, time, perPixel).value_or(Reading{});
            if (!reading.value)
                reading.at = time;
            reading.track = static_cast<int>(t);
            reading.line = static_cast<int>(l);
            reading.name = line.name;
            reading.role = line.role;
            reading.unit = tracks[t].unit;
            readings.push_back(std::move(reading));
        }
    return readings;
}

void paintOverlay(QPainter &painter, const TimelineOverlay &overlay, const TimelineGeometry &geometry,
                  const Tokens &tokens, const QFont &caption, const QFont &strong)
{
    if (!geometry.time.isValid() || geometry.tracks.empty())
        return;
    paintRange(painter, overlay, geometry, tokens);
    if (isInSight(geometry, overlay.cursorA)) {
        paintCursor(painter, *overlay.cursorA, QStringLiteral("A"), geometry, tokens, strong);
        paintRings(painter, overlay.readingsA, geometry, tokens);
        paintCursorFigure(painter, overlay.readingsA, geometry, tokens, strong, false);
    }
    if (isInSight(geometry, overlay.cursorB)) {
        paintCursor(painter, *overlay.cursorB, QStringLiteral("B"), geometry, tokens, strong);
        paintRings(painter, overlay.readingsB, geometry, tokens);
        paintCursorFigure(painter, overlay.readingsB, geometry, tokens, strong, true);
    }
    if (isInSight(geometry, overlay.crosshair)) {
        painter.setPen(dashedHairline(tokens.text, 2, 2, geometry.pixelRatio));
        const double x = crisp(geometry.time.x(*overlay.crosshair), geometry.pixelRatio);
        painter.drawLine(QPointF(x, plotsTop(geometry) + 6), QPointF(x, plotsBottom(geometry)));
        paintRings(painter, overlay.readings, geometry, tokens);
        paintTimeTag(painter, *overlay.crosshair, overlay, geometry, tokens, caption, strong);
    }
}

} // namespace plimsoll
