// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"
#include "formats/torch_machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

// The two paths that nearly all bytes of a file take. They read within the look-ahead, without
// asking for each byte: behind the end lie zeros, which are no opcode and end every loop here; what
// ran over the end is found out before anything is changed.

namespace plimsoll {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are loaded as they lie in the file");

std::uint32_t word4(const std::uint8_t *bytes) noexcept
{
    std::uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

/// Moves over a get; false when there is none.
bool readGet(const std::uint8_t *&at, std::uint32_t &slot) noexcept
{
    if (*at == op::LongBinGet) {
        slot = word4(at + 1);
        at += 5;
        return true;
    }
    if (*at == op::BinGet) {
        slot = at[1];
        at += 2;
        return true;
    }
    return false;
}

constexpr std::uint32_t kIdMask = static_cast<std::uint32_t>(PickleMemo::kIds - 1);

bool isTag(std::uint32_t entry, PickleTag tag) noexcept
{
    return entry >> 28U == static_cast<std::uint32_t>(tag);
}

} // namespace

[[gnu::always_inline]] inline bool TorchMachine::readPut(const std::uint8_t *&at, Puts &puts, std::uint32_t entry) const
{
    std::uint32_t slot = 0;
    switch (*at) {
    case op::Memoize:
        slot = puts.next;
        at += 1;
        break;
    case op::BinPut:
        slot = at[1];
        at += 2;
        break;
    case op::LongBinPut:
        slot = word4(at + 1);
        at += 5;
        break;
    default: return true; // none
    }
    // An entry that is there already, or far away, is the general machine's business.
    if (puts.count == puts.entries.size() || slot >= m_draft.memo.capacity() || slot > m_opcodeAt
        || m_draft.memo.entry(slot) != 0)
        return false;
    puts.entries[puts.count++] = {slot, entry};
    puts.next++;
    return true;
}

void TorchMachine::commit(const Puts &puts)
{
    for (std::size_t i = 0; i < puts.count; ++i)
        (void)m_draft.memo.putPacked(puts.entries[i].slot, puts.entries[i].entry);
}

[[gnu::always_inline]] inline bool TorchMachine::readNumber(const std::uint8_t *&at, std::uint64_t &value, bool &isNegative)
{
    switch (*at) {
    case op::Long1: {
        const std::size_t count = at[1];
        if (count == 0 || count > 8 || m_window.end - at < static_cast<std::ptrdiff_t>(count) + 2)
            return false;
        if (count > m_widestLong)
            m_widestLong = std::max(m_widestLong, neededBytes(at + 2, count));
        // Eight bytes at once, then the sign pulled down over those that belong to something else.
        std::memcpy(&value, at + 2, sizeof(value));
        const auto shift = 64 - 8 * static_cast<unsigned>(count);
        const auto number = static_cast<std::int64_t>(value << shift) >> shift;
        value = static_cast<std::uint64_t>(number);
        isNegative = number < 0;
        at += 2 + count;
        return true;
    }
    case op::BinInt: {
        const auto number = static_cast<std::int32_t>(word4(at + 1));
        isNegative = number < 0;
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
        at += 5;
        return true;
    }
    case op::BinInt1:
        isNegative = false;
        value = at[1];
        at += 2;
        return true;
    case op::BinInt2:
        isNegative = false;
        value = at[1] | (static_cast<std::uint64_t>(at[2]) << 8U);
        at += 3;
        return true;
    default: return false;
    }
}

StackId TorchMachine::stackOfGets(const std::uint8_t *gets, std::size_t length)
{
    const auto known = m_lists.find(gets, length);
    if (known != FrameListCache::kMiss)
        return known;
    m_frames.clear();
    for (const auto *at = gets; at < gets + length;) {
        std::uint32_t slot = 0;
        (void)readGet(at, slot);
        const auto entry = m_draft.memo.entry(slot);
        if (!isTag(entry, PickleTag::Frame))
            return FrameListCache::kMiss;
        m_frames.push_back(entry & kIdMask);
    }
    const auto stack = m_draft.snapshot.stacks.internStack(m_frames);
    if (stack >= PickleMemo::kIds)
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than 268,435,455 different stacks."}};
    m_lists.add(gets, length, stack);
    return stack;
}

bool TorchMachine::readList(const std::uint8_t *&at, Puts &puts, StackId &stack)
{
    // The list's own entry is known only once the stack is.
    const auto putAt = puts.count;
    if (!readPut(at, puts, 0))
        return false;
    const auto *const end = m_window.end;
    if (*at == op::Mark) {
        const auto *const gets = at + 1;
        auto length = gets < end ? m_lists.guess(gets, static_cast<std::size_t>(end - gets), op::Appends) : 0;
        if (length != 0) {
            stack = m_lists.guessed();
        } else {
            const auto *scan = gets;
            while (true) {
                if (*scan == op::LongBinGet)
                    scan += 5;
                else if (*scan == op::BinGet)
                    scan += 2;
                else
                    break;
            }
            if (scan >= end || *scan != op::Appends)
                return false;
            length = static_cast<std::size_t>(scan - gets);
            stack = length == 0 ? kEmptyStack : stackOfGets(gets, length);
            if (stack == FrameListCache::kMiss)
                return false;
        }
        at = gets + length + 1;
    } else {
        // One frame is written without a mark, none without anything.
        const auto *scan = at;
        std::uint32_t slot = 0;
        if (readGet(scan, slot) && scan < end && *scan == op::Append) {
            stack = stackOfGets(at, static_cast<std::size_t>(scan - at));
            if (stack == FrameListCache::kMiss)
                return false;
            at = scan + 1;
        } else {
            stack = kEmptyStack;
        }
    }
    const auto entry = PickleMemo::pack(PickleTag::Stack, stack);
    for (auto i = putAt; i < puts.count; ++i)
        puts.entries[i].entry = entry;
    // The C++ dialect numbers a list when it is complete. It may also not be: lists are written in batches.
    if (!readPut(at, puts, entry) || at >= end)
        return false;
    switch (*at) {
    case op::SetItems:
    case op::SetItem:
    case op::ShortBinUnicode:
    case op::BinUnicode: return true;
    case op::BinGet: return at + 2 < end && at[2] != op::Append;
    case op::LongBinGet: return at + 5 < end && at[5] != op::Append;
    default: return false;
    }
}

bool TorchMachine::fastList()
{
    const auto *at = m_window.at;
    Puts puts(m_draft.memo.count());
    StackId stack = kNoStack;
    if (!readList(at, puts, stack))
        return false;
    m_window.at = at;
    commit(puts);
    m_stack.push_back({PickleTag::Stack, stack});
    return true;
}

bool TorchMachine::readAttribute(const std::uint8_t *&at, Puts &puts, TextId key)
{
    TextId text = 0;
    std::uint32_t slot = 0;
    const auto &texts = m_draft.snapshot.texts;
    if (readGet(at, slot)) {
        const auto entry = m_draft.memo.entry(slot);
        if (!isTag(entry, PickleTag::Text))
            return false;
        text = entry & kIdMask;
    } else {
        std::size_t length = 0;
        if (*at == op::ShortBinUnicode) {
            length = at[1];
            at += 2;
        } else if (*at == op::BinUnicode) {
            length = word4(at + 1);
            at += 5;
        } else {
            return false;
        }
        if (at > m_window.end || length >= static_cast<std::size_t>(m_window.end - at))
            return false;
        const std::string_view bytes(reinterpret_cast<const char *>(at), length);
        auto &last = m_lastTexts[key];
        if (texts[last] != bytes)
            last = m_draft.intern(bytes);
        text = last;
        at += length;
        if (!readPut(at, puts, PickleMemo::pack(PickleTag::Text, text)))
            return false;
    }
    if (text == 0 || (key == idOf(TorchKey::CompileContext) && texts[text] == "N/A"))
        return true; // nothing was said
    m_draft.event.attributes.emplace_back(key, text);
    return true;
}

bool TorchMachine::fastEvent()
{
    const auto *at = m_window.at;
    auto &event = m_draft.event;
    event.clear();
    Puts puts(m_draft.memo.count());
    const auto row = m_draft.rows.size();
    if (!readPut(at, puts, PickleMemo::pack(PickleTag::Run, static_cast<std::uint32_t>(row))) || *at != op::Mark)
        return false;
    ++at;
    while (*at != op::SetItems) {
        std::uint32_t slot = 0;
        if (!readGet(at, slot))
            return false;
        const auto entry = m_draft.memo.entry(slot);
        const auto key = entry & kIdMask;
        if (!isTag(entry, PickleTag::Text) || key > idOf(TorchKey::Frames) || key == 0
            || (event.keys & (std::uint64_t{1} << key)) != 0)
            return false;
        event.keys |= std::uint64_t{1} << key;
        std::uint64_t value = 0;
        bool isNegative = false;
        switch (static_cast<TorchKey>(key)) {
        case TorchKey::Action: {
            if (!readGet(at, slot))
                return false;
            const auto action = m_draft.memo.entry(slot);
            if (!isTag(action, PickleTag::Text))
                return false;
            event.action = action & kIdMask;
            break;
        }
        case TorchKey::Addr:
            if (!readNumber(at, event.address, isNegative))
                return false;
            break;
        case TorchKey::Stream:
            if (!readNumber(at, event.stream, isNegative))
                return false;
            break;
        case TorchKey::DeviceFree:
            if (!readNumber(at, event.deviceFree, isNegative) || isNegative)
                return false;
            break;
        case TorchKey::Size:
            if (!readNumber(at, event.size, isNegative) || isNegative)
                return false;
            break;
        case TorchKey::TimeUs:
            if (!readNumber(at, value, isNegative))
                return false;
            event.timeUs = static_cast<std::int64_t>(value);
            break;
        case TorchKey::PoolId:
            if (readGet(at, slot)) {
                const auto pair = m_draft.memo.entry(slot);
                if (!isTag(pair, PickleTag::Pair))
                    return false;
                event.pool = m_draft.pairs[pair & kIdMask];
            } else {
                std::uint64_t second = 0;
                if (!readNumber(at, value, isNegative) || !readNumber(at, second, isNegative) || *at != op::Tuple2)
                    return false;
                ++at;
                event.pool = {static_cast<std::int64_t>(value), static_cast<std::int64_t>(second)};
                if (!readPut(at, puts, PickleMemo::pack(PickleTag::Pair, m_draft.pairOf(event.pool.first, event.pool.second).id())))
                    return false;
            }
            event.hasPool = true;
            break;
        case TorchKey::Frames:
            if (*at == op::EmptyList) {
                ++at;
                if (!readList(at, puts, event.stack))
                    return false;
            } else {
                if (!readGet(at, slot))
                    return false;
                const auto stack = m_draft.memo.entry(slot);
                if (!isTag(stack, PickleTag::Stack))
                    return false;
                event.stack = stack & kIdMask;
            }
            break;
        default:
            if (!readAttribute(at, puts, key))
                return false;
        }
    }
    ++at;
    if (at > m_window.end || *at == op::Mark || (event.keys & bitOf(TorchKey::Action)) == 0)
        return false;
    if (m_stack.size() >= m_stack.capacity())
        m_stack.reserve(m_stack.capacity() * 2 + 64);
    m_draft.appendRow();
    commit(puts);
    m_window.at = at;
    push(runOf(row, 1));
    return true;
}

} // namespace plimsoll
