// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/heatmap/heat_model.h"

#include <QAbstractTableModel>

#include <cstddef>
#include <vector>

namespace plimsoll {

/// A heat grid as a table, a row a device: for screen readers, clipboards and files.
class HeatTable : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { GroupColumn, NodeColumn, DeviceColumn, LoadColumn, StateColumn, FreeColumn, JobColumn, ColumnCount };
    static constexpr int ValueRole = Qt::UserRole + 1; // LoadColumn: 0…1, invalid when unknown

    explicit HeatTable(QObject *parent = nullptr);

    void setGroups(const std::vector<HeatGroup> &groups);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// "live", "stale", "away": said by screen readers too.
    [[nodiscard]] static QString stateText(const HeatCell &cell);
    [[nodiscard]] static QString loadText(const HeatCell &cell); // "98.9 %", or empty

private:
    struct Place
    {
        std::size_t group;
        std::size_t row;
        std::size_t cell;
    };
    std::vector<HeatGroup> m_groups;
    std::vector<Place> m_places;
};

} // namespace plimsoll
