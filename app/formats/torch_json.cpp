// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_json.h"

#include "formats/json_element.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "formats/torch_collector.h"
#include "formats/torch_extras.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxTopLevel = 1024;

using Pool = std::optional<std::pair<std::int64_t, std::int64_t>>;

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

// "[0, 1]"
Pool poolOf(std::string_view raw) noexcept
{
    if (!raw.starts_with('[') || !raw.ends_with(']'))
        return std::nullopt;
    raw = raw.substr(1, raw.size() - 2);
    const auto comma = raw.find(',');
    if (comma == std::string_view::npos)
        return std::nullopt;
    const auto number = [](std::string_view text) {
        const auto begin = text.find_first_not_of(" \n\r\t");
        const auto end = text.find_last_not_of(" \n\r\t");
        return begin == std::string_view::npos ? std::nullopt : jsonInteger(text.substr(begin, end - begin + 1));
    };
    const auto first = number(raw.substr(0, comma));
    const auto second = number(raw.substr(comma + 1));
    return first && second ? Pool(std::pair(*first, *second)) : std::nullopt;
}

class TorchJsonReader
{
public:
    TorchJsonReader(ByteSource &source, const SnapshotReading &reading)
        : m_source(source), m_reading(reading), m_json(source, reading), m_to(reading, source.size())
    {}

    [[nodiscard]] Result<MemorySnapshot> read()
    {
        const auto state = m_json.look().and_then([this](char first) { return readTop(first); });
        auto &snapshot = m_to.snapshot;
        auto &origin = snapshot.origin;
        if (!state) {
            if (!m_json.isTruncated() || !m_isSnapshot)
                return tl::make_unexpected(state.error());
            snapshot.warnings.push_back(state.error().detail + ' ' + std::to_string(snapshot.segments.size()) + " segments and "
                                        + std::to_string(snapshot.events.size()) + " events that came before are shown.");
            origin.truncatedAt = m_json.end();
        } else if (!m_isSnapshot) {
            return failure(Error::Code::BadInput, "This JSON is no allocator snapshot: it has neither \"segments\" nor \"device_traces\".");
        }
        origin.format = SnapshotOrigin::Format::Json;
        origin.fileBytes = m_source.taken();
        origin.isCompressed = !m_source.size().has_value();
        m_to.finish();
        if (!m_extras.empty())
            if (const auto applied = applySnapshotExtras(m_extras, snapshot); !applied)
                return tl::make_unexpected(applied.error());
        return std::move(snapshot);
    }

private:
    [[nodiscard]] Result<void> readTop(char first)
    {
        if (first == '[') {
            m_to.snapshot.origin.isTopLevelList = true;
            if (const auto state = readSegmentList(); !state)
                return state;
            return readRest();
        }
        if (first == '\0')
            return failure(Error::Code::BadInput, "The file is empty: the program died or hung while writing it.");
        if (first != '{')
            return failure(Error::Code::BadInput, "This is no snapshot: a JSON object or list was expected.");
        if (const auto state = eachKey([this](const std::string &key) { return readTopValue(key); }); !state)
            return state;
        return readRest();
    }

    [[nodiscard]] Result<void> readRest()
    {
        const auto next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (*next != '\0')
            m_to.snapshot.warnings.push_back("Behind the snapshot, at byte " + std::to_string(m_json.offset()) + ", there is more; it was left out.");
        if (!m_json.packingError().empty())
            m_to.snapshot.warnings.push_back(m_json.packingError() + " What it held is whole.");
        return {};
    }

    // An object, key by key; `each` takes the value.
    template <class Each>
    [[nodiscard]] Result<void> eachKey(Each &&each)
    {
        if (const auto open = m_json.expect('{'); !open)
            return open;
        for (bool isFirst = true;; isFirst = false) {
            const auto next = m_json.look();
            if (!next)
                return tl::make_unexpected(next.error());
            if (*next == '}') {
                m_json.take();
                return {};
            }
            if (!isFirst)
                if (const auto comma = m_json.expect(','); !comma)
                    return comma;
            const auto key = m_json.key();
            if (!key)
                return tl::make_unexpected(key.error());
            if (const Result<void> state = each(*key); !state)
                return state;
        }
    }

    // A list, item by item; `each` takes the item.
    template <class Each>
    [[nodiscard]] Result<void> eachItem(Each &&each)
    {
        if (const auto open = m_json.expect('['); !open)
            return open;
        for (bool isFirst = true;; isFirst = false) {
            const auto next = m_json.look();
            if (!next)
                return tl::make_unexpected(next.error());
            if (*next == ']') {
                m_json.take();
                return {};
            }
            if (!isFirst) {
                if (const auto comma = m_json.expect(','); !comma)
                    return comma;
                if (const auto item = m_json.look(); !item) // blanks
                    return tl::make_unexpected(item.error());
            }
            if (const Result<void> state = each(); !state)
                return state;
        }
    }

