// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/timeline_geometry.h"

namespace plimsoll {

struct BandStep;

/// Turns the buckets of one line into points in device px, at most four a pixel: where a
/// pixel's column holds several buckets, what they reach together is all that can be seen.
class LineBuilder
{
public:
    LineBuilder(const TimeScale &time, const ValueScale &scale, double pixelRatio);

    [[nodiscard]] LineShape build(const TrackLine &line) const; // the line has a slice

private:
    struct Piece;

    [[nodiscard]] double x(Instant time) const noexcept;
    [[nodiscard]] double y(double value) const noexcept;
    void addBand(LineShape &shape, const std::vector<BandStep> &steps) const;
    void addPiece(LineShape &shape, const Piece &piece) const;
    [[nodiscard]] std::optional<QPointF> endOf(const std::vector<QPointF> &points) const;

    const TimeScale &m_time;
    double m_ratio;
    double m_left;        // all in device px from here
    double m_perNano;
    double m_top;
    double m_topValue;
    double m_perValue;
};

} // namespace plimsoll
