// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/chip.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/text.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace plimsoll {

namespace {

constexpr int kPadding = 8;
constexpr int kGap = 4;
constexpr int kCross = 12;
constexpr int kCrossField = 22;
constexpr int kPlus = 14;
constexpr int kWidest = 320;

QFont valueFont()
{
    return font(TextRole::BodyStrong);
}

} // namespace

Chip::Chip(const QString &key, const QString &op, const QString &value, QWidget *parent)
    : QAbstractButton(parent)
    , m_key(key)
    , m_op(op == QLatin1String("=") ? QString() : op)
    , m_value(value)
{
    setText(fullText());
    setAccessibleName(fullText());
    setAccessibleDescription(tr("Filter. Enter edits it, Delete removes it."));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

Chip *Chip::makeAdd(const QString &text, QWidget *parent)
{
    auto *chip = new Chip({}, {}, text, parent);
    chip->m_kind = Kind::Add;
    chip->m_isRemovable = false;
    chip->setAccessibleDescription({});
    return chip;
}

void Chip::setMore(const QString &text)
{
    m_value = text;
    m_hasPlus = false;
    setText(text);
    setAccessibleName(text);
    updateGeometry();
    update();
}

void Chip::setActive(bool isActive)
{
    m_isActive = isActive;
    update();
}

void Chip::setRemovable(bool isRemovable)
{
    m_isRemovable = isRemovable;
    updateGeometry();
    update();
}

QRect Chip::crossRect() const
{
    if (!m_isRemovable)
        return {};
    return QStyle::visualRect(layoutDirection(), rect(), QRect(width() - kCrossField - 2, 0, kCrossField + 2, height()));
}

QString Chip::fullText() const
{
    QStringList words;
    for (const QString &word : {m_key, m_op, m_value}) {
        if (!word.isEmpty())
            words << word;
    }
    return words.join(QLatin1Char(' '));
}

QSize Chip::sizeHint() const
{
    const QFontMetrics plain(plimsoll::font(TextRole::Body));
    int width = 2 * kPadding + QFontMetrics(valueFont()).horizontalAdvance(m_value);
    if (m_kind == Kind::Add)
        width = 2 * kPadding + (m_hasPlus ? kPlus + kGap : 0) + plain.horizontalAdvance(m_value);
    for (const QString &word : {m_key, m_op}) {
        if (!word.isEmpty())
            width += plain.horizontalAdvance(word) + kGap;
    }
    if (m_isRemovable)
        width += kCross + kGap;
    return {std::min(width, kWidest), metrics::kTarget}; // 22 drawn, 24 to hit
}

QSize Chip::minimumSizeHint() const
{
    return sizeHint();
}

void Chip::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    const QRectF body(0, (height() - metrics::kChip) / 2.0, width(), metrics::kChip);
    const bool isHovered = underMouse() && isEnabled();
    const QColor fill = m_isActive ? t.sel : isHovered ? t.hover : m_kind == Kind::Add ? QColor() : t.panel;
    const auto edgeStyle = m_kind == Kind::Add ? Qt::DashLine : Qt::SolidLine;
    draw::box(painter, body, metrics::kControlRadius, fill, m_isActive ? t.accent : t.line2, 0, edgeStyle);

    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    const int align = Qt::AlignVCenter | Qt::TextSingleLine
        | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft));
    int left = kPadding;
    if (m_kind == Kind::Add && m_hasPlus) {
        paintIcon(painter, placed(QRect(left, 0, kPlus, height())), Icon::Plus, t.text2);
        left += kPlus + kGap;
    }
    // The value keeps its room; of a long key the end goes.
    int room = width() - kPadding - left - (m_isRemovable ? kCross + kGap : 0);
    painter.setFont(plimsoll::font(TextRole::Body));
    painter.setPen(isEnabled() ? t.text2 : t.line2);
    const int valueWidth = QFontMetrics(valueFont()).horizontalAdvance(m_value);
    for (const QString &word : {m_key, m_op}) {
        if (word.isEmpty())
            continue;
        // Advances are rounded: a px more keeps words that fit from being cut.
        const QString part = painter.fontMetrics().elidedText(word, Qt::ElideRight, std::max(room / 2, room - valueWidth - kGap) + 1);
        const int wordWidth = painter.fontMetrics().horizontalAdvance(part);
        painter.drawText(placed(QRect(left, 0, wordWidth + 1, height())), align, part);
        left += wordWidth + kGap;
        room -= wordWidth + kGap;
    }
    if (m_kind == Kind::Filter) {
        painter.setFont(valueFont());
        painter.setPen(isEnabled() ? t.text : t.line2);
    }
    painter.drawText(placed(QRect(left, 0, room + 1, height())), align,
                     painter.fontMetrics().elidedText(m_value, Qt::ElideMiddle, room + 1));
    if (m_isRemovable) {
        const QRect cross = placed(QRect(width() - kPadding - kCross + 2, 0, kCross, height()));
        paintIcon(painter, cross, Icon::Close, m_isCrossHovered ? t.text : t.text2);
    }
}

void Chip::mousePressEvent(QMouseEvent *event)
{
    m_isCrossPressed = event->button() == Qt::LeftButton && crossRect().contains(event->position().toPoint());
    if (!m_isCrossPressed)
        QAbstractButton::mousePressEvent(event);
}

void Chip::mouseReleaseEvent(QMouseEvent *event)
{
    if (!std::exchange(m_isCrossPressed, false)) {
        QAbstractButton::mouseReleaseEvent(event);
        return;
    }
    if (crossRect().contains(event->position().toPoint()))
        emit removeClicked();
}

void Chip::mouseMoveEvent(QMouseEvent *event)
{
    const bool isOver = crossRect().contains(event->position().toPoint());
    if (isOver != m_isCrossHovered) {
        m_isCrossHovered = isOver;
        update();
    }
    QAbstractButton::mouseMoveEvent(event);
}

void Chip::keyPressEvent(QKeyEvent *event)
{
    if (m_isRemovable && (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace)) {
        emit removeClicked();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

bool Chip::event(QEvent *event)
{
    if (event->type() == QEvent::Leave && m_isCrossHovered) {
        m_isCrossHovered = false;
        update();
    } else if (event->type() == QEvent::ToolTip && toolTip().isEmpty()) {
        // Only what does not fit needs a tip.
        setToolTip(QFontMetrics(valueFont()).horizontalAdvance(fullText()) > width() - 2 * kPadding ? plainTip(fullText()) : QString());
    }
    return QAbstractButton::event(event);
}

} // namespace plimsoll
