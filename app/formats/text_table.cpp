// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/text_table.h"

#include <functional>

namespace plimsoll {
namespace {

std::size_t hashOf(std::string_view text) noexcept
{
    return std::hash<std::string_view>{}(text);
}

} // namespace

TextTable::TextTable() : m_starts{0}, m_slots(64)
{
    (void)intern({});
}

TextId TextTable::find(std::string_view text) const noexcept
{
    const auto mask = m_slots.size() - 1;
    for (auto at = hashOf(text) & mask; m_slots[at] != 0; at = (at + 1) & mask)
        if ((*this)[m_slots[at] - 1] == text)
            return m_slots[at] - 1;
    return kAbsent;
}

TextId TextTable::intern(std::string_view text)
{
    const auto mask = m_slots.size() - 1;
    auto at = hashOf(text) & mask;
    for (; m_slots[at] != 0; at = (at + 1) & mask)
        if ((*this)[m_slots[at] - 1] == text)
            return m_slots[at] - 1;
    const auto id = static_cast<TextId>(size());
    m_bytes.append(text);
    m_starts.push_back(m_bytes.size());
    m_slots[at] = id + 1;
    if (size() * 2 > m_slots.size())
        grow();
    return id;
}

void TextTable::grow()
{
    m_slots.assign(m_slots.size() * 2, 0);
    const auto mask = m_slots.size() - 1;
    for (TextId id = 0; id < size(); ++id) {
        auto at = hashOf((*this)[id]) & mask;
        while (m_slots[at] != 0)
            at = (at + 1) & mask;
        m_slots[at] = id + 1;
    }
}

} // namespace plimsoll
