// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/shell/command_palette.h"

#include <QAbstractListModel>

namespace plimsoll {

/// The rows of the palette: matched, sorted, cut.
class PaletteModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role { Detail = Qt::UserRole + 1, Keys, IconKind, Positions };

    using QAbstractListModel::QAbstractListModel;

    /// Keeps what `query` matches, best first; an empty query keeps the order.
    void setEntries(std::vector<PaletteEntry> entries, const QString &query);
    [[nodiscard]] const PaletteEntry *entry(int row) const; // nullptr outside
    [[nodiscard]] int offered() const { return m_offered; } // before matching

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;

private:
    struct Row
    {
        PaletteEntry entry;
        QList<int> positions;
        int score = 0;
    };

    std::vector<Row> m_rows;
    int m_offered = 0;
};

} // namespace plimsoll
