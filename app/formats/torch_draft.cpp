// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_draft.h"

#include <algorithm>
#include <bit>

namespace plimsoll {
namespace {

constexpr std::size_t kMostUnknownKeys = 1024;
constexpr std::size_t kMostWarnings = 64;
constexpr std::uint64_t kFrameKeys = bitOf(TorchKey::Filename) | bitOf(TorchKey::Name) | bitOf(TorchKey::Line);
constexpr std::uint64_t kBlockKeys = bitOf(TorchKey::State) | bitOf(TorchKey::Size);

std::size_t memoCapacity(std::optional<std::uint64_t> fileBytes)
{
    // Every entry takes a byte of the file at least.
    return fileBytes ? static_cast<std::size_t>(std::min<std::uint64_t>(*fileBytes + 256, PickleMemo::kMost)) : PickleMemo::kMost;
}

} // namespace

TorchDraft::TorchDraft(const SnapshotLimits &givenLimits, std::optional<std::uint64_t> fileBytes)
    : limits(givenLimits)
    , memo(memoCapacity(fileBytes))
    , rows(snapshot, fileBytes, static_cast<std::size_t>(std::min<std::uint64_t>(givenLimits.events, PickleMemo::kIds - 1)))
{
    internTorchKeys(snapshot.texts);
}

TextId TorchDraft::intern(std::string_view text)
{
    const auto id = snapshot.texts.intern(text);
    if (id >= PickleMemo::kIds)
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than 268,435,455 different texts."}};
    return id;
}

PickleValue TorchDraft::pairOf(std::int64_t first, std::int64_t second)
{
    const std::pair pair{first, second};
    if (!pairs.empty() && pairs.back() == pair)
        return {PickleTag::Pair, pairs.size() - 1};
    const auto [found, isNew] = m_pairs.emplace(pair, static_cast<std::uint32_t>(pairs.size()));
    if (isNew)
        pairs.push_back(pair);
    return {PickleTag::Pair, found->second};
}

bool TorchDraft::isRecognisable(std::uint64_t keys) const noexcept
{
    return (keys & bitOf(TorchKey::Action)) != 0 || (keys & kFrameKeys) == kFrameKeys || (keys & kBlockKeys) == kBlockKeys;
}

PickleValue TorchDraft::settled(const PickleValue &value)
{
    if (!value.is(PickleTag::Object))
        return value;
    const auto &object = arena[value.id()];
    if (!object.became.is(PickleTag::Unset))
        return object.became;
    if (object.kind != PickleObject::Kind::Dict)
        return value;
    if ((object.keys & bitOf(TorchKey::Action)) != 0 && find(object, TorchKey::Action).is(PickleTag::Text))
        return eventOf(value.id());
    if ((object.keys & kFrameKeys) == kFrameKeys)
        return frameOf(value.id());
    if ((object.keys & kBlockKeys) == kBlockKeys)
        return blockOf(value.id());
    return value;
}

PickleValue TorchDraft::replaced(std::uint32_t id, const PickleValue &by)
{
    auto &object = arena[id];
    if (object.memoSlot != UINT32_MAX)
        (void)memo.put(object.memoSlot, by);
    if (object.isShared) { // others point to it: it must stay where it is
        object.became = by;
        arena.empty(id);
    } else {
        arena.release(id);
    }
    return by;
}

void TorchDraft::appendRow()
{
    if (!rows.append(event))
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than " + std::to_string(rows.size())
                                                        + " events, which is the limit."}};
}

