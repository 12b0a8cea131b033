// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/label.h"

#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"

#include <QEvent>
#include <QPainter>
#include <QStyle>

namespace plimsoll {

namespace {

QColor inkColour(Ink ink, const Tokens &t)
{
    switch (ink) {
    case Ink::Text: return t.text;
    case Ink::Text2: return t.text2;
    case Ink::Text3: return t.text3;
    case Ink::Accent: return t.accent;
    }
    return t.text;
}

} // namespace

Label::Label(const QString &text, TextRole role, Ink ink, QWidget *parent)
    : QLabel(parent)
    , m_role(role)
    , m_ink(ink)
{
    setTextFormat(Qt::PlainText); // QLabel guesses otherwise
    QLabel::setText(text);
    applyFont();
    applyInk();
}

void Label::setText(const QString &text)
{
    if (text == QLabel::text())
        return;
    QLabel::setText(text);
    updateTip();
}

void Label::setInk(Ink ink)
{
    m_ink = ink;
    applyInk();
}

void Label::setRole(TextRole role)
{
    m_role = role;
    applyFont();
}

void Label::setElide(Qt::TextElideMode mode)
{
    m_elide = mode;
    updateGeometry();
    updateTip();
    update();
}

QSize Label::minimumSizeHint() const
{
    QSize size = QLabel::minimumSizeHint();
    if (m_elide != Qt::ElideNone)
        size.setWidth(fontMetrics().horizontalAdvance(QChar(0x2026)));
    return size;
}

void Label::changeEvent(QEvent *event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyInk();
    else if (event->type() == QEvent::ApplicationFontChange)
        applyFont();
}

void Label::paintEvent(QPaintEvent *event)
{
    if (m_elide == Qt::ElideNone) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    const QRect inside = contentsRect().adjusted(margin(), margin(), -margin(), -margin());
    const auto align = QStyle::visualAlignment(layoutDirection(), alignment());
    style()->drawItemText(&painter, inside, static_cast<int>(align) | Qt::TextSingleLine, palette(), isEnabled(),
                          // Sizes are rounded: a px more keeps text that fits from being cut.
                          fontMetrics().elidedText(text(), m_elide, inside.width() + 1), foregroundRole());
}

void Label::resizeEvent(QResizeEvent *event)
{
    QLabel::resizeEvent(event);
    updateTip();
}

void Label::applyInk()
{
    const QColor colour = inkColour(m_ink, tokens(this));
    QPalette wanted = palette();
    // setPalette sends PaletteChange again: stop when nothing changes.
    if (wanted.color(QPalette::Active, QPalette::WindowText) == colour)
        return;
    wanted.setColor(QPalette::Active, QPalette::WindowText, colour);
    wanted.setColor(QPalette::Inactive, QPalette::WindowText, colour);
    setPalette(wanted);
}

void Label::applyFont()
{
    const QFont wanted = plimsoll::font(m_role);
    if (font() != wanted)
        setFont(wanted);
}

void Label::updateTip()
{
    if (m_elide == Qt::ElideNone)
        return;
    const bool isCut = fontMetrics().horizontalAdvance(text()) > contentsRect().width();
    const QString tip = isCut ? plainTip(text()) : QString();
    if (toolTip() != tip)
        setToolTip(tip);
}

} // namespace plimsoll
