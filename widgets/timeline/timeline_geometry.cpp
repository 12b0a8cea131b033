// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_geometry.h"

#include "base/format.h"
#include "widgets/theme/metrics.h"
#include "widgets/theme/text.h"
#include "widgets/timeline/band_steps.h"
#include "widgets/timeline/event_lane.h"
#include "widgets/timeline/gap_shapes.h"

#include <QFontMetricsF>

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
const double kLift = std::numeric_limits<double>::quiet_NaN();

struct Bounds
{
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();

    void include(double value)
    {
        if (std::isfinite(value)) {
            min = std::min(min, value);
            max = std::max(max, value);
        }
    }
    [[nodiscard]] bool isEmpty() const { return min > max; }
};

Bounds boundsOf(const SeriesSlice &slice, TimeRange range)
{
    Bounds bounds;
    for (const Bucket &b : slice.buckets) {
        if (b.lastTime < range.begin)
            continue;
        if (b.firstTime > range.end)
            break;
        bounds.include(b.min);
        bounds.include(b.max);
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

class LineBuilder
{
public:
    LineBuilder(const TimeScale &time, const ValueScale &scale, double ratio)
        : m_time(time)
        , m_scale(scale)
        , m_ratio(ratio)
    {
    }

    [[nodiscard]] LineShape build(const TrackLine &line) const
    {
        LineShape shape;
        const SeriesSlice &slice = *line.slice;
        const auto [begin, end] = visibleBuckets(slice, m_time.range);
        if (line.isBand) {
            addBand(shape, bandSteps(slice, begin, end, m_time.lengthOf(1)));
            return shape;
        }
        shape.points.reserve((end - begin) * 4);
        auto gap = slice.gaps.begin();
        for (std::size_t i = begin; i < end; ++i) {
            const Bucket &b = slice.buckets[i];
            if (i > begin) {
                const Instant before = slice.buckets[i - 1].lastTime;
                while (gap != slice.gaps.end() && gap->range.end <= before)
                    ++gap;
                if (gap != slice.gaps.end() && gap->range.begin < b.firstTime)
                    shape.points.emplace_back(kLift, kLift);
            }
            addLine(shape, b);
        }
        shape.end = endOf(shape.points);
        return shape;
    }

private:
    [[nodiscard]] QPointF device(Instant t, double value) const
    {
        return {m_time.x(t) * m_ratio, m_scale.y(value) * m_ratio};
    }
    void addBand(LineShape &shape, const std::vector<BandStep> &steps) const
    {
        for (const BandStep &step : steps) {
            if (step.isAfterGap) {
                shape.points.emplace_back(kLift, kLift);
                shape.lower.emplace_back(kLift, kLift);
            }
            shape.points.push_back(device(step.begin, step.max));
            shape.lower.push_back(device(step.begin, step.min));
            if (step.end != step.begin) {
                shape.points.push_back(device(step.end, step.max));
                shape.lower.push_back(device(step.end, step.min));
            }
        }
        shape.end = endOf(shape.points);
    }
    void addLine(LineShape &shape, const Bucket &b) const
    {
        shape.points.push_back(device(b.firstTime, b.first));
        if (b.count > 1 && b.min != b.max) {
            // When within the bucket the extremes were is not known: its middle. Rising or
            // falling in the direction of the whole, so that a slope stays a slope.
            const Instant middle = b.firstTime + (b.lastTime - b.firstTime) / 2;
            const bool rises = b.first <= b.last;
            shape.points.push_back(device(middle, rises ? b.min : b.max));
            shape.points.push_back(device(middle, rises ? b.max : b.min));
        }
        if (b.lastTime != b.firstTime)
            shape.points.push_back(device(b.lastTime, b.last));
    }
    /// Where the line leaves the picture: its last point, or where it crosses the right edge.
    [[nodiscard]] std::optional<QPointF> endOf(const std::vector<QPointF> &points) const
    {
        const double right = (m_time.left + m_time.width) * m_ratio;
        for (std::size_t i = points.size(); i-- > 0;) {
            const QPointF &p = points[i];
            if (!std::isfinite(p.x()) || p.x() > right)
                continue;
            QPointF end = p;
            if (i + 1 < points.size() && std::isfinite(points[i + 1].x()))
                end += (points[i + 1] - p) * ((right - p.x()) / (points[i + 1].x() - p.x()));
            return end.x() >= m_time.left * m_ratio ? std::optional(end / m_ratio) : std::nullopt;
        }
        return std::nullopt;
    }

    const TimeScale &m_time;
    const ValueScale &m_scale;
    double m_ratio;
};

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

int endLabelWidth(const std::vector<Track> &tracks, const QFont &font)
{
    const QFontMetricsF metrics(font);
    double widest = 0;
    for (const Track &track : tracks)
        for (const TrackLine &line : track.lines)
            widest = std::max(widest, metrics.horizontalAdvance(line.name));
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
    const int labels = endLabelWidth(tracks, layout.captionStrong);
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
        shape.gaps = gapShapes(track, geometry.time, shape.plot, layout.caption);
        spreadLabels(shape, 14);
    }
    dropRepeatedGapTexts(geometry);
    geometry.events = layOutEvents(events, geometry.time, geometry.lane, layout.caption);
    return geometry;
}

} // namespace plimsoll
