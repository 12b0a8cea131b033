// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_collector.h"

#include "formats/json_element.h"
#include "formats/json_text.h"

#include <algorithm>
#include <new>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxUnknownKeys = 4096;
constexpr std::size_t kStackCacheBytes = 32U << 20U;
constexpr std::size_t kEventBytes = 33;

EventColumns columns(std::size_t rows)
{
    while (true) {
        try {
            return EventColumns(rows);
        } catch (const std::bad_alloc &) {
            if (rows < 1024)
                throw;
            rows /= 2; // a smaller address space holds most files too
        }
    }
}

// "[true, null, false]", "true", "[3, 4]", "17".
std::vector<std::optional<std::int64_t>> numbers(std::string_view json, bool &isForAll)
{
    std::vector<std::optional<std::int64_t>> found;
    isForAll = !json.starts_with('[');
    std::size_t at = isForAll ? 0 : 1;
    while (at < json.size() && found.size() < 4096) {
        const auto end = std::min(json.find_first_of(",]", at), json.size());
        auto word = json.substr(at, end - at);
        while (!word.empty() && static_cast<unsigned char>(word.front()) <= 0x20)
            word.remove_prefix(1);
        while (!word.empty() && static_cast<unsigned char>(word.back()) <= 0x20)
            word.remove_suffix(1);
        if (!word.empty())
            found.push_back(word == "true" ? 1 : word == "false" ? 0 : jsonInteger(word));
        at = end + 1;
    }
    return found;
}

} // namespace

/// Stacks by the bytes that spell them: most are spelled many times.
class TorchCollector::Frames
{
public:
    [[nodiscard]] Result<StackId> stack(std::string_view json, MemorySnapshot &snapshot)
    {
        const auto hash = std::hash<std::string_view>()(json);
        if (const auto found = m_stacks.find(hash); found != m_stacks.end() && found->second.first == json)
            return found->second.second;
        m_ids.clear();
        auto state = m_elements.forEach(json, 0, [&](JsonValue &value) { return takeFrame(value, snapshot); });
        if (!state)
            return tl::make_unexpected(std::move(state).error());
        const auto id = snapshot.stacks.internStack(m_ids);
        if (m_bytes += json.size() + 64; m_bytes > kStackCacheBytes) {
            m_stacks.clear();
            m_bytes = json.size() + 64;
        }
        if (json.size() < kStackCacheBytes / 16)
            m_stacks[hash] = {std::string(json), id};
        return id;
    }

private:
    [[nodiscard]] JsonError takeFrame(JsonValue &value, MemorySnapshot &snapshot)
    {
        JsonObject object;
        if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
            return error;
        StackFrame frame;
        m_attributes.clear();
        const auto error = forEachField(object, [&](std::string_view key, JsonValue &field) {
            const auto token = tokenOf(field);
            if (key == "filename") {
                frame.file = snapshot.texts.intern(textOf(token, m_buffer));
            } else if (key == "name") {
                frame.name = snapshot.texts.intern(textOf(token, m_buffer));
            } else if (key == "line") {
                frame.line = jsonUnsigned(token).value_or(0);
            } else if (isJsonString(token)) {
                const auto text = snapshot.texts.intern(textOf(token, m_buffer));
                m_attributes.emplace_back(snapshot.texts.intern(unescapedJson(key)), text);
            } else if (token != "null") {
                JsonError inner = simdjson::SUCCESS;
                const auto text = snapshot.texts.intern(compactJson(rawOf(field, inner)));
                m_attributes.emplace_back(snapshot.texts.intern(unescapedJson(key)), text);
                return inner;
            }
            return simdjson::SUCCESS;
        });
        ++snapshot.origin.frameObjects;
        const auto id = snapshot.stacks.internFrame(frame);
        if (!m_attributes.empty() && snapshot.stacks.attributes(id).empty())
            for (const auto &[key, text] : m_attributes)
                snapshot.stacks.addAttribute(id, key, text);
        m_ids.push_back(id);
        return error;
    }

    JsonElements m_elements;
    std::unordered_map<std::size_t, std::pair<std::string, StackId>> m_stacks;
    std::vector<FrameId> m_ids;
    std::vector<std::pair<TextId, TextId>> m_attributes;
    std::string m_buffer;
    std::size_t m_bytes = 0;
};

