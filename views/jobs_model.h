// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"

#include <QAbstractTableModel>

#include <vector>

namespace plimsoll {

/// The jobs of a fleet, as given: running first. Rows of jobs that stay keep their index,
/// so a selection survives live data. Sort by cellRole::Sort. GUI thread.
class JobsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { JobColumn, KindColumn, TeamColumn, ModelColumn, ProcessesColumn, RssColumn, ShareColumn, StartedColumn, StateColumn, ColumnCount };
    static constexpr int IdRole = Qt::UserRole + 1;    // QString, the raw id

    explicit JobsModel(QObject *parent = nullptr);

    void setJobs(std::vector<JobState> jobs, Instant now);
    void setUtc(bool utc);
    [[nodiscard]] const std::vector<JobState> &jobs() const noexcept { return m_jobs; }
    [[nodiscard]] int rowOf(const std::string &id) const; // −1 when there is none

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString text(const JobState &job, int column) const;
    [[nodiscard]] QVariant sortValue(const JobState &job, int column) const;
    [[nodiscard]] double share(const JobState &job) const; // of the largest RSS

    std::vector<JobState> m_jobs;
    Instant m_now{};
    double m_largest = 0;
    double m_sum = 0;
    bool m_isUtc = true;
};

} // namespace plimsoll
