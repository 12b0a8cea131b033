// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/draw.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/style_parts.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

#include <utility>

namespace plimsoll::parts {

namespace {

constexpr int kMenuPadding = 12;
constexpr int kMenuCheck = 20;
constexpr int kMenuKeysGap = 24;
constexpr int kSeparator = 9;

bool isOn(const QStyleOption &option, QStyle::StateFlag flag)
{
    return (option.state & flag) != 0;
}

} // namespace

void itemRow(const QStyleOption &option, QPainter &painter, const QWidget * /*widget*/)
{
    const auto *item = qstyleoption_cast<const QStyleOptionViewItem *>(&option);
    if (item == nullptr)
        return;
    const Tokens &t = tokens(option.palette);
    if (item->backgroundBrush.style() != Qt::NoBrush)
        painter.fillRect(option.rect, item->backgroundBrush);
    if (isOn(option, QStyle::State_Selected))
        painter.fillRect(option.rect, t.sel);
    else if (isOn(option, QStyle::State_MouseOver) && isOn(option, QStyle::State_Enabled))
        painter.fillRect(option.rect, t.hover);
}

void branch(const QStyleOption &option, QPainter &painter)
{
    if (!isOn(option, QStyle::State_Children))
        return;
    const Tokens &t = tokens(option.palette);
    QRectF box(0, 0, 12, 12);
    box.moveCenter(QRectF(option.rect).center());
    const bool isOpen = isOn(option, QStyle::State_Open);
    const Icon closed = option.direction == Qt::RightToLeft ? Icon::ChevronLeft : Icon::ChevronRight;
    paintIcon(painter, box, isOpen ? Icon::ChevronDown : closed, isOn(option, QStyle::State_MouseOver) ? t.text : t.text2);
}

void headerSection(const QStyleOptionHeader &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    painter.fillRect(option.rect, isOn(option, QStyle::State_MouseOver) && isOn(option, QStyle::State_Enabled) ? t.hover : t.panel);
    const qreal bottom = option.rect.bottom() + 1 - draw::hairline(painter);
    if (option.orientation == Qt::Horizontal)
        draw::horizontal(painter, option.rect.left(), option.rect.right() + 1, bottom, t.line);
}

void headerLabel(const QStyleOptionHeader &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const bool isSorted = option.sortIndicator != QStyleOptionHeader::None;
    painter.save();
    painter.setFont(font(isSorted ? TextRole::CaptionStrong : TextRole::Caption));
    painter.setPen(isSorted ? t.text : t.text3);
    const QFontMetrics fm(painter.font());
    // In line with the cells below: 8 apart, the outer ones 12 from the panel's edge.
    const bool isFirst = option.position == QStyleOptionHeader::Beginning || option.position == QStyleOptionHeader::OnlyOneSection;
    const bool isLast = option.position == QStyleOptionHeader::End || option.position == QStyleOptionHeader::OnlyOneSection;
    int left = isFirst ? metrics::kPanelPadding : metrics::kCellPadding;
    int right = isLast ? metrics::kPanelPadding : metrics::kCellPadding;
    if (option.direction == Qt::RightToLeft)
        std::swap(left, right);
    const QRect rect = option.rect.adjusted(left, 0, -right, 0);
    // The arrow stands behind the word. Qt calls it SortUp when the largest is on top.
    QString text = option.text;
    if (isSorted)
        text += option.sortIndicator == QStyleOptionHeader::SortUp ? QStringLiteral(" \u2193") : QStringLiteral(" \u2191");
    const auto align = QStyle::visualAlignment(option.direction, option.textAlignment);
    painter.drawText(rect, static_cast<int>(align) | Qt::TextSingleLine,
                     fm.elidedText(text, Qt::ElideRight, rect.width()));
    painter.restore();
}

void menuPanel(const QStyleOption &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    painter.fillRect(option.rect, t.raised); // up to the mask
    draw::box(painter, option.rect, metrics::kControlRadius, t.raised, t.line2);
}

void menuItem(const QStyleOptionMenuItem &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    painter.fillRect(option.rect, t.raised);
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        draw::horizontal(painter, option.rect.left(), option.rect.right() + 1, option.rect.center().y(), t.line);
        return;
    }
    const bool isEnabled = isOn(option, QStyle::State_Enabled);
    if (isOn(option, QStyle::State_Selected) && isEnabled)
        painter.fillRect(option.rect, t.sel);

