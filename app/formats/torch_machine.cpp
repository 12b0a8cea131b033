// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_machine.h"

#include "base/text.h"
#include "formats/pickle_census.h"
#include "formats/pickle_text.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace plimsoll {
namespace {

constexpr std::uint64_t kListCache = 32U << 20U;
constexpr std::size_t kMostDigits = 4096;
constexpr std::uint64_t kMemoSlack = 256;

// What torch.save of 1.5 and before began with, as a number of ten bytes.
constexpr std::string_view kTorchSaveMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);

std::uint64_t little(const std::uint8_t *bytes, std::size_t count) noexcept
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
}

PickleValue constant(std::uint64_t which) noexcept
{
    return {PickleTag::Constant, which};
}

PickleValue integer(std::int64_t value) noexcept
{
    return {PickleTag::Int, static_cast<std::uint64_t>(value)};
}

} // namespace

TorchMachine::TorchMachine(PickleWindow &window, TorchDraft &draft, const SnapshotReading &reading,
                           std::optional<std::uint64_t> fileBytes, bool hasFastPaths)
    : m_window(window)
    , m_draft(draft)
    , m_reading(reading)
    , m_hasFastPaths(hasFastPaths)
    , m_fileBytes(fileBytes)
    // A file with that many different stacks is one in which they do not come again.
    , m_lists(static_cast<std::size_t>(std::clamp<std::uint64_t>(fileBytes.value_or(kListCache) / 16, 64U << 10U, kListCache)))
{}

PickleValue TorchMachine::run()
{
    try {
        loop();
        return m_draft.settled(m_stack.back());
    } catch (const EndOfFile &) {
        const auto &error = m_window.error();
        // Packing that is cut off is like a file that is: what came before is good.
        if (error && error->code != Error::Code::Corrupt)
            throw PickleRefusal{*error};
        m_isTruncated = true;
        return collapsed();
    }
}

void TorchMachine::loop()
{
    while (!m_isStopped) {
        if (m_window.isShort())
            refill();
        if (m_window.at == m_window.end)
            throw EndOfFile{};
        m_opcodeAt = m_window.offset();
        const auto code = *m_window.at++;
        switch (code) {
        case op::EmptyDict:
            if (!m_hasFastPaths || !fastEvent())
                pushObject(PickleObject::Kind::Dict);
            break;
        case op::EmptyList:
            if (!m_hasFastPaths || !fastList())
                pushObject(PickleObject::Kind::List);
            break;
        default:
            m_opcode = code;
            step(code);
        }
    }
}

