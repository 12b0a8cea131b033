// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll {

enum class PickleTag : std::uint8_t {
    Unset,
    Constant, // None, False, True: 0, 1, 2
    Int,      // signed
    Unsigned, // above 2^63
    Float,    // its bits
    Text,     // TextId
    Json,     // TextId: something nested that was rendered and forgotten
    Pair,     // two integers in a tuple: index of pairs
    Object,   // index of the arena
    Frame,    // FrameId
    Stack,    // StackId
    Block,    // index of the blocks read so far
    Run,      // events: first row, and how many in the upper half; one in the memo
    Side,     // in the memo only: index of its side table
};

/// What the stack and the containers hold.
struct PickleValue
{
    PickleTag tag = PickleTag::Unset;
    std::uint64_t bits = 0;

    [[nodiscard]] bool is(PickleTag other) const noexcept { return tag == other; }
    [[nodiscard]] std::uint32_t id() const noexcept { return static_cast<std::uint32_t>(bits); }
    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(bits >> 32U); } // of a Run
    [[nodiscard]] bool isNumber() const noexcept { return tag == PickleTag::Int || tag == PickleTag::Unsigned; }
    [[nodiscard]] bool isNone() const noexcept { return tag == PickleTag::Constant && bits == 0; }

    friend bool operator==(const PickleValue &, const PickleValue &) = default;
};

[[nodiscard]] constexpr PickleValue runOf(std::uint64_t first, std::uint64_t count) noexcept
{
    return {PickleTag::Run, first | (count << 32U)};
}

/// Appends, and joins runs of neighbouring events.
inline void appendItem(std::vector<PickleValue> &items, std::size_t base, const PickleValue &value)
{
    if (value.is(PickleTag::Run) && items.size() > base) {
        auto &last = items.back();
        if (last.is(PickleTag::Run) && std::uint64_t{last.id()} + last.count() == value.id()) {
            last.bits += std::uint64_t{value.count()} << 32U;
            return;
        }
    }
    items.push_back(value);
}

/// A list, tuple or dictionary that is being read, or of which nobody knows yet what it is.
struct PickleObject
{
    enum class Kind : std::uint8_t { Free, List, Tuple, Dict } kind = Kind::Free;
    bool isShared = false;     // others point here: the slot must stay
    bool isFrozen = false;     // somebody took it out of the memo: it must not change any more, so no cycle can be
    std::uint16_t depth = 1;   // with what is inside
    std::uint32_t memoSlot = UINT32_MAX; // where the memo has it
    std::uint64_t keys = 0;    // bits of TorchKey, of a Dict
    PickleValue became;        // once recognised, where others still point here
    std::vector<PickleValue> items; // of a Dict key, value, key, value …
};

/// The objects, in slots that are used again.
class PickleArena
{
public:
    [[nodiscard]] std::uint32_t make(PickleObject::Kind kind)
    {
        std::uint32_t id = 0;
        if (m_free.empty()) {
            id = static_cast<std::uint32_t>(m_objects.size());
            m_objects.emplace_back();
        } else {
            id = m_free.back();
            m_free.pop_back();
        }
        m_objects[id].kind = kind;
        return id;
    }
    [[nodiscard]] PickleObject &operator[](std::uint32_t id) noexcept { return m_objects[id]; }
    [[nodiscard]] const PickleObject &operator[](std::uint32_t id) const noexcept { return m_objects[id]; }
    [[nodiscard]] std::size_t size() const noexcept { return m_objects.size(); }
    [[nodiscard]] std::uint64_t bytes() const noexcept
    {
        return m_objects.capacity() * sizeof(PickleObject) + m_held * sizeof(PickleValue) + m_free.capacity() * 4;
    }

    void append(std::uint32_t id, const PickleValue &value)
    {
        auto &items = m_objects[id].items;
        const auto before = items.capacity();
        appendItem(items, 0, value);
        m_held += items.capacity() - before;
    }

    void release(std::uint32_t id)
    {
        auto &object = m_objects[id];
        auto items = std::move(object.items);
        items.clear();
        if (items.capacity() > kKept) {
            m_held -= items.capacity();
            std::vector<PickleValue>().swap(items); // "= {}" would keep the room
        }
        object = PickleObject{};
        object.items = std::move(items);
        m_free.push_back(id);
    }

    /// The slot stays, for those who point to it.
    void empty(std::uint32_t id)
    {
        auto &object = m_objects[id];
        m_held -= object.items.capacity();
        std::vector<PickleValue>().swap(object.items);
        object.keys = 0;
    }

private:
    static constexpr std::size_t kKept = 1024; // values; a deeper stack than this is rare

    std::vector<PickleObject> m_objects;
    std::vector<std::uint32_t> m_free;
    std::uint64_t m_held = 0; // values that the objects have room for
};

} // namespace plimsoll
