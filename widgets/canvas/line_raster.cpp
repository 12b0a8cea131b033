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

void LineRaster::stroke(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen)
{
    const QRect inside = clip & image.rect();
    if (inside.isEmpty() || pen.width <= 0 || pen.opacity <= 0)
        return;
    for (std::size_t begin = 0; begin < points.size();) {
        if (!isFinite(points[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin + 1;
        while (end < points.size() && isFinite(points[end]))
            ++end;
        strokeRun(image, inside, points.subspan(begin, end - begin), pen);
        begin = end;
    }
}

void LineRaster::strokeRun(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen)
{
    // A lone sample shall be seen: a dot a little wider than the line.
    const double radius = points.size() == 1 ? std::max(pen.width * 0.75, 1.0) : pen.width / 2;
    const double left = std::max(points.front().x() - radius - 1, clip.left() - radius - 1);
    const double right = std::min(points.back().x() + radius + 1, clip.right() + radius + 2);
    if (left >= right)
        return;
    m_first = static_cast<int>(std::floor(left)) * kSub;
    const auto count = static_cast<std::size_t>((static_cast<int>(std::ceil(right)) + 1) * kSub - m_first);
    m_extents.assign(count, {kFar, -kFar});
    findExtents(points);
    widen(radius);
    const int firstColumn = std::max(clip.left(), m_first / kSub);
    const int lastColumn = std::min(clip.right(), (m_first + static_cast<int>(count)) / kSub - 1);
    const double period = pen.dashOn + pen.dashOff;
    for (int x = firstColumn; x <= lastColumn; ++x)
        if (pen.dashOn <= 0 || std::fmod(x, period) < pen.dashOn)
            paintColumn(image, clip, x, pen);
}

void LineRaster::findExtents(std::span<const QPointF> points)
{
    const auto last = static_cast<double>(m_extents.size()) - 1;
    const auto include = [this](std::size_t at, double a, double b) {
        Extent &e = m_extents[at];
        e.low = std::min(e.low, static_cast<float>(std::min(a, b)));
        e.high = std::max(e.high, static_cast<float>(std::max(a, b)));
    };
    // What lies absurdly far away is clamped, so that a slope is always a number.
    const auto toSub = [this](double x) { return std::clamp(x, -1e9, 1e9) * kSub - m_first; };
    const auto yOf = [&](std::size_t i) { return std::clamp<double>(points[i].y(), -kFar, kFar); };
    if (points.size() == 1) {
        const double at = std::floor(toSub(points[0].x()));
        if (at >= 0 && at <= last)
            include(static_cast<std::size_t>(at), yOf(0), yOf(0));
        return;
    }
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double x0 = toSub(points[i - 1].x());
        const double x1 = toSub(points[i].x());
        double y = yOf(i - 1);
        const double from = std::clamp(std::floor(x0), 0.0, last);
        const double to = std::clamp(std::floor(x1), 0.0, last);
        if (x1 < 0 || x0 > last + 1)
            continue;
        if (x1 - x0 < 1e-9 || from == to) {
            include(static_cast<std::size_t>(from), y, yOf(i));
            continue;
        }
        const double slope = (yOf(i) - y) / (x1 - x0);
        const double start = y;
        y += (std::max(x0, from) - x0) * slope; // where it enters the picture
        for (auto sub = static_cast<std::size_t>(from); sub <= static_cast<std::size_t>(to); ++sub) {
            const double leave = std::min(static_cast<double>(sub) + 1, x1);
            const double yLeave = start + (leave - x0) * slope;
            include(sub, y, yLeave);
            y = yLeave;
        }
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
    m_wide.assign(m_extents.size(), {kFar, -kFar});
    const auto count = static_cast<int>(m_extents.size());
    for (int d = -std::min(reach, 63); d <= std::min(reach, 63); ++d) {
        const float more = rise[static_cast<std::size_t>(std::abs(d))];
        for (int i = std::max(0, -d); i < std::min(count, count - d); ++i) {
            const Extent &near = m_extents[static_cast<std::size_t>(i + d)];
            Extent &wide = m_wide[static_cast<std::size_t>(i)];
            wide.low = std::min(wide.low, near.low - more);
            wide.high = std::max(wide.high, near.high + more);
        }
    }
}

void LineRaster::paintColumn(QImage &image, const QRect &clip, int x, const Pen &pen) const
{
    const Extent *sub = &m_wide[static_cast<std::size_t>(x * kSub - m_first)];
    float low = kFar;
    float high = -kFar;
    float fullFrom = -kFar; // rows that all sub-columns cover
    float fullTo = kFar;
    for (int i = 0; i < kSub; ++i) {
        low = std::min(low, sub[i].low);
        high = std::max(high, sub[i].high);
        fullFrom = std::max(fullFrom, sub[i].low);
        fullTo = std::min(fullTo, sub[i].high);
    }
    if (low >= high)
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
                covered += std::max(0.0F, std::min(sub[i].high, top + 1) - std::max(sub[i].low, top));
            alpha = static_cast<unsigned>(covered * static_cast<float>(full) / kSub + 0.5F);
        }
        *pixel = alpha >= 256 ? (pen.colour | 0xff000000U) : blend(*pixel, pen.colour, alpha);
    }
}

} // namespace plimsoll