void TorchMachine::step(std::uint8_t code)
{
    switch (code) {
    case op::Proto:
        m_protocol = static_cast<int>(number(1));
        if (m_protocol > 5)
            refuse(Error::Code::Unsupported, "says protocol " + std::to_string(m_protocol) + "; 0 to 5 are known");
        break;
    case op::Frame: (void)number(8); break; // a hint for readers that read in blocks
    case op::Stop:
        if (m_stack.empty())
            refuse(Error::Code::Corrupt, "comes before any value");
        m_isStopped = true;
        break;
    case op::Mark:
        if (m_marks.size() >= m_reading.limits.depth)
            refuse(Error::Code::TooLarge, "opens more than " + std::to_string(m_reading.limits.depth) + " levels");
        m_marks.push_back(m_stack.size());
        break;
    case op::Pop:
        if (m_stack.size() == base() && !m_marks.empty())
            m_marks.pop_back();
        else
            (void)pop();
        break;
    case op::PopMark: m_stack.resize(popMark()); break;
    case op::Dup:
        if (auto &value = top(); value.is(PickleTag::Object)) {
            m_draft.arena[value.id()].isShared = true;
            m_draft.arena[value.id()].isFrozen = true;
            push(PickleValue(value));
        } else if (value.is(PickleTag::Run)) {
            push(runOf(value.id() + value.count() - 1, 1));
        } else {
            push(PickleValue(value));
        }
        break;

    case op::None: push(constant(0)); break;
    case op::NewFalse: push(constant(1)); break;
    case op::NewTrue: push(constant(2)); break;
    case op::BinInt1: push(integer(static_cast<std::int64_t>(number(1)))); break;
    case op::BinInt2: push(integer(static_cast<std::int64_t>(number(2)))); break;
    case op::BinInt: push(integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4))))); break;
    case op::Long1: {
        const auto count = number(1);
        need(count);
        push(longOf(m_window.at, count));
        m_window.at += count;
        break;
    }
    case op::Long4: {
        const auto count = number(4);
        if (count > kMostDigits)
            refuse(Error::Code::TooLarge, "has a number of " + std::to_string(count) + " bytes");
        need(count);
        push(longOf(m_window.at, count));
        m_window.at += count;
        break;
    }
    case op::BinFloat: {
        need(8);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 8; ++i)
            bits = (bits << 8U) | m_window.at[i];
        m_window.at += 8;
        push({PickleTag::Float, bits});
        break;
    }
    case op::Int: {
        const auto text = line();
        if (text == "00" || text == "01")
            push(constant(text == "01" ? 2 : 1));
        else
            push(longOfText(text));
        break;
    }
    case op::Long: push(longOfText(line())); break;
    case op::Float: {
        const auto text = line();
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            refuse(Error::Code::Corrupt, "has \"" + safeText(text, 40) + "\" where a number is expected");
        push({PickleTag::Float, std::bit_cast<std::uint64_t>(value)});
        break;
    }

    case op::ShortBinUnicode:
    case op::ShortBinString:
    case op::ShortBinBytes: pushText(number(1)); break;
    case op::BinUnicode:
    case op::BinString:
    case op::BinBytes: pushText(number(4)); break;
    case op::BinUnicode8:
    case op::BinBytes8: pushText(number(8)); break;
    case op::Unicode: push(m_draft.textOf(textOfUnicodeLine(line()))); break;
    case op::String: push(m_draft.textOf(textOfStringLine(line()))); break;

    case op::EmptyTuple: pushObject(PickleObject::Kind::Tuple); break;
    case op::Tuple1: makeTuple(1); break;
    case op::Tuple2: makeTuple(2); break;
    case op::Tuple3: makeTuple(3); break;
    case op::Tuple: makeFromMark(PickleObject::Kind::Tuple); break;
    case op::List: makeFromMark(PickleObject::Kind::List); break;
    case op::Dict: makeFromMark(PickleObject::Kind::Dict); break;
    case op::Append: {
        const auto item = pop();
        appendTo(target(top(), false), item);
        break;
    }
    case op::Appends: {
        const auto first = popMark();
        if (first == 0)
            refuse(Error::Code::Corrupt, "has no list to add to");
        const auto list = target(m_stack[first - 1], false);
        for (std::size_t i = first; i < m_stack.size(); ++i)
            appendTo(list, m_stack[i]);
        m_stack.resize(first);
        break;
    }
    case op::SetItem: {
        const auto value = pop();
        const auto key = pop();
        setIn(target(top(), true), key, value);
        break;
    }
    case op::SetItems: {
        const auto first = popMark();
        if (first == 0)
            refuse(Error::Code::Corrupt, "has no dictionary to add to");
        const auto dict = target(m_stack[first - 1], true);
        if ((m_stack.size() - first) % 2 != 0)
            refuse(Error::Code::Corrupt, "finds a key without a value");
        for (std::size_t i = first; i < m_stack.size(); i += 2)
            setIn(dict, m_stack[i], m_stack[i + 1]);
        m_stack.resize(first);
        settleTop();
        break;
    }

    case op::Memoize: put(m_draft.memo.count()); break;
    case op::BinPut: put(number(1)); break;
    case op::LongBinPut: put(number(4)); break;
    case op::Put: put(slotOfText(line())); break;
    case op::BinGet: get(number(1)); break;
    case op::LongBinGet: get(number(4)); break;
    case op::Get: get(slotOfText(line())); break;
    default: refuseOpcode(code);
    }
}

// --- the window

