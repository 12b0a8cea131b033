// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/status_cell.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kPadding = 8;
constexpr int kGlyphGap = 4;

} // namespace

StatusCell::StatusCell(QWidget *parent)
    : QAbstractButton(parent)
{
    setAttribute(Qt::WA_Hover);
    setFocusInside(this);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void StatusCell::setCell(const StatusStrip::Cell &cell, bool isRight)
{
    if (cell == m_cell && isRight == m_isRight)
        return;
    m_cell = cell;
    m_isRight = isRight;
    setText(cell.text);
    setToolTip(plainTip(cell.tip));
    setAccessibleName(cell.glyph ? tr("%1, %2").arg(cell.text, glyphName(*cell.glyph)) : cell.text);
    setFocusPolicy(cell.id.isEmpty() ? Qt::NoFocus : Qt::TabFocus);
    updateGeometry();
    update();
}

QSize StatusCell::sizeHint() const
{
    const int glyph = m_cell.glyph ? metrics::kGlyphBox + kGlyphGap : 0;
    return {QFontMetrics(plimsoll::font(TextRole::Caption)).horizontalAdvance(m_cell.text) + glyph + 2 * kPadding + 1, metrics::kStatusStrip};
}

QSize StatusCell::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), 64), metrics::kStatusStrip};
}

void StatusCell::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    const bool isHovered = underMouse() && !m_cell.id.isEmpty();
    if (isHovered)
        draw::box(painter, QRectF(rect()).adjusted(1, 3, -2, -2), metrics::kTagRadius, t.hover, QColor());
    // The split stands after a left cell and before a right one.
    const bool isSplitRight = m_isRight == isRightToLeft();
    const qreal x = isSplitRight ? width() - draw::hairline(painter) : 0;
    draw::vertical(painter, x, 6, height() - 5, t.line2);
    int left = kPadding;
    if (m_cell.glyph) {
        const QRect box(left, (height() - metrics::kGlyphBox) / 2, metrics::kGlyphBox, metrics::kGlyphBox);
        paintGlyph(painter, placed(box), *m_cell.glyph, glyphColour(*m_cell.glyph, t));
        left += metrics::kGlyphBox + kGlyphGap;
    }
    painter.setFont(plimsoll::font(TextRole::Caption));
    painter.setPen(isHovered ? t.text : t.text2);
    const QRect room(left, 0, width() - left - kPadding + 1, height());
    painter.drawText(placed(room),
                     Qt::AlignVCenter | Qt::TextSingleLine
                         | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
                     painter.fontMetrics().elidedText(m_cell.text, Qt::ElideRight, room.width()));
    if (hasFocus())
        draw::focusInside(painter, QRectF(rect()).adjusted(1, 1, -1, -1), metrics::kTagRadius, t.accent);
}

} // namespace plimsoll
