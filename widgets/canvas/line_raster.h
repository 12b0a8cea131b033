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

private:
    void strokeRun(QImage &image, const QRect &clip, std::span<const QPointF> points, const Pen &pen);
    void findExtents(std::span<const QPointF> points);
    void widen(double radius);
    void paintColumn(QImage &image, const QRect &clip, int x, const Pen &pen) const;

    struct Extent
    {
        float low;  // smallest y
        float high; // largest y; under low: nothing here
    };
    int m_first = 0; // sub-column of m_extents[0]
    std::vector<Extent> m_extents; // of the line without width
    std::vector<Extent> m_wide;    // with it
};

} // namespace plimsoll