void TorchMachine::refill()
{
    m_window.refill();
    // Between two refills the file can make us hold some hundred bytes for each of its own, no more.
    const auto held = m_draft.bytes() + m_lists.bytes() + m_stack.capacity() * sizeof(PickleValue);
    if (held > m_reading.limits.memoryBytes)
        throw PickleRefusal{{Error::Code::TooLarge, "Byte " + std::to_string(m_window.offset()) + ": what was read so far takes "
                                                        + std::to_string(held) + " bytes of memory, the limit is "
                                                        + std::to_string(m_reading.limits.memoryBytes) + '.'}};
}

void TorchMachine::need(std::size_t bytes)
{
    if (m_window.left() < bytes)
        throw EndOfFile{}; // everything but a text fits into the look-ahead
}

std::uint64_t TorchMachine::number(std::size_t bytes)
{
    need(bytes);
    const auto value = little(m_window.at, bytes);
    m_window.at += bytes;
    return value;
}

std::string_view TorchMachine::line()
{
    m_text.clear();
    if (!m_window.takeLine(m_text, m_reading.limits.textBytes)) {
        if (m_text.size() > m_reading.limits.textBytes)
            refuse(Error::Code::TooLarge, "has a text of more than " + std::to_string(m_reading.limits.textBytes) + " bytes");
        throw EndOfFile{};
    }
    return m_text;
}

std::string_view TorchMachine::counted(std::uint64_t bytes)
{
    if (m_fileBytes && bytes > *m_fileBytes)
        throw EndOfFile{};
    if (bytes > m_reading.limits.textBytes)
        refuse(Error::Code::TooLarge, "has a text of " + std::to_string(bytes) + " bytes; the limit is "
                                          + std::to_string(m_reading.limits.textBytes));
    if (bytes <= m_window.left()) {
        const std::string_view text(reinterpret_cast<const char *>(m_window.at), static_cast<std::size_t>(bytes));
        m_window.at += bytes;
        return text;
    }
    m_text.clear();
    if (!m_window.take(m_text, bytes))
        throw EndOfFile{};
    return m_text;
}

// --- the stack

void TorchMachine::push(const PickleValue &value)
{
    appendItem(m_stack, base(), value);
}

void TorchMachine::pushObject(PickleObject::Kind kind)
{
    if (m_draft.arena.size() >= PickleMemo::kIds - 1)
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than 268,435,454 lists and dictionaries at once."}};
    m_stack.push_back({PickleTag::Object, m_draft.arena.make(kind)});
}

PickleValue &TorchMachine::top()
{
    if (m_stack.size() <= base())
        refuse(Error::Code::Corrupt, "needs a value and there is none");
    return m_stack.back();
}

PickleValue TorchMachine::pop()
{
    auto &last = top();
    if (last.is(PickleTag::Run) && last.count() > 1) {
        const auto row = last.id() + last.count() - 1;
        last = runOf(last.id(), last.count() - 1);
        return runOf(row, 1);
    }
    const auto value = last;
    m_stack.pop_back();
    return value;
}

std::size_t TorchMachine::popMark()
{
    if (m_marks.empty())
        refuse(Error::Code::Corrupt, "needs a MARK and there is none");
    const auto first = m_marks.back();
    m_marks.pop_back();
    return first;
}

// --- containers

std::uint32_t TorchMachine::target(const PickleValue &raw, bool isDict)
{
    const auto value = m_draft.resolved(raw);
    const char *wanted = isDict ? "dictionary" : "list";
    if (!value.is(PickleTag::Object))
        refuse(Error::Code::Corrupt, std::string("adds to something that is no ") + wanted + ", or to one that was complete");
    const auto &object = m_draft.arena[value.id()];
    if (object.kind != (isDict ? PickleObject::Kind::Dict : PickleObject::Kind::List))
        refuse(Error::Code::Corrupt, std::string("adds to something that is no ") + wanted);
    if (object.isFrozen)
        refuse(Error::Code::Corrupt, std::string("adds to a ") + wanted
                                         + " that is in use already; one that contains itself is no plain data");
    return value.id();
}

