// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/pickle_value.h"
#include "formats/reserved_array.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace plimsoll {

/// What the pickle numbered, four bytes each: the tag and 28 bits of id. A file has two or three
/// entries for each event.
class PickleMemo
{
public:
    static constexpr std::uint64_t kIds = std::uint64_t{1} << 28U;
    static constexpr std::size_t kMost = std::size_t{1} << 30U;

    /// As many as a file of that length can have.
    explicit PickleMemo(std::size_t capacity)
    {
        capacity = std::min(capacity, kMost);
        while (true) {
            try {
                m_entries = ReservedArray<std::uint32_t>(capacity);
                return;
            } catch (const std::bad_alloc &) {
                if (capacity <= 4096)
                    throw;
                capacity /= 2;
            }
        }
    }

    [[nodiscard]] std::size_t capacity() const noexcept { return m_entries.capacity(); }
    [[nodiscard]] std::uint32_t count() const noexcept { return m_count; } // of those set: MEMOIZE's next number
    [[nodiscard]] std::uint64_t bytes() const noexcept { return m_entries.size() * 4 + m_side.capacity() * sizeof(PickleValue); }

    /// 0 where nothing was put.
    [[nodiscard]] std::uint32_t entry(std::uint64_t slot) const noexcept { return slot < m_entries.size() ? m_entries[slot] : 0; }
    [[nodiscard]] PickleValue value(std::uint64_t slot) const noexcept
    {
        const auto raw = entry(slot);
        const auto tag = static_cast<PickleTag>(raw >> 28U);
        if (tag == PickleTag::Side)
            return m_side[raw & (kIds - 1)];
        if (tag == PickleTag::Run)
            return runOf(raw & (kIds - 1), 1);
        return {tag, raw & (kIds - 1)};
    }

    /// The caller has looked at the capacity. True when something else stood there.
    bool put(std::uint64_t slot, const PickleValue &value) { return putPacked(slot, packed(value)); }
    bool putPacked(std::uint64_t slot, std::uint32_t raw)
    {
        if (slot >= m_entries.size())
            m_entries.setSize(static_cast<std::size_t>(slot) + 1);
        const auto before = m_entries[slot];
        m_entries[slot] = raw;
        m_count += before == 0 ? 1 : 0;
        return before != 0 && before != raw;
    }

    [[nodiscard]] static std::uint32_t pack(PickleTag tag, std::uint32_t id) noexcept
    {
        return (static_cast<std::uint32_t>(tag) << 28U) | id;
    }

private:
    [[nodiscard]] std::uint32_t packed(const PickleValue &value)
    {
        switch (value.tag) {
        case PickleTag::Int:
        case PickleTag::Unsigned:
        case PickleTag::Float:
            m_side.push_back(value);
            return pack(PickleTag::Side, static_cast<std::uint32_t>(m_side.size() - 1));
        case PickleTag::Run: return pack(PickleTag::Run, value.id() + value.count() - 1); // the last of them
        default: return pack(value.tag, value.id());
        }
    }

    ReservedArray<std::uint32_t> m_entries;
    std::vector<PickleValue> m_side;
    std::uint32_t m_count = 0;
};

} // namespace plimsoll