    // The elements of a list of objects, many at a time; `each` gets a simdjson value.
    template <class Each>
    [[nodiscard]] Result<void> eachElement(Each &&each)
    {
        if (const auto open = m_json.expect('['); !open)
            return open;
        while (true) {
            const auto run = m_json.elements();
            if (!run)
                return tl::make_unexpected(run.error());
            const auto state = m_elements.forEach(*run, each);
            if (m_failure)
                return tl::make_unexpected(*std::exchange(m_failure, std::nullopt));
            if (!state)
                return state;
            if (const auto fits = m_to.checkMemory(); !fits)
                return fits;
            if (run->isLast)
                return {};
        }
    }

    [[nodiscard]] Result<void> readTopValue(const std::string &key)
    {
        auto &snapshot = m_to.snapshot;
        const auto next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (key != "plimsoll" && snapshot.origin.topLevel.size() < kMaxTopLevel)
            snapshot.origin.topLevel.push_back(key);
        if (*next == '[') {
            if (key == "segments")
                return readSegmentList();
            if (key == "device_traces")
                return readTraces();
            if (key == "external_annotations") {
                m_to.features.hasAnnotations = true;
                return eachElement([this](JsonValue &value) { return takeAnnotation(value); });
            }
            if (key == "host_segments") {
                m_to.features.hasHostSegments = true;
                return eachElement([this](JsonValue &value) { return takeHostSegment(value); });
            }
            if (key == "host_traces")
                return readHostTraces();
        }
        if (key == "allocator_settings" && *next == '{') {
            m_to.features.hasSettings = true;
            return eachKey([this](const std::string &setting) { return readSetting(setting); });
        }
        const bool isExtras = key == "plimsoll" && *next == '{';
        const auto value = m_json.skip(isExtras ? m_reading.limits.textBytes : m_reading.limits.attributeBytes);
        if (!value)
            return tl::make_unexpected(value.error());
        if (isExtras)
            m_extras = *value;
        else if (!takeRingFlag(key, *value) && snapshot.attributes.size() < kMaxTopLevel) {
            m_to.unknownKey("snapshot", key);
            snapshot.attributes.emplace_back(key, *value);
        }
        return {};
    }

    bool takeRingFlag(const std::string &key, const std::string &value)
    {
        if (key == "trace_alloc_overflowed")
            m_to.overflowed(value);
        else if (key == "trace_alloc_max_entries")
            m_to.maxEntries(value);
        else
            return false;
        return true;
    }

    [[nodiscard]] Result<void> readSetting(const std::string &key)
    {
        auto value = m_json.skip(m_reading.limits.attributeBytes);
        if (!value)
            return tl::make_unexpected(value.error());
        (void)takeRingFlag(key, *value);
        if (key == "graph_capture_record_stream_reuse")
            m_to.features.hasStreamReuse = true;
        if (m_to.snapshot.settings.size() < kMaxTopLevel)
            m_to.snapshot.settings.emplace_back(key, std::move(*value));
        return {};
    }

    // ---- segments

    [[nodiscard]] Result<void> readSegmentList()
    {
        m_isSnapshot = m_isSnapshot || !m_to.snapshot.origin.isTopLevelList;
        const auto state = eachItem([this] { return readSegment(); });
        m_isSnapshot = m_isSnapshot || state.has_value(); // an empty list is one of no segments
        return state;
    }

    [[nodiscard]] Result<void> readSegment()
    {
        auto &snapshot = m_to.snapshot;
        MemorySegment segment;
        segment.firstBlock = snapshot.blocks.size();
        bool isSegment = false;
        auto state = eachKey([&](const std::string &key) -> Result<void> {
            if (key == "blocks") {
                isSegment = true;
                const auto next = m_json.look();
                if (next && *next == '[')
                    return eachElement([this](JsonValue &value) { return takeBlock(value); });
            }
            const auto value = m_json.value();
            if (!value)
                return tl::make_unexpected(value.error());
            isSegment = isSegment || key == "total_size";
            return takeSegmentValue(segment, key, *value);
        });
        if (state && m_to.snapshot.origin.isTopLevelList && !isSegment)
            state = failure(Error::Code::BadInput, "This JSON is no allocator snapshot: the list's items are no segments.");
        if (!state) {
            snapshot.blocks.resize(segment.firstBlock);
            return state;
        }
        m_isSnapshot = true;
        TorchCollector::placeBlocks(segment, snapshot.blocks);
        snapshot.segments.push_back(segment);
        return {};
    }

    [[nodiscard]] Result<void> takeSegmentValue(MemorySegment &segment, const std::string &key, std::string_view value)
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
            segment.pool = poolOf(value);
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

    [[nodiscard]] static std::uint64_t known(std::uint64_t value) noexcept { return value == kUnknownBytes ? 0 : value; }