TorchCollector::TorchCollector(const SnapshotReading &reading, std::optional<std::uint64_t> bytes)
    : m_reading(reading), m_streams{{0, 0}}, m_frames(std::make_unique<Frames>())
{
    for (std::size_t i = 0; i < kKnownActions; ++i)
        m_actions.emplace(snapshot.actionNames[i], static_cast<TraceAction>(i));
    const auto most = std::min<std::uint64_t>(reading.limits.events, bytes.value_or(UINT64_MAX - 1) / 2 + 1);
    snapshot.events = columns(static_cast<std::size_t>(most));
}

TorchCollector::~TorchCollector() = default;

StreamId TorchCollector::stream(std::uint64_t handle)
{
    const auto [found, isNew] = m_streams.emplace(handle, static_cast<StreamId>(snapshot.streams.size()));
    if (isNew)
        snapshot.streams.push_back(handle);
    return found->second;
}

ContextId TorchCollector::context(const EventContext &context)
{
    if (!context.pool && context.attributes.empty())
        return 0;
    const auto found = m_contexts.find(context);
    if (found != m_contexts.end())
        return found->second;
    const auto id = static_cast<ContextId>(snapshot.contexts.size());
    m_contexts.emplace(context, id);
    snapshot.contexts.push_back(context);
    return id;
}

TraceAction TorchCollector::action(std::string_view name)
{
    const auto found = m_actions.find(name);
    if (found != m_actions.end())
        return found->second;
    constexpr std::size_t kMost = 255; // an action is a byte
    if (snapshot.actionNames.size() == kMost)
        snapshot.actionNames.emplace_back("other actions");
    if (snapshot.actionNames.size() > kMost)
        return static_cast<TraceAction>(kMost);
    const auto action = static_cast<TraceAction>(snapshot.actionNames.size());
    snapshot.actionNames.emplace_back(name);
    m_actions.emplace(name, action);
    return action;
}

BlockState TorchCollector::state(std::string_view name) noexcept
{
    for (const auto state : {BlockState::Inactive, BlockState::ActiveAllocated, BlockState::ActivePendingFree})
        if (toString(state) == name)
            return state;
    return name == "active_awaiting_free" ? BlockState::ActivePendingFree : BlockState::Unknown;
}

