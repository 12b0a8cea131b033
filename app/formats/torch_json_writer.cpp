// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/json_text.h"
#include "formats/replaced_file.h"
#include "formats/torch_extras.h"
#include "formats/torch_frames_text.h"
#include "formats/torch_json.h"

#include <algorithm>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kDepth = 64;
constexpr std::size_t kPiece = 256U << 10U;

class TorchJsonWriter
{
public:
    TorchJsonWriter(const MemorySnapshot &snapshot, ReplacedFile &file, const SnapshotWriting &writing)
        : m_snapshot(snapshot), m_file(file), m_writing(writing), m_frames(snapshot)
    {}

    [[nodiscard]] Result<void> write()
    {
        const auto &origin = m_snapshot.origin;
        const bool isList = origin.isTopLevelList && origin.format != SnapshotOrigin::Format::Kineto && m_snapshot.devices.empty()
            && m_snapshot.settings.empty() && m_snapshot.annotations.empty() && m_snapshot.attributes.empty()
            && m_snapshot.hostSegments.empty() && m_snapshot.warnings.empty() && m_snapshot.unknownKeys.empty();
        m_text = isList ? "[" : "{\"segments\":[";
        if (const auto state = writeSegments(); !state)
            return state;
        m_text += "]";
        if (!isList) {
            if (const auto state = writeTraces(false); !state)
                return state;
            writeSettings();
            writeAnnotations();
            if (!m_snapshot.hostSegments.empty())
                writeHostSegments();
            if (std::any_of(m_snapshot.devices.begin(), m_snapshot.devices.end(), isHost))
                if (const auto state = writeTraces(true); !state)
                    return state;
            writeRingFlags();
            for (const auto &[key, value] : m_snapshot.attributes)
                writeRaw(key, value);
            m_text += ",\n\"plimsoll\":" + snapshotExtras(m_snapshot);
            m_text += '}';
        }
        m_text += '\n';
        return flush(true);
    }

private:
    [[nodiscard]] static bool isHost(const TraceDevice &device) noexcept { return device.kind == MemoryKind::PinnedHost; }

    [[nodiscard]] Result<void> flush(bool isLast = false)
    {
        if (m_text.size() < kPiece && !isLast)
            return {};
        if (m_writing.stop.stop_requested())
            return failure(Error::Code::Cancelled, "Writing was cancelled; no file was left.");
        auto state = m_file.write(m_text);
        m_text.clear();
        return state;
    }

    void progress(std::size_t done)
    {
        const auto all = m_snapshot.events.size();
        if (!m_writing.progress || all == 0)
            return;
        const auto perMille = static_cast<int>(done * 1000 / all);
        if (std::exchange(m_perMille, perMille) != perMille)
            m_writing.progress({perMille, std::nullopt});
    }

    void key(std::string_view name)
    {
        if (m_text.back() != '{')
            m_text += ',';
        m_text += '"';
        m_text += name;
        m_text += "\":";
    }
    void number(std::string_view name, std::uint64_t value)
    {
        if (value == kUnknownBytes)
            return;
        key(name);
        m_text += std::to_string(value);
    }
    void text(std::string_view name, std::string_view value)
    {
        key(name);
        appendJsonString(m_text, value);
    }
    void pool(std::string_view name, const std::optional<std::pair<std::int64_t, std::int64_t>> &value)
    {
        if (!value)
            return;
        key(name);
        m_text += '[' + std::to_string(value->first) + ',' + std::to_string(value->second) + ']';
    }
    void stack(std::string_view name, StackId id)
    {
        if (id == kNoStack)
            return;
        key(name);
        m_frames.append(m_text, id);
    }
    // A stream pointer or an address that is all ones is no "unknown".
    void handle(std::string_view name, StreamId stream)
    {
        key(name);
        m_text += std::to_string(m_snapshot.streams[stream]);
    }