PickleValue TorchDraft::eventOf(std::uint32_t id)
{
    event.clear();
    event.keys = arena[id].keys;
    for (std::size_t i = 0; i + 1 < arena[id].items.size(); i += 2) {
        const auto key = arena[id].items[i];
        const auto value = arena[id].items[i + 1];
        const auto which = key.is(PickleTag::Text) && key.id() < kTorchKeys ? static_cast<TorchKey>(key.id()) : TorchKey::Count;
        switch (which) {
        case TorchKey::Action: event.action = value.is(PickleTag::Text) ? value.id() : 0; break;
        case TorchKey::Addr: event.address = addressOf(value, "event.addr"); break;
        case TorchKey::DeviceFree: event.deviceFree = sizeOf(value, "event.device_free"); break;
        case TorchKey::Size: event.size = sizeOf(value, "event.size"); break;
        case TorchKey::Stream: event.stream = value.isNumber() ? value.bits : 0; break;
        case TorchKey::TimeUs: event.timeUs = value.is(PickleTag::Int) ? static_cast<std::int64_t>(value.bits) : kUnknownTime; break;
        case TorchKey::Frames: event.stack = stackOf(value); break;
        case TorchKey::PoolId:
            if (const auto pool = poolOf(value)) {
                event.pool = *pool;
                event.hasPool = true;
            }
            break;
        case TorchKey::CompileContext:
        case TorchKey::UserMetadata:
        case TorchKey::InternalMetadata:
        case TorchKey::Category:
        case TorchKey::ForwardFrames: {
            const bool isNothing = value.isNone()
                || (value.is(PickleTag::Text)
                    && (value.id() == 0 || (which == TorchKey::CompileContext && snapshot.texts[value.id()] == "N/A")));
            if (!isNothing)
                event.attributes.emplace_back(key.id(), attributeOf(value));
            break;
        }
        default: {
            const auto name = attributeOf(key);
            countUnknown("event.", name);
            event.attributes.emplace_back(name, attributeOf(value));
            break;
        }
        }
    }
    appendRow();
    return replaced(id, runOf(rows.size() - 1, 1));
}

PickleValue TorchDraft::frameOf(std::uint32_t id)
{
    StackFrame frame;
    bool hasMore = false;
    for (std::size_t i = 0; i + 1 < arena[id].items.size(); i += 2) {
        const auto key = arena[id].items[i];
        const auto value = arena[id].items[i + 1];
        if (!key.is(PickleTag::Text))
            hasMore = true;
        else if (key.id() == idOf(TorchKey::Filename))
            frame.file = attributeOf(value);
        else if (key.id() == idOf(TorchKey::Name))
            frame.name = attributeOf(value);
        else if (key.id() == idOf(TorchKey::Line))
            frame.line = value.isNumber() ? value.bits : 0;
        else
            hasMore = true;
    }
    const auto before = snapshot.stacks.frameCount();
    const auto frameId = snapshot.stacks.internFrame(frame);
    if (frameId >= PickleMemo::kIds)
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than 268,435,455 different stack frames."}};
    ++snapshot.origin.frameObjects;
    if (hasMore) {
        const bool isNew = snapshot.stacks.frameCount() != before;
        for (std::size_t i = 0; i + 1 < arena[id].items.size(); i += 2) {
            const auto key = arena[id].items[i];
            if (key.is(PickleTag::Text)
                && (key.id() == idOf(TorchKey::Filename) || key.id() == idOf(TorchKey::Name) || key.id() == idOf(TorchKey::Line)))
                continue;
            const auto name = attributeOf(key);
            const auto value = arena[id].items[i + 1];
            if (!snapshot.texts[name].starts_with("fx_"))
                countUnknown("frame.", name);
            if (isNew && !value.isNone())
                snapshot.stacks.addAttribute(frameId, name, attributeOf(value));
        }
    }
    return replaced(id, {PickleTag::Frame, frameId});
}

void TorchDraft::readHistory(const PickleValue &value, MemoryBlock &block)
{
    const auto history = itemsOf(value);
    if (!history || history->empty())
        return;
    block.historyLength = static_cast<std::uint32_t>(history->size());
    // Newest first: what is there now.
    const auto *newest = dictOf(history->front());
    if (newest == nullptr)
        return;
    if (block.requested == kUnknownBytes)
        if (const auto size = find(*newest, TorchKey::RealSize); size.isNumber())
            block.requested = sizeOf(size, "history.real_size");
    if (block.stack != kNoStack)
        return;
    auto frames = find(*newest, TorchKey::Frames);
    if (frames.is(PickleTag::Unset))
        frames = find(*newest, TorchKey::CppFrames);
    if (!frames.is(PickleTag::Unset))
        block.stack = stackOf(frames);
}

