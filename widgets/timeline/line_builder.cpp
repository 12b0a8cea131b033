// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/line_builder.h"

#include "widgets/timeline/band_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

const double kLift = std::numeric_limits<double>::quiet_NaN();

/// The pixel's column; what is far outside is one column, for there it does not matter.
int columnOf(double x) noexcept { return x < -1 ? -2 : x > 1e6 ? 1'000'000 : static_cast<int>(x); }

} // namespace

/// One or more buckets without a gap between them.
struct LineBuilder::Piece
{
    double firstX;
    double lastX;
    double first;
    double last;
    double min;
    double max;
};

LineBuilder::LineBuilder(const TimeScale &time, const ValueScale &scale, double pixelRatio)
    : m_time(time)
    , m_ratio(pixelRatio)
    , m_left(time.left * pixelRatio)
    , m_perNano(time.isValid() ? time.width * pixelRatio / static_cast<double>(time.range.length().count()) : 0)
    , m_top(scale.y0 * pixelRatio)
    , m_topValue(scale.top)
    , m_perValue(scale.top > scale.bottom ? scale.height * pixelRatio / (scale.top - scale.bottom) : 0)
{
}

double LineBuilder::x(Instant time) const noexcept
{
    return m_left + static_cast<double>((time - m_time.range.begin).count()) * m_perNano;
}

double LineBuilder::y(double value) const noexcept
{
    return m_top + (m_topValue - value) * m_perValue;
}

LineShape LineBuilder::build(const TrackLine &line) const
{
    LineShape shape;
    const SeriesSlice &slice = *line.slice;
    const auto [begin, end] = visibleBuckets(slice, m_time.range);
    if (line.isBand) {
        addBand(shape, bandSteps(slice, begin, end, m_time.lengthOf(1)));
        return shape;
    }
    const double columns = m_time.width * m_ratio;
    shape.points.reserve(static_cast<std::size_t>(std::min(static_cast<double>(end - begin) * 4, columns * 3)) + 8);
    std::optional<Piece> piece;
    auto gap = slice.gaps.begin();
    for (std::size_t i = begin; i < end; ++i) {
        const Bucket &b = slice.buckets[i];
        const Piece next{x(b.firstTime), x(b.lastTime), b.first, b.last, b.min, b.max};
        bool isAfterGap = false;
        if (i > begin) {
            const Instant before = slice.buckets[i - 1].lastTime;
            while (gap != slice.gaps.end() && gap->range.end <= before)
                ++gap;
            isAfterGap = gap != slice.gaps.end() && gap->range.begin < b.firstTime;
        }
        if (piece && !isAfterGap && columnOf(piece->firstX) == columnOf(next.lastX)) {
            piece->lastX = next.lastX;
            piece->last = next.last;
            piece->min = std::min(piece->min, next.min);
            piece->max = std::max(piece->max, next.max);
            continue;
        }
        if (piece)
            addPiece(shape, *piece);
        if (isAfterGap)
            shape.points.emplace_back(kLift, kLift);
        piece = next;
    }
    if (piece)
        addPiece(shape, *piece);
    shape.end = endOf(shape.points);
    return shape;
}

void LineBuilder::addPiece(LineShape &shape, const Piece &piece) const
{
    // When within the piece the extremes were is not known: its middle. Rising or falling in
    // the direction of the whole, so that a slope stays a slope.
    const bool hasSpread = piece.min != piece.max;
    const bool isWithinAPixel = hasSpread && piece.lastX - piece.firstX < 1; // its ends don't show apart
    if (!isWithinAPixel)
        shape.points.emplace_back(piece.firstX, y(piece.first));
    if (hasSpread) {
        const double middle = (piece.firstX + piece.lastX) / 2;
        const bool rises = piece.first <= piece.last;
        shape.points.emplace_back(middle, y(rises ? piece.min : piece.max));
        shape.points.emplace_back(middle, y(rises ? piece.max : piece.min));
    }
    if (!isWithinAPixel && piece.lastX != piece.firstX)
        shape.points.emplace_back(piece.lastX, y(piece.last));
}

void LineBuilder::addBand(LineShape &shape, const std::vector<BandStep> &steps) const
{
    const auto add = [&](Instant time, const BandStep &step) {
        const double at = x(time);
        shape.points.emplace_back(at, y(step.max));
        shape.lower.emplace_back(at, y(step.min));
    };
    for (const BandStep &step : steps) {
        if (step.isAfterGap) {
            shape.points.emplace_back(kLift, kLift);
            shape.lower.emplace_back(kLift, kLift);
        }
        add(step.begin, step);
        if (step.end != step.begin)
            add(step.end, step);
    }
    shape.end = endOf(shape.points);
}

/// Where the line leaves the picture: its last point, or where it crosses the right edge.
std::optional<QPointF> LineBuilder::endOf(const std::vector<QPointF> &points) const
{
    const double right = (m_time.left + m_time.width) * m_ratio;
    for (std::size_t i = points.size(); i-- > 0;) {
        const QPointF &p = points[i];
        if (!std::isfinite(p.x()) || !std::isfinite(p.y()) || p.x() > right)
            continue;
        QPointF end = p;
        if (i + 1 < points.size() && std::isfinite(points[i + 1].x()) && std::isfinite(points[i + 1].y()))
            end += (points[i + 1] - p) * ((right - p.x()) / (points[i + 1].x() - p.x()));
        return end.x() >= m_left ? std::optional(end / m_ratio) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace plimsoll