    [[nodiscard]] Result<void> writeSegments()
    {
        bool isFirst = true;
        for (const auto &segment : m_snapshot.segments) {
            m_text += isFirst ? "\n{" : ",\n{";
            isFirst = false;
            key("device");
            m_text += std::to_string(segment.device);
            number("address", segment.address);
            number("total_size", segment.totalSize);
            number("allocated_size", segment.allocatedSize);
            number("active_size", segment.activeSize);
            number("requested_size", segment.requestedSize);
            handle("stream", segment.stream);
            if (segment.isLarge)
                text("segment_type", *segment.isLarge ? "large" : "small");
            pool("segment_pool_id", segment.pool);
            if (segment.isExpandable) {
                key("is_expandable");
                m_text += *segment.isExpandable ? "true" : "false";
            }
            stack("frames", segment.stack);
            key("blocks");
            m_text += '[';
            for (std::size_t i = segment.firstBlock; i < segment.firstBlock + segment.blockCount; ++i) {
                if (i != segment.firstBlock)
                    m_text += ',';
                writeBlock(m_snapshot.blocks[i]);
                if (const auto state = flush(); !state)
                    return state;
            }
            m_text += "]}";
        }
        return {};
    }

    void writeBlock(const MemoryBlock &block)
    {
        m_text += '{';
        number("address", block.address);
        number("size", block.size);
        text("state", toString(block.state));
        if (block.historyLength == 0) {
            number("requested_size", block.requested);
            stack("frames", block.stack);
        } else { // the entries behind the first one are only counted
            key("history");
            m_text += "[{";
            number("addr", block.address);
            number("real_size", block.requested);
            stack("frames", block.stack);
            m_text += '}';
            for (std::uint32_t i = 1; i < block.historyLength; ++i)
                m_text += ",{}";
            m_text += ']';
        }
        m_text += '}';
    }

    [[nodiscard]] Result<void> writeTraces(bool isOfHost)
    {
        m_text += isOfHost ? ",\n\"host_traces\":[" : ",\n\"device_traces\":[";
        bool isFirst = true;
        for (const auto &device : m_snapshot.devices) {
            if (isHost(device) != isOfHost)
                continue;
            m_text += isFirst ? "\n[" : ",\n[";
            isFirst = false;
            for (std::size_t i = device.firstEvent; i < device.firstEvent + device.eventCount; ++i) {
                m_text += i == device.firstEvent ? "\n{" : ",\n{";
                writeEvent(m_snapshot.events[i]);
                m_text += '}';
                if (const auto state = flush(); !state)
                    return state;
                progress(i);
            }
            m_text += ']';
        }
        m_text += ']';
        return {};
    }

    void writeEvent(const TraceEvent &event)
    {
        text("action", m_snapshot.actionNames[static_cast<std::size_t>(event.action)]);
        number(event.action == TraceAction::Oom ? "device_free" : "addr", event.address);
        number("size", event.size);
        handle("stream", event.stream);
        if (event.timeUs != kUnknownTime) {
            key("time_us");
            m_text += std::to_string(event.timeUs);
        }
        const auto &context = m_snapshot.contexts[event.context];
        pool("pool_id", context.pool);
        for (const auto &[name, value] : context.attributes) {
            if (m_text.back() != '{')
                m_text += ',';
            appendJsonString(m_text, m_snapshot.texts[name]);
            m_text += ':';
            // A list of frames: what reads it wants a list, and reading gives the same text again.
            const auto written = m_snapshot.texts[value];
            if (written.starts_with('[') && m_snapshot.texts[name] == "forward_frames" && isJson(written, kDepth))
                m_text += written;
            else
                appendJsonString(m_text, written);
        }
        stack("frames", event.stack);
    }

    void writeRaw(std::string_view name, std::string_view value)
    {
        if (!isJson(value, kDepth))
            return; // was cut: stands under "plimsoll"
        if (m_text.back() != '{')
            m_text += ",\n";
        appendJsonString(m_text, name);
        m_text += ':';
        m_text += value;
    }

    void writeSettings()
    {
        if (m_snapshot.settings.empty())
            return;
        m_text += ",\n\"allocator_settings\":{";
        for (const auto &[name, value] : m_snapshot.settings)
            writeRaw(name, value);
        m_text += '}';
    }

