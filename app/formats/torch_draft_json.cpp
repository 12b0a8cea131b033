// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_draft.h"

#include "base/text.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace plimsoll {
namespace {

// In all. A small file can name the same nested value in a million places.
constexpr std::uint64_t kMostJson = std::uint64_t{32} << 20U;

std::size_t lengthOfUtf8(std::string_view text, std::size_t at) noexcept
{
    const auto lead = static_cast<unsigned char>(text[at]);
    std::size_t length = 1;
    if (lead >= 0xf0)
        length = 4;
    else if (lead >= 0xe0)
        length = 3;
    else if (lead >= 0xc0)
        length = 2;
    if (length > text.size() - at || !isValidUtf8(text.substr(at, length)))
        return 0;
    return length;
}

void appendJsonText(std::string &out, std::string_view text, std::size_t limit)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += '"';
    for (std::size_t at = 0; at < text.size() && out.size() < limit;) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += text[at++];
        } else if (c == '\n') {
            out += "\\n";
            ++at;
        } else if (c == '\t') {
            out += "\\t";
            ++at;
        } else if (c < 0x20) {
            out += "\\u00";
            out += kDigits[c >> 4U];
            out += kDigits[c & 15U];
            ++at;
        } else if (c < 0x80) {
            out += text[at++];
        } else if (const auto length = lengthOfUtf8(text, at); length != 0) {
            out.append(text, at, length);
            at += length;
        } else { // a lone surrogate, for example: legal in Python, not in JSON
            out += "\xEF\xBF\xBD";
            ++at;
        }
    }
    out += '"';
}

void appendDouble(std::string &out, double value)
{
    if (std::isnan(value)) {
        out += "NaN";
        return;
    }
    if (std::isinf(value)) {
        out += value < 0 ? "-Infinity" : "Infinity";
        return;
    }
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
    const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
    out += digits;
    if (digits.find_first_of(".e") == std::string_view::npos)
        out += ".0"; // as Python writes it: a float stays one
}

} // namespace

std::string TorchDraft::jsonOf(const PickleValue &raw, bool isPlain) const
{
    const auto value = resolved(raw);
    if (isPlain && value.is(PickleTag::Text))
        return std::string(snapshot.texts[value.id()].substr(0, limits.textBytes));
    if (m_jsonBytes > kMostJson)
        return "…";
    std::string out;
    appendJson(out, value, limits.attributeBytes, 0);
    m_jsonBytes += out.size();
    if (out.size() > limits.attributeBytes) {
        auto cut = limits.attributeBytes;
        while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0U) == 0x80U)
            --cut;
        out.resize(cut);
        out += "…";
    }
    return out;
}

void TorchDraft::appendJson(std::string &out, const PickleValue &raw, std::size_t limit, std::size_t depth) const
{
    if (out.size() > limit)
        return;
    const auto value = resolved(raw);
    switch (value.tag) {
    case PickleTag::Unset:
    case PickleTag::Side:
    case PickleTag::Constant: out += value.bits == 0 ? "null" : value.bits == 1 ? "false" : "true"; return;
    case PickleTag::Int: out += std::to_string(static_cast<std::int64_t>(value.bits)); return;
    case PickleTag::Unsigned: out += std::to_string(value.bits); return;
    case PickleTag::Float: appendDouble(out, std::bit_cast<double>(value.bits)); return;
    case PickleTag::Text: appendJsonText(out, snapshot.texts[value.id()], limit + 1); return;
    case PickleTag::Json: out += snapshot.texts[value.id()]; return;
    case PickleTag::Pair:
        out += '[' + std::to_string(pairs[value.id()].first) + ',' + std::to_string(pairs[value.id()].second) + ']';
        return;
    case PickleTag::Frame: {
        const auto &frame = snapshot.stacks.frame(value.id());
        out += R"({"filename":)";
        appendJsonText(out, snapshot.texts[frame.file], limit + 1);
        out += R"(,"line":)" + std::to_string(frame.line) + R"(,"name":)";
        appendJsonText(out, snapshot.texts[frame.name], limit + 1);
        out += '}';
        return;
    }
    case PickleTag::Stack: {
        const auto stack = snapshot.stacks.stack(value.id());
        out += '[';
        for (std::size_t i = 0; i < stack.size() && out.size() <= limit; ++i) {
            out += i == 0 ? "" : ",";
            appendJson(out, {PickleTag::Frame, stack[i]}, limit, depth);
        }
        out += ']';
        return;
    }
    case PickleTag::Block: {
        const auto &block = blocks[value.id()];
        out += R"({"address":)" + std::to_string(block.address) + R"(,"size":)" + std::to_string(block.size) + R"(,"state":")"
            + std::string(toString(block.state)) + "\"}";
        return;
    }
    case PickleTag::Run:
        for (std::uint32_t i = 0; i < value.count() && out.size() <= limit; ++i) {
            const auto row = snapshot.events[value.id() + i];
            out += i == 0 ? "" : ",";
            out += R"({"action":)";
            appendJsonText(out, snapshot.actionNames[static_cast<std::size_t>(row.action)], limit + 1);
            out += R"(,"addr":)" + std::to_string(row.address) + R"(,"size":)" + std::to_string(row.size) + '}';
        }
        return;
    case PickleTag::Object: break;
    }
    const auto &object = arena[value.id()];
    if (depth > limits.depth) { // cannot be: depth is limited where objects are made
        out += "null";
        return;
    }
    const bool isDict = object.kind == PickleObject::Kind::Dict;
    out += isDict ? '{' : '[';
    for (std::size_t i = 0; i < object.items.size() && out.size() <= limit; ++i) {
        if (isDict && i % 2 == 0) {
            out += i == 0 ? "" : ",";
            const auto key = resolved(object.items[i]);
            if (key.is(PickleTag::Text)) {
                appendJsonText(out, snapshot.texts[key.id()], limit + 1);
            } else {
                std::string name;
                appendJson(name, key, limit, depth + 1);
                appendJsonText(out, name, limit + 1);
            }
            out += ':';
            continue;
        }
        if (!isDict && i != 0)
            out += ',';
        appendJson(out, object.items[i], limit, depth + 1);
    }
    out += isDict ? '}' : ']';
}

} // namespace plimsoll
