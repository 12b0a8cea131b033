// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/line_raster.h"

#include <QImage>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

constexpr int kSub = 4; // sub-columns a pixel: steep lines get four shades of edge
constexpr float kFar = 1e7F; // an extent that reaches nowhere

/// dst + (src − dst) · alpha, alpha 0…256, red and blue in one multiplication.
inline QRgb blend(QRgb dst, QRgb src, unsigned alpha)
{
    const unsigned inverse = 256 - alpha;
    const unsigned rb = (((src & 0xff00ffU) * alpha + (dst & 0xff00ffU) * inverse) >> 8) & 0xff00ffU;
    const unsigned g = (((src & 0x00ff00U) * alpha + (dst & 0x00ff00U) * inverse) >> 8) & 0x00ff00U;
    return 0xff000000U | rb | g;
}

bool isFinite(QPointF p) { return std::isfinite(p.x()) && std::isfinite(p.y()); }

} // namespace

LineRaster::Run LineRaster::nextRun(std::span<const QPointF> points, std::size_t from)
{
    while (from < points.size() && !isFinite(points[from]))
        ++from;
    std::size_t end = from;
    while (end < points.size() && isFinite(points[end]))
        ++end;
    return {from, end};
}

void LineRaster::stroke(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen)
{
    const QRect inside = clip & image.rect();
    if (inside.isEmpty() || pen.width <= 0 || pen.opacity <= 0)
        return;
    for (Run run = nextRun(points, 0); run.begin < points.size(); run = nextRun(points, run.end))
        strokeRun(image, inside, points.subspan(run.begin, run.end - run.begin), pen);
}

bool LineRaster::prepare(const QRect &clip, std::span<const QPointF> points, double radius)
{
    const double left = std::max(points.front().x() - radius - 1, clip.left() - radius - 1);
    const double right = std::min(points.back().x() + radius + 1, clip.right() + radius + 2);
    if (left >= right)
        return false;
    m_first = static_cast<int>(std::floor(left)) * kSub;
    const auto count = static_cast<std::size_t>((static_cast<int>(std::ceil(right)) + 1) * kSub - m_first);
    m_extents.assign(2 * count, -kFar);
    findExtents(points);
    return true;
}

void LineRaster::strokeRun(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen)
{
    // A lone sample shall be seen: a dot a little wider than the line.
    const double radius = points.size() == 1 ? std::max(pen.width * 0.75, 1.0) : pen.width / 2;
    if (!prepare(clip, points, radius))
        return;
    widen(radius);
    const int firstColumn = std::max(clip.left(), m_first / kSub);
    const int lastColumn = std::min(clip.right(), (m_first + static_cast<int>(m_extents.size() / 2)) / kSub - 1);
    const double period = pen.dashOn + pen.dashOff;
    for (int x = firstColumn; x <= lastColumn; ++x)
        if (pen.dashOn <= 0 || std::fmod(x, period) < pen.dashOn)
            paintColumn(image, clip, x, pen);
}

void LineRaster::findExtents(std::span<const QPointF> points)
{
    const auto last = static_cast<int>(m_extents.size() / 2) - 1;
    const auto size = static_cast<float>(last + 1);
    const auto include = [this](int at, float a, float b) {
        float *pair = &m_extents[2 * static_cast<std::size_t>(at)];
        pair[0] = std::max(pair[0], -std::min(a, b));
        pair[1] = std::max(pair[1], std::max(a, b));
    };
    // What lies absurdly far away is clamped, so that a slope is always a number.
    const auto subOf = [this](QPointF p) { return static_cast<float>(std::clamp(p.x(), -1e6, 1e6) * kSub - m_first); };
    const auto yOf = [](QPointF p) { return static_cast<float>(std::clamp<double>(p.y(), -kFar, kFar)); };
    float x0 = subOf(points[0]);
    float y0 = yOf(points[0]);
    if (points.size() == 1 && x0 >= 0 && x0 < size)
        include(static_cast<int>(x0), y0, y0);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const float x1 = subOf(points[i]);
        const float y1 = yOf(points[i]);
        if (x1 >= 0 && x0 < size) {
            const int from = std::max(0, static_cast<int>(x0));
            const int to = std::min(last, static_cast<int>(x1));
            if (from >= to) { // the usual case where the data is dense
                include(std::min(from, last), y0, y1);
            } else {
                const float slope = (y1 - y0) / (x1 - x0);
                float y = y0 + (std::max(x0, static_cast<float>(from)) - x0) * slope; // where it enters the picture
                for (int sub = from; sub <= to; ++sub) {
                    const float leave = std::min(static_cast<float>(sub + 1), x1);
                    const float yLeave = y0 + (leave - x0) * slope;
                    include(sub, y, yLeave);
                    y = yLeave;
                }
            }
        }
        x0 = x1;
        y0 = y1;
    }
}

void LineRaster::columnsOf(const QRect &clip, std::span<const QPointF> points, Extents &columns)
{
    columns.assign(2 * static_cast<std::size_t>(clip.width()), -kFar);
    for (Run run = nextRun(points, 0); run.begin < points.size(); run = nextRun(points, run.end)) {
        if (!prepare(clip, points.subspan(run.begin, run.end - run.begin), 0))
            continue;
        for (std::size_t sub = 0; sub < m_extents.size() / 2; ++sub) {
            const int x = (m_first + static_cast<int>(sub)) / kSub - clip.left();
            if (x < 0 || x >= clip.width())
                continue;
            float *column = &columns[2 * static_cast<std::size_t>(x)];
            column[0] = std::max(column[0], m_extents[2 * sub]);
            column[1] = std::max(column[1], m_extents[2 * sub + 1]);
        }
    }
}