    void writeAnnotations()
    {
        const auto &topLevel = m_snapshot.origin.topLevel;
        if (m_snapshot.annotations.empty() && std::find(topLevel.begin(), topLevel.end(), "external_annotations") == topLevel.end())
            return;
        m_text += ",\n\"external_annotations\":[";
        bool isFirst = true;
        for (const auto &annotation : m_snapshot.annotations) {
            m_text += isFirst ? "\n{" : ",\n{";
            isFirst = false;
            key("device");
            m_text += std::to_string(annotation.device);
            if (annotation.timeUs != kUnknownTime) {
                key("time_us");
                m_text += std::to_string(annotation.timeUs);
            }
            using Stage = TraceAnnotation::Stage;
            text("stage", annotation.stage == Stage::Start ? "START" : annotation.stage == Stage::End ? "END" : "OTHER");
            text("name", m_snapshot.texts[annotation.name]);
            m_text += '}';
        }
        m_text += ']';
    }

    void writeHostSegments()
    {
        m_text += ",\n\"host_segments\":[";
        bool isFirst = true;
        for (const auto &segment : m_snapshot.hostSegments) {
            m_text += isFirst ? "\n{" : ",\n{";
            isFirst = false;
            number("address", segment.address);
            number("size", segment.totalSize);
            if (segment.device != 0) {
                key("device");
                m_text += std::to_string(segment.device);
            }
            if (segment.stream != 0)
                handle("stream", segment.stream);
            pool("segment_pool_id", segment.pool);
            if (segment.blockCount != 0) {
                const auto &block = m_snapshot.hostBlocks[segment.firstBlock];
                if (block.state != BlockState::Unknown) {
                    m_text += std::string(",\"allocated\":") + (block.state == BlockState::ActiveAllocated ? "true" : "false");
                    m_text += std::string(",\"active\":") + (block.state == BlockState::Inactive ? "false" : "true");
                }
                number("requested_size", block.requested);
                stack("frames", block.stack);
            }
            m_text += '}';
        }
        m_text += ']';
    }

    [[nodiscard]] bool has(std::string_view name) const
    {
        const auto isNamed = [name](const auto &pair) { return pair.first == name; };
        return std::any_of(m_snapshot.settings.begin(), m_snapshot.settings.end(), isNamed)
            || std::any_of(m_snapshot.attributes.begin(), m_snapshot.attributes.end(), isNamed);
    }

    void writeRingFlags()
    {
        const auto write = [this](std::string_view name, auto &&valueOf) {
            std::string list;
            bool isSaid = false;
            for (const auto &device : m_snapshot.devices) {
                if (isHost(device))
                    continue;
                const std::string value = valueOf(device);
                isSaid = isSaid || value != "null";
                list += (list.empty() ? "" : ",") + value;
            }
            if (isSaid && !has(name))
                m_text += ",\n\"" + std::string(name) + "\":[" + list + ']';
        };
        write("trace_alloc_max_entries", [](const TraceDevice &device) { return device.maxEntries ? std::to_string(*device.maxEntries) : "null"; });
        write("trace_alloc_overflowed", [](const TraceDevice &device) {
            return std::string(!device.hasOverflowed ? "null" : *device.hasOverflowed ? "true" : "false");
        });
    }

    const MemorySnapshot &m_snapshot;
    ReplacedFile &m_file;
    const SnapshotWriting &m_writing;
    TorchFramesText m_frames;
    std::string m_text;
    int m_perMille = -1;
};

} // namespace

Result<void> writeTorchJson(const MemorySnapshot &snapshot, const std::filesystem::path &path, const SnapshotWriting &writing)
{
    auto file = ReplacedFile::create(path);
    if (!file)
        return tl::make_unexpected(file.error());
    if (auto state = TorchJsonWriter(snapshot, *file, writing).write(); !state)
        return state;
    return file->commit();
}

} // namespace plimsoll
