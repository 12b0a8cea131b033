// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/json_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace plimsoll {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void appendUtf8(std::string &to, std::uint32_t point)
{
    const auto byte = [&to](std::uint32_t value) { to += static_cast<char>(value); };
    if (point < 0x80) {
        byte(point);
    } else if (point < 0x800) {
        byte(0xC0U | (point >> 6U));
        byte(0x80U | (point & 0x3FU));
    } else if (point < 0x10000) {
        byte(0xE0U | (point >> 12U));
        byte(0x80U | ((point >> 6U) & 0x3FU));
        byte(0x80U | (point & 0x3FU));
    } else {
        byte(0xF0U | (point >> 18U));
        byte(0x80U | ((point >> 12U) & 0x3FU));
        byte(0x80U | ((point >> 6U) & 0x3FU));
        byte(0x80U | (point & 0x3FU));
    }
}

std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) noexcept
{
    std::uint32_t value = 0;
    if (at + 4 > text.size())
        return std::nullopt;
    const auto *end = text.data() + at + 4;
    const auto [stop, error] = std::from_chars(text.data() + at, end, value, 16);
    if (error != std::errc() || stop != end)
        return std::nullopt;
    return value;
}

// Behind "\u"; gives how many more characters were used.
std::size_t appendEscape(std::string &to, std::string_view text, std::size_t at)
{
    const auto first = hex4(text, at);
    if (!first) {
        to += "\\u";
        return 0;
    }
    if (*first < 0xD800 || *first > 0xDFFF) {
        appendUtf8(to, *first);
        return 4;
    }
    if (*first < 0xDC00 && text.substr(at + 4, 2) == "\\u") {
        const auto second = hex4(text, at + 6);
        if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
            appendUtf8(to, 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
            return 10;
        }
    }
    appendUtf8(to, *first); // a lone surrogate, as Python writes those too
    return 4;
}

// Length of the valid sequence at the front; 0 when there is none.
std::size_t sequence(std::string_view text) noexcept
{
    const auto at = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto follows = [&at](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) { return at(i) >= low && at(i) <= high; };
    const auto first = at(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF)
        return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
    if (first >= 0xF0 && first <= 0xF4)
        return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
    return 0;
}

// Half a pair, encoded like a character of its own: Python's "surrogatepass".
bool isSurrogate(std::string_view text) noexcept
{
    const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    return text.size() == 3 && at(0) == 0xED && at(1) >= 0xA0 && at(1) <= 0xBF && at(2) >= 0x80 && at(2) <= 0xBF;
}

bool isDigit(char byte) noexcept
{
    return byte >= '0' && byte <= '9';
}

bool isNumber(std::string_view text) noexcept
{
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    const auto digits = [&] {
        const auto from = at;
        while (at < text.size() && isDigit(text[at]))
            ++at;
        return at != from;
    };
    if (!digits())
        return false;
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (!digits())
            return false;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-'))
            ++at;
        if (!digits())
            return false;
    }
    return at == text.size();
}

} // namespace

std::string unescapedJson(std::string_view inside)
{
    std::string text;
    text.reserve(inside.size());
    std::size_t at = 0;
    while (at < inside.size()) {
        const auto found = inside.find('\\', at);
        if (found == std::string_view::npos || found + 1 >= inside.size()) {
            text += inside.substr(at);
            break;
        }
        text += inside.substr(at, found - at);
        at = found + 2;
        switch (inside[found + 1]) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        case 'b': text += '\b'; break;
        case 'f': text += '\f'; break;
        case '"': text += '"'; break;
        case '\\': text += '\\'; break;
        case '/': text += '/'; break;
        case 'u': at += appendEscape(text, inside, at); break;
        default: text += inside.substr(found, 2); break;
        }
    }
    return text;
}

void appendJsonString(std::string &to, std::string_view text)
{
    constexpr std::string_view kHex = "0123456789abcdef";
    to += '"';
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\')
            continue;
        if (byte >= 0x80) {
            if (const auto length = sequence(text.substr(i, 4)); length != 0) {
                i += length - 1;
                continue;
            }
        }
        to += text.substr(done, i - done);
        done = i + 1;
        if (byte >= 0x80) {
            if (isSurrogate(text.substr(i, 3))) {
                const auto second = static_cast<unsigned char>(text[i + 1]);
                const auto third = static_cast<unsigned char>(text[i + 2]);
                to += "\\ud";
                to += kHex[(second >> 2U) & 15U];
                to += kHex[((second & 3U) << 2U) | ((third >> 4U) & 3U)];
                to += kHex[third & 15U];
                i += 2;
                done = i + 1;
            } else {
                to += kReplacement;
            }
            continue;
        }
        switch (text[i]) {
        case '"': to += "\\\""; break;
        case '\\': to += "\\\\"; break;
        case '\n': to += "\\n"; break;
        case '\t': to += "\\t"; break;
        case '\r': to += "\\r"; break;
        default:
            to += "\\u00";
            to += kHex[byte >> 4U];
            to += kHex[byte & 15U];
        }
    }
    to += text.substr(done);
    to += '"';
}

