// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace plimsoll {
namespace {

struct Decoded
{
    char32_t point = 0;
    std::size_t length = 0; // 0 = invalid here
};

Decoded decodeAt(std::string_view text, std::size_t at) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const auto continues = [&](std::size_t i) { return at + i < text.size() && (byte(i) & 0xc0U) == 0x80U; };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return {lead, 1};
    if (lead >= 0xc2 && lead < 0xe0 && continues(1))
        return {((lead & 0x1fU) << 6U) | (byte(1) & 0x3fU), 2};
    if (lead >= 0xe0 && lead < 0xf0 && continues(1) && continues(2)) {
        const char32_t point = ((lead & 0x0fU) << 12U) | ((byte(1) & 0x3fU) << 6U) | (byte(2) & 0x3fU);
        if (point >= 0x800 && (point < 0xd800 || point > 0xdfff))
            return {point, 3};
    }
    if (lead >= 0xf0 && lead < 0xf5 && continues(1) && continues(2) && continues(3)) {
        const char32_t point = ((lead & 0x07U) << 18U) | ((byte(1) & 0x3fU) << 12U) | ((byte(2) & 0x3fU) << 6U)
            | (byte(3) & 0x3fU);
        if (point >= 0x10000 && point <= 0x10ffff)
            return {point, 4};
    }
    return {};
}

// Control characters, and those that reorder or hide what stands beside them.
bool isTreacherous(char32_t p) noexcept
{
    return p < 0x20 || (p >= 0x7f && p < 0xa0) || p == 0x061c || (p >= 0x200b && p <= 0x200f)
        || (p >= 0x2028 && p <= 0x202e) || (p >= 0x2060 && p <= 0x206f) || p == 0xfeff
        || (p >= 0xfff9 && p <= 0xfffb) || (p >= 0xe0000 && p <= 0xe007f);
}

void appendEscaped(std::string &out, char32_t p)
{
    if (p == '\n') {
        out += "\\n";
        return;
    }
    if (p == '\t') {
        out += "\\t";
        return;
    }
    std::array<char, 16> buffer{};
    const int written = std::snprintf(buffer.data(), buffer.size(), p > 0xffff ? "\\U%08x" : "\\u%04x",
                                      static_cast<unsigned>(p));
    out.append(buffer.data(), static_cast<std::size_t>(written));
}

} // namespace

bool isValidUtf8(std::string_view text) noexcept
{
    for (std::size_t at = 0; at < text.size();) {
        // Eight ASCII bytes at a time: nearly all there is in what agents scrape.
        std::uint64_t word = 0;
        for (; text.size() - at >= sizeof word; at += sizeof word) {
            std::memcpy(&word, text.data() + at, sizeof word);
            if ((word & 0x8080808080808080ULL) != 0)
                break;
        }
        if (at == text.size())
            break;
        const auto decoded = decodeAt(text, at);
        if (decoded.length == 0)
            return false;
        at += decoded.length;
    }
    return true;
}

std::string safeText(std::string_view text, std::size_t maxBytes)
{
    // A hostile label may be megabytes long: look at no more of it than could survive.
    std::string shortened;
    std::string_view source = text;
    if (text.size() > 4 * maxBytes + 64) {
        shortened = elideMiddle(text, 4 * maxBytes);
        source = shortened;
    }
    std::string out;
    out.reserve(source.size());
    for (std::size_t at = 0; at < source.size();) {
        const auto decoded = decodeAt(source, at);
        if (decoded.length == 0) {
            out += "\xef\xbf\xbd";
            ++at;
            continue;
        }
        if (isTreacherous(decoded.point))
            appendEscaped(out, decoded.point);
        else
            out.append(source.substr(at, decoded.length));
        at += decoded.length;
    }
    return elideMiddle(out, maxBytes);
}

std::string elideMiddle(std::string_view text, std::size_t maxBytes)
{
    constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
    if (text.size() <= maxBytes)
        return std::string(text);
    if (maxBytes <= kEllipsis.size())
        return std::string(kEllipsis.substr(0, maxBytes < kEllipsis.size() ? 0 : kEllipsis.size()));
    const std::size_t room = maxBytes - kEllipsis.size();
    const auto isContinuation = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80U; };
    std::size_t head = room - room / 2;
    std::size_t tail = text.size() - room / 2;
    while (head > 0 && isContinuation(head))
        --head;
    while (tail < text.size() && isContinuation(tail))
        ++tail;
    std::string out(text.substr(0, head));
    out += kEllipsis;
    out += text.substr(tail);
    return out;
}

} // namespace plimsoll