void TorchMachine::appendTo(std::uint32_t list, PickleValue item)
{
    item = m_draft.settled(item);
    if (item.is(PickleTag::Object)) {
        const auto depth = static_cast<std::size_t>(m_draft.arena[item.id()].depth) + 1;
        if (depth > m_reading.limits.depth)
            refuse(Error::Code::TooLarge, "nests deeper than " + std::to_string(m_reading.limits.depth) + " levels");
        auto &container = m_draft.arena[list];
        container.depth = std::max(container.depth, static_cast<std::uint16_t>(depth));
    }
    m_draft.arena.append(list, item);
}

void TorchMachine::setIn(std::uint32_t dict, const PickleValue &rawKey, const PickleValue &rawValue)
{
    const auto key = m_draft.resolved(rawKey);
    const bool isKey = key.is(PickleTag::Text) || key.isNumber() || key.is(PickleTag::Constant) || key.is(PickleTag::Pair)
        || key.is(PickleTag::Float);
    if (!isKey || (rawValue.is(PickleTag::Run) && rawValue.count() != 1))
        refuse(Error::Code::Corrupt, "has a key that is no text and no number");
    auto &container = m_draft.arena[dict];
    auto value = rawValue;
    if (key.is(PickleTag::Text) && key.id() < kTorchKeys) {
        container.keys |= std::uint64_t{1} << key.id();
        if (key.id() == idOf(TorchKey::Frames) || key.id() == idOf(TorchKey::CppFrames))
            value = m_draft.settledFrames(value);
    }
    // A run of events would swallow its neighbour: events are no values of a dictionary's keys in a row.
    m_draft.arena.append(dict, key);
    appendTo(dict, value);
}

void TorchMachine::settleTop()
{
    const auto value = m_stack.back();
    if (!value.is(PickleTag::Object) || !m_draft.isRecognisable(m_draft.arena[value.id()].keys))
        return;
    if (m_window.left() != 0 && *m_window.at == op::Mark)
        return; // more is to come
    const auto settled = m_draft.settled(value);
    m_stack.pop_back();
    push(settled);
}

void TorchMachine::makeTuple(std::size_t count)
{
    if (m_stack.size() < base() + 1)
        refuse(Error::Code::Corrupt, "needs a value and there is none");
    PickleValue items[3];
    for (std::size_t i = count; i-- > 0;)
        items[i] = pop();
    if (count == 2 && items[0].is(PickleTag::Int) && items[1].is(PickleTag::Int)) {
        push(m_draft.pairOf(static_cast<std::int64_t>(items[0].bits), static_cast<std::int64_t>(items[1].bits)));
        return;
    }
    pushObject(PickleObject::Kind::Tuple);
    const auto tuple = m_stack.back().id();
    for (std::size_t i = 0; i < count; ++i)
        appendTo(tuple, items[i]);
}

void TorchMachine::makeFromMark(PickleObject::Kind kind)
{
    const auto first = popMark();
    const auto count = m_stack.size() - first;
    if (kind == PickleObject::Kind::Tuple && count == 2 && m_stack[first].is(PickleTag::Int)
        && m_stack[first + 1].is(PickleTag::Int)) {
        const auto pair = m_draft.pairOf(static_cast<std::int64_t>(m_stack[first].bits),
                                         static_cast<std::int64_t>(m_stack[first + 1].bits));
        m_stack.resize(first);
        push(pair);
        return;
    }
    if (kind == PickleObject::Kind::Dict && count % 2 != 0)
        refuse(Error::Code::Corrupt, "finds a key without a value");
    pushObject(kind);
    const auto made = m_stack.back();
    m_stack.pop_back();
    for (std::size_t i = first; i < m_stack.size(); ++i) {
        if (kind == PickleObject::Kind::Dict) {
            setIn(made.id(), m_stack[i], m_stack[i + 1]);
            ++i;
        } else {
            appendTo(made.id(), m_stack[i]);
        }
    }
    m_stack.resize(first);
    m_stack.push_back(made);
}

// --- the memo

