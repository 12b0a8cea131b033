// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/track.h"

#include <QAbstractTableModel>

#include <vector>

namespace plimsoll {

/// A timeline as a table: a row a time, a column a line, so that a screen reader, a
/// clipboard and a CSV file get what the eye gets. Rows are built when first asked for.
/// Cells give text by DisplayRole and the number by ValueRole; unknown is an empty cell.
class TimelineTable : public QAbstractTableModel
{
    Q_OBJECT

public:
    static constexpr int ValueRole = Qt::UserRole + 1;

    explicit TimelineTable(QObject *parent = nullptr);

    void setTracks(const std::vector<Track> &tracks, TimeRange range, bool utc);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Column
    {
        QString name;
        std::string unit;
        std::shared_ptr<const SeriesSlice> slice;
        bool isBand = false;
    };

    void build() const;
    [[nodiscard]] const Bucket *bucketAt(const Column &column, Instant time) const;

    std::vector<Column> m_columns;
    TimeRange m_range;
    bool m_isUtc = false;
    mutable std::vector<Instant> m_times;
    mutable bool m_isBuilt = true;
};

} // namespace plimsoll
