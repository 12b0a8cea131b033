// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/value_delegate.h"

#include "widgets/theme/draw.h"
#include "widgets/theme/glyphs.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace plimsoll {

namespace {

constexpr int kBar = 12;
constexpr int kMarkGap = 6;
constexpr int kUnitGap = 3;

TextRole roleOf(const QModelIndex &index)
{
    if (index.data(cellRole::IsMono).toBool())
        return TextRole::Mono;
    if (index.data(cellRole::IsHeavy).toBool())
        return TextRole::BodyHeavy;
    return index.data(cellRole::IsStrong).toBool() ? TextRole::BodyStrong : TextRole::Body;
}

QColor inkOf(const QModelIndex &index, const QStyleOptionViewItem &option, const Tokens &t)
{
    if ((option.state & QStyle::State_Enabled) == 0 || (index.flags() & Qt::ItemIsEnabled) == 0)
        return t.line2;
    const bool isOnRow = (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) != 0;
    switch (index.data(cellRole::Ink).toInt()) {
    case 1: return t.text2;
    case 2:
    case 3: return isOnRow ? t.text2 : t.text3; // text3 is too pale on sel and hover
    default: return t.text;
    }
}

/// Bar radius only at its beginning: the end is where the value is.
void paintBar(QPainter &painter, const QRectF &track, double ratio, const QColor &colour, bool isHatched, bool isRtl,
              const Tokens &t)
{
    draw::box(painter, track, metrics::kCellRadius, t.track, QColor());
    const double share = std::isfinite(ratio) ? std::clamp(ratio, 0.0, 1.0) : 0.0;
    if (share <= 0)
        return;
    QRectF done = track;
    done.setWidth(std::max(1.0, track.width() * share)); // something is never nothing
    if (isRtl)
        done.moveRight(track.right());
    done = draw::aligned(painter, done);
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    path.addRoundedRect(done, metrics::kCellRadius, metrics::kCellRadius);
    if (share < 1) {
        const double half = done.width() / 2;
        path.addRect(isRtl ? QRectF(done.left(), done.top(), half, done.height())
                           : QRectF(done.left() + half, done.top(), half, done.height()));
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (isHatched) {
        painter.setClipPath(path.simplified());
        draw::hatch(painter, done, colour, 4, 1.6);
    } else {
        painter.fillPath(path.simplified(), colour);
    }
    painter.restore();
}

QRect insideOf(const QStyleOptionViewItem &option, const QModelIndex &index)
{
    // First and last column stand 12 from the panel's edge, the others 8 apart.
    int left = metrics::kCellPadding;
    int right = metrics::kCellPadding;
    if (index.column() == 0)
        left = metrics::kPanelPadding;
    if (index.column() == index.model()->columnCount(index.parent()) - 1)
        right = metrics::kPanelPadding;
    if (option.direction == Qt::RightToLeft)
        std::swap(left, right);
    return option.rect.adjusted(left, 0, -right, 0);
}

} // namespace

ValueDelegate::ValueDelegate(QObject *parent)
    : QStyledItemDelegate(parent)
{
}

void ValueDelegate::paint(QPainter *painter, const QStyleOptionViewItem &given, const QModelIndex &index) const
{
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const Tokens &t = tokens(option.palette);
    const QStyle *style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    const bool isHeavy = index.data(cellRole::IsHeavy).toBool();
    const qreal px = draw::hairline(*painter);
    if (isHeavy)
        draw::horizontal(*painter, option.rect.left(), option.rect.right() + 1, option.rect.top() - px, t.line2);
    draw::horizontal(*painter, option.rect.left(), option.rect.right() + 1, option.rect.bottom() + 1 - px, t.grid);

    const bool isRtl = option.direction == Qt::RightToLeft;
    QRect inside = insideOf(option, index);
    const auto takeLeft = [&](int width) {
        QRect part = inside;
        if (isRtl) {
            part.setLeft(inside.right() + 1 - width);
            inside.setRight(part.left() - 1 - kMarkGap);
        } else {
            part.setWidth(width);
            inside.setLeft(part.right() + 1 + kMarkGap);
        }
        return part;
    };

    painter->save();
    if ((option.features & QStyleOptionViewItem::HasCheckIndicator) != 0) {
        QStyleOptionViewItem check = option;
        check.rect = takeLeft(metrics::kCheck);
        check.state &= ~QStyle::State_HasFocus;
        check.state |= option.checkState == Qt::Checked ? QStyle::State_On : QStyle::State_Off;
        style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &check, painter, option.widget);
    }
    if (const QVariant mark = index.data(cellRole::GlyphMark); mark.isValid()) {
        const auto glyph = static_cast<Glyph>(mark.toInt());
        QRect part = takeLeft(metrics::kGlyphBox);
        if ((option.displayAlignment & Qt::AlignRight) != 0 && !index.data(cellRole::Ratio).isValid()) {
            // A right-aligned text has its mark beside it, not at the other end of the cell.
            const int words = QFontMetrics(font(roleOf(index))).horizontalAdvance(option.text);
            if (isRtl)
                part.moveLeft(std::min(part.left(), option.rect.left() + metrics::kCellPadding + words + kMarkGap));
            else
                part.moveRight(std::max(part.right(), inside.right() - words - kMarkGap));
        }
        QRectF box(0, 0, metrics::kGlyphBox, metrics::kGlyphBox);
        box.moveCenter(QRectF(part).center());
        paintGlyph(*painter, box, glyph, glyphColour(glyph, t));
    }
    if (const QVariant mark = index.data(cellRole::IconMark); mark.isValid())
        paintIcon(*painter, takeLeft(14), static_cast<Icon>(mark.toInt()), t.text2);

