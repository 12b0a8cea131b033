// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/choice_button.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QStyle>

namespace plimsoll {

namespace {

constexpr int kPadding = 4;
constexpr int kGap = 2;
constexpr int kChevron = 12;

} // namespace

ChoiceButton::ChoiceButton(QWidget *parent)
    : QToolButton(parent)
{
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setFocusPolicy(Qt::TabFocus);
    setAutoRaise(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize ChoiceButton::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + kGap + kChevron + 2 * kPadding, metrics::kTarget};
}

void ChoiceButton::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    if (isEnabled() && (underMouse() || isDown()))
        draw::box(painter, rect(), metrics::kControlRadius, isDown() ? t.sel : t.hover, QColor());
    painter.setPen(isEnabled() ? (underMouse() ? t.text : t.text2) : t.line2);
    const int textWidth = fontMetrics().horizontalAdvance(text());
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    painter.drawText(placed(QRect(kPadding, 0, textWidth, height())), Qt::AlignCenter | Qt::TextSingleLine, text());
    const QRect chevron(kPadding + textWidth + kGap, (height() - kChevron) / 2, kChevron, kChevron);
    paintIcon(painter, placed(chevron), Icon::ChevronDown, painter.pen().color());
}

} // namespace plimsoll
