// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/palette_model.h"

#include "widgets/shell/fuzzy_match.h"

#include <QVariant>

#include <algorithm>

namespace plimsoll {

namespace {

constexpr std::size_t kMostRows = 50; // nobody reads on after these

} // namespace

void PaletteModel::setEntries(std::vector<PaletteEntry> entries, const QString &query)
{
    beginResetModel();
    m_offered = static_cast<int>(entries.size());
    m_rows.clear();
    for (PaletteEntry &entry : entries) {
        Row row;
        if (const auto match = fuzzyMatch(query, entry.title)) {
            row.score = match->score;
            row.positions = QList<int>(match->positions.begin(), match->positions.end());
        } else if (const auto behind = fuzzyMatch(query, entry.title + QLatin1Char(' ') + entry.detail)) {
            row.score = behind->score / 2; // found, but not by its name
        } else {
            continue;
        }
        row.entry = std::move(entry);
        m_rows.push_back(std::move(row));
    }
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row &a, const Row &b) { return a.score > b.score; });
    if (m_rows.size() > kMostRows)
        m_rows.resize(kMostRows);
    endResetModel();
}

const PaletteEntry *PaletteModel::entry(int row) const
{
    return row >= 0 && row < rowCount() ? &m_rows[static_cast<std::size_t>(row)].entry : nullptr;
}

int PaletteModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant PaletteModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.entry.title;
    case Qt::AccessibleTextRole: return row.entry.title + QStringLiteral(", ") + row.entry.detail;
    case Detail: return row.entry.detail;
    case Keys: return row.entry.keys;
    case IconKind: return static_cast<int>(row.entry.icon);
    case Positions: return QVariant::fromValue(row.positions);
    default: return {};
    }
}

} // namespace plimsoll