namespace {

void fillColumn(QImage &image, const QRect &clip, int x, double from, double to, QRgb colour, unsigned alpha)
{
    if (std::isnan(to))
        return;
    const int begin = static_cast<int>(std::lround(std::clamp<double>(from, clip.top(), clip.bottom() + 1)));
    const int end = static_cast<int>(std::lround(std::clamp<double>(to, clip.top(), clip.bottom() + 1)));
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    QRgb *pixel = reinterpret_cast<QRgb *>(image.bits()) + begin * stride + x;
    for (int y = begin; y < end; ++y, pixel += stride)
        *pixel = blend(*pixel, colour, alpha);
}

} // namespace

void LineRaster::dottedColumn(QImage &image, const QRect &clip, int x, QRgb colour, double opacity, int on, int off)
{
    const QRect inside = clip & image.rect();
    if (x < inside.left() || x > inside.right() || on <= 0)
        return;
    const auto alpha = static_cast<unsigned>(std::lround(std::clamp(opacity, 0.0, 1.0) * 256));
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    QRgb *pixel = reinterpret_cast<QRgb *>(image.bits()) + inside.top() * stride + x;
    for (int y = 0; y < inside.height(); ++y, pixel += stride)
        if (y % (on + off) < on)
            *pixel = blend(*pixel, colour, alpha);
}

void LineRaster::fillBelow(QImage &image, const QRect &clip, std::span<const QPointF> points, double floorY, QRgb colour, double opacity)
{
    const QRect inside = clip & image.rect();
    if (inside.isEmpty() || points.empty())
        return;
    columnsOf(inside, points, m_upper);
    const auto alpha = static_cast<unsigned>(std::lround(std::clamp(opacity, 0.0, 1.0) * 256));
    for (int i = 0; i < inside.width(); ++i) {
        const float *column = &m_upper[2 * static_cast<std::size_t>(i)];
        if (column[1] > -kFar)
            fillColumn(image, inside, inside.left() + i, -column[0], floorY, colour, alpha);
    }
}

void LineRaster::fillBetween(QImage &image, const QRect &clip, std::span<const QPointF> upper, std::span<const QPointF> lower,
                             QRgb colour, double opacity)
{
    const QRect inside = clip & image.rect();
    if (inside.isEmpty() || upper.empty() || lower.empty())
        return;
    columnsOf(inside, upper, m_upper);
    columnsOf(inside, lower, m_lower);
    const auto alpha = static_cast<unsigned>(std::lround(std::clamp(opacity, 0.0, 1.0) * 256));
    for (int i = 0; i < inside.width(); ++i) {
        const float *top = &m_upper[2 * static_cast<std::size_t>(i)];
        const float *bottom = &m_lower[2 * static_cast<std::size_t>(i)];
        if (top[1] > -kFar && bottom[1] > -kFar)
            fillColumn(image, inside, inside.left() + i, -top[0], bottom[1], colour, alpha);
    }
}

void LineRaster::widen(double radius)
{
    const int reach = static_cast<int>(std::floor(radius * kSub));
    std::array<float, 64> rise{};
    for (int d = 0; d <= std::min(reach, 63); ++d) {
        const double dx = static_cast<double>(d) / kSub;
        rise[static_cast<std::size_t>(d)] = static_cast<float>(std::sqrt(std::max(0.0, radius * radius - dx * dx)));
    }
    m_wide.assign(m_extents.size(), -kFar);
    const auto count = static_cast<int>(m_extents.size());
    for (int d = -std::min(reach, 63); d <= std::min(reach, 63); ++d) {
        const float more = rise[static_cast<std::size_t>(std::abs(d))];
        const int from = std::max(0, -2 * d);
        const int to = std::min(count, count - 2 * d);
        if (from >= to)
            continue;
        const float *near = m_extents.data() + from + 2 * d;
        float *wide = m_wide.data() + from;
        for (int i = 0; i < to - from; ++i)
            wide[i] = std::max(wide[i], near[i] + more);
    }
}

void LineRaster::paintColumn(QImage &image, const QRect &clip, int x, const Pen &pen) const
{
    const float *sub = &m_wide[2 * static_cast<std::size_t>(x * kSub - m_first)];
    float low = kFar;
    float high = -kFar;
    float fullFrom = -kFar; // rows that all sub-columns cover
    float fullTo = kFar;
    for (int i = 0; i < kSub; ++i) {
        low = std::min(low, -sub[2 * i]);
        high = std::max(high, sub[2 * i + 1]);
        fullFrom = std::max(fullFrom, -sub[2 * i]);
        fullTo = std::min(fullTo, sub[2 * i + 1]);
    }
    if (low >= high || high < -kFar / 2)
        return;
    const int begin = std::max(clip.top(), static_cast<int>(std::floor(std::max(low, -kFar))));
    const int end = std::min(clip.bottom() + 1, static_cast<int>(std::ceil(std::min(high, kFar))));
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    QRgb *pixel = reinterpret_cast<QRgb *>(image.bits()) + begin * stride + x;
    const auto full = static_cast<unsigned>(std::lround(pen.opacity * 256));
    for (int y = begin; y < end; ++y, pixel += stride) {
        const auto top = static_cast<float>(y);
        unsigned alpha = full;
        if (top < fullFrom || top + 1 > fullTo) {
            float covered = 0;
            for (int i = 0; i < kSub; ++i)
                covered += std::max(0.0F, std::min(sub[2 * i + 1], top + 1) - std::max(-sub[2 * i], top));
            alpha = static_cast<unsigned>(covered * static_cast<float>(full) / kSub + 0.5F);
        }
        *pixel = alpha >= 256 ? (pen.colour | 0xff000000U) : blend(*pixel, pen.colour, alpha);
    }
}

} // namespace plimsoll
