// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/job/process_model.h"

#include "views/device_text.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/text.h"

#include <algorithm>

namespace plimsoll {

namespace {

constexpr int kHostSeries = 2;

QString orDash(std::optional<double> bytes)
{
    return bytes ? bytesText(*bytes) : QStringLiteral("\u2013");
}

bool isNumber(int column)
{
    return column == ProcessModel::PidColumn || column == ProcessModel::RssColumn || column == ProcessModel::PssColumn
           || column == ProcessModel::SwapColumn;
}

} // namespace

ProcessModel::ProcessModel(QObject *parent) : QAbstractTableModel(parent) {}

void ProcessModel::setProcesses(std::vector<ProcessRow> processes)
{
    if (processes == m_processes)
        return;
    const auto same = [](const ProcessRow &a, const ProcessRow &b) { return a.pid == b.pid && a.node == b.node; };
    const bool isSameSet = std::equal(processes.begin(), processes.end(), m_processes.begin(), m_processes.end(), same);
    if (!isSameSet)
        beginResetModel();
    m_processes = std::move(processes);
    m_largest = 0;
    for (const auto &process : m_processes)
        m_largest = std::max(m_largest, process.rss.value_or(0));
    if (!isSameSet)
        endResetModel();
    else
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int ProcessModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_processes.size());
}

int ProcessModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProcessModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto &process = m_processes[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case NameColumn: return process.name.empty() ? tr("unnamed") : shown(process.name, 80);
        case PidColumn: return shown(process.pid, 12);
        case NodeColumn: return shown(process.node, 40);
        case RssColumn: return orDash(process.rss);
        case PssColumn: return orDash(process.pss);
        case SwapColumn: return orDash(process.swap);
        default: return {};
        }
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case cellRole::Sort:
        switch (column) {
        case PidColumn: return QString::fromStdString(process.pid).toLongLong();
        case RssColumn:
        case BarColumn: return process.rss.value_or(-1);
        case PssColumn: return process.pss.value_or(-1);
        case SwapColumn: return process.swap.value_or(-1);
        default: return data(index, Qt::DisplayRole).toString().toCaseFolded();
        }
    case cellRole::IsStrong: return column == NameColumn || column == RssColumn;
    case cellRole::Ink: return column == NameColumn || column == RssColumn ? 0 : 1;
    case cellRole::Ratio:
        return column == BarColumn && process.rss && m_largest > 0 ? QVariant(*process.rss / m_largest) : QVariant();
    case cellRole::BarSeries: return column == BarColumn ? QVariant(kHostSeries) : QVariant();
    default: return {};
    }
}

QVariant ProcessModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn: return tr("Process");
    case PidColumn: return tr("PID");
    case NodeColumn: return tr("Node");
    case RssColumn: return tr("RSS");
    case BarColumn: return tr("Of the largest");
    case PssColumn: return tr("PSS");
    case SwapColumn: return tr("Swap");
    default: return {};
    }
}

} // namespace plimsoll