PickleValue TorchDraft::blockOf(std::uint32_t id)
{
    MemoryBlock block;
    PickleValue history;
    blockKeys |= arena[id].keys;
    for (std::size_t i = 0; i + 1 < arena[id].items.size(); i += 2) {
        const auto key = arena[id].items[i];
        const auto value = arena[id].items[i + 1];
        const auto which = key.is(PickleTag::Text) && key.id() < kTorchKeys ? static_cast<TorchKey>(key.id()) : TorchKey::Count;
        switch (which) {
        case TorchKey::Address: block.address = addressOf(value, "block.address"); break;
        case TorchKey::Size: {
            const auto size = sizeOf(value, "block.size");
            block.size = size == kUnknownBytes ? 0 : size;
            break;
        }
        case TorchKey::RequestedSize: block.requested = sizeOf(value, "block.requested_size"); break;
        case TorchKey::State: {
            const auto state = value.is(PickleTag::Text) ? snapshot.texts[value.id()] : std::string_view{};
            if (state == "inactive")
                block.state = BlockState::Inactive;
            else if (state == "active_allocated")
                block.state = BlockState::ActiveAllocated;
            else if (state == "active_pending_free" || state == "active_awaiting_free")
                block.state = BlockState::ActivePendingFree;
            else
                countOdd("block.state");
            break;
        }
        case TorchKey::Frames: block.stack = stackOf(value); break;
        case TorchKey::History: history = value; break;
        default: countUnknown("block.", attributeOf(key)); break;
        }
    }
    if (!history.is(PickleTag::Unset))
        readHistory(history, block);
    if (blocks.size() + 1 >= PickleMemo::kIds)
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than 268,435,455 blocks."}};
    blocks.push_back(block);
    return replaced(id, {PickleTag::Block, blocks.size() - 1});
}

std::optional<FrameId> TorchDraft::asFrame(const PickleValue &raw)
{
    auto value = resolved(raw);
    if (value.is(PickleTag::Frame))
        return value.id();
    StackFrame frame;
    if (value.is(PickleTag::Text)) { // stacks of plain lines, by other tools
        frame.name = value.id();
    } else if (const auto *dict = dictOf(value)) {
        const auto file = find(*dict, TorchKey::Filename);
        const auto name = find(*dict, TorchKey::Name);
        const auto line = find(*dict, TorchKey::Line);
        if (file.is(PickleTag::Unset) && name.is(PickleTag::Unset))
            return std::nullopt;
        frame.file = file.is(PickleTag::Text) ? file.id() : 0;
        frame.name = name.is(PickleTag::Text) ? name.id() : 0;
        frame.line = line.isNumber() ? line.bits : 0;
    } else {
        return std::nullopt;
    }
    return snapshot.stacks.internFrame(frame);
}

PickleValue TorchDraft::settledFrames(const PickleValue &value)
{
    if (!value.is(PickleTag::Object))
        return value;
    const auto &object = arena[value.id()];
    if (!object.became.is(PickleTag::Unset) || object.kind == PickleObject::Kind::Dict)
        return resolved(value);
    m_frames.clear();
    for (const auto &item : object.items) {
        const auto frame = asFrame(item);
        if (!frame)
            return value;
        m_frames.push_back(*frame);
    }
    const auto stack = snapshot.stacks.internStack(m_frames);
    if (stack >= PickleMemo::kIds)
        throw PickleRefusal{{Error::Code::TooLarge, "The file holds more than 268,435,455 different stacks."}};
    return replaced(value.id(), {PickleTag::Stack, stack});
}

StackId TorchDraft::stackOf(const PickleValue &raw)
{
    const auto value = settledFrames(raw);
    if (value.is(PickleTag::Stack))
        return value.id();
    if (!value.isNone())
        countOdd("frames");
    return kNoStack;
}

PickleValue TorchDraft::find(const PickleObject &dict, TorchKey key) const noexcept
{
    if ((dict.keys & bitOf(key)) == 0)
        return {};
    for (std::size_t i = dict.items.size() / 2; i-- > 0;)
        if (dict.items[2 * i].is(PickleTag::Text) && dict.items[2 * i].id() == idOf(key))
            return resolved(dict.items[2 * i + 1]);
    return {};
}