std::string repairedJson(std::string_view text)
{
    std::string good;
    good.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto length = sequence(text.substr(at, 4));
        if (length == 0) {
            good += kReplacement;
            ++at;
        } else if (length == 1) {
            good += static_cast<unsigned char>(text[at]) < 0x20 ? ' ' : text[at];
            ++at;
        } else {
            good += text.substr(at, length);
            at += length;
        }
    }
    return good;
}

std::string compactJson(std::string_view text)
{
    std::string compact;
    compact.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char byte = text[at];
        if (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t')
            continue;
        if (byte != '"') {
            compact += byte;
            continue;
        }
        auto end = at + 1;
        while (end < text.size() && text[end] != '"')
            end += text[end] == '\\' ? 2 : 1;
        if (end >= text.size()) {
            compact += text.substr(at);
            break;
        }
        appendJsonString(compact, unescapedJson(text.substr(at + 1, end - at - 1)));
        at = end;
    }
    return compact;
}

bool isJson(std::string_view text, std::size_t depth)
{
    std::string open; // what closes the containers around
    enum class Next { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd } next = Next::Value;
    std::size_t at = 0;
    const auto closed = [&] {
        open.pop_back();
        next = Next::CommaOrEnd;
    };
    while (at < text.size()) {
        const char byte = text[at];
        if (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t') {
            ++at;
            continue;
        }
        if (next == Next::CommaOrEnd) {
            if (open.empty())
                return false;
            if (byte == open.back())
                closed();
            else if (byte == ',')
                next = open.back() == '}' ? Next::Key : Next::Value;
            else
                return false;
            ++at;
            continue;
        }
        if (next == Next::Colon) {
            if (byte != ':')
                return false;
            next = Next::Value;
            ++at;
            continue;
        }
        if ((next == Next::KeyOrEnd && byte == '}') || (next == Next::ValueOrEnd && byte == ']')) {
            closed();
            ++at;
            continue;
        }
        const bool isKey = next == Next::Key || next == Next::KeyOrEnd;
        if (byte == '"') {
            ++at;
            while (at < text.size() && text[at] != '"') {
                if (static_cast<unsigned char>(text[at]) < 0x20)
                    return false;
                at += text[at] == '\\' ? 2 : 1;
            }
            if (at >= text.size())
                return false;
            ++at;
            next = isKey ? Next::Colon : Next::CommaOrEnd;
            continue;
        }
        if (isKey)
            return false;
        if (byte == '{' || byte == '[') {
            if (open.size() >= depth)
                return false;
            open += byte == '{' ? '}' : ']';
            next = byte == '{' ? Next::KeyOrEnd : Next::ValueOrEnd;
            ++at;
            continue;
        }
        auto end = at;
        while (end < text.size() && std::strchr(" \n\r\t,]}:", text[end]) == nullptr)
            ++end;
        const auto word = text.substr(at, end - at);
        if (word != "true" && word != "false" && word != "null" && !isNumber(word))
            return false;
        at = end;
        next = Next::CommaOrEnd;
    }
    return open.empty() && next == Next::CommaOrEnd;
}

std::string shownByte(char byte)
{
    const auto value = static_cast<unsigned char>(byte);
    if (value > 0x20 && value < 0x7F)
        return std::string("'") + byte + '\'';
    constexpr std::string_view kHex = "0123456789abcdef";
    return std::string("byte 0x") + kHex[value >> 4U] + kHex[value & 15U];
}

std::optional<std::int64_t> jsonInteger(std::string_view token) noexcept
{
    const auto *end = token.data() + token.size();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (error == std::errc() && stop == end)
        return value;
    if (const auto pattern = jsonUnsigned(token))
        return static_cast<std::int64_t>(*pattern);
    return std::nullopt;
}

std::optional<std::uint64_t> jsonUnsigned(std::string_view token) noexcept
{
    const auto *end = token.data() + token.size();
    if (token.starts_with('-')) {
        std::int64_t value = 0;
        const auto [stop, error] = std::from_chars(token.data(), end, value);
        if (error == std::errc() && stop == end)
            return static_cast<std::uint64_t>(value);
    } else {
        std::uint64_t value = 0;
        const auto [stop, error] = std::from_chars(token.data(), end, value);
        if (error == std::errc() && stop == end)
            return value;
    }
    const auto real = jsonReal(token);
    if (!real || *real != std::trunc(*real))
        return std::nullopt;
    if (*real >= 0 && *real < 18446744073709551616.0)
        return static_cast<std::uint64_t>(*real);
    if (*real < 0 && *real >= -9223372036854775808.0)
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(*real));
    return std::nullopt;
}

std::optional<double> jsonReal(std::string_view token) noexcept
{
    const auto *end = token.data() + token.size();
    if (token.empty() || (!isDigit(token[0]) && token[0] != '-')) // no "inf" and "nan"
        return std::nullopt;
    double value = 0;
    const auto [stop, error] = std::from_chars(token.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

} // namespace plimsoll
