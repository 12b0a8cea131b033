// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll {

/// Odd, another one in each run: a file can't be made so that its addresses collide.
[[nodiscard]] std::uint64_t addressMultiplier();

/// What is live, by address. Open addressing, at most half full, and erasing leaves no traces
/// behind: as many addresses come as go, so the table stays as small as what is live at once.
template <class Value>
class AddressMap
{
public:
    AddressMap() : m_slots(kFewest), m_multiplier(addressMultiplier()) {}

    [[nodiscard]] std::size_t size() const noexcept { return m_size; }

    [[nodiscard]] const Value *find(std::uint64_t address) const noexcept
    {
        for (auto at = home(address);; at = next(at)) {
            if (!m_slots[at].isUsed)
                return nullptr;
            if (m_slots[at].address == address)
                return &m_slots[at].value;
        }
    }

    /// What was there before.
    std::optional<Value> put(std::uint64_t address, Value value)
    {
        for (auto at = home(address);; at = next(at)) {
            auto &slot = m_slots[at];
            if (!slot.isUsed) {
                slot = {address, value, true};
                if (++m_size * 2 > m_slots.size())
                    grow();
                return std::nullopt;
            }
            if (slot.address == address)
                return std::exchange(slot.value, value);
        }
    }

    std::optional<Value> take(std::uint64_t address)
    {
        for (auto at = home(address);; at = next(at)) {
            if (!m_slots[at].isUsed)
                return std::nullopt;
            if (m_slots[at].address != address)
                continue;
            const auto value = m_slots[at].value;
            close(at);
            return value;
        }
    }

    template <class F>
    void forEach(F f) const
    {
        for (const auto &slot : m_slots)
            if (slot.isUsed)
                f(slot.address, slot.value);
    }

private:
    struct Slot
    {
        std::uint64_t address = 0;
        Value value{};
        bool isUsed = false;
    };
    static constexpr std::size_t kFewest = 1024;
    static constexpr unsigned kFewestShift = 64 - 10;

    [[nodiscard]] std::size_t home(std::uint64_t address) const noexcept { return (address * m_multiplier) >> m_shift; }
    [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & (m_slots.size() - 1); }

    // Moves those that came later into the hole, as long as it lies between their home and them.
    void close(std::size_t hole) noexcept
    {
        const auto mask = m_slots.size() - 1;
        for (auto at = next(hole); m_slots[at].isUsed; at = next(at)) {
            const auto way = (at - home(m_slots[at].address)) & mask;
            if (way >= ((at - hole) & mask)) {
                m_slots[hole] = m_slots[at];
                hole = at;
            }
        }
        m_slots[hole].isUsed = false;
        --m_size;
    }

    void grow()
    {
        std::vector<Slot> old(m_slots.size() * 2);
        old.swap(m_slots);
        --m_shift;
        for (const auto &slot : old) {
            if (!slot.isUsed)
                continue;
            auto at = home(slot.address);
            while (m_slots[at].isUsed)
                at = next(at);
            m_slots[at] = slot;
        }
    }

    std::vector<Slot> m_slots;
    std::size_t m_size = 0;
    std::uint64_t m_multiplier;
    unsigned m_shift = kFewestShift;
};

} // namespace plimsoll
