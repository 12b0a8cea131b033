// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/badge.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kHeight = 18;
constexpr int kPillHeight = 16;
constexpr int kPadding = 6;
constexpr int kGlyphGap = 4;

QFont badgeFont(Badge::Kind kind)
{
    QFont result = font(TextRole::CaptionStrong);
    if (kind == Badge::Kind::Page)
        result.setWeight(QFont::Bold);
    else if (kind == Badge::Kind::Alarm)
        result.setWeight(QFont::DemiBold);
    else if (kind == Badge::Kind::Dashed || kind == Badge::Kind::Bare)
        result.setWeight(QFont::Normal);
    return result;
}

int paddingOf(Badge::Kind kind)
{
    return kind == Badge::Kind::Bare ? 0 : kPadding;
}

bool isPill(Badge::Kind kind)
{
    return kind == Badge::Kind::Count || kind == Badge::Kind::Alarm;
}

} // namespace

Badge::Badge(const QString &text, Kind kind, std::optional<Glyph> glyph, QWidget *parent)
    : QWidget(parent)
    , m_text(text)
    , m_kind(kind)
    , m_glyph(glyph)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

void Badge::setText(const QString &text)
{
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void Badge::setKind(Kind kind)
{
    m_kind = kind;
    updateGeometry();
    update();
}

void Badge::setGlyph(std::optional<Glyph> glyph)
{
    m_glyph = glyph;
    updateGeometry();
    update();
}

QSize Badge::sizeHint() const
{
    if (isPill(m_kind))
        return {pillWidth(m_text), kPillHeight};
    const int glyph = m_glyph ? metrics::kGlyphBox + kGlyphGap : 0;
    return {QFontMetrics(badgeFont(m_kind)).horizontalAdvance(m_text) + glyph + 2 * paddingOf(m_kind) + 1, kHeight};
}

int Badge::pillWidth(const QString &text)
{
    return std::max(kPillHeight, QFontMetrics(badgeFont(Kind::Alarm)).horizontalAdvance(text) + 10);
}

void Badge::paintPill(QPainter &painter, const QRectF &box, const QString &text, bool isAlarm, const QPalette &palette)
{
    const Tokens &t = tokens(palette);
    draw::box(painter, box, box.height() / 2, isAlarm ? t.page : QColor(), isAlarm ? QColor() : t.line2);
    painter.save();
    painter.setFont(badgeFont(isAlarm ? Kind::Alarm : Kind::Count));
    painter.setPen(isAlarm ? t.onPage : t.text2);
    painter.drawText(box, Qt::AlignCenter, text);
    painter.restore();
}

void Badge::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    const Tokens &t = tokens(this);
    if (isPill(m_kind)) {
        paintPill(painter, rect(), m_text, m_kind == Kind::Alarm, palette());
        return;
    }
    const bool isPage = m_kind == Kind::Page;
    if (m_kind != Kind::Bare)
        draw::box(painter, rect(), metrics::kTagRadius, isPage ? t.page : QColor(), isPage ? QColor() : t.line2, 0,
                  m_kind == Kind::Dashed ? Qt::DashLine : Qt::SolidLine);
    const auto placed = [this](QRect part) { return QStyle::visualRect(layoutDirection(), rect(), part); };
    int left = paddingOf(m_kind);
    if (m_glyph) {
        const QRect box(left, (height() - metrics::kGlyphBox) / 2, metrics::kGlyphBox, metrics::kGlyphBox);
        paintGlyph(painter, placed(box), *m_glyph, isPage ? t.onPage : glyphColour(*m_glyph, t));
        left += metrics::kGlyphBox + kGlyphGap;
    }
    painter.setFont(badgeFont(m_kind));
    painter.setPen(isPage ? t.onPage : m_kind == Kind::Dashed ? t.text2 : t.text);
    painter.drawText(placed(QRect(left, 0, width() - left, height())),
                     Qt::AlignVCenter | static_cast<int>(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft)), m_text);
}

} // namespace plimsoll
