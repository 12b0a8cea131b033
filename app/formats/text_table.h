// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

using TextId = std::uint32_t; // 0 is the empty text

/// Each text once. Bytes as they came: whoever shows one makes it safe (base/text.h).
class TextTable
{
public:
    TextTable();
    [[nodiscard]] TextId intern(std::string_view text);
    /// nullopt-like: kAbsent when it was never interned.
    [[nodiscard]] TextId find(std::string_view text) const noexcept;
    [[nodiscard]] std::string_view operator[](TextId id) const noexcept
    {
        return std::string_view(m_bytes).substr(m_starts[id], m_starts[id + 1] - m_starts[id]);
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_starts.size() - 1; }
    [[nodiscard]] std::size_t bytes() const noexcept { return m_bytes.size(); }

    static constexpr TextId kAbsent = UINT32_MAX;

private:
    void grow();

    std::string m_bytes;
    std::vector<std::size_t> m_starts; // one more than texts
    std::vector<std::uint32_t> m_slots; // open addressing, id + 1; a power of two, at most half full
};

} // namespace plimsoll
