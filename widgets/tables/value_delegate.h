// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace plimsoll {

/// What a model says about a cell besides its text (Qt::DisplayRole, already fit
/// for the screen), Qt::TextAlignmentRole and Qt::ToolTipRole.
namespace cellRole {
enum Role {
    Sort = Qt::UserRole + 100, // QVariant that sorts, never the text
    Ratio,                     // double 0 … 1: a bar in the cell instead of text; invalid = no bar
    RatioText,                 // QString right of the bar
    BarSeries,                 // int 0 … 5: index into Tokens::series; absent = text2 ink
    IsHatched,                 // bool: estimate, idle
    GlyphMark,                 // int(Glyph) before the text
    IconMark,                  // int(Icon) before the text
    IsStrong,                  // bool: weight 500, a name
    IsHeavy,                   // bool: weight 600, a sum; line2 above the row
    IsMono,                    // bool: stack or address
    Ink,                       // int: 0 text, 2 text2, 3 text3
    SubText,                   // QString: second line in caption
    SubMono,                   // bool: that line is mono
    Unit                       // QString after the number, in text2
};
} // namespace cellRole

/// Draws cells by those roles. Numbers right, names elided in the middle, the bar
/// 12 high on track. Row states (hover, current) come from the view's style.
class ValueDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ValueDelegate(QObject *parent = nullptr);

    void setNameColumn(int column) { m_nameColumn = column; }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    int m_nameColumn = 0;
};

} // namespace plimsoll