std::optional<std::span<const PickleValue>> TorchDraft::itemsOf(const PickleValue &raw) const noexcept
{
    const auto value = resolved(raw);
    if (value.is(PickleTag::Stack) && value.id() == kEmptyStack)
        return std::span<const PickleValue>();
    if (!value.is(PickleTag::Object) || arena[value.id()].kind == PickleObject::Kind::Dict)
        return std::nullopt;
    return std::span<const PickleValue>(arena[value.id()].items);
}

const PickleObject *TorchDraft::dictOf(const PickleValue &raw) const noexcept
{
    const auto value = resolved(raw);
    if (!value.is(PickleTag::Object) || arena[value.id()].kind != PickleObject::Kind::Dict)
        return nullptr;
    return &arena[value.id()];
}

std::optional<std::pair<std::int64_t, std::int64_t>> TorchDraft::poolOf(const PickleValue &raw) const noexcept
{
    const auto value = resolved(raw);
    if (value.is(PickleTag::Pair))
        return pairs[value.id()];
    const auto items = itemsOf(value);
    if (!items || items->size() != 2 || !(*items)[0].isNumber() || !(*items)[1].isNumber())
        return std::nullopt;
    return std::pair{static_cast<std::int64_t>((*items)[0].bits), static_cast<std::int64_t>((*items)[1].bits)};
}

TextId TorchDraft::attributeOf(const PickleValue &raw)
{
    auto value = resolved(raw);
    // Under a key that we do not know a stack is still one: the next event may have the same list as its frames.
    if (value.is(PickleTag::Object) && arena[value.id()].kind == PickleObject::Kind::List
        && std::all_of(arena[value.id()].items.begin(), arena[value.id()].items.end(),
                       [](const PickleValue &item) { return item.is(PickleTag::Frame); }))
        value = settledFrames(value);
    if (value.is(PickleTag::Text) || value.is(PickleTag::Json))
        return value.id();
    const auto id = intern(jsonOf(value, true));
    if (value.is(PickleTag::Object) && !arena[value.id()].isShared)
        (void)replaced(value.id(), {PickleTag::Json, id});
    return id;
}

std::uint64_t TorchDraft::addressOf(const PickleValue &value, const char *what)
{
    if (value.isNumber())
        return value.bits;
    if (!value.isNone())
        countOdd(what);
    return kUnknownBytes;
}

std::uint64_t TorchDraft::sizeOf(const PickleValue &value, const char *what)
{
    if (value.is(PickleTag::Int) && static_cast<std::int64_t>(value.bits) >= 0)
        return value.bits;
    if (!value.isNone())
        countOdd(what);
    return kUnknownBytes;
}

void TorchDraft::countUnknown(std::string_view place, TextId key)
{
    std::string name(place);
    name += snapshot.texts[key].substr(0, 128);
    auto &unknown = snapshot.unknownKeys;
    if (unknown.size() >= kMostUnknownKeys && !unknown.contains(name))
        name = std::string(place) + "(others)";
    ++unknown[name];
}

void TorchDraft::countOdd(std::string_view what)
{
    if (m_oddValues++ == 0)
        warn("At least one value has a type or a sign that was not expected (the first: " + std::string(what)
             + "); it is shown as unknown.");
}

void TorchDraft::warn(std::string sentence)
{
    auto &warnings = snapshot.warnings;
    if (warnings.size() < kMostWarnings && std::find(warnings.begin(), warnings.end(), sentence) == warnings.end())
        warnings.push_back(std::move(sentence));
}

std::uint64_t TorchDraft::bytes() const noexcept
{
    return arena.bytes() + memo.bytes() + rows.bytes() + snapshot.texts.bytes() + snapshot.texts.size() * 20
        + snapshot.stacks.bytes() + blocks.capacity() * sizeof(MemoryBlock) + m_pairs.size() * 80;
}

} // namespace plimsoll