void TorchMachine::put(std::uint64_t slot)
{
    const auto value = top();
    if (slot >= m_draft.memo.capacity() || slot > m_opcodeAt + kMemoSlack)
        refuse(Error::Code::Corrupt, "puts into memo entry " + std::to_string(slot) + ", more than the file can have");
    if (m_draft.memo.entry(slot) != 0) { // what was known of the bytes that name this entry is over
        if (const auto old = m_draft.memo.value(slot); old.is(PickleTag::Object)) {
            auto &object = m_draft.arena[old.id()];
            if (object.memoSlot == slot)
                object.memoSlot = UINT32_MAX; // what it becomes is not to be written there
        }
        m_lists.clear();
    }
    if (value.is(PickleTag::Object)) {
        auto &object = m_draft.arena[value.id()];
        if (object.memoSlot == UINT32_MAX)
            object.memoSlot = static_cast<std::uint32_t>(slot);
        else if (object.memoSlot != slot)
            object.isShared = true;
    }
    (void)m_draft.memo.put(slot, value);
}

void TorchMachine::get(std::uint64_t slot)
{
    const auto value = m_draft.resolved(m_draft.memo.value(slot));
    if (value.is(PickleTag::Unset))
        refuse(Error::Code::Corrupt, "takes memo entry " + std::to_string(slot) + ", which was never put");
    if (value.is(PickleTag::Object)) {
        m_draft.arena[value.id()].isShared = true;
        m_draft.arena[value.id()].isFrozen = true;
    }
    push(value);
}

// --- numbers and texts

PickleValue TorchMachine::longOf(const std::uint8_t *bytes, std::size_t stored)
{
    if (stored == kTorchSaveMagic.size() && m_stack.empty()
        && std::memcmp(bytes, kTorchSaveMagic.data(), kTorchSaveMagic.size()) == 0)
        refuse(Error::Code::Unsupported, "begins a file of torch.save (a model or a checkpoint), which is no memory snapshot");
    const auto count = neededBytes(bytes, stored);
    m_widestLong = std::max(m_widestLong, count);
    if (count == 0)
        return integer(0);
    const bool isNegative = (bytes[count - 1] & 0x80U) != 0;
    if (count <= 8) {
        auto value = little(bytes, count);
        if (isNegative && count < 8)
            value |= ~std::uint64_t{0} << (8 * count);
        return {PickleTag::Int, value};
    }
    if (count == 9 && bytes[8] == 0)
        return {PickleTag::Unsigned, little(bytes, 8)};
    m_draft.warn("A number of " + std::to_string(count) + " bytes was found (the first at byte " + std::to_string(m_opcodeAt)
                 + "); it is shown as the nearest of 64 bits.");
    return isNegative ? integer(INT64_MIN) : PickleValue{PickleTag::Unsigned, UINT64_MAX};
}

PickleValue TorchMachine::longOfText(std::string_view text)
{
    if (!text.empty() && text.back() == 'L')
        text.remove_suffix(1);
    if (text.size() > kMostDigits)
        refuse(Error::Code::TooLarge, "has a number of " + std::to_string(text.size()) + " digits");
    const auto *const end = text.data() + text.size();
    std::int64_t value = 0;
    auto result = std::from_chars(text.data(), end, value);
    if (result.ptr != end || text.empty())
        refuse(Error::Code::Corrupt, "has \"" + safeText(text, 40) + "\" where a number is expected");
    if (result.ec == std::errc())
        return integer(value);
    std::uint64_t above = 0;
    result = std::from_chars(text.data(), end, above);
    if (result.ec == std::errc() && result.ptr == end)
        return {PickleTag::Unsigned, above};
    m_draft.warn("A number beyond 64 bits was found (the first at byte " + std::to_string(m_opcodeAt)
                 + "); it is shown as the nearest of 64 bits.");
    return text.front() == '-' ? integer(INT64_MIN) : PickleValue{PickleTag::Unsigned, UINT64_MAX};
}

std::uint64_t TorchMachine::slotOfText(std::string_view text)
{
    std::uint64_t slot = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        refuse(Error::Code::Corrupt, "has \"" + safeText(text, 40) + "\" where the number of a memo entry is expected");
    return slot;
}

void TorchMachine::pushText(std::uint64_t bytes)
{
    push(m_draft.textOf(counted(bytes)));
}

