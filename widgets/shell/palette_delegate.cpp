// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/palette_delegate.h"

#include "widgets/shell/palette_model.h"
#include "widgets/theme/draw.h"
#include "widgets/theme/tokens.h"
#include "widgets/theme/type.h"

#include <QPainter>
#include <QTextLayout>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kPadding = 12;
constexpr int kGap = 10;
constexpr int kKeyHeight = 16;
constexpr int kKeyPadding = 5;

/// One line, elided at its end; characters at `positions` in 600.
int paintMarked(QPainter &painter, const QRect &room, const QString &text, const QList<int> &positions, const QColor &ink,
                Qt::LayoutDirection direction)
{
    const QFont plain = font(TextRole::Body);
    const QFont strong = font(TextRole::BodyHeavy);
    const QString fitting = QFontMetrics(strong).elidedText(text, Qt::ElideRight, room.width());
    QTextLayout layout(fitting, plain);
    QTextOption option;
    option.setTextDirection(direction);
    option.setWrapMode(QTextOption::NoWrap);
    layout.setTextOption(option);
    QList<QTextLayout::FormatRange> formats;
    QTextCharFormat heavy;
    heavy.setFontWeight(strong.weight());
    for (const int at : positions) {
        if (at < fitting.size())
            formats.append({at, 1, heavy});
    }
    layout.setFormats(formats);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setLineWidth(room.width());
    layout.endLayout();
    painter.setPen(ink);
    const qreal width = std::min<qreal>(line.naturalTextWidth(), room.width());
    layout.draw(&painter, QPointF(room.left(), room.top() + (room.height() - line.height()) / 2.0));
    return static_cast<int>(width + 0.999);
}

} // namespace

int keyWidth(const QString &text)
{
    return std::max(kKeyHeight, QFontMetrics(font(TextRole::Caption)).horizontalAdvance(text) + 2 * kKeyPadding);
}

int paintKey(QPainter &painter, const QRect &box, const QString &text, const QPalette &palette, Qt::LayoutDirection /*direction*/)
{
    const Tokens &t = tokens(palette);
    const QRectF key(box.left(), box.top() + (box.height() - kKeyHeight) / 2.0, keyWidth(text), kKeyHeight);
    draw::box(painter, key, metrics::kTagRadius, QColor(), t.line2);
    painter.save();
    painter.setFont(font(TextRole::Caption));
    painter.setPen(t.text2);
    painter.drawText(key, Qt::AlignCenter, text);
    painter.restore();
    return static_cast<int>(key.width());
}

void PaletteDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Tokens &t = tokens(option.palette);
    const bool isCurrent = (option.state & QStyle::State_Selected) != 0;
    const QRect all = option.rect;
    const auto placed = [&option, &all](const QRect &part) { return QStyle::visualRect(option.direction, all, part); };
    painter->save();
    if (isCurrent) {
        painter->fillRect(all, t.sel);
        painter->fillRect(placed(QRect(all.left(), all.top(), 2, all.height())), t.accent);
    }
    int left = all.left() + kPadding;
    paintIcon(*painter, placed(QRect(left, all.top(), metrics::kIcon, all.height())),
              static_cast<Icon>(index.data(PaletteModel::IconKind).toInt()), t.text2);
    left += metrics::kIcon + kGap;
    int right = all.right() + 1 - kPadding;
    QString keys = index.data(PaletteModel::Keys).toString();
    if (isCurrent && keys.isEmpty())
        keys = tr("Enter");
    if (!keys.isEmpty()) {
        right -= keyWidth(keys);
        paintKey(*painter, placed(QRect(right, all.top(), keyWidth(keys), all.height())), keys, option.palette, option.direction);
        right -= kGap;
    }
    const QString detail = index.data(PaletteModel::Detail).toString();
    const int room = std::max(0, right - left);
    const int titleRoom = detail.isEmpty() ? room : std::max(room / 2, room - 8 - QFontMetrics(font(TextRole::Caption)).horizontalAdvance(detail));
    const QString title = index.data(Qt::DisplayRole).toString();
    const int wanted = std::min(titleRoom, QFontMetrics(font(TextRole::BodyHeavy)).horizontalAdvance(title) + 1);
    const int used = paintMarked(*painter, placed(QRect(left, all.top(), wanted, all.height())), title,
                                 index.data(PaletteModel::Positions).value<QList<int>>(), t.text, option.direction);
    left += used + 8;
    if (!detail.isEmpty() && right > left) {
        painter->setFont(font(TextRole::Caption));
        painter->setPen(isCurrent ? t.text2 : t.text3);
        painter->drawText(placed(QRect(left, all.top(), right - left, all.height())),
                          Qt::AlignVCenter | Qt::TextSingleLine
                              | static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft)),
                          painter->fontMetrics().elidedText(detail, Qt::ElideRight, right - left));
    }
    painter->restore();
}

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex & /*index*/) const
{
    return {option.rect.width(), metrics::kRowTall};
}

} // namespace plimsoll
