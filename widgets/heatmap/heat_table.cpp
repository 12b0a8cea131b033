// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap/heat_table.h"

#include "base/format.h"
#include "widgets/heatmap/heat_painter.h"
#include "widgets/theme/text.h"

namespace plimsoll {

HeatTable::HeatTable(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void HeatTable::setGroups(const std::vector<HeatGroup> &groups)
{
    std::vector<Place> places;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t r = 0; r < groups[g].rows.size(); ++r)
            for (std::size_t c = 0; c < groups[g].rows[r].cells.size(); ++c)
                places.push_back({g, r, c});
    // The same devices with new values is the usual case; a reset would lose a reader's place.
    if (places.size() == m_places.size()) {
        m_groups = groups;
        m_places = std::move(places);
        if (!m_places.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_groups = groups;
    m_places = std::move(places);
    endResetModel();
}

QString HeatTable::stateText(const HeatCell &cell)
{
    if (isAway(cell))
        return tr("away");
    if (cell.freshness == Freshness::Stale)
        return tr("stale");
    return cell.isIdle ? tr("idle") : tr("live");
}

QString HeatTable::loadText(const HeatCell &cell)
{
    return isAway(cell) ? QString() : figureText(formatValue(*cell.load, "1"));
}

int HeatTable::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_places.size());
}

int HeatTable::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HeatTable::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Place &place = m_places[static_cast<std::size_t>(index.row())];
    const HeatGroup &group = m_groups[place.group];
    const HeatRow &row = group.rows[place.row];
    const HeatCell &cell = row.cells[place.cell];
    const bool isNumber = index.column() == LoadColumn || index.column() == FreeColumn;
    if (role == Qt::TextAlignmentRole && isNumber)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == ValueRole)
        return index.column() == LoadColumn && !isAway(cell) ? QVariant(*cell.load) : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case GroupColumn: return group.name;
    case NodeColumn: return row.name;
    case DeviceColumn: return cell.name;
    case LoadColumn: return loadText(cell);
    case StateColumn: return stateText(cell);
    case FreeColumn: return row.freeText;
    case JobColumn: return row.jobText;
    default: return {};
    }
}

QVariant HeatTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case GroupColumn: return tr("Group");
    case NodeColumn: return tr("Node");
    case DeviceColumn: return tr("Device");
    case LoadColumn: return tr("Memory used");
    case StateColumn: return tr("State");
    case FreeColumn: return tr("Free");
    case JobColumn: return tr("Job");
    default: return {};
    }
}

} // namespace plimsoll