// --- the end

PickleValue TorchMachine::collapsed()
{
    const auto isOpen = [&](const PickleValue &value, PickleObject::Kind kind) {
        return value.is(PickleTag::Object) && m_draft.arena[value.id()].kind == kind && !m_draft.arena[value.id()].isFrozen;
    };
    const auto isEmptyDict = [&](const PickleValue &value) {
        return isOpen(value, PickleObject::Kind::Dict) && m_draft.arena[value.id()].items.empty();
    };
    // Values that wait for their APPEND belong to the list in front of them.
    const auto fold = [&](std::size_t first, std::size_t end) {
        for (std::size_t i = end; i-- > first + 1;)
            if (isOpen(m_stack[i - 1], PickleObject::Kind::List) && !isEmptyDict(m_stack[i]))
                appendTo(m_stack[i - 1].id(), m_stack[i]);
    };
    while (!m_marks.empty() && m_marks.back() > 1) {
        const auto first = popMark();
        if (isOpen(m_stack[first - 1], PickleObject::Kind::List)) {
            auto end = first;
            while (end < m_stack.size() && !isEmptyDict(m_stack[end]))
                ++end;
            for (auto i = first; i < end; ++i)
                appendTo(m_stack[first - 1].id(), m_stack[i]);
            m_stack.resize(first);
        } else {
            m_stack.resize(first - 1); // a dictionary of which keys are missing
        }
    }
    m_marks.clear();
    if (m_stack.empty())
        return {};
    if (isOpen(m_stack[0], PickleObject::Kind::List)) {
        for (std::size_t i = 1; i < m_stack.size() && !isEmptyDict(m_stack[i]); ++i)
            appendTo(m_stack[0].id(), m_stack[i]);
    } else if (isOpen(m_stack[0], PickleObject::Kind::Dict)) {
        for (std::size_t i = 1; i + 1 < m_stack.size() && m_stack[i].is(PickleTag::Text);) {
            auto next = i + 2;
            while (next < m_stack.size() && !m_stack[next].is(PickleTag::Text))
                ++next;
            fold(i + 1, next);
            if (!isEmptyDict(m_stack[i + 1]))
                setIn(m_stack[0].id(), m_stack[i], m_stack[i + 1]);
            i = next;
        }
    }
    return m_stack[0];
}

void TorchMachine::refuse(Error::Code code, const std::string &what) const
{
    throw PickleRefusal{{code, "Byte " + std::to_string(m_opcodeAt) + ": " + opcodeName(m_opcode) + ' ' + what + '.'}};
}

void TorchMachine::refuseOpcode(std::uint8_t code)
{
    const auto &opcode = pickleOpcode(code);
    if (opcode.name.empty())
        throw PickleRefusal{{Error::Code::Corrupt, "Byte " + std::to_string(m_opcodeAt) + ": " + opcodeName(code)
                                                       + " is no opcode of a pickle."}};
    std::string name;
    if (code == op::Global || code == op::Inst) {
        std::string second;
        if (m_window.takeLine(name, 256) && m_window.takeLine(second, 256))
            name += '.' + second;
    } else if (code == op::StackGlobal && m_stack.size() >= 2 && m_stack.back().is(PickleTag::Text)
               && m_stack[m_stack.size() - 2].is(PickleTag::Text)) {
        name = std::string(m_draft.snapshot.texts[m_stack[m_stack.size() - 2].id()]) + '.'
            + std::string(m_draft.snapshot.texts[m_stack.back().id()]);
    }
    std::string what = "is refused: a snapshot holds plain data only, and nothing is imported or called";
    if (!name.empty())
        what += " (it names " + safeText(name, 100) + ')';
    if (name.starts_with("torch") || name.starts_with("collections.OrderedDict"))
        what += ". The file looks like one of torch.save (a model or a checkpoint)";
    else if (name.starts_with("numpy"))
        what += ". The file looks like arrays of numpy";
    else if (name.starts_with("pandas"))
        what += ". The file looks like a table of pandas";
    m_opcode = code;
    refuse(Error::Code::Unsupported, what);
}

} // namespace plimsoll
