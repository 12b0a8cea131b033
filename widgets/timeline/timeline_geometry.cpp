// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_geometry.h"

#include "base/format.h"
#include "widgets/canvas/text_widths.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/timeline/event_lane.h"
#include "widgets/timeline/gap_shapes.h"
#include "widgets/timeline/line_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace plimsoll {
namespace {

constexpr int kAxisHeight = 20;
constexpr int kLaneHeight = 20;
constexpr int kTrackGap = 8;
constexpr int kTitleRow = 16;
constexpr int kLabelRow = 22; // unit and capacity above a plot
constexpr int kEndLabelsMax = 120;
constexpr int kRightPadding = 12;
constexpr double kLimitInSight = 8; // a capacity farther than this times the data would flatten it

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bounds
{
    double min = kInfinity;
    double max = -kInfinity;

    void include(double value)
    {
        // Comparisons with NaN are false; infinities are no measure of an axis.
        if (value < min && value > -kInfinity)
            min = value;
        if (value > max && value < kInfinity)
            max = value;
    }
    [[nodiscard]] bool isEmpty() const { return min > max; }
};

Bounds boundsOf(const SeriesSlice &slice, TimeRange range)
{
    Bounds bounds;
    auto it = std::partition_point(slice.buckets.begin(), slice.buckets.end(), [&](const Bucket &b) { return b.lastTime < range.begin; });
    for (; it != slice.buckets.end() && it->firstTime <= range.end; ++it) {
        bounds.include(it->min);
        bounds.include(it->max);
    }
    return bounds;
}

Bounds boundsOf(const Track &track, TimeRange range)
{
    Bounds bounds;
    for (const TrackLine &line : track.lines) {
        if (!line.slice)
            continue;
        const Bounds own = boundsOf(*line.slice, range);
        bounds.include(own.min);
        bounds.include(own.max);
    }
    return bounds;
}

/// A limit's largest value in the range.
std::optional<double> limitValue(const LimitLine &limit, TimeRange range)
{
    if (!limit.slice)
        return std::isfinite(limit.value) && limit.value > 0 ? std::optional(limit.value) : std::nullopt;
    const Bounds bounds = boundsOf(*limit.slice, range);
    return bounds.isEmpty() ? std::nullopt : std::optional(bounds.max);
}

/// The highest limit that does not press the data flat.
std::optional<double> limitInSight(const Track &track, TimeRange range, const Bounds &data)
{
    std::optional<double> found;
    for (const LimitLine &limit : track.limits) {
        const auto value = limitValue(limit, range);
        if (value && (data.isEmpty() || *value <= data.max * kLimitInSight) && (!found || *value > *found))
            found = value;
    }
    return found;
}

ValueAxis axisOf(const Track &track, TimeRange range, int height, const ValueAxis *locked)
{
    const Bounds data = boundsOf(track, range);
    ValueAxisWish wish;
    wish.unit = track.unit;
    wish.height = height;
    wish.limit = limitInSight(track, range, data);
    if (locked) {
        wish.min = locked->bottom;
        wish.max = locked->top;
        wish.fromZero = false;
        if (wish.limit && *wish.limit > locked->top)
            wish.limit.reset();
        ValueAxis axis = valueAxis(wish);
        axis.bottom = locked->bottom;
        axis.top = locked->top;
        std::erase_if(axis.ticks, [&](const ValueTick &t) { return t.value < axis.bottom || t.value > axis.top; });
        return axis;
    }
    wish.min = data.isEmpty() ? 0 : data.min;
    wish.max = data.isEmpty() ? wish.limit.value_or(0) : data.max;
    wish.fromZero = track.isFromZero;
    return valueAxis(wish);
}

std::vector<QPointF> limitPoints(const LimitLine &limit, const TimeScale &time, const ValueScale &scale)
{
    const double right = time.left + time.width;
    if (!limit.slice || limit.slice->buckets.empty())
        return {{time.left, scale.y(limit.value)}, {right, scale.y(limit.value)}};
    const auto [begin, end] = visibleBuckets(*limit.slice, time.range);
    std::vector<QPointF> points;
    // A limit holds until it is set anew: steps, and on to both edges.
    for (std::size_t i = begin; i < end; ++i) {
        const Bucket &b = limit.slice->buckets[i];
        const double x = points.empty() ? time.left : std::clamp(time.x(b.firstTime), time.left, right);
        const double y = scale.y(b.last);
        if (!points.empty() && points.back().y() == y)
            continue;
        if (!points.empty())
            points.emplace_back(x, points.back().y());
        points.emplace_back(x, y);
    }
    if (!points.empty())
        points.emplace_back(right, points.back().y());
    return points;
}

LimitShape limitShape(const LimitLine &limit, const Track &track, const TimeScale &time, const TrackShape &shape)
{
    LimitShape result;
    const auto value = limitValue(limit, time.range);
    if (!value)
        return result;
    const QString figure = figureText(formatValue(*value, track.unit));
    result.text = limit.name.isEmpty() ? figure : QStringLiteral("%1 %2").arg(limit.name, figure);
    const double left = time.left + 4;
    if (*value > shape.axis.top * (1 + 1e-9)) {
        result.text = QStringLiteral("%1 \u2191").arg(result.text); // above what the axis shows
        result.textAt = {left, shape.plot.top() - 4.0};
        return result;
    }
    result.points = limitPoints(limit, time, shape.scale);
    result.textAt = {left, (result.points.empty() ? shape.plot.top() : result.points.front().y()) - 4.0};
    return result;
}

/// Names of lines that end near each other are moved apart, in their order, inside the plot.
void spreadLabels(TrackShape &shape, double line)
{
    std::vector<LineShape *> named;
    for (LineShape &l : shape.lines)
        if (l.end) {
            l.labelY = std::clamp(l.end->y(), shape.plot.top() + line / 2, shape.plot.bottom() - line / 2);
            named.push_back(&l);
        }
    std::stable_sort(named.begin(), named.end(), [](const LineShape *a, const LineShape *b) { return a->end->y() < b->end->y(); });
    for (std::size_t i = 1; i < named.size(); ++i)
        named[i]->labelY = std::max(named[i]->labelY, named[i - 1]->labelY + line);
    double floor = shape.plot.bottom() - line / 2;
    for (auto it = named.rbegin(); it != named.rend(); ++it) {
        (*it)->labelY = std::min((*it)->labelY, floor);
        floor = (*it)->labelY - line;
    }
}

/// A gap through several tracks says its reason once, in the first.
void dropRepeatedGapTexts(TimelineGeometry &geometry)
{
    for (std::size_t t = 1; t < geometry.tracks.size(); ++t)
        for (GapShape &gap : geometry.tracks[t].gaps)
            for (std::size_t above = 0; above < t; ++above)
                for (const GapShape &other : geometry.tracks[above].gaps)
                    if (!other.textRect.isEmpty() && other.text == gap.text && other.rect.left() == gap.rect.left())
                        gap.textRect = {};
}

int endLabelWidth(const std::vector<Track> &tracks, const TextWidths &widths)
{
    double widest = 0;
    for (const Track &track : tracks)
        for (const TrackLine &line : track.lines)
            widest = std::max(widest, widths.of(line.name));
    return widest > 0 ? static_cast<int>(std::ceil(std::min(widest, kEndLabelsMax - 8.0))) + 8 : 0;
}

/// Plots from top to bottom by their stretch; what is too low for all keeps 24 px each.
void layOutPlots(const std::vector<Track> &tracks, TimelineGeometry &geometry, int bottom)
{
    int fixed = 0;
    int stretch = 0;
    for (const Track &track : tracks) {
        fixed += kLabelRow + (track.title.isEmpty() ? 0 : kTitleRow) + kTrackGap;
        stretch += std::max(1, track.stretch);
    }
    const int room = std::max(0, bottom - fixed);
    int top = 0;
    int used = 0;
    int shares = 0;
    for (const Track &track : tracks) {
        shares += std::max(1, track.stretch);
        const int height = std::max(24, room * shares / stretch - used);
        used += height;
        top += kLabelRow + (track.title.isEmpty() ? 0 : kTitleRow);
        TrackShape shape;
        shape.plot = QRect(static_cast<int>(geometry.time.left), top, static_cast<int>(geometry.time.width), height);
        top += height + kTrackGap;
        geometry.tracks.push_back(std::move(shape));
    }
}

} // namespace

