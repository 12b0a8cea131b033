// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/job/job_plan.h"

#include <QAbstractTableModel>

#include <vector>

namespace plimsoll {

/// The processes of one job, largest first. GUI thread.
class ProcessModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { NameColumn, PidColumn, NodeColumn, RssColumn, BarColumn, PssColumn, SwapColumn, ColumnCount };

    explicit ProcessModel(QObject *parent = nullptr);

    void setProcesses(std::vector<ProcessRow> processes);
    [[nodiscard]] const std::vector<ProcessRow> &processes() const noexcept { return m_processes; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<ProcessRow> m_processes;
    double m_largest = 0;
};

} // namespace plimsoll
