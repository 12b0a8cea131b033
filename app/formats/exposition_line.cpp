// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exposition_line.h"

#include <utility>

namespace plimsoll {
namespace {

std::string_view takeWord(std::string_view &rest, bool isText) noexcept
{
    const auto isBlank = [isText](char c) { return c == ' ' || (isText && c == '\t'); };
    while (isText && !rest.empty() && isBlank(rest.front()))
        rest.remove_prefix(1);
    std::size_t length = 0;
    while (length < rest.size() && !isBlank(rest[length]))
        ++length;
    const auto word = rest.substr(0, length);
    rest.remove_prefix(length);
    return word;
}

// `"my.name"` in metadata; nothing is taken when the quote is not closed.
bool takeQuotedName(std::string_view &rest, std::string &name)
{
    std::string out;
    for (std::size_t at = 1; at < rest.size(); ++at) {
        if (rest[at] == '"') {
            name = std::move(out);
            rest.remove_prefix(at + 1);
            return true;
        }
        if (rest[at] == '\\' && at + 1 < rest.size()) {
            ++at;
            if (rest[at] == 'n') {
                out += '\n';
                continue;
            }
            if (rest[at] != '\\' && rest[at] != '"')
                out += '\\';
        }
        out += rest[at];
    }
    return false;
}

} // namespace

CommentLine readCommentLine(std::string_view line, LineDialect dialect)
{
    const bool isText = dialect == LineDialect::Text;
    CommentLine comment;
    auto rest = line;
    while (isText && !rest.empty() && rest.front() != '#')
        rest.remove_prefix(1);
    if (rest.empty())
        return comment;
    rest.remove_prefix(1);
    // OpenMetrics wants exactly "# "; text any blanks, none at all included.
    if (!isText) {
        if (!rest.starts_with(' '))
            return comment;
        rest.remove_prefix(1);
    }
    const auto keyword = takeWord(rest, isText);
    using Keyword = CommentLine::Keyword;
    comment.keyword = keyword == "HELP" ? Keyword::Help
        : keyword == "TYPE"             ? Keyword::Type
        : keyword == "UNIT"             ? Keyword::Unit
                                        : Keyword::Other;
    if (comment.keyword == Keyword::Other)
        return comment;
    const auto skip = [&] {
        if (!isText && rest.starts_with(' '))
            rest.remove_prefix(1);
        while (isText && !rest.empty() && (rest.front() == ' ' || rest.front() == '\t'))
            rest.remove_prefix(1);
    };
    skip();
    if (rest.starts_with('"'))
        comment.isQuoted = takeQuotedName(rest, comment.name);
    if (!comment.isQuoted)
        comment.name = takeWord(rest, isText);
    comment.hasRest = rest.starts_with(' ');
    skip();
    comment.rest = rest;
    return comment;
}

std::string unescapeHelp(std::string_view text, LineDialect dialect)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (text[at] != '\\' || (next != '\\' && next != 'n' && (next != '"' || dialect == LineDialect::Text))) {
            out += text[at];
            continue;
        }
        out += next == 'n' ? '\n' : next;
        ++at;
    }
    return out;
}

std::string_view takeLine(std::string_view &rest, bool &isWhole) noexcept
{
    const auto end = rest.find('\n');
    isWhole = end != std::string_view::npos;
    const auto line = rest.substr(0, end);
    rest.remove_prefix(isWhole ? end + 1 : rest.size());
    return line;
}

} // namespace plimsoll
