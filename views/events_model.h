// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/event.h"

#include <QAbstractTableModel>

#include <vector>

namespace plimsoll {

/// Events as a log, newest first; grows at the top. GUI thread.
class EventsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { TimeColumn, KindColumn, SubjectColumn, DetailColumn, ColumnCount };

    explicit EventsModel(QObject *parent = nullptr);

    void setEvents(std::vector<Event> newestLast, Instant now);
    void setUtc(bool utc);
    [[nodiscard]] const Event &eventAt(int row) const { return m_events[m_events.size() - 1 - static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<Event> m_events; // newest last
    Instant m_now{};
    bool m_isUtc = true;
};

} // namespace plimsoll
