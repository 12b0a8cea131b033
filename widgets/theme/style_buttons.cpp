// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/buttons.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/style_parts.h"
#include "widgets/theme/tokens.h"

#include <QPainter>
#include <QStyleOption>
#include <QToolButton>

namespace plimsoll::parts {

namespace {

constexpr double kHovered = 0.14; // towards text
constexpr double kPressed = 0.22;
constexpr int kPadding = 10;
constexpr int kPaddingSmall = 8;
constexpr int kIconGap = 6;

bool isOn(const QStyleOption &option, QStyle::StateFlag flag)
{
    return (option.state & flag) != 0;
}

/// A fill for the state; a quiet button or an icon has nothing while it rests.
QColor stateFill(const QStyleOption &option, ButtonKind kind, const Tokens &t)
{
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    const bool isDown = isOn(option, QStyle::State_Sunken) || isOn(option, QStyle::State_On);
    const bool isHovered = isOn(option, QStyle::State_MouseOver);
    if (kind == ButtonKind::Default) {
        if (!isEnabled)
            return t.button;
        return isDown ? mixed(t.accent, t.text, kPressed) : isHovered ? mixed(t.accent, t.text, kHovered) : t.accent;
    }
    if (!isEnabled)
        return kind == ButtonKind::Quiet ? QColor() : t.button;
    if (kind == ButtonKind::Quiet)
        return isDown ? t.sel : isHovered ? t.hover : QColor();
    // 14 % of black ink on white would be louder than a row's hover: edges carry a normal button.
    return isDown ? mixed(t.button, t.text, 0.12) : isHovered ? mixed(t.button, t.text, 0.05) : t.button;
}

QColor ink(const QStyleOption &option, ButtonKind kind, const Tokens &t)
{
    if (!isOn(option, QStyle::State_Enabled))
        return t.line2;
    switch (kind) {
    case ButtonKind::Default: return t.onAccent;
    case ButtonKind::Quiet: return t.accent;
    case ButtonKind::Normal: return t.text;
    }
    return t.text;
}

ButtonKind kindOf(const QStyleOption &option, const QWidget *widget)
{
    if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(&option)) {
        if (button->features.testFlag(QStyleOptionButton::DefaultButton))
            return ButtonKind::Default;
    }
    return buttonKind(widget);
}

} // namespace

void buttonPanel(const QStyleOption &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    const ButtonKind kind = kindOf(option, widget);
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    QColor edge;
    if (kind == ButtonKind::Normal)
        edge = isEnabled ? t.line2 : t.line;
    else if (kind == ButtonKind::Default && !isEnabled)
        edge = t.line;
    draw::box(painter, option.rect, metrics::kControlRadius, stateFill(option, kind, t), edge);
}

void buttonLabel(const QStyleOptionButton &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    const QColor colour = ink(option, kindOf(option, widget), t);
    const int flags = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine;
    QRect rect = option.rect;
    if (option.features.testFlag(QStyleOptionButton::HasMenu))
        rect.adjust(0, 0, -metrics::kIcon, 0);
    if (!option.icon.isNull()) {
        const int iconSide = std::min(option.iconSize.width(), metrics::kIcon);
        const int textWidth = option.fontMetrics.size(Qt::TextShowMnemonic, option.text).width();
        const int whole = option.text.isEmpty() ? iconSide : iconSide + kIconGap + textWidth;
        QRect iconRect(rect.center().x() - whole / 2 + (whole % 2 == 0 ? 1 : 0), rect.top(), iconSide, rect.height());
        QRect textRect(iconRect.right() + 1 + kIconGap, rect.top(), textWidth + 1, rect.height());
        iconRect = QStyle::visualRect(option.direction, rect, iconRect);
        textRect = QStyle::visualRect(option.direction, rect, textRect);
        const qreal ratio = draw::scale(painter);
        const auto mode = isOn(option, QStyle::State_Enabled) ? QIcon::Normal : QIcon::Disabled;
        QPixmap pixmap = option.icon.pixmap(QSize(iconSide, iconSide), ratio, mode);
        if (mode == QIcon::Normal) {
            // The icon takes the ink of the words, whatever kind of button it sits on.
            QPainter tint(&pixmap);
            tint.setCompositionMode(QPainter::CompositionMode_SourceIn);
            tint.fillRect(pixmap.rect(), colour);
        }
        painter.drawPixmap(QPointF(iconRect.left(), iconRect.top() + (iconRect.height() - iconSide) / 2), pixmap);
        rect = textRect;
    }
    painter.setPen(colour);
    painter.drawText(rect, flags, option.text);
    if (option.features.testFlag(QStyleOptionButton::HasMenu)) {
        QRect chevron(option.rect.right() - kPadding - 11, option.rect.top(), 12, option.rect.height());
        paintIcon(painter, QStyle::visualRect(option.direction, option.rect, chevron), Icon::ChevronDown, colour);
    }
}

