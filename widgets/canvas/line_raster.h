// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRect>
#include <QRgb>

#include <span>
#include <vector>

class QImage;

namespace plimsoll {

/// Strokes lines whose x never falls, straight into an image, column by column.
///
/// QPainter strokes a path by outlining it: 3 ms for one dense series. A line over time
/// needs less: for each column the lowest and highest point, widened by the pen as a disc
/// would, and the share of each pixel that this covers. The cost follows the pixels
/// covered, not the points, and a spike of one sample can't fall between two columns.
/// Not thread-safe: keeps its scratch memory between calls.
class LineRaster
{
public:
    struct Pen
    {
        QRgb colour = 0xff000000; // opaque; `opacity` is apart
        double width = 1.75;      // device px
        double opacity = 1;
        double dashOn = 0; // device px along x; 0 = solid
        double dashOff = 0;
    };

    /// Points in device px of `image` (Format_RGB32 or opaque ARGB32_Premultiplied); only
    /// pixels inside `clip` are touched. One point is drawn as a dot. A point that is not
    /// finite ends the line there and another begins after it.
    void stroke(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen);

    /// Fills whole pixels from a line down to `floorY`. QPainter sorts the crossings of each row:
    /// 8 ms for one noisy series, where columns need no order.
    void fillBelow(QImage &image, const QRect &clip, std::span<const QPointF> points, double floorY, QRgb colour, double opacity);

    /// Fills from the upper line to the lower one; their points are one to one.
    void fillBetween(QImage &image, const QRect &clip, std::span<const QPointF> upper, std::span<const QPointF> lower,
                     QRgb colour, double opacity);

    /// A vertical of one pixel, dotted. QPainter hands each dashed line to its threads, which
    /// costs more than the line.
    static void dottedColumn(QImage &image, const QRect &clip, int x, QRgb colour, double opacity, int on, int off);

private:
    /// How far a sub-column is covered, as two numbers that both grow: −(smallest y), largest y.
    /// In one flat array, so that widening is a single loop that the compiler turns into vectors.
    using Extents = std::vector<float>;
    struct Run
    {
        std::size_t begin;
        std::size_t end;
    };
    [[nodiscard]] static Run nextRun(std::span<const QPointF> points, std::size_t from);
    void strokeRun(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen);
    [[nodiscard]] bool prepare(const QRect &clip, std::span<const QPointF> points, double radius);
    void findExtents(std::span<const QPointF> points);
    void columnsOf(const QRect &clip, std::span<const QPointF> points, Extents &columns);
    void widen(double radius);
    void paintColumn(QImage &image, const QRect &clip, int x, const Pen &pen) const;

    int m_first = 0;   // sub-column of m_extents' first pair
    Extents m_extents; // of the line without width
    Extents m_wide;    // with it
    Extents m_upper;   // a column of `clip` each
    Extents m_lower;
};

} // namespace plimsoll