std::pair<std::size_t, std::size_t> visibleBuckets(const SeriesSlice &slice, TimeRange range)
{
    const auto &all = slice.buckets;
    auto begin = std::partition_point(all.begin(), all.end(), [&](const Bucket &b) { return b.lastTime < range.begin; });
    auto end = std::partition_point(begin, all.end(), [&](const Bucket &b) { return b.firstTime <= range.end; });
    if (begin != all.begin())
        --begin;
    if (end != all.end())
        ++end;
    return {static_cast<std::size_t>(begin - all.begin()), static_cast<std::size_t>(end - all.begin())};
}

const Gap *gapBetween(const SeriesSlice &slice, Instant after, Instant before)
{
    const auto it = std::partition_point(slice.gaps.begin(), slice.gaps.end(), [&](const Gap &g) { return g.range.end <= after; });
    return it != slice.gaps.end() && it->range.begin < before ? &*it : nullptr;
}

TimelineGeometry buildGeometry(const std::vector<Track> &tracks, const std::vector<EventMark> &events,
                               const TimelineLayout &layout)
{
    TimelineGeometry geometry;
    geometry.pixelRatio = layout.pixelRatio;
    const TextWidths ownCaption(layout.caption);
    const TextWidths ownStrong(layout.captionStrong);
    const TextWidths &caption = layout.captionWidths ? *layout.captionWidths : ownCaption;
    const int labels = endLabelWidth(tracks, layout.strongWidths ? *layout.strongWidths : ownStrong);
    const int left = metrics::kPlotMarginNames;
    const int width = std::max(0, layout.size.width() - left - labels - kRightPadding);
    geometry.time = {layout.range, static_cast<double>(left), static_cast<double>(width)};
    geometry.labelLeft = left + width + 8;
    const int axisTop = layout.size.height() - kAxisHeight;
    const int laneHeight = layout.hasLane ? kLaneHeight : 0;
    geometry.axis = QRect(left, axisTop, width, kAxisHeight);
    if (layout.hasLane)
        geometry.lane = QRect(left, axisTop - laneHeight, width, laneHeight);
    geometry.ticks = timeTicks(layout.range, width, layout.isUtc);
    layOutPlots(tracks, geometry, axisTop - laneHeight + (layout.hasLane ? 4 : kTrackGap));

    for (std::size_t i = 0; i < tracks.size(); ++i) {
        const Track &track = tracks[i];
        TrackShape &shape = geometry.tracks[i];
        const ValueAxis *locked = layout.locked && i < layout.locked->tracks.size() ? &layout.locked->tracks[i].axis : nullptr;
        shape.axis = axisOf(track, layout.range, shape.plot.height(), locked);
        shape.scale = {shape.axis.bottom, shape.axis.top, static_cast<double>(shape.plot.top()),
                       static_cast<double>(shape.plot.height())};
        const LineBuilder builder(geometry.time, shape.scale, layout.pixelRatio);
        for (const TrackLine &line : track.lines) {
            shape.lines.push_back(line.slice ? builder.build(line) : LineShape{});
            geometry.hasData = geometry.hasData || !shape.lines.back().points.empty();
        }
        for (const LimitLine &limit : track.limits)
            shape.limits.push_back(limitShape(limit, track, geometry.time, shape));
        shape.gaps = gapShapes(track, geometry.time, shape.plot, caption);
        spreadLabels(shape, 14);
    }
    dropRepeatedGapTexts(geometry);
    geometry.events = layOutEvents(events, geometry.time, geometry.lane, caption);
    return geometry;
}

} // namespace plimsoll
