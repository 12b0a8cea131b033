// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exporter_map.h"
#include "formats/exporter_table.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

/// A mapped sample on its way: where it came from is still known.
struct MappedDraft
{
    MappedSample sample;
    const Exporter *exporter = nullptr; // null = unmapped
    std::uint32_t line = 0;
    bool isDropped = false;
};

/// The samples of one body and what is told about those left out.
class DraftSet
{
public:
    std::vector<MappedDraft> drafts;
    std::vector<SkippedLine> skipped;

    void note(std::uint32_t line, std::string reason)
    {
        if (skipped.size() < kSkippedKept)
            skipped.push_back({line, std::move(reason)});
    }
    void drop(MappedDraft &draft, std::string reason)
    {
        draft.isDropped = true;
        note(draft.line, std::move(reason));
    }

private:
    static constexpr std::size_t kSkippedKept = 1'000;
};

/// Several jobs or pods on a GPU repeat each of its series: equal ones become one, without the
/// workload's labels. Values that differ are shares of the workloads and stay.
void foldWorkloads(DraftSet &set);

/// What exporters leave to arithmetic: GPU memory in all where only its parts are told, host
/// memory and swap in use.
void deriveTotals(DraftSet &set);

/// Drops what cannot be: more used than there is, a ratio above 1.05 or below 0.
void dropImpossible(DraftSet &set);

/// Of one key the last stays, or the highest where the exporter repeats itself by process.
void keepOneOfEach(DraftSet &set);

} // namespace plimsoll
