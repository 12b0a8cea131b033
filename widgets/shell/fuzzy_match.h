// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>
#include <vector>

namespace plimsoll {

struct FuzzyMatch
{
    int score = 0;             // higher is better
    std::vector<int> positions; // of the matched characters in the text
};

/// Finds the characters of `query` in `text` in their order, whatever lies between,
/// without regard to case and accents; spaces in the query match anything. Runs of
/// characters and beginnings of words score high. nullopt: no match. Looks at the
/// first 256 characters of the text.
[[nodiscard]] std::optional<FuzzyMatch> fuzzyMatch(const QString &query, const QString &text);

} // namespace plimsoll
