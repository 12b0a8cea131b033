// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/events_model.h"

#include "views/event_text.h"
#include "views/time_text.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/text.h"

#include <algorithm>

namespace plimsoll {

EventsModel::EventsModel(QObject *parent) : QAbstractTableModel(parent) {}

void EventsModel::setEvents(std::vector<Event> newestLast, Instant now)
{
    m_now = now;
    if (newestLast == m_events)
        return;
    const bool grewAtTop = newestLast.size() > m_events.size()
                           && std::equal(m_events.begin(), m_events.end(), newestLast.begin());
    if (!grewAtTop) {
        beginResetModel();
        m_events = std::move(newestLast);
        endResetModel();
        return;
    }
    beginInsertRows({}, 0, static_cast<int>(newestLast.size() - m_events.size()) - 1);
    m_events = std::move(newestLast);
    endInsertRows();
}

void EventsModel::setUtc(bool utc)
{
    if (std::exchange(m_isUtc, utc) != utc && !m_events.empty())
        emit dataChanged(index(0, TimeColumn), index(rowCount() - 1, TimeColumn));
}

int EventsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_events.size());
}

int EventsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Event &event = eventAt(index.row());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case TimeColumn: return clockText(event.time, m_now, m_isUtc);
        case KindColumn: return eventTitle(event.kind);
        case SubjectColumn: return eventSubject(event);
        case DetailColumn: return eventDetail(event);
        default: return {};
        }
    case Qt::ToolTipRole: return plainTip(eventDetail(event));
    case cellRole::Sort: return static_cast<qlonglong>(toUnixNanos(event.time));
    case cellRole::GlyphMark: return column == KindColumn ? QVariant(static_cast<int>(eventGlyph(event.kind))) : QVariant();
    case cellRole::IsStrong: return column == KindColumn;
    case cellRole::Ink: return column == KindColumn ? 0 : 1;
    default: return {};
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TimeColumn: return tr("Time");
    case KindColumn: return tr("Event");
    case SubjectColumn: return tr("Concerns");
    case DetailColumn: return tr("What was said");
    default: return {};
    }
}

} // namespace plimsoll
