// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/connections/connections_model.h"

#include "base/format.h"
#include "views/connection_text.h"
#include "views/time_text.h"
#include "widgets/tables/value_delegate.h"
#include "widgets/theme/text.h"

#include <algorithm>

namespace plimsoll {

namespace {

const QString kDash = QStringLiteral("\u2013");

QString orDash(const std::optional<Duration> &duration)
{
    return duration ? durationText(*duration) : kDash;
}

bool isNumber(int column)
{
    return column == ConnectionsModel::LagColumn || column == ConnectionsModel::SkewColumn
           || column == ConnectionsModel::RateColumn;
}

} // namespace

ConnectionsModel::ConnectionsModel(QObject *parent) : QAbstractTableModel(parent) {}

void ConnectionsModel::setConnections(std::vector<ConnectionState> connections, Instant now)
{
    m_now = now;
    const auto same = [](const ConnectionState &a, const ConnectionState &b) { return a.endpoint.address == b.endpoint.address; };
    const bool isSameSet = std::equal(connections.begin(), connections.end(), m_connections.begin(), m_connections.end(), same);
    if (!isSameSet)
        beginResetModel();
    m_connections = std::move(connections);
    if (!isSameSet)
        endResetModel();
    else if (!m_connections.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void ConnectionsModel::setUtc(bool utc)
{
    if (std::exchange(m_isUtc, utc) != utc && !m_connections.empty())
        emit dataChanged(index(0, StateColumn), index(rowCount() - 1, StateColumn));
}

int ConnectionsModel::rowOf(const std::string &address) const
{
    const auto found = std::find_if(m_connections.begin(), m_connections.end(),
                                    [&address](const auto &c) { return c.endpoint.address == address; });
    return found == m_connections.end() ? -1 : static_cast<int>(found - m_connections.begin());
}

int ConnectionsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_connections.size());
}

int ConnectionsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString ConnectionsModel::text(const ConnectionState &connection, int column) const
{
    switch (column) {
    case NameColumn: return connectionTitle(connection);
    case AddressColumn: return shown(connection.endpoint.address, 120);
    case StateColumn: return phaseText(connection, m_now, m_isUtc);
    case LagColumn: return orDash(connection.lag);
    case SkewColumn: return connection.skew ? durationText(*connection.skew < Duration{} ? -*connection.skew : *connection.skew) : kDash;
    case RateColumn:
        return connection.phase == ConnectionPhase::Live || connection.phase == ConnectionPhase::Lagging
                   ? QString::fromStdString(formatCount(connection.samplesPerSecond).text())
                   : kDash;
    case VersionColumn: return connection.agentVersion.empty() ? kDash : shown(connection.agentVersion, 60).section(u' ', -1); // without the program's name
    default: return {};
    }
}

QVariant ConnectionsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto &connection = m_connections[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return text(connection, column);
    case Qt::ToolTipRole:
        if (column == SkewColumn && connection.skew)
            return *connection.skew < Duration{} ? tr("The agent's clock is behind this machine's") : tr("The agent's clock is ahead of this machine's");
        return plainTip(shown(connection.problem, 400));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case cellRole::Sort: return text(connection, column).toCaseFolded();
    case cellRole::GlyphMark:
        return column == NameColumn ? QVariant(static_cast<int>(phaseGlyph(connection.phase))) : QVariant();
    case cellRole::IsStrong: return column == NameColumn;
    case cellRole::IsMono: return column == AddressColumn;
    case cellRole::SubText:
        if (column == AddressColumn)
            return connection.problem.empty() ? sourcesText(connection) : shown(connection.problem, 200);
        return {};
    case cellRole::Ink: return column == NameColumn || column == StateColumn ? 0 : 1;
    default: return {};
    }
}

QVariant ConnectionsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn: return tr("Agent");
    case AddressColumn: return tr("Address");
    case StateColumn: return tr("State");
    case LagColumn: return tr("Lag");
    case SkewColumn: return tr("Skew");
    case RateColumn: return tr("Samples/s");
    case VersionColumn: return tr("Version");
    default: return {};
    }
}

SourcesModel::SourcesModel(QObject *parent) : QAbstractTableModel(parent) {}

void SourcesModel::setSources(std::vector<SourceState> sources)
{
    if (sources == m_sources)
        return;
    const bool isSameSize = sources.size() == m_sources.size();
    if (!isSameSize)
        beginResetModel();
    m_sources = std::move(sources);
    if (!isSameSize)
        endResetModel();
    else
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int SourcesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_sources.size());
}

int SourcesModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SourcesModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto &source = m_sources[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case NameColumn: return shown(source.name, 160);
        case SeriesColumn: return QString::fromStdString(formatExact(static_cast<std::int64_t>(source.series)));
        case SkippedColumn: return QString::fromStdString(formatExact(static_cast<std::int64_t>(source.skipped)));
        case ProblemColumn: return source.isHealthy && source.problem.empty() ? tr("fine") : shown(source.problem, 300);
        default: return {};
        }
    case Qt::ToolTipRole: return plainTip(shown(source.problem, 400));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((column == SeriesColumn || column == SkippedColumn ? Qt::AlignRight : Qt::AlignLeft)
                                   | Qt::AlignVCenter);
    case cellRole::GlyphMark:
        return column == NameColumn ? QVariant(static_cast<int>(source.isHealthy ? Glyph::Fine : Glyph::Trend)) : QVariant();
    case cellRole::IsStrong: return column == NameColumn;
    case cellRole::Ink: return column == NameColumn || (column == ProblemColumn && !source.isHealthy) ? 0 : 1;
    default: return {};
    }
}

QVariant SourcesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == SeriesColumn || section == SkippedColumn ? Qt::AlignRight : Qt::AlignLeft)
                                   | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn: return tr("Source");
    case SeriesColumn: return tr("Series");
    case SkippedColumn: return tr("Skipped");
    case ProblemColumn: return tr("How it is");
    default: return {};
    }
}

} // namespace plimsoll