std::optional<std::pair<std::int64_t, std::int64_t>> TorchCollector::pool(std::string_view text) noexcept
{
    const auto comma = text.find(',');
    if (comma == std::string_view::npos || (text.front() != '[' && text.front() != '('))
        return std::nullopt;
    const auto number = [](std::string_view part) {
        const auto begin = part.find_first_not_of(" \n\r\t[(");
        const auto end = part.find_last_not_of(" \n\r\t])");
        return begin == std::string_view::npos || end == std::string_view::npos || end < begin ? std::nullopt
                                                                                           : jsonInteger(part.substr(begin, end - begin + 1));
    };
    const auto first = number(text.substr(0, comma));
    const auto second = number(text.substr(comma + 1));
    return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

Result<StackId> TorchCollector::stack(std::string_view json)
{
    return m_frames->stack(json, snapshot);
}

void TorchCollector::unknownKey(std::string_view where, std::string_view key)
{
    const auto name = std::string(where) + '.' + unescapedJson(key);
    if (const auto found = snapshot.unknownKeys.find(name); found != snapshot.unknownKeys.end())
        ++found->second;
    else if (snapshot.unknownKeys.size() < kMaxUnknownKeys)
        snapshot.unknownKeys.emplace(name, 1);
}

void TorchCollector::attribute(EventContext &context, std::string_view key, std::string_view text)
{
    if (key == "compile_context") {
        features.hasCompileContext = true;
        if (text == "N/A")
            return;
    } else if (key == "user_metadata") {
        features.hasUserMetadata = true;
    }
    if (text.empty())
        return; // says nothing, on each event
    // One text may move the table's bytes under the other.
    const auto keyId = snapshot.texts.intern(key);
    context.attributes.emplace_back(keyId, snapshot.texts.intern(text.substr(0, m_reading.limits.attributeBytes)));
}

Result<void> TorchCollector::append(const TraceEvent &event)
{
    auto &events = snapshot.events;
    if (events.isFull() || events.size() >= m_reading.limits.events)
        return failure(Error::Code::TooLarge, "The snapshot has more than " + std::to_string(events.size()) + " events.");
    if (event.action == TraceAction::Annotate)
        features.hasAnnotateEvents = true;
    if (event.timeUs != kUnknownTime)
        features.hasTime = true;
    features.hasEvents = true;
    events.append(event);
    return events.size() % 4096 == 0 ? checkMemory() : Result<void>();
}

Result<void> TorchCollector::checkMemory() const
{
    const auto bytes = snapshot.events.size() * kEventBytes + snapshot.texts.bytes() + snapshot.stacks.bytes()
        + (snapshot.blocks.size() + snapshot.hostBlocks.size()) * sizeof(MemoryBlock)
        + (snapshot.segments.size() + snapshot.hostSegments.size()) * sizeof(MemorySegment) + snapshot.contexts.size() * 160
        + snapshot.annotations.size() * sizeof(TraceAnnotation) + snapshot.streams.size() * 48;
    if (bytes > m_reading.limits.memoryBytes)
        return failure(Error::Code::TooLarge, "The snapshot takes more than " + std::to_string(m_reading.limits.memoryBytes)
                                                  + " bytes of memory.");
    return {};
}

void TorchCollector::placeBlocks(MemorySegment &segment, std::vector<MemoryBlock> &blocks)
{
    segment.blockCount = blocks.size() - segment.firstBlock;
    auto address = segment.address;
    for (auto i = segment.firstBlock; i < blocks.size(); ++i) {
        if (blocks[i].address == kUnknownBytes)
            blocks[i].address = address;
        if (segment.address != kUnknownBytes)
            address = blocks[i].address + blocks[i].size;
    }
}

void TorchCollector::appendHostSegment(MemorySegment segment, MemoryBlock block, std::optional<bool> isAllocated, std::optional<bool> isActive)
{
    const bool holds = isAllocated.value_or(false);
    const bool isBusy = holds || isActive.value_or(false);
    if (isAllocated || isActive)
        block.state = holds ? BlockState::ActiveAllocated : isBusy ? BlockState::ActivePendingFree : BlockState::Inactive;
    if (isAllocated)
        segment.allocatedSize = holds ? segment.totalSize : 0;
    if (isAllocated || isActive)
        segment.activeSize = isBusy ? segment.totalSize : 0;
    block.address = segment.address;
    block.size = segment.totalSize;
    segment.stack = block.stack;
    segment.firstBlock = snapshot.hostBlocks.size();
    segment.blockCount = 1;
    snapshot.hostBlocks.push_back(block);
    snapshot.hostSegments.push_back(segment);
}

void TorchCollector::overflowed(std::string_view json)
{
    m_overflowed = numbers(json, m_isOverflowedForAll);
    features.hasEventPool = true;
}

void TorchCollector::maxEntries(std::string_view json)
{
    m_maxEntries = numbers(json, m_isMaxForAll);
    features.hasEventPool = true;
}

void TorchCollector::finish()
{
    const auto at = [](const auto &values, bool isForAll, std::size_t i) {
        const auto index = isForAll ? 0 : i;
        return index < values.size() ? values[index] : std::nullopt;
    };
    std::size_t list = 0;
    for (auto &device : snapshot.devices) {
        if (device.kind == MemoryKind::PinnedHost)
            continue;
        if (const auto value = at(m_overflowed, m_isOverflowedForAll, list))
            device.hasOverflowed = *value != 0;
        if (const auto value = at(m_maxEntries, m_isMaxForAll, list); value && *value >= 0)
            device.maxEntries = static_cast<std::uint64_t>(*value);
        ++list;
    }
    features.isTopLevelList = snapshot.origin.isTopLevelList;
    features.hasSegments = !snapshot.segments.empty();
    if (snapshot.origin.torchVersions.empty())
        snapshot.origin.torchVersions = torchVersions(features);
}

} // namespace plimsoll