QSize buttonSize(const QStyleOptionButton &option, const QWidget *widget)
{
    const bool small = isSmall(widget);
    int width = option.fontMetrics.size(Qt::TextShowMnemonic, option.text).width();
    if (!option.icon.isNull())
        width += metrics::kIcon + (option.text.isEmpty() ? 0 : kIconGap);
    if (option.features.testFlag(QStyleOptionButton::HasMenu))
        width += metrics::kIcon;
    const int height = small ? metrics::kButtonSmall : metrics::kButton;
    // Text larger than the design's needs more than the design's height.
    const int needed = option.fontMetrics.height() + (small ? 6 : 8);
    return {width + 2 * (small ? kPaddingSmall : kPadding), std::max(height, needed)};
}

void toolPanel(const QStyleOption &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    const auto *button = qobject_cast<const QToolButton *>(widget);
    const bool isRaised = button != nullptr && !button->autoRaise();
    const ButtonKind kind = isRaised ? ButtonKind::Normal : ButtonKind::Quiet;
    const QColor edge = isRaised ? (isOn(option, QStyle::State_Enabled) ? t.line2 : t.line) : QColor();
    draw::box(painter, option.rect, metrics::kControlRadius, stateFill(option, kind, t), edge);
}

void checkIndicator(const QStyleOption &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    const bool isMixed = isOn(option, QStyle::State_NoChange);
    QRectF box(0, 0, metrics::kCheck, metrics::kCheck);
    box.moveCenter(QRectF(option.rect).center());
    box = draw::aligned(painter, box);
    if (!isOn(option, QStyle::State_On) && !isMixed) {
        const QColor edge = !isEnabled ? t.line2 : isOn(option, QStyle::State_MouseOver) ? t.text2 : t.line3;
        draw::box(painter, box, metrics::kTagRadius, t.panel, edge);
        return;
    }
    QColor fill = isEnabled ? t.accent : t.line2;
    if (isEnabled && isOn(option, QStyle::State_MouseOver))
        fill = mixed(t.accent, t.text, kHovered);
    draw::box(painter, box, metrics::kTagRadius, fill, QColor());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isEnabled ? t.onAccent : t.panel, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.translate(box.topLeft());
    if (isMixed)
        painter.drawLine(QPointF(4, 7), QPointF(10, 7));
    else
        painter.drawPolyline(QPolygonF({QPointF(3.5, 7.25), QPointF(6, 9.75), QPointF(10.5, 4.5)}));
    painter.restore();
}

void radioIndicator(const QStyleOption &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    QRectF box(0, 0, metrics::kCheck, metrics::kCheck);
    box.moveCenter(QRectF(option.rect).center());
    box = draw::aligned(painter, box);
    if (!isOn(option, QStyle::State_On)) {
        const QColor edge = !isEnabled ? t.line2 : isOn(option, QStyle::State_MouseOver) ? t.text2 : t.line3;
        draw::box(painter, box, box.width() / 2, t.panel, edge);
        return;
    }
    QColor fill = isEnabled ? t.accent : t.line2;
    if (isEnabled && isOn(option, QStyle::State_MouseOver))
        fill = mixed(t.accent, t.text, kHovered);
    draw::box(painter, box, box.width() / 2, fill, QColor());
    draw::box(painter, box.adjusted(4, 4, -4, -4), 3, isEnabled ? t.onAccent : t.panel, QColor());
}

} // namespace plimsoll::parts
