// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_table.h"

#include "base/format.h"
#include "widgets/theme/text.h"

#include <algorithm>

namespace plimsoll {

TimelineTable::TimelineTable(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void TimelineTable::setTracks(const std::vector<Track> &tracks, TimeRange range, bool utc)
{
    beginResetModel();
    m_columns.clear();
    for (const Track &track : tracks)
        for (const TrackLine &line : track.lines)
            if (line.slice)
                m_columns.push_back({line.name, track.unit, line.slice, line.isBand});
    m_range = range;
    m_isUtc = utc;
    m_times.clear();
    m_isBuilt = false;
    endResetModel();
}

void TimelineTable::build() const
{
    if (m_isBuilt)
        return;
    m_isBuilt = true;
    for (const Column &column : m_columns)
        for (const Bucket &bucket : column.slice->buckets)
            if (bucket.lastTime >= m_range.begin && bucket.firstTime < m_range.end)
                m_times.push_back(bucket.lastTime);
    std::sort(m_times.begin(), m_times.end());
    m_times.erase(std::unique(m_times.begin(), m_times.end()), m_times.end());
}

const Bucket *TimelineTable::bucketAt(const Column &column, Instant time) const
{
    const auto &buckets = column.slice->buckets;
    const auto it = std::partition_point(buckets.begin(), buckets.end(), [&](const Bucket &b) { return b.lastTime < time; });
    return it != buckets.end() && it->lastTime == time ? &*it : nullptr;
}

int TimelineTable::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid())
        return 0;
    build();
    return static_cast<int>(m_times.size());
}

int TimelineTable::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size()) + 1;
}

QVariant TimelineTable::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Instant time = m_times[static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        if (role == Qt::DisplayRole)
            return timeText(time, m_isUtc, TimeText::Full);
        return role == ValueRole ? QVariant(static_cast<qint64>(toUnixNanos(time))) : QVariant();
    }
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    const Column &column = m_columns[static_cast<std::size_t>(index.column() - 1)];
    const Bucket *bucket = bucketAt(column, time);
    if (!bucket)
        return {};
    const double value = column.isBand ? bucket->max : bucket->last;
    if (role == ValueRole)
        return value;
    if (role != Qt::DisplayRole)
        return {};
    const QString text = figureText(formatValue(value, column.unit));
    if (!column.isBand || bucket->min == bucket->max)
        return text;
    return tr("%1 to %2").arg(figureText(formatValue(bucket->min, column.unit)), text);
}

QVariant TimelineTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount())
        return {};
    if (section == 0)
        return m_isUtc ? tr("Time, UTC") : tr("Time");
    return m_columns[static_cast<std::size_t>(section - 1)].name;
}

} // namespace plimsoll
