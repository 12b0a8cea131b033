// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/event_lane.h"

#include "widgets/canvas/text_widths.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/tokens.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

constexpr double kGlyphReach = 9; // from the mark's centre to its text
constexpr double kEdge = 64;      // nearer to the right edge texts go left
constexpr double kTextMax = 160;
constexpr std::size_t kMostMarks = 2000; // glyphs in one lane; more than pixels can tell apart

/// What is already taken, as intervals that do not overlap.
class Taken
{
public:
    bool take(double from, double to)
    {
        const auto at = std::lower_bound(m_spans.begin(), m_spans.end(), from,
                                         [](const std::pair<double, double> &s, double x) { return s.second <= x; });
        if (at != m_spans.end() && at->first < to)
            return false;
        m_spans.insert(at, {from, to});
        return true;
    }
    /// Takes it whatever is there: what overlaps becomes one.
    void cover(double from, double to)
    {
        const auto begin = std::lower_bound(m_spans.begin(), m_spans.end(), from,
                                            [](const std::pair<double, double> &s, double x) { return s.second <= x; });
        auto end = begin;
        for (; end != m_spans.end() && end->first < to; ++end) {
            from = std::min(from, end->first);
            to = std::max(to, end->second);
        }
        m_spans.insert(m_spans.erase(begin, end), {from, to});
    }

private:
    std::vector<std::pair<double, double>> m_spans;
};

void placeText(EventShape &shape, const EventMark &mark, QRect lane, const TextWidths &widths, Taken &taken)
{
    const double width = std::min(widths.of(mark.text), kTextMax);
    if (width <= 0)
        return;
    shape.isTextLeft = lane.right() - shape.x < kEdge || shape.x + kGlyphReach + width > lane.right();
    const double from = shape.isTextLeft ? shape.x - kGlyphReach - width : shape.x + kGlyphReach;
    if (from < lane.left() || !taken.take(shape.isTextLeft ? from - 6 : from, shape.isTextLeft ? from + width : from + width + 6))
        return;
    shape.textRect = QRectF(from, lane.top() + 2, width, 16);
}

} // namespace

bool isGrave(const EventMark &mark) noexcept
{
    return mark.glyph == Glyph::Kill || mark.glyph == Glyph::Page;
}

std::vector<EventShape> layOutEvents(const std::vector<EventMark> &marks, const TimeScale &time, QRect lane, const TextWidths &widths)
{
    std::vector<EventShape> shapes;
    if (lane.isEmpty() || !time.isValid())
        return shapes;
    std::array<double, 16> lastOfKind{};
    lastOfKind.fill(-1e9);
    for (std::size_t i = 0; i < marks.size() && shapes.size() < kMostMarks; ++i) {
        if (marks[i].time < time.range.begin || marks[i].time > time.range.end)
            continue;
        const double x = time.x(marks[i].time);
        double &last = lastOfKind[static_cast<std::size_t>(marks[i].glyph) % lastOfKind.size()];
        if (x - last < 6 && !isGrave(marks[i]))
            continue;
        last = x;
        EventShape shape;
        shape.index = i;
        shape.x = x;
        shapes.push_back(shape);
    }
    // Glyphs take their place before any text: a text must not lie on the next glyph.
    Taken taken;
    for (const EventShape &shape : shapes)
        taken.cover(shape.x - kGlyphReach + 1, shape.x + kGlyphReach - 1);
    for (const bool grave : {true, false})
        for (EventShape &shape : shapes)
            if (isGrave(marks[shape.index]) == grave)
                placeText(shape, marks[shape.index], lane, widths, taken);
    return shapes;
}

void paintEventLane(QPainter &painter, const TimelineGeometry &geometry, const std::vector<EventMark> &marks,
                    const Tokens &tokens, const QFont &font)
{
    if (geometry.lane.isEmpty())
        return;
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    for (const EventShape &shape : geometry.events) {
        const EventMark &mark = marks[shape.index];
        const QRectF box(shape.x - 6, geometry.lane.top() + 4, 12, 12);
        const bool isFlag = mark.glyph == Glyph::Mark || mark.glyph == Glyph::Retry;
        paintGlyph(painter, box, mark.glyph, isFlag ? tokens.text2 : glyphColour(mark.glyph, tokens));
        if (shape.textRect.isEmpty())
            continue;
        painter.setPen(isGrave(mark) ? tokens.text : tokens.text2);
        // Shaping text is what a frame spends most on: only a text that was cut is measured again.
        const bool isWhole = shape.textRect.width() < kTextMax;
        painter.drawText(shape.textRect.adjusted(0, 0, isWhole ? 1 : 0, 0), Qt::AlignVCenter | (shape.isTextLeft ? Qt::AlignRight : Qt::AlignLeft) | Qt::TextSingleLine,
                         isWhole ? mark.text : metrics.elidedText(mark.text, Qt::ElideRight, kTextMax));
    }
}

} // namespace plimsoll
