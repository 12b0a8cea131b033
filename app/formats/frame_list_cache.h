// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/stack_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll {

/// Stacks by the raw bytes of the memo gets that stand for them. CPython writes a new list object for
/// each captured stack, but the frames in it are the same memo numbers again and again: comparing
/// their bytes is several times faster than looking each of them up.
class FrameListCache
{
public:
    static constexpr std::uint32_t kMiss = UINT32_MAX;

    explicit FrameListCache(std::size_t mostBytes) : m_most(mostBytes) {}

    /// How long the list is that begins here and that followed the last one before; 0 when it is another.
    [[nodiscard]] std::size_t guess(const std::uint8_t *gets, std::size_t left, std::uint8_t terminator) noexcept;
    [[nodiscard]] StackId guessed() const noexcept { return m_entries[m_last].stack; }

    /// kMiss when these bytes are new.
    [[nodiscard]] StackId find(const std::uint8_t *gets, std::size_t length) noexcept;
    /// After a miss. Once it has filled up and did not pay, nothing is kept any more.
    void add(const std::uint8_t *gets, std::size_t length, StackId stack);
    /// A memo number means something else now.
    void clear() noexcept;

    [[nodiscard]] std::uint64_t bytes() const noexcept
    {
        return m_used + m_entries.capacity() * sizeof(Entry) + m_slots.capacity() * 4;
    }

private:
    struct Entry
    {
        std::uint32_t begin = 0;
        std::uint32_t length = 0;
        StackId stack = 0;
        std::uint32_t next = 0;       // what came after it the last time
        std::uint32_t nextButOne = 0; // and the time before that, if it was another
        std::uint64_t hash = 0;
    };

    void follow(std::uint32_t entry) noexcept
    {
        auto &last = m_entries[m_last];
        last.nextButOne = last.next;
        last.next = entry;
        m_last = entry;
    }
    void grow();

    std::size_t m_most;
    bool m_isOff = false;
    std::unique_ptr<std::uint8_t[]> m_bytes; // pages come as they are used
    std::size_t m_used = 0;
    std::vector<Entry> m_entries;
    std::vector<std::uint32_t> m_slots; // entry + 1
    std::uint32_t m_last = 0;
    std::uint64_t m_hashed = 0; // of the last find
    std::uint64_t m_hits = 0;
    std::uint64_t m_misses = 0;
};

} // namespace plimsoll
