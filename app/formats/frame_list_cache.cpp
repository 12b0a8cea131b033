// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/frame_list_cache.h"

#include <cstring>
#include <utility>

namespace plimsoll {
namespace {

std::uint64_t word(const std::uint8_t *bytes) noexcept
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

// The whole 128 bits of the product, folded: every bit of both words reaches every bit of the result.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept
{
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

constexpr std::uint64_t kSalt1 = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t kSalt2 = 0xD6E8FEB86659FD93U;
constexpr std::uint64_t kSalt3 = 0xA0761D6478BD642FU;

std::uint64_t hashOf(const std::uint8_t *bytes, std::size_t length) noexcept
{
    // Two lanes: one would wait for its own multiplications.
    std::uint64_t a = length;
    std::uint64_t b = kSalt3;
    std::size_t i = 0;
    for (; i + 32 <= length; i += 32) {
        a = fold(word(bytes + i) ^ kSalt1, word(bytes + i + 8) ^ a);
        b = fold(word(bytes + i + 16) ^ kSalt2, word(bytes + i + 24) ^ b);
    }
    std::uint64_t tail[4]{};
    std::memcpy(tail, bytes + i, length - i);
    a = fold(tail[0] ^ kSalt1, tail[1] ^ a);
    b = fold(tail[2] ^ kSalt2, tail[3] ^ b);
    return fold(a ^ kSalt1, b ^ kSalt3);
}

} // namespace

std::size_t FrameListCache::guess(const std::uint8_t *gets, std::size_t left, std::uint8_t terminator) noexcept
{
    if (m_entries.empty())
        return 0;
    auto &last = m_entries[m_last];
    for (int way = 0; way < 2; ++way) {
        const auto next = way == 0 ? last.next : last.nextButOne;
        const auto &entry = m_entries[next];
        if (entry.length >= left || gets[entry.length] != terminator
            || std::memcmp(gets, m_bytes.get() + entry.begin, entry.length) != 0)
            continue;
        if (way != 0)
            std::swap(last.next, last.nextButOne);
        m_last = next;
        ++m_hits;
        return entry.length;
    }
    return 0;
}

StackId FrameListCache::find(const std::uint8_t *gets, std::size_t length) noexcept
{
    if (m_isOff)
        return kMiss;
    m_hashed = hashOf(gets, length);
    if (!m_slots.empty()) {
        const auto mask = m_slots.size() - 1;
        for (auto at = m_hashed & mask; m_slots[at] != 0; at = (at + 1) & mask) {
            const auto id = m_slots[at] - 1;
            const auto &entry = m_entries[id];
            if (entry.hash == m_hashed && entry.length == length
                && std::memcmp(m_bytes.get() + entry.begin, gets, length) == 0) {
                ++m_hits;
                follow(id);
                return entry.stack;
            }
        }
    }
    ++m_misses;
    return kMiss;
}

void FrameListCache::add(const std::uint8_t *gets, std::size_t length, StackId stack)
{
    if (m_isOff || length > m_most)
        return;
    if (m_used + length > m_most) {
        m_isOff = m_hits < m_misses;
        clear();
        m_hits = m_misses = 0;
        if (m_isOff) {
            m_bytes.reset();
            std::vector<Entry>().swap(m_entries);
            std::vector<std::uint32_t>().swap(m_slots);
            return;
        }
    }
    if (!m_bytes)
        m_bytes = std::make_unique_for_overwrite<std::uint8_t[]>(m_most);
    if (m_slots.size() < 2 * (m_entries.size() + 1))
        grow();
    const auto id = static_cast<std::uint32_t>(m_entries.size());
    std::memcpy(m_bytes.get() + m_used, gets, length);
    m_entries.push_back({static_cast<std::uint32_t>(m_used), static_cast<std::uint32_t>(length), stack, id, id, m_hashed});
    m_used += length;
    const auto mask = m_slots.size() - 1;
    auto at = m_hashed & mask;
    while (m_slots[at] != 0)
        at = (at + 1) & mask;
    m_slots[at] = id + 1;
    follow(id);
}

void FrameListCache::clear() noexcept
{
    m_used = 0;
    m_entries.clear();
    m_slots.assign(m_slots.size(), 0);
    m_last = 0;
}

void FrameListCache::grow()
{
    m_slots.assign(m_slots.empty() ? 64 : m_slots.size() * 2, 0);
    const auto mask = m_slots.size() - 1;
    for (std::uint32_t id = 0; id < m_entries.size(); ++id) {
        auto at = m_entries[id].hash & mask;
        while (m_slots[at] != 0)
            at = (at + 1) & mask;
        m_slots[at] = id + 1;
    }
}

} // namespace plimsoll
