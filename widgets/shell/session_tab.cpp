// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/session_tab.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/focus_ring.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kHeight = 28;
constexpr int kPadding = 14;
constexpr int kGap = 8;
constexpr int kCross = 12;
constexpr int kWidest = 280;

} // namespace

SessionTab::SessionTab(const TopRow::Session &session, QWidget *parent)
    : QAbstractButton(parent)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setFocusInside(this);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setSession(session);
}

void SessionTab::setSession(const TopRow::Session &session)
{
    m_session = session;
    setText(session.title);
    const QString kind = session.isRecorded ? tr("recorded session") : tr("live session");
    setAccessibleName(tr("%1, %2").arg(session.title, kind));
    setToolTip(plainTip(session.detail.isEmpty() ? session.title : session.title + QStringLiteral(" \u00b7 ") + session.detail));
    updateGeometry();
    update();
}

void SessionTab::setCurrent(bool isCurrent)
{
    m_isCurrent = isCurrent;
    setAccessibleDescription(isCurrent ? tr("current session") : QString());
    updateGeometry();
    update();
}

QSize SessionTab::sizeHint() const
{
    int width = 2 * kPadding + metrics::kIcon + kGap + QFontMetrics(plimsoll::font(TextRole::BodyHeavy)).horizontalAdvance(text());
    if (!m_session.detail.isEmpty())
        width += kGap + QFontMetrics(plimsoll::font(TextRole::Caption)).horizontalAdvance(m_session.detail);
    if (m_session.isClosable)
        width += kGap + kCross;
    return {std::min(width, kWidest), kHeight};
}

QSize SessionTab::minimumSizeHint() const
{
    return {64, kHeight};
}

QRect SessionTab::crossRect() const
{
    if (!m_session.isClosable)
        return {};
    return QStyle::visualRect(layoutDirection(), rect(), QRect(width() - kPadding - kCross - 6, 0, kCross + 12, height()));
}

void SessionTab::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    // Round above, open below: the tab grows out of the time bar.
    const QRectF body(0, 0, width(), height() + metrics::kPanelRadius + 2);
    if (m_isCurrent) {
        draw::box(painter, body, metrics::kPanelRadius, t.rail, t.line);
        painter.save();
        painter.setClipRect(QRect(0, 0, width(), 2));
        draw::box(painter, body, metrics::kPanelRadius, m_session.isRecorded ? t.rec : t.fine, QColor());
        painter.restore();
    } else if (underMouse()) {
        draw::box(painter, body, metrics::kPanelRadius, t.hover, QColor());
    }

    int left = kPadding;
    if (m_session.isRecorded) {
        paintIcon(painter, placed(QRect(left - 2, 0, 14, height())), Icon::File, t.rec);
        left += 12 + kGap;
    } else {
        const QRect box(left - 2, (height() - metrics::kGlyphBox) / 2, metrics::kGlyphBox, metrics::kGlyphBox);
        paintGlyph(painter, placed(box), Glyph::Live, t.fine);
        left += 10 + kGap;
    }
    const int right = width() - kPadding - (m_session.isClosable ? kCross + kGap : 0);
    const int align = Qt::AlignVCenter | Qt::TextSingleLine | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft));
    painter.setFont(plimsoll::font(m_isCurrent ? TextRole::BodyHeavy : TextRole::Body));
    painter.setPen(m_isCurrent ? t.text : t.text2);
    const int titleWidth = std::min(painter.fontMetrics().horizontalAdvance(text()), std::max(0, right - left));
    painter.drawText(placed(QRect(left, 0, titleWidth + 1, height())), align,
                     painter.fontMetrics().elidedText(text(), Qt::ElideMiddle, titleWidth + 1));
    left += titleWidth + kGap;
    if (!m_session.detail.isEmpty() && right - left > 24) {
        painter.setFont(plimsoll::font(TextRole::Caption));
        painter.setPen(t.text2);
        painter.drawText(placed(QRect(left, 0, right - left, height())), align,
                         painter.fontMetrics().elidedText(m_session.detail, Qt::ElideRight, right - left));
    }
    if (m_session.isClosable)
        paintIcon(painter, placed(QRect(width() - kPadding - kCross, 0, kCross, height())), Icon::Close, t.text2);
    if (hasFocus())
        draw::focusInside(painter, QRectF(rect()).adjusted(2, 3, -2, -1), metrics::kControlRadius, t.accent);
}

void SessionTab::mouseReleaseEvent(QMouseEvent *event)
{
    const bool isMiddle = event->button() == Qt::MiddleButton && rect().contains(event->position().toPoint());
    const bool isCross = event->button() == Qt::LeftButton && crossRect().contains(event->position().toPoint());
    if (m_session.isClosable && (isMiddle || isCross)) {
        setDown(false);
        emit closeClicked();
        return;
    }
    QAbstractButton::mouseReleaseEvent(event);
}

void SessionTab::keyPressEvent(QKeyEvent *event)
{
    if (m_session.isClosable && event->key() == Qt::Key_Delete) {
        emit closeClicked();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

} // namespace plimsoll
