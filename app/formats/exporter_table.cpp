// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_table.h"

#include <algorithm>
#include <string>
#include <vector>

namespace plimsoll {
namespace {

std::vector<RowMatch> makeRegistry()
{
    std::vector<RowMatch> all;
    for (const auto tables : {nodeTables(), dcgmTables(), gpuTables(), containerTables(), inferenceTables(), jobTables()}) {
        for (const auto &table : tables) {
            for (const auto &row : table.rows)
                all.push_back({table.exporter, &row});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.row->source < b.row->source; });
    return all;
}

std::span<const RowMatch> findExact(std::string_view name)
{
    static const std::vector<RowMatch> registry = makeRegistry();
    const auto first = std::lower_bound(registry.begin(), registry.end(), name,
                                        [](const RowMatch &a, std::string_view wanted) { return a.row->source < wanted; });
    auto last = first;
    while (last != registry.end() && last->row->source == name)
        ++last;
    return {first, last};
}

} // namespace

std::span<const RowMatch> findRows(std::string_view sampleName)
{
    // Clients of OpenMetrics add `_total` to counters that others name without.
    constexpr std::string_view kTotal = "_total";
    if (const auto rows = findExact(sampleName); !rows.empty())
        return rows;
    if (sampleName.ends_with(kTotal))
        return findExact(sampleName.substr(0, sampleName.size() - kTotal.size()));
    return findExact(std::string(sampleName).append(kTotal));
}

} // namespace plimsoll
