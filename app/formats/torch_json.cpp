// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_json.h"

#include "formats/json_element.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "formats/torch_collector.h"
#include "formats/torch_extras.h"
#include "formats/torch_json_parts.h"

#include <algorithm>
#include <new>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxTopLevel = 1024;

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
            if (m_parts.failure)
                return tl::make_unexpected(*std::exchange(m_parts.failure, std::nullopt));
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
                return eachElement([this](JsonValue &value) { return m_parts.takeAnnotation(value); });
            }
            if (key == "host_segments") {
                m_to.features.hasHostSegments = true;
                return eachElement([this](JsonValue &value) { return m_parts.takeHostSegment(value); });
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
            snapshot.attributes.emplace_back(key, compactJson(*value));
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
        const auto value = m_json.skip(m_reading.limits.attributeBytes);
        if (!value)
            return tl::make_unexpected(value.error());
        (void)takeRingFlag(key, *value);
        if (key == "graph_capture_record_stream_reuse")
            m_to.features.hasStreamReuse = true;
        if (m_to.snapshot.settings.size() < kMaxTopLevel)
            m_to.snapshot.settings.emplace_back(key, compactJson(*value));
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
                    return eachElement([this](JsonValue &value) { return m_parts.takeBlock(value); });
            }
            const auto value = m_json.value();
            if (!value)
                return tl::make_unexpected(value.error());
            isSegment = isSegment || key == "total_size";
            return m_parts.takeSegmentValue(segment, key, *value);
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
        if (*first == ']') {
            m_json.take();
            return {};
        }
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
            const auto state = m_elements.forEach(*run, [this](JsonValue &value) { return m_parts.takeEvent(value); });
            snapshot.devices.back().eventCount = snapshot.events.size() - snapshot.devices.back().firstEvent;
            if (m_parts.failure)
                return tl::make_unexpected(*std::exchange(m_parts.failure, std::nullopt));
            if (!state)
                return state;
            if (run->isLast)
                return {};
        }
    }

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    JsonReader m_json;
    JsonElements m_elements;
    TorchCollector m_to;
    TorchJsonParts m_parts{m_to};
    std::string m_extras;
    bool m_isSnapshot = false;
};

} // namespace

Result<MemorySnapshot> readTorchJson(ByteSource &source, const SnapshotReading &reading)
{
    try {
        return TorchJsonReader(source, reading).read();
    } catch (const std::bad_alloc &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this file.");
    }
}

} // namespace plimsoll
