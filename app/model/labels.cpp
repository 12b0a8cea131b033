// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/labels.h"

#include <algorithm>

namespace plimsoll {
namespace {

void sortAndKeepLast(std::vector<Labels::Pair> &pairs)
{
    // Most come in order already, and a scrape brings them by the hundred thousand.
    const auto isOutOfOrder = [](const auto &a, const auto &b) { return !(a.first < b.first); };
    if (std::adjacent_find(pairs.begin(), pairs.end(), isOutOfOrder) == pairs.end())
        return;
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    auto out = pairs.begin();
    for (auto in = pairs.begin(); in != pairs.end(); ++in) {
        const auto next = std::next(in);
        if (next != pairs.end() && next->first == in->first)
            continue;
        if (out != in)
            *out = std::move(*in);
        ++out;
    }
    pairs.erase(out, pairs.end());
}

void appendEscaped(std::string &out, std::string_view text)
{
    for (const char c : text) {
        if (c == '\\' || c == '"' || c == '=' || c == ',')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
}

} // namespace

Labels::Labels(std::initializer_list<Pair> pairs) : Labels(std::vector<Pair>(pairs)) {}

Labels::Labels(std::vector<Pair> pairs) : m_pairs(std::move(pairs))
{
    sortAndKeepLast(m_pairs);
}

std::optional<std::string_view> Labels::find(std::string_view name) const noexcept
{
    const auto at = std::lower_bound(m_pairs.begin(), m_pairs.end(), name,
                                     [](const Pair &pair, std::string_view wanted) { return pair.first < wanted; });
    if (at == m_pairs.end() || at->first != name)
        return std::nullopt;
    return at->second;
}

std::string_view Labels::value(std::string_view name) const noexcept
{
    return find(name).value_or(std::string_view());
}

void Labels::set(std::string_view name, std::string_view value)
{
    const auto at = std::lower_bound(m_pairs.begin(), m_pairs.end(), name,
                                     [](const Pair &pair, std::string_view wanted) { return pair.first < wanted; });
    if (at != m_pairs.end() && at->first == name)
        at->second = value;
    else
        m_pairs.emplace(at, name, value);
}

void Labels::remove(std::string_view name)
{
    std::erase_if(m_pairs, [name](const Pair &pair) { return pair.first == name; });
}

std::string Labels::encode() const
{
    std::string out;
    for (const auto &[name, value] : m_pairs) {
        if (!out.empty())
            out += ',';
        appendEscaped(out, name);
        out += "=\"";
        appendEscaped(out, value);
        out += '"';
    }
    return out;
}

Result<Labels> Labels::decode(std::string_view text)
{
    std::vector<Pair> pairs;
    std::size_t at = 0;
    const auto wrong = [&](std::string_view expected) {
        return failure(Error::Code::Corrupt,
                       "label text, offset " + std::to_string(at) + ": expected " + std::string(expected));
    };
    const auto readUntil = [&](char stop, std::string &into) {
        for (; at < text.size() && text[at] != stop; ++at) {
            if (text[at] != '\\') {
                into += text[at];
                continue;
            }
            if (++at == text.size())
                return false;
            into += text[at] == 'n' ? '\n' : text[at];
        }
        return at++ < text.size();
    };
    while (at < text.size()) {
        if (!pairs.empty() && text[at++] != ',')
            return wrong("a comma");
        Pair pair;
        if (!readUntil('=', pair.first))
            return wrong("'='");
        if (at >= text.size() || text[at++] != '"')
            return wrong("an opening quote");
        if (!readUntil('"', pair.second))
            return wrong("a closing quote");
        pairs.push_back(std::move(pair));
    }
    return Labels(std::move(pairs));
}

} // namespace plimsoll
