// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/mode_box.h"

#include "widgets/shell/palette_delegate.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kPadding = 10;
constexpr int kGap = 8;
constexpr int kNarrow = 136; // live, recorded
constexpr int kWide = 188;   // two lines
constexpr int kLine = 12;    // of the two lines: 28 high holds both

bool hasTwoLines(TimeBarMode mode)
{
    return mode == TimeBarMode::Frozen || mode == TimeBarMode::Travelling;
}

} // namespace

ModeBox::ModeBox(QWidget *parent)
    : QAbstractButton(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setMode(TimeBarMode::Live, {}, {});
}

void ModeBox::setMode(TimeBarMode mode, const QString &line1, const QString &line2)
{
    m_mode = mode;
    m_line1 = line1;
    m_line2 = line2;
    if (m_line1.isEmpty()) {
        switch (mode) {
        case TimeBarMode::Live: m_line1 = tr("LIVE"); break;
        case TimeBarMode::Frozen: m_line1 = tr("frozen"); break;
        case TimeBarMode::Travelling: m_line1 = tr("another time"); break;
        case TimeBarMode::Recorded: m_line1 = tr("RECORDED"); break;
        }
    }
    if (m_line2.isEmpty()) {
        if (mode == TimeBarMode::Live)
            m_line2 = tr("freezes");
        else if (mode == TimeBarMode::Frozen)
            m_line2 = tr("F follows again");
        else if (mode == TimeBarMode::Travelling)
            m_line2 = tr("Esc returns");
    }
    setText(m_line1);
    setAccessibleName(m_line2.isEmpty() ? m_line1 : m_line1 + QStringLiteral(", ") + m_line2);
    switch (mode) {
    case TimeBarMode::Live: setToolTip(tr("Live: the right edge is now. F freezes.")); break;
    case TimeBarMode::Frozen: setToolTip(tr("Frozen: nothing moves, samples are still taken in. F follows again.")); break;
    case TimeBarMode::Travelling: setToolTip(tr("Every page shows that instant. Esc returns to now.")); break;
    case TimeBarMode::Recorded: setToolTip(tr("From a file: nothing here is live.")); break;
    }
    updateGeometry();
    update();
}

QSize ModeBox::sizeHint() const
{
    int width = hasTwoLines(m_mode) ? kWide : kNarrow;
    if (hasTwoLines(m_mode)) {
        const QFontMetrics caption(plimsoll::font(TextRole::CaptionStrong));
        width = std::max({width, caption.horizontalAdvance(m_line1) + 46, caption.horizontalAdvance(m_line2) + 46});
    } else {
        const int words = QFontMetrics(plimsoll::font(TextRole::BodyHeavy)).horizontalAdvance(m_line1)
            + QFontMetrics(plimsoll::font(TextRole::Caption)).horizontalAdvance(m_line2);
        const int key = m_mode == TimeBarMode::Live ? keyWidth(tr("F")) + 5 - 4 : 0; // the glyph is 4 narrower than an icon
        width = std::max(width, words + 2 * kPadding + metrics::kIcon + 2 * kGap + key);
    }
    return {std::min(width, 280), metrics::kButton};
}

void ModeBox::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    QColor fill = t.button;
    QColor edge = t.line2;
    switch (m_mode) {
    case TimeBarMode::Live: break;
    case TimeBarMode::Frozen: fill = t.track; break;
    case TimeBarMode::Travelling:
        fill = t.sel;
        edge = t.accent;
        break;
    case TimeBarMode::Recorded: edge = t.rec; break;
    }
    if (underMouse() && isEnabled())
        fill = mixed(fill, t.text, isDown() ? 0.12 : 0.05);
    draw::box(painter, rect(), metrics::kControlRadius, fill, edge);
    const QRect inner = rect().adjusted(kPadding, 0, -kPadding, 0);
    if (hasTwoLines(m_mode))
        paintTwoLines(painter, inner);
    else
        paintOneLine(painter, inner);
}

void ModeBox::paintOneLine(QPainter &painter, const QRect &inner)
{
    const Tokens &t = tokens(this);
    const auto placed = [&](int left, int width) {
        return QStyle::visualRect(layoutDirection(), inner, QRect(inner.left() + left, 0, width, height()));
    };
    int left = 0;
    if (m_mode == TimeBarMode::Live) {
        QRectF box(0, 0, metrics::kGlyphBox, metrics::kGlyphBox);
        box.moveCenter(QRectF(placed(0, metrics::kGlyphBox)).center());
        paintGlyph(painter, box, Glyph::Live, t.fine);
        left += metrics::kGlyphBox + kGap;
    } else {
        paintIcon(painter, placed(0, metrics::kIcon), Icon::File, t.rec);
        left += metrics::kIcon + kGap;
    }
    painter.setFont(plimsoll::font(TextRole::BodyHeavy));
    painter.setPen(t.text);
    const int words = std::min(painter.fontMetrics().horizontalAdvance(m_line1), inner.width() - left);
    painter.drawText(placed(left, words + 1), Qt::AlignCenter, painter.fontMetrics().elidedText(m_line1, Qt::ElideRight, words + 1));
    left += words + kGap;
    if (m_mode == TimeBarMode::Live) {
        const QString key = tr("F");
        if (left + keyWidth(key) > inner.width())
            return;
        paintKey(painter, placed(left, keyWidth(key)), key, palette(), layoutDirection());
        left += keyWidth(key) + 5;
    }
    painter.setFont(plimsoll::font(TextRole::Caption));
    painter.setPen(t.text2);
    const int room = std::max(0, inner.width() - left);
    painter.drawText(placed(left, room), Qt::AlignVCenter | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)),
                     painter.fontMetrics().elidedText(m_line2, Qt::ElideRight, room));
}

void ModeBox::paintTwoLines(QPainter &painter, const QRect &inner)
{
    const Tokens &t = tokens(this);
    const bool isFrozen = m_mode == TimeBarMode::Frozen;
    const auto placed = [&](int left, int top, int width, int height) {
        return QStyle::visualRect(layoutDirection(), inner, QRect(inner.left() + left, top, width, height));
    };
    paintIcon(painter, placed(0, 0, metrics::kIcon, height()), isFrozen ? Icon::Pause : Icon::Retry, isFrozen ? t.text2 : t.accent);
    const int left = metrics::kIcon + kGap;
    const int room = inner.width() - left;
    const int align = Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip
        | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft));
    const int top = height() / 2 - kLine;
    QFont strong = plimsoll::font(TextRole::CaptionStrong);
    strong.setWeight(QFont::DemiBold);
    painter.setFont(strong);
    painter.setPen(t.text);
    painter.drawText(placed(left, top, room, kLine), align, painter.fontMetrics().elidedText(m_line1, Qt::ElideRight, room));
    painter.setFont(plimsoll::font(TextRole::Caption));
    painter.setPen(t.text2);
    painter.drawText(placed(left, height() / 2, room, kLine), align, painter.fontMetrics().elidedText(m_line2, Qt::ElideRight, room));
}

} // namespace plimsoll
