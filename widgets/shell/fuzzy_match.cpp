// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/fuzzy_match.h"

#include <algorithm>
#include <array>
#include <limits>

namespace plimsoll {

namespace {

constexpr int kLongest = 256;
constexpr int kHit = 16;
constexpr int kRun = 18;        // follows the character matched before
constexpr int kWordBegin = 20;  // first of a word
constexpr int kTextBegin = 12;  // and of the text
constexpr int kExactCase = 1;
constexpr int kGapCost = 1;     // per character left out between two hits
constexpr int kMostGapCost = 12;
constexpr int kNone = std::numeric_limits<int>::min() / 2;

/// Lower case without accents, one unit for one unit, so that positions stay true.
QString folded(const QString &text)
{
    QString result = text.left(kLongest);
    for (QChar &c : result) {
        const QString parts = c.decomposition();
        if (c.decompositionTag() == QChar::Canonical && !parts.isEmpty())
            c = parts.at(0);
        c = c.toCaseFolded();
    }
    return result;
}

bool isWordBegin(const QString &text, qsizetype at)
{
    if (at == 0)
        return true;
    const QChar before = text.at(at - 1);
    const QChar here = text.at(at);
    return (!before.isLetterOrNumber() && here.isLetterOrNumber()) || (before.isLower() && here.isUpper())
        || (before.isLetter() && here.isDigit());
}

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString &query, const QString &text)
{
    QString wanted = folded(query);
    wanted.remove(QLatin1Char(' '));
    if (wanted.isEmpty())
        return FuzzyMatch{};
    const QString given = folded(text);
    const auto rows = static_cast<std::size_t>(wanted.size());
    const auto columns = static_cast<std::size_t>(given.size());
    if (rows > columns)
        return std::nullopt;

    // best[i][j]: the best score with character i of the query on character j of the
    // text. The way back is found by the same recurrence.
    std::vector<int> best(rows * columns, kNone);
    std::vector<int> from(rows * columns, -1);
    for (std::size_t i = 0; i < rows; ++i) {
        int bestBefore = kNone; // of best[i − 1][k] + cost so far, k < j − 1
        int bestBeforeAt = -1;
        for (std::size_t j = i; j < columns; ++j) {
            if (i > 0 && j >= 2) {
                bestBefore = std::max(bestBefore - kGapCost, kNone);
                const int candidate = best[(i - 1) * columns + j - 2] - kGapCost;
                if (candidate > bestBefore) {
                    bestBefore = candidate;
                    bestBeforeAt = static_cast<int>(j) - 2;
                }
            }
            if (wanted.at(static_cast<qsizetype>(i)) != given.at(static_cast<qsizetype>(j)))
                continue;
            const auto at = static_cast<qsizetype>(j);
            int hit = kHit + (isWordBegin(text, at) ? kWordBegin : 0) + (j == 0 ? kTextBegin : 0);
            if (query.contains(text.at(at)))
                hit += kExactCase;
            int score = kNone;
            int origin = -1;
            if (i == 0) {
                score = hit - std::min<int>(kMostGapCost, static_cast<int>(j) * kGapCost);
            } else {
                if (j >= 1 && best[(i - 1) * columns + j - 1] > kNone) {
                    score = best[(i - 1) * columns + j - 1] + hit + kRun;
                    origin = static_cast<int>(j) - 1;
                }
                if (bestBefore > kNone + kLongest * 2 && bestBefore + hit > score) {
                    score = bestBefore + hit;
                    origin = bestBeforeAt;
                }
                if (origin < 0)
                    continue;
            }
            best[i * columns + j] = score;
            from[i * columns + j] = origin;
        }
    }

    const auto lastRow = best.begin() + static_cast<std::ptrdiff_t>((rows - 1) * columns);
    const auto top = std::max_element(lastRow, best.end());
    if (*top <= kNone)
        return std::nullopt;
    FuzzyMatch match;
    // Of equal hits the much shorter text is meant; else the given order stays.
    match.score = *top * 4 - static_cast<int>(std::min<qsizetype>(text.size(), kLongest)) / 16;
    match.positions.resize(rows);
    auto at = static_cast<int>(top - lastRow);
    for (std::size_t i = rows; i-- > 0;) {
        match.positions[i] = at;
        at = from[i * columns + static_cast<std::size_t>(at)];
    }
    return match;
}

} // namespace plimsoll