    // The stack of a field; gives up with m_failure.
    [[nodiscard]] JsonError takeStack(JsonValue &field, StackId &stack)
    {
        JsonError error = simdjson::SUCCESS;
        const auto raw = rawOf(field, error);
        if (error != simdjson::SUCCESS || !raw.starts_with('['))
            return error;
        auto found = m_to.stack(raw);
        if (!found) {
            m_failure = std::move(found).error();
            return simdjson::INCORRECT_TYPE;
        }
        stack = *found;
        return simdjson::SUCCESS;
    }

    [[nodiscard]] JsonError takeBlock(JsonValue &value)
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
    [[nodiscard]] JsonError takeHistory(JsonValue &value, std::uint32_t &length, std::uint64_t &requested, StackId &stack)
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

    [[nodiscard]] JsonError takeHostSegment(JsonValue &value)
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
                segment.pool = poolOf(rawOf(field, inner));
            else if (key == "frames")
                inner = takeStack(field, block.stack);
            else
                m_to.unknownKey("host_segment", key);
            return inner;
        });
        m_to.appendHostSegment(segment, block, isAllocated, isActive);
        return error;
    }

    // ---- events

    [[nodiscard]] Result<void> readTraces()
    {
        m_isSnapshot = true;
        return eachItem([this] {
            auto &origin = m_to.snapshot.origin;
            const auto list = origin.traceLists++;
            return readEvents(MemoryKind::Accelerator, static_cast<std::int32_t>(list));
        });
    }

    // One list of events, or one a pool of pinned memory.
    [[nodiscard]] Result<void> readHostTraces()
    {
        if (const auto open = m_json.expect('['); !open)
            return open;
        const auto first = m_json.look();
        if (!first)
            return tl::make_unexpected(first.error());
        if (*first != '[')
            return readOpenedEvents(MemoryKind::PinnedHost, 0);
        for (std::int32_t list = 0;; ++list) {
            if (const auto state = readEvents(MemoryKind::PinnedHost, list); !state)
                return state;
            const auto next = m_json.look();
            if (!next)
                return tl::make_unexpected(next.error());
            if (*next == ']') {
                m_json.take();
                return {};
            }
            if (const auto comma = m_json.expect(','); !comma)
                return comma;
        }
    }

    [[nodiscard]] Result<void> readEvents(MemoryKind kind, std::int32_t ordinal)
    {
        if (const auto open = m_json.expect('['); !open)
            return open;
        return readOpenedEvents(kind, ordinal);
    }

    [[nodiscard]] Result<void> readOpenedEvents(MemoryKind kind, std::int32_t ordinal)
    {
        auto &snapshot = m_to.snapshot;
        if (snapshot.devices.size() >= kMaxTopLevel * 64)
            return failure(Error::Code::TooLarge, "The snapshot has more than " + std::to_string(snapshot.devices.size()) + " lists of events.");
        TraceDevice device;
        device.kind = kind;
        device.ordinal = ordinal;
        device.firstEvent = snapshot.events.size();
        snapshot.devices.push_back(std::move(device));
        while (true) {
            const auto run = m_json.elements();
            if (!run)
                return tl::make_unexpected(run.error());
            const auto state = m_elements.forEach(*run, [this](JsonValue &value) { return takeEvent(value); });
            snapshot.devices.back().eventCount = snapshot.events.size() - snapshot.devices.back().firstEvent;
            if (m_failure)
                return tl::make_unexpected(*std::exchange(m_failure, std::nullopt));
            if (!state)
                return state;
            if (run->isLast)
                return {};
        }
    }

    [[nodiscard]] JsonError takeEvent(JsonValue &value)
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
                m_context.pool = poolOf(rawOf(field, inner));
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
            m_failure = std::move(state).error();
            return simdjson::CAPACITY;
        }
        return simdjson::SUCCESS;
    }

    [[nodiscard]] JsonError takeAttribute(std::string_view key, std::string_view token, JsonValue &field)
    {
        const auto name = unescapedJson(key);
        if (!isTorchEventKey(name))
            m_to.unknownKey("event", key);
        if (isJsonString(token)) {
            m_to.attribute(m_context, name, textOf(token, m_buffer));
            return simdjson::SUCCESS;
        }
        JsonError error = simdjson::SUCCESS;
        m_to.attribute(m_context, name, rawOf(field, error));
        return error;
    }

    [[nodiscard]] JsonError takeAnnotation(JsonValue &value)
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

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    JsonReader m_json;
    JsonElements m_elements;
    TorchCollector m_to;
    EventContext m_context;
    std::string m_buffer;
    std::string m_extras;
    std::optional<Error> m_failure; // from inside simdjson's loops
    bool m_isSnapshot = false;
};

} // namespace

Result<MemorySnapshot> readTorchJson(ByteSource &source, const SnapshotReading &reading)
{
    return TorchJsonReader(source, reading).read();
}

} // namespace plimsoll
