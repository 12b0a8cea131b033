// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/gap_shapes.h"

#include "base/format.h"
#include "widgets/canvas/text_widths.h"
#include "widgets/theme/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace plimsoll {
namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("plimsoll::Gap", text);
}

bool isHatched(GapReason reason)
{
    return reason != GapReason::NotStarted && reason != GapReason::Ended;
}

std::vector<Gap> gapsIn(const SeriesSlice &slice, TimeRange range)
{
    std::vector<Gap> gaps;
    for (const Gap &gap : slice.gaps)
        if (gap.range.overlaps(range))
            gaps.push_back(gap);
    return gaps;
}

/// Where both have a gap; the reason of the one that says more.
std::vector<Gap> common(const std::vector<Gap> &a, const std::vector<Gap> &b)
{
    std::vector<Gap> both;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const TimeRange overlap = a[i].range.intersected(b[j].range);
        if (!overlap.isEmpty()) {
            const bool takeB = !isHatched(a[i].reason) || (a[i].note.empty() && !b[j].note.empty());
            both.push_back({overlap, takeB ? b[j].reason : a[i].reason, takeB ? b[j].note : a[i].note});
        }
        (a[i].range.end < b[j].range.end) ? ++i : ++j;
    }
    return both;
}

void placeText(GapShape &shape, QRect plot, const TextWidths &widths)
{
    const double width = widths.of(shape.text);
    const double y = plot.bottom() - 20.0;
    double x = shape.rect.center().x() - width / 2;
    if (shape.rect.width() < width + 12) // beside a narrow one
        x = shape.rect.right() + 6 + width <= plot.right() ? shape.rect.right() + 6 : shape.rect.left() - 6 - width;
    if (x >= plot.left() + 2 && x + width <= plot.right() - 2 && plot.height() >= 32)
        shape.textRect = QRectF(x, y, width, 16);
}

} // namespace

QString gapText(const Gap &gap)
{
    if (!gap.note.empty())
        return shown(gap.note, 48);
    const QString length = QString::fromStdString(formatDuration(gap.range.length()));
    switch (gap.reason) {
    case GapReason::NotSampled: return tr("not sampled for %1").arg(length);
    case GapReason::Away: return tr("away %1").arg(length);
    case GapReason::Restarted: return tr("restarted, away %1").arg(length);
    case GapReason::Dropped: return tr("dropped %1").arg(length);
    case GapReason::Ended: return tr("ended");
    case GapReason::NotStarted: return tr("not started");
    }
    return {};
}

std::vector<GapShape> gapShapes(const Track &track, const TimeScale &time, QRect plot, const TextWidths &widths)
{
    std::vector<Gap> gaps;
    bool isFirst = true;
    for (const TrackLine &line : track.lines) {
        if (!line.slice)
            continue;
        std::vector<Gap> own = gapsIn(*line.slice, time.range);
        gaps = isFirst ? std::move(own) : common(gaps, own);
        isFirst = false;
    }
    std::vector<GapShape> shapes;
    double textFree = plot.left(); // texts do not run into each other
    for (const Gap &gap : gaps) {
        if (!isHatched(gap.reason))
            continue;
        const double left = std::max<double>(time.x(gap.range.begin), plot.left());
        const double right = std::min<double>(time.x(gap.range.end), plot.left() + plot.width());
        if (right - left < 2) // too narrow for a hatch: the line is broken, that is all there is room for
            continue;
        GapShape shape;
        shape.rect = QRectF(left, plot.top(), right - left, plot.height());
        shape.text = gapText(gap);
        placeText(shape, plot, widths);
        if (!shape.textRect.isEmpty() && shape.textRect.left() < textFree)
            shape.textRect = {};
        if (!shape.textRect.isEmpty())
            textFree = shape.textRect.right() + 8;
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

} // namespace plimsoll
