// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/rail_item.h"

#include "widgets/state/badge.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

namespace plimsoll {

namespace {

constexpr int kIconLeft = 8;
constexpr int kGap = 10;
constexpr int kPinGap = 8;
constexpr int kRightPadding = 8;

} // namespace

RailItem::RailItem(const SideRail::Entry &entry, QWidget *parent)
    : QAbstractButton(parent)
    , m_id(entry.id)
{
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setFocusInside(this);
    setFixedHeight(metrics::kRailItem);
    setEntry(entry);
}

RailItem::RailItem(const SideRail::Pin &pin, QWidget *parent)
    : QAbstractButton(parent)
    , m_id(pin.id)
    , m_icon(pin.icon)
    , m_glyph(pin.glyph)
    , m_isPin(true)
{
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setFocusInside(this);
    setFixedHeight(metrics::kTarget);
    setText(pin.title);
    setAccessibleName(pin.glyph ? tr("%1, %2").arg(pin.title, glyphName(*pin.glyph)) : pin.title);
}

void RailItem::setEntry(const SideRail::Entry &entry)
{
    m_icon = entry.icon;
    m_count = entry.count;
    m_isAlarm = entry.isAlarm;
    m_keys = entry.keys;
    setText(entry.title);
    setAccessibleName(m_count > 0 ? tr("%1, %n", nullptr, m_count).arg(entry.title) : entry.title);
    update();
}

void RailItem::setCurrent(bool isCurrent)
{
    if (isCurrent == m_isCurrent)
        return;
    m_isCurrent = isCurrent;
    setAccessibleDescription(isCurrent ? tr("current place") : QString());
    update();
}

void RailItem::setFolded(bool isFolded)
{
    m_isFolded = isFolded;
    update();
}

QSize RailItem::sizeHint() const
{
    return {metrics::kRailWidth - 2 * metrics::kGutter, m_isPin ? metrics::kTarget : metrics::kRailItem};
}

void RailItem::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    const bool isHovered = underMouse() && isEnabled();
    if (m_isCurrent)
        draw::box(painter, rect(), metrics::kControlRadius, t.sel, QColor());
    else if (isHovered)
        draw::box(painter, rect(), metrics::kControlRadius, t.hover, QColor());
    if (m_isCurrent) {
        painter.save();
        painter.setClipRect(placed(QRect(0, 0, 2, height())));
        draw::box(painter, rect(), metrics::kControlRadius, t.accent, QColor());
        painter.restore();
    }

    const QColor ink = m_isCurrent || m_isPin ? t.text : isHovered ? t.text : t.text2;
    int left = kIconLeft;
    if (m_glyph) {
        const QRect box(left, (height() - metrics::kGlyphBox) / 2, metrics::kGlyphBox, metrics::kGlyphBox);
        paintGlyph(painter, placed(box), *m_glyph, glyphColour(*m_glyph, t));
        left += metrics::kGlyphBox + kPinGap;
    } else if (m_icon) {
        const int side = m_isPin ? 14 : metrics::kIcon;
        const QRect box(m_isFolded ? (width() - side) / 2 : left - (m_isPin ? 1 : 0), 0, side, height());
        paintIcon(painter, placed(box), *m_icon, m_isCurrent ? t.text : t.text2);
        left += m_isPin ? metrics::kGlyphBox + kPinGap : metrics::kIcon + kGap;
    }

    int right = width() - kRightPadding;
    if (m_count > 0) {
        const QString count = m_count > 999 ? QStringLiteral("999+") : QString::number(m_count);
        const int pill = Badge::pillWidth(count);
        if (m_isFolded) {
            // No room for the number: a dot says that there is one, the tip how many.
            const QRect dot(width() - 10, 3, 7, 7);
            draw::box(painter, placed(dot), 3.5, m_isAlarm ? t.page : t.text2, QColor());
        } else {
            const QRect box(right - pill, (height() - 16) / 2, pill, 16);
            Badge::paintPill(painter, placed(box), count, m_isAlarm, palette());
            right -= pill + 4;
        }
    } else if (!m_keys.isEmpty() && !m_isFolded) {
        painter.setFont(plimsoll::font(TextRole::Caption));
        painter.setPen(m_isCurrent || isHovered ? t.text2 : t.text3);
        const int width = painter.fontMetrics().horizontalAdvance(m_keys);
        painter.drawText(placed(QRect(right - width, 0, width + 1, height())), Qt::AlignCenter, m_keys);
        right -= width + 4;
    }
    if (!m_isFolded) {
        painter.setFont(plimsoll::font(m_isCurrent ? TextRole::BodyHeavy : TextRole::Body));
        painter.setPen(ink);
        const QRect room(left, 0, std::max(0, right - left), height());
        painter.drawText(placed(room),
                         Qt::AlignVCenter | Qt::TextSingleLine
                             | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
                         painter.fontMetrics().elidedText(text(), m_isPin ? Qt::ElideMiddle : Qt::ElideRight, room.width()));
    }
    if (hasFocus())
        draw::focusInside(painter, rect(), metrics::kControlRadius, t.accent);
}

bool RailItem::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const QFontMetrics fm(plimsoll::font(TextRole::Body));
        const bool isCut = fm.horizontalAdvance(text()) > width() - 44;
        if (m_isFolded || isCut) {
            const QString tip = m_isFolded && m_count > 0 ? tr("%1, %n", nullptr, m_count).arg(text()) : text();
            QToolTip::showText(help->globalPos(), plainTip(tip), this);
        }
        return true;
    }
    return QAbstractButton::event(event);
}

} // namespace plimsoll
