// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_json_parts.h"

#include "formats/json_text.h"
#include "formats/torch_extras.h"

#include <charconv>
#include <utility>

namespace plimsoll {
namespace {

// A number, also as a text: "140000", "0x7f00".
std::uint64_t bytesOfToken(std::string_view token) noexcept
{
    if (isJsonString(token)) {
        token = token.substr(1, token.size() - 2);
        if (token.starts_with("0x")) {
            std::uint64_t value = 0;
            const auto *end = token.data() + token.size();
            const auto [stop, error] = std::from_chars(token.data() + 2, end, value, 16);
            return error == std::errc() && stop == end ? value : kUnknownBytes;
        }
    }
    return jsonUnsigned(token).value_or(kUnknownBytes);
}

std::optional<bool> flagOf(std::string_view token) noexcept
{
    if (token == "true" || token == "1")
        return true;
    if (token == "false" || token == "0")
        return false;
    return std::nullopt;
}

std::int32_t ordinalOf(std::string_view token) noexcept
{
    const auto value = jsonInteger(token).value_or(0);
    return value < INT32_MIN || value > INT32_MAX ? 0 : static_cast<std::int32_t>(value);
}

std::uint64_t known(std::uint64_t value) noexcept
{
    return value == kUnknownBytes ? 0 : value;
}

} // namespace

Result<void> TorchJsonParts::takeSegmentValue(MemorySegment &segment, const std::string &key, std::string_view value)
{
    if (value == "null")
        return {};
    if (key == "device") {
        segment.device = ordinalOf(value);
    } else if (key == "address") {
        segment.address = bytesOfToken(value);
    } else if (key == "total_size") {
        segment.totalSize = known(bytesOfToken(value));
    } else if (key == "allocated_size") {
        segment.allocatedSize = bytesOfToken(value);
    } else if (key == "active_size") {
        segment.activeSize = bytesOfToken(value);
    } else if (key == "requested_size") {
        segment.requestedSize = bytesOfToken(value);
    } else if (key == "stream") {
        segment.stream = m_to.stream(jsonUnsigned(value).value_or(0));
    } else if (key == "segment_type") {
        if (value == "\"large\"" || value == "\"small\"")
            segment.isLarge = value == "\"large\"";
    } else if (key == "segment_pool_id") {
        m_to.features.hasBlockAddress = true;
        segment.pool = TorchCollector::pool(value);
    } else if (key == "is_expandable") {
        m_to.features.hasBlockAddress = true;
        segment.isExpandable = flagOf(value);
    } else if (key == "frames" && value.starts_with('[')) {
        const auto stack = m_to.stack(value);
        if (!stack)
            return tl::make_unexpected(stack.error());
        segment.stack = *stack;
    } else {
        m_to.unknownKey("segment", key);
    }
    return {};
}

// The stack of a field; gives up with failure.
JsonError TorchJsonParts::takeStack(JsonValue &field, StackId &stack)
{
    JsonError error = simdjson::SUCCESS;
    const auto raw = rawOf(field, error);
    if (error != simdjson::SUCCESS || !raw.starts_with('['))
        return error;
    auto found = m_to.stack(raw);
    if (!found) {
        failure = std::move(found).error();
        return simdjson::INCORRECT_TYPE;
    }
    stack = *found;
    return simdjson::SUCCESS;
}

JsonError TorchJsonParts::takeBlock(JsonValue &value)
{
    JsonObject object;
    if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
        return error;
    MemoryBlock block;
    std::uint64_t fromHistory = kUnknownBytes;
    StackId historyStack = kNoStack;
    const auto error = forEachField(object, [&](std::string_view key, JsonValue &field) {
        const auto token = tokenOf(field);
        if (token == "null")
            return simdjson::SUCCESS;
        if (key == "address") {
            m_to.features.hasBlockAddress = true;
            block.address = bytesOfToken(token);
        } else if (key == "size") {
            block.size = known(bytesOfToken(token));
        } else if (key == "requested_size") {
            m_to.features.hasRequestedSize = true;
            block.requested = bytesOfToken(token);
        } else if (key == "state") {
            block.state = TorchCollector::state(textOf(token, m_buffer));
        } else if (key == "frames") {
            m_to.features.hasBlockAddress = true;
            return takeStack(field, block.stack);
        } else if (key == "history") {
            m_to.features.hasHistory = true;
            return takeHistory(field, block.historyLength, fromHistory, historyStack);
        } else {
            m_to.unknownKey("block", key);
        }
        return simdjson::SUCCESS;
    });
    if (block.requested == kUnknownBytes)
        block.requested = fromHistory;
    if (block.stack == kNoStack)
        block.stack = historyStack;
    m_to.snapshot.blocks.push_back(block);
    return error;
}

// Newest first: the first entry is what lives there now.
JsonError TorchJsonParts::takeHistory(JsonValue &value, std::uint32_t &length, std::uint64_t &requested, StackId &stack)
{
    JsonArray array;
    if (const auto error = value.get_array().get(array); error != simdjson::SUCCESS)
        return error;
    return forEachItem(array, [&](JsonValue &item) {
        if (length++ != 0)
            return simdjson::SUCCESS;
        JsonObject entry;
        if (const auto error = item.get_object().get(entry); error != simdjson::SUCCESS)
            return error;
        return forEachField(entry, [&](std::string_view key, JsonValue &field) {
            if (key == "real_size")
                requested = bytesOfToken(tokenOf(field));
            else if (key == "frames")
                return takeStack(field, stack);
            return simdjson::SUCCESS;
        });
    });
}

JsonError TorchJsonParts::takeHostSegment(JsonValue &value)
{
    JsonObject object;
    if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
        return error;
    MemorySegment segment;
    MemoryBlock block;
    std::optional<bool> isAllocated;
    std::optional<bool> isActive;
    const auto error = forEachField(object, [&](std::string_view key, JsonValue &field) {
        const auto token = tokenOf(field);
        if (token == "null")
            return simdjson::SUCCESS;
        JsonError inner = simdjson::SUCCESS;
        if (key == "address" || key == "addr")
            segment.address = bytesOfToken(token);
        else if (key == "size" || key == "total_size")
            segment.totalSize = known(bytesOfToken(token));
        else if (key == "allocated")
            isAllocated = flagOf(token);
        else if (key == "active")
            isActive = flagOf(token);
        else if (key == "device")
            segment.device = ordinalOf(token);
        else if (key == "stream")
            segment.stream = m_to.stream(jsonUnsigned(token).value_or(0));
        else if (key == "requested_size")
            block.requested = bytesOfToken(token);
        else if (key == "segment_pool_id" || key == "pool_id")
            segment.pool = TorchCollector::pool(rawOf(field, inner));
        else if (key == "frames")
            inner = takeStack(field, block.stack);
        else
            m_to.unknownKey("host_segment", key);
        return inner;
    });
    m_to.appendHostSegment(segment, block, isAllocated, isActive);
    return error;
}

JsonError TorchJsonParts::takeEvent(JsonValue &value)
{
    JsonObject object;
    if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
        return error;
    TraceEvent event;
    bool hasAction = false;
    std::uint64_t deviceFree = kUnknownBytes;
    m_context.pool.reset();
    m_context.attributes.clear();
    const auto error = forEachField(object, [&](std::string_view key, JsonValue &field) {
        const auto token = tokenOf(field);
        if (token == "null")
            return simdjson::SUCCESS;
        if (key == "action") {
            hasAction = true;
            event.action = m_to.action(textOf(token, m_buffer));
        } else if (key == "addr") {
            event.address = bytesOfToken(token);
        } else if (key == "device_free") {
            deviceFree = bytesOfToken(token);
        } else if (key == "size") {
            event.size = bytesOfToken(token);
        } else if (key == "stream") {
            event.stream = m_to.stream(jsonUnsigned(token).value_or(0));
        } else if (key == "time_us") {
            event.timeUs = jsonInteger(token).value_or(kUnknownTime);
        } else if (key == "frames") {
            return takeStack(field, event.stack);
        } else if (key == "pool_id") {
            JsonError inner = simdjson::SUCCESS;
            m_context.pool = TorchCollector::pool(rawOf(field, inner));
            m_to.features.hasEventPool = true;
            return inner;
        } else {
            return takeAttribute(key, token, field);
        }
        return simdjson::SUCCESS;
    });
    if (error != simdjson::SUCCESS)
        return error;
    if (!hasAction)
        event.action = m_to.action("");
    if (event.address == kUnknownBytes)
        event.address = deviceFree;
    event.context = m_to.context(m_context);
    if (auto state = m_to.append(event); !state) {
        failure = std::move(state).error();
        return simdjson::CAPACITY;
    }
    return simdjson::SUCCESS;
}

JsonError TorchJsonParts::takeAttribute(std::string_view key, std::string_view token, JsonValue &field)
{
    const auto name = unescapedJson(key);
    if (!isTorchEventKey(name))
        m_to.unknownKey("event", key);
    if (isJsonString(token)) {
        m_to.attribute(m_context, name, textOf(token, m_buffer));
        return simdjson::SUCCESS;
    }
    JsonError error = simdjson::SUCCESS;
    m_to.attribute(m_context, name, compactJson(rawOf(field, error)));
    return error;
}

JsonError TorchJsonParts::takeAnnotation(JsonValue &value)
{
    JsonObject object;
    if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
        return error;
    TraceAnnotation annotation;
    const auto error = forEachField(object, [&](std::string_view key, JsonValue &field) {
        const auto token = tokenOf(field);
        if (key == "device")
            annotation.device = ordinalOf(token);
        else if (key == "time_us")
            annotation.timeUs = jsonInteger(token).value_or(kUnknownTime);
        else if (key == "name")
            annotation.name = m_to.snapshot.texts.intern(textOf(token, m_buffer));
        else if (key == "stage")
            annotation.stage = token == "\"START\"" ? TraceAnnotation::Stage::Start
                : token == "\"END\""                ? TraceAnnotation::Stage::End
                                                    : TraceAnnotation::Stage::Other;
        else
            m_to.unknownKey("annotation", key);
        return simdjson::SUCCESS;
    });
    m_to.snapshot.annotations.push_back(annotation);
    return error;
}

} // namespace plimsoll
