// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace plimsoll {
namespace {

// Surrogates stay as they are: Python's "surrogatepass" does the same in the other protocols.
void appendUtf8(std::string &out, std::uint32_t code)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0U | (code >> 6U));
        out += static_cast<char>(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0U | (code >> 12U));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
        out += static_cast<char>(0x80U | (code & 0x3fU));
    } else {
        out += static_cast<char>(0xf0U | ((code >> 18U) & 7U));
        out += static_cast<char>(0x80U | ((code >> 12U) & 0x3fU));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
        out += static_cast<char>(0x80U | (code & 0x3fU));
    }
}

std::optional<std::uint32_t> hexOf(std::string_view text, std::size_t at, std::size_t digits)
{
    if (text.size() < at + digits)
        return std::nullopt;
    std::uint32_t value = 0;
    for (const char c : text.substr(at, digits)) {
        std::uint32_t digit = 0;
        if (c >= '0' && c <= '9')
            digit = static_cast<std::uint32_t>(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = static_cast<std::uint32_t>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = static_cast<std::uint32_t>(c - 'A' + 10);
        else
            return std::nullopt;
        value = value * 16 + digit;
    }
    return value;
}

} // namespace

std::string textOfUnicodeLine(std::string_view line)
{
    std::string out;
    out.reserve(line.size());
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == 'u' || line[at + 1] == 'U')) {
            const std::size_t digits = line[at + 1] == 'u' ? 4 : 8;
            if (const auto code = hexOf(line, at + 2, digits)) {
                appendUtf8(out, *code);
                at += digits + 1;
                continue;
            }
        }
        appendUtf8(out, static_cast<unsigned char>(line[at]));
    }
    return out;
}

std::string textOfStringLine(std::string_view line)
{
    if (line.size() >= 2 && (line.front() == '\'' || line.front() == '"') && line.back() == line.front())
        line = line.substr(1, line.size() - 2);
    std::string out;
    out.reserve(line.size());
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] != '\\' || at + 1 >= line.size()) {
            out += line[at];
            continue;
        }
        const char next = line[++at];
        switch (next) {
        case 'n': out += '\n'; break;
        case 't': out += '\t'; break;
        case 'r': out += '\r'; break;
        case 'x':
            if (const auto code = hexOf(line, at + 1, 2)) {
                out += static_cast<char>(*code);
                at += 2;
                break;
            }
            [[fallthrough]];
        default: out += next;
        }
    }
    return out;
}

} // namespace plimsoll
