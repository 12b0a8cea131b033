// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace plimsoll {

/// A row of the palette: icon, title with the matched characters strong, detail, keys.
class PaletteDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

/// A key as it is drawn on a keyboard: caption in a line2 edge, 16 high. Returns its width.
int paintKey(QPainter &painter, const QRect &box, const QString &text, const QPalette &palette, Qt::LayoutDirection direction);
[[nodiscard]] int keyWidth(const QString &text);

} // namespace plimsoll