    if (const QVariant ratio = index.data(cellRole::Ratio); ratio.isValid()) {
        QRectF track = inside;
        const QString text = index.data(cellRole::RatioText).toString();
        if (!text.isEmpty()) {
            painter->setFont(font(TextRole::Body));
            painter->setPen(t.text2);
            const int width = std::max(figureWidth(painter->font(), 5), painter->fontMetrics().horizontalAdvance(text) + 1);
            const QRectF room = isRtl ? QRectF(track.left(), track.top(), width, track.height())
                                      : QRectF(track.right() - width, track.top(), width, track.height());
            painter->drawText(room, Qt::AlignVCenter | (isRtl ? Qt::AlignLeft : Qt::AlignRight), text);
            track.adjust(isRtl ? width + 8 : 0, 0, isRtl ? 0 : -width - 8, 0);
        }
        track = QRectF(track.left(), track.center().y() - kBar / 2.0, track.width(), kBar);
        const QVariant series = index.data(cellRole::BarSeries);
        const QColor colour = series.isValid()
            ? t.series[static_cast<std::size_t>(std::clamp(series.toInt(), 0, 5))]
            : mixed(t.track, t.text2, 0.8);
        paintBar(*painter, track, ratio.toDouble(), colour, index.data(cellRole::IsHatched).toBool(), isRtl, t);
        painter->restore();
        return;
    }

    const QString sub = index.data(cellRole::SubText).toString();
    const auto align = QStyle::visualAlignment(option.direction, option.displayAlignment);
    QRect first = inside;
    if (!sub.isEmpty()) {
        const int two = lineHeight(TextRole::Body) + lineHeight(TextRole::Caption);
        first = QRect(inside.left(), inside.top() + (inside.height() - two) / 2, inside.width(), lineHeight(TextRole::Body));
        const QRect second(inside.left(), first.bottom() + 1, inside.width(), lineHeight(TextRole::Caption));
        painter->setFont(font(index.data(cellRole::SubMono).toBool() ? TextRole::Mono : TextRole::Caption));
        painter->setPen(t.text2);
        painter->drawText(second, static_cast<int>(align & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter | Qt::TextSingleLine,
                          painter->fontMetrics().elidedText(sub, Qt::ElideRight, second.width()));
    }
    const int flags = static_cast<int>(align & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter | Qt::TextSingleLine;
    const QString unit = index.data(cellRole::Unit).toString();
    if (!unit.isEmpty()) {
        // The unit stands after the number in text2; both move together to the right end.
        painter->setFont(font(TextRole::Body));
        painter->setPen(t.text2);
        const int width = painter->fontMetrics().horizontalAdvance(unit);
        const bool isRight = (align & Qt::AlignRight) != 0;
        if (isRight) {
            painter->drawText(QRect(first.right() + 1 - width, first.top(), width, first.height()), Qt::AlignVCenter, unit);
            first.setRight(first.right() - width - kUnitGap);
        }
    }
    painter->setFont(font(roleOf(index)));
    painter->setPen(inkOf(index, option, t));
    const auto mode = index.column() == m_nameColumn ? Qt::ElideMiddle : Qt::ElideRight;
    painter->drawText(first, flags, painter->fontMetrics().elidedText(option.text, mode, first.width()));
    painter->restore();
}

QSize ValueDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const bool isHeavy = index.data(cellRole::IsHeavy).toBool() || index.data(cellRole::IsStrong).toBool();
    const QFontMetrics fm(font(isHeavy ? TextRole::BodyHeavy : roleOf(index)));
    int width = fm.horizontalAdvance(index.data(Qt::DisplayRole).toString()) + 2 * metrics::kPanelPadding;
    if (index.data(cellRole::Ratio).isValid())
        width = std::max(width, 120);
    for (const int role : {int(cellRole::GlyphMark), int(cellRole::IconMark), int(Qt::CheckStateRole)}) {
        if (index.data(role).isValid())
            width += 16 + kMarkGap;
    }
    if (const QString unit = index.data(cellRole::Unit).toString(); !unit.isEmpty())
        width += fm.horizontalAdvance(unit) + kUnitGap;
    if (const QString sub = index.data(cellRole::SubText).toString(); !sub.isEmpty())
        width = std::max(width, QFontMetrics(font(TextRole::Caption)).horizontalAdvance(sub) + 2 * metrics::kPanelPadding);
    Q_UNUSED(option);
    const bool isTwo = !index.data(cellRole::SubText).toString().isEmpty();
    return {width, isTwo ? metrics::kRowTwoLines : metrics::kRow};
}

} // namespace plimsoll
