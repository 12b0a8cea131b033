// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ingest/connection_state.h"

#include <QAbstractTableModel>

#include <vector>

namespace plimsoll {

/// One row a connection, in the session's order. GUI thread.
class ConnectionsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { NameColumn, AddressColumn, StateColumn, LagColumn, SkewColumn, RateColumn, VersionColumn, ColumnCount };

    explicit ConnectionsModel(QObject *parent = nullptr);

    void setConnections(std::vector<ConnectionState> connections, Instant now);
    void setUtc(bool utc);
    [[nodiscard]] const std::vector<ConnectionState> &connections() const noexcept { return m_connections; }
    [[nodiscard]] int rowOf(const std::string &address) const; // −1 when there is none

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString text(const ConnectionState &connection, int column) const;

    std::vector<ConnectionState> m_connections;
    Instant m_now{};
    bool m_isUtc = true;
};

/// The collectors and exporters behind one connection, each with its trouble. GUI thread.
class SourcesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { NameColumn, SeriesColumn, SkippedColumn, ProblemColumn, ColumnCount };

    explicit SourcesModel(QObject *parent = nullptr);

    void setSources(std::vector<SourceState> sources);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<SourceState> m_sources;
};

} // namespace plimsoll
