// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme/glyphs.h"
#include "widgets/timeline/track.h"

#include <QAbstractTableModel>
#include <QTableView>

#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// One device and what is left of it. Texts have crossed the border (shown()).
struct HeadroomEntry
{
    std::string id;
    QString name; // "node-17/gpu3", "node-08 host"
    std::optional<double> freeBytes;
    std::optional<Glyph> glyph; // what is wrong with it, if anything
    SeriesRole role = SeriesRole::Reserved; // colour of the bar: GPU memory, or host
    QString timeToFull; // "2–4 min", "steady", "–": said by the caller, always a range
    QString tip;        // plain text
    bool isStale = false;

    friend bool operator==(const HeadroomEntry &, const HeadroomEntry &) = default;
};

/// Least headroom first; unknown last. Sorting is by value. GUI thread.
class HeadroomModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { NameColumn, FreeColumn, BarColumn, TimeColumn, ColumnCount };
    static constexpr int IdRole = Qt::UserRole + 1;    // QString
    static constexpr int ValueRole = Qt::UserRole + 2; // double bytes, invalid when unknown
    static constexpr int RatioRole = Qt::UserRole + 3; // 0…1 of the bar's scale

    explicit HeadroomModel(QObject *parent = nullptr);

    /// Rows that stay keep their index, so a selection survives live data.
    void setEntries(std::vector<HeadroomEntry> entries);
    [[nodiscard]] const std::vector<HeadroomEntry> &entries() const noexcept { return m_entries; }
    [[nodiscard]] double barTop() const noexcept { return m_barTop; } // bytes at full bar length
    [[nodiscard]] int rowOf(const std::string &id) const;             // −1 when there is none

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<HeadroomEntry> m_entries;
    double m_barTop = 1;
};

/// glyph, name, free, bar of what is free, time to full; a click or arrow selects, Enter opens.
class HeadroomList : public QTableView
{
    Q_OBJECT

public:
    explicit HeadroomList(QWidget *parent = nullptr);

    void setEntries(std::vector<HeadroomEntry> entries);
    void setSelected(const std::string &id); // does not emit
    [[nodiscard]] HeadroomModel *headroom() const noexcept { return m_model; }
    [[nodiscard]] QString scaleText() const; // "bar: free, 0 – 8 GiB": for the panel's header

signals:
    void selected(const std::string &id);
    void opened(const std::string &id);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void layOut();

    HeadroomModel *m_model;
    bool m_isQuiet = false; // a programmatic selection is not a person's
};

} // namespace plimsoll
