// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/exposition.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Text 0.0.4/1.0.0 takes any run of blanks and a trailing comma and counts milliseconds;
/// OpenMetrics wants single blanks, counts seconds and knows exemplars.
enum class LineDialect : std::uint8_t { Text, OpenMetrics };

/// One sample line, read.
struct SampleLine
{
    std::string name;
    std::vector<Labels::Pair> labels; // as written, no name twice
    double value = 0;
    std::optional<Instant> time;
    std::optional<Exemplar> exemplar;
};

/// Empty when `out` holds the line, else why it could not be read (plain words, foreign text made safe).
[[nodiscard]] std::string readSampleLine(std::string_view line, LineDialect dialect, const ExpositionLimits &limits,
                                         SampleLine &out);

/// `# TYPE name rest`: what stands behind the hash.
struct CommentLine
{
    enum class Keyword : std::uint8_t { Other, Help, Type, Unit };
    Keyword keyword = Keyword::Other;
    std::string name;      // unquoted; empty when there is none
    std::string_view rest; // HELP: still escaped
    bool hasRest = false;  // OpenMetrics tells `# HELP a` from `# HELP a `
    bool isQuoted = false; // the name stood in quotes
};

/// Never fails: what is no HELP, TYPE or UNIT is Other. `line` starts with '#' (text: after blanks).
[[nodiscard]] CommentLine readCommentLine(std::string_view line, LineDialect dialect);

/// `\\` and `\n` (OpenMetrics: `\"` too) become what they stand for; other backslashes stay.
[[nodiscard]] std::string unescapeHelp(std::string_view text, LineDialect dialect);

/// Cuts the next line off `rest`, without its line feed. `isWhole` is false when the feed is missing.
[[nodiscard]] std::string_view takeLine(std::string_view &rest, bool &isWhole) noexcept;

} // namespace plimsoll