    const auto placed = [&option](const QRect &part) { return QStyle::visualRect(option.direction, option.rect, part); };
    QRect rest = option.rect.adjusted(kMenuPadding, 0, -kMenuPadding, 0);
    const bool hasMarks = option.menuHasCheckableItems || option.maxIconWidth > 0;
    if (hasMarks) {
        const QRect mark(rest.left() - 2, rest.top(), metrics::kIcon, rest.height());
        if (option.checkType != QStyleOptionMenuItem::NotCheckable && option.checked)
            paintIcon(painter, placed(mark), Icon::Check, isEnabled ? t.accent : t.line2);
        else if (!option.icon.isNull())
            option.icon.paint(&painter, placed(mark), Qt::AlignCenter, isEnabled ? QIcon::Normal : QIcon::Disabled);
        rest.setLeft(rest.left() + kMenuCheck);
    }
    const qsizetype tab = option.text.indexOf(QLatin1Char('\t'));
    const QString words = tab < 0 ? option.text : option.text.left(tab);
    int flags = Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextShowMnemonic;
    if (widget != nullptr && widget->style()->styleHint(QStyle::SH_UnderlineShortcut, &option, widget) == 0)
        flags |= Qt::TextHideMnemonic;
    painter.setFont(option.font);
    painter.setPen(isEnabled ? t.text : t.line2);
    painter.drawText(placed(rest), flags | static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft)), words);
    if (tab >= 0) {
        painter.setFont(font(TextRole::Caption));
        painter.setPen(!isEnabled ? t.line2 : isOn(option, QStyle::State_Selected) ? t.text2 : t.text3);
        painter.drawText(placed(rest),
                         Qt::AlignVCenter | Qt::TextSingleLine
                             | static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignRight)),
                         option.text.mid(tab + 1));
    }
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
        const QRect arrow(rest.right() - 11, rest.top(), 12, rest.height());
        paintIcon(painter, placed(arrow),
                  option.direction == Qt::RightToLeft ? Icon::ChevronLeft : Icon::ChevronRight, t.text2);
    }
}

QSize menuItemSize(const QStyleOptionMenuItem &option)
{
    if (option.menuItemType == QStyleOptionMenuItem::Separator)
        return {10, kSeparator};
    const QFontMetrics fm(option.font);
    const qsizetype tab = option.text.indexOf(QLatin1Char('\t'));
    const QString words = tab < 0 ? option.text : option.text.left(tab);
    int width = fm.size(Qt::TextSingleLine | Qt::TextShowMnemonic, words).width() + 2 * kMenuPadding;
    if (tab >= 0 || option.menuItemType == QStyleOptionMenuItem::SubMenu)
        width += kMenuKeysGap; // QMenu adds the column of the keys itself
    if (option.menuHasCheckableItems || option.maxIconWidth > 0)
        width += kMenuCheck;
    return {width, std::max(metrics::kRow, fm.height() + 8)};
}

void menuBarItem(const QStyleOptionMenuItem &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    painter.fillRect(option.rect, t.window);
    if (isOn(option, QStyle::State_Selected))
        draw::box(painter, option.rect, metrics::kControlRadius, isOn(option, QStyle::State_Sunken) ? t.sel : t.hover, QColor());
    int flags = Qt::AlignCenter | Qt::TextSingleLine | Qt::TextShowMnemonic;
    if (widget != nullptr && widget->style()->styleHint(QStyle::SH_UnderlineShortcut, &option, widget) == 0)
        flags |= Qt::TextHideMnemonic;
    painter.setPen(isOn(option, QStyle::State_Enabled) ? t.text : t.line2);
    painter.drawText(option.rect, flags, option.text);
}

void tabShape(const QStyleOptionTab &option, QPainter &painter)
{
    const Tokens &t = tokens(option.palette);
    const bool isSelected = isOn(option, QStyle::State_Selected);
    if (!isSelected && isOn(option, QStyle::State_MouseOver) && isOn(option, QStyle::State_Enabled))
        draw::box(painter, QRectF(option.rect).adjusted(2, 4, -2, -4), metrics::kControlRadius, t.hover, QColor());
    if (isSelected)
        painter.fillRect(QRectF(option.rect.left(), option.rect.bottom() - 1, option.rect.width(), 2), t.accent);
    if (isOn(option, QStyle::State_HasFocus) && isSelected)
        draw::focusInside(painter, QRectF(option.rect).adjusted(1, 3, -1, -4), metrics::kControlRadius, t.accent);
}

void tabLabel(const QStyleOptionTab &option, QPainter &painter, const QWidget *widget)
{
    const Tokens &t = tokens(option.palette);
    const bool isSelected = isOn(option, QStyle::State_Selected);
    painter.save();
    painter.setFont(font(isSelected ? TextRole::BodyHeavy : TextRole::Body));
    painter.setPen(!isOn(option, QStyle::State_Enabled) ? t.line2 : isSelected ? t.text : t.text2);
    int flags = Qt::AlignCenter | Qt::TextSingleLine | Qt::TextShowMnemonic;
    if (widget != nullptr && widget->style()->styleHint(QStyle::SH_UnderlineShortcut, &option, widget) == 0)
        flags |= Qt::TextHideMnemonic;
    painter.drawText(option.rect, flags, option.text);
    painter.restore();
}

} // namespace plimsoll::parts
