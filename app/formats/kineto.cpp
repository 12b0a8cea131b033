// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto.h"

#include "formats/json_element.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "formats/kineto_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <tuple>
#include <unordered_map>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxTopLevel = 256;

void add(std::int64_t &to, std::int64_t value) noexcept
{
    to = saturated(static_cast<WideInteger>(to) + value);
}

class KinetoReader
{
public:
    KinetoReader(ByteSource &source, const SnapshotReading &reading) : m_source(source), m_reading(reading), m_json(source, reading) {}

    [[nodiscard]] Result<KinetoTrace> read()
    {
        const auto state = m_json.look().and_then([this](char first) { return readTop(first); });
        if (!state) {
            if (!m_json.isTruncated() || !m_isTrace)
                return tl::make_unexpected(state.error());
            m_trace.snapshot.warnings.push_back(state.error().detail + " What came before is shown.");
            m_trace.snapshot.origin.truncatedAt = m_json.end();
        }
        if (!m_isTrace)
            return failure(Error::Code::BadInput, "This JSON is no profiler trace: it has no list \"traceEvents\".");
        return finish();
    }

private:
    [[nodiscard]] Result<void> readTop(char first)
    {
        if (first == '[') {
            m_trace.census.isTopLevelList = true;
            return readEvents();
        }
        if (first != '{')
            return failure(Error::Code::BadInput, "This is no profiler trace: a JSON object or list was expected.");
        m_json.take();
        for (bool isFirst = true;; isFirst = false) {
            const auto next = m_json.look();
            if (!next)
                return tl::make_unexpected(next.error());
            if (*next == '}') {
                m_json.take();
                return readRest();
            }
            if (!isFirst)
                if (const auto comma = m_json.expect(','); !comma)
                    return comma;
            const auto key = m_json.key();
            if (!key)
                return tl::make_unexpected(key.error());
            if (m_trace.census.topLevel.size() < kMaxTopLevel)
                m_trace.census.topLevel.push_back(*key);
            if (const auto state = readTopValue(*key); !state)
                return state;
        }
    }

    [[nodiscard]] Result<void> readTopValue(const std::string &key)
    {
        const auto next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (key == "traceEvents" && *next == '[')
            return readEvents();
        if (key == "deviceProperties" && *next == '[')
            return readDeviceProperties();
        const auto value = m_json.skip(m_reading.limits.attributeBytes);
        if (!value)
            return tl::make_unexpected(value.error());
        if (key == "baseTimeNanoseconds")
            m_baseNs = jsonInteger(withoutQuotes(*value)).value_or(0);
        else if (m_trace.snapshot.attributes.size() < kMaxTopLevel)
            m_trace.snapshot.attributes.emplace_back(key, compactJson(*value));
        return {};
    }

    [[nodiscard]] Result<void> readRest()
    {
        const auto next = m_json.look();
        if (!next)
            return tl::make_unexpected(next.error());
        if (*next != '\0')
            m_trace.snapshot.warnings.push_back("Behind the trace, at byte " + std::to_string(m_json.offset()) + ", there is more; it was left out.");
        if (!m_json.packingError().empty())
            m_trace.snapshot.warnings.push_back(m_json.packingError() + " What it held is whole.");
        return {};
    }

    [[nodiscard]] Result<void> readEvents()
    {
        m_isTrace = true;
        m_json.take();
        while (true) {
            const auto run = m_json.elements();
            if (!run)
                return tl::make_unexpected(run.error());
            const auto state = m_elements.forEach(*run, [this](JsonValue &value) { return m_events.take(value); });
            if (!state)
                return state;
            if (m_events.rows.size() > m_reading.limits.events || m_events.rows.size() * sizeof(KinetoMemoryRow) > m_reading.limits.memoryBytes / 4)
                return failure(Error::Code::TooLarge, "The trace has more than " + std::to_string(m_events.rows.size()) + " memory events.");
            if (m_events.ranges.size() * sizeof(ThreadRange) > m_reading.limits.memoryBytes / 4) {
                m_events.dropRanges();
                m_trace.snapshot.warnings.emplace_back("The trace has so many ops that stacks are left out.");
            }
            if (m_trace.snapshot.texts.bytes() > m_reading.limits.memoryBytes / 4)
                return failure(Error::Code::TooLarge, "The names in the trace take more memory than allowed.");
            if (run->isLast)
                return {};
        }
    }

    [[nodiscard]] Result<void> readDeviceProperties()
    {
        const auto offset = m_json.offset();
        const auto text = m_json.value();
        if (!text)
            return tl::make_unexpected(text.error());
        return m_elements.forEach(*text, offset, [this](JsonValue &value) {
            JsonObject object;
            if (value.get_object().get(object) != simdjson::SUCCESS)
                return simdjson::SUCCESS;
            KinetoDeviceProperties properties;
            const auto error = forEachField(object, [&](std::string_view key, JsonValue &field) {
                const auto token = tokenOf(field);
                if (key == "id")
                    properties.id = jsonInteger(withoutQuotes(token)).value_or(0);
                else if (key == "name")
                    properties.name = textOf(token, m_buffer);
                else if (key == "totalGlobalMem")
                    properties.totalBytes = jsonUnsigned(withoutQuotes(token));
                return simdjson::SUCCESS;
            });
            if (m_trace.deviceProperties.size() < kMaxTopLevel)
                m_trace.deviceProperties.push_back(std::move(properties));
            return error;
        });
    }

    [[nodiscard]] Result<KinetoTrace> finish()
    {
        auto &snapshot = m_trace.snapshot;
        auto &origin = snapshot.origin;
        origin.format = SnapshotOrigin::Format::Kineto;
        origin.fileBytes = m_source.taken();
        origin.isCompressed = !m_source.size().has_value();
        origin.isTopLevelList = m_trace.census.isTopLevelList;
        origin.topLevel = m_trace.census.topLevel;
        if (m_events.notObjects != 0)
            snapshot.warnings.push_back(std::to_string(m_events.notObjects) + " events are no JSON objects; they are counted and left out.");
        if (m_events.incomplete != 0)
            snapshot.warnings.push_back(std::to_string(m_events.incomplete) + " memory events lack their time, size or device and are left out.");
        if (m_events.rows.empty())
            snapshot.warnings.emplace_back("The trace has no memory events: was it made with profile_memory=True?");
        if (m_events.threads() > KinetoEvents::kMaxThreads)
            snapshot.warnings.emplace_back("The trace has too many threads: stacks may be mixed up.");
        fillStacks();
        std::stable_sort(m_events.rows.begin(), m_events.rows.end(), [this](const KinetoMemoryRow &a, const KinetoMemoryRow &b) {
            m_stop();
            return std::tie(a.device, a.time) < std::tie(b.device, b.time);
        });
        try {
            snapshot.events = EventColumns(m_events.rows.size());
        } catch (const std::bad_alloc &) {
            return failure(Error::Code::TooLarge, "There is no memory for " + std::to_string(m_events.rows.size()) + " memory events.");
        }
        auto row = m_events.rows.begin();
        for (std::uint32_t device = 0; device < m_trace.census.devices.size(); ++device) {
            const auto first = row;
            while (row != m_events.rows.end() && row->device == device)
                ++row;
            addDevice(m_trace.census.devices[device], {first, row});
        }
        addAnnotations();
        return std::move(m_trace);
    }

    void fillStacks()
    {
        if (m_events.ranges.empty())
            return;
        std::vector<ThreadMoment> moments;
        moments.reserve(m_events.rows.size());
        std::vector<bool> isWanted(m_events.threads() + 1);
        for (std::size_t i = 0; i < m_events.rows.size(); ++i) {
            moments.push_back({nanoseconds(m_events.rows[i].time), m_events.rows[i].thread, static_cast<std::uint32_t>(i), kNoStack});
            isWanted[std::min<std::size_t>(m_events.rows[i].thread, m_events.threads())] = true;
        }
        std::erase_if(m_events.ranges, [&](const ThreadRange &range) {
            return !isWanted[std::min<std::size_t>(range.thread, m_events.threads())];
        });
        findStacks(m_events.ranges, moments, m_trace.snapshot.texts, m_trace.snapshot.stacks, m_stop);
        std::vector<ThreadRange>().swap(m_events.ranges);
        for (const auto &moment : moments)
            m_events.rows[moment.row].stack = moment.stack;
    }

    [[nodiscard]] std::int64_t unixUs(const ChromeTime &time) const noexcept
    {
        const auto ns = static_cast<WideInteger>(time.us) * 1000 + static_cast<std::int64_t>(time.fraction * 1000) + m_baseNs;
        return saturated((ns - (ns < 0 ? 999 : 0)) / 1000);
    }

    void addDevice(KinetoDeviceCensus &census, std::span<const KinetoMemoryRow> rows)
    {
        auto &snapshot = m_trace.snapshot;
        TraceDevice device;
        const auto colon = census.key.find(':');
        device.kind = census.key.starts_with("0:") ? MemoryKind::Cpu : MemoryKind::Accelerator;
        device.ordinal = static_cast<std::int32_t>(jsonInteger(std::string_view(census.key).substr(colon + 1)).value_or(-1));
        device.firstEvent = snapshot.events.size();
        device.eventCount = rows.size();
        device.hasAddresses = std::any_of(rows.begin(), rows.end(), [](const KinetoMemoryRow &row) { return row.address != kUnknownBytes; });
        std::unordered_map<std::uint64_t, std::int64_t> live;
        for (const auto &row : rows) {
            m_stop();
            TraceEvent event;
            event.action = row.isOom != 0 ? TraceAction::Oom : row.bytes >= 0 ? TraceAction::Alloc : TraceAction::Free;
            event.address = row.isOom != 0 ? kUnknownBytes : row.address;
            event.size = row.bytes >= 0 ? static_cast<std::uint64_t>(row.bytes) : 0 - static_cast<std::uint64_t>(row.bytes);
            event.timeUs = unixUs(row.time);
            event.stack = row.stack;
            if (!device.levelAtStart && row.hasAllocated != 0) {
                const auto before = row.allocated - (row.isOom != 0 ? 0 : row.bytes);
                device.levelAtStart = static_cast<std::uint64_t>(std::max<std::int64_t>(before, 0));
            }
            if (row.hasReserved != 0 && row.reserved >= 0
                && (device.reserved.empty() || device.reserved.back().second != static_cast<std::uint64_t>(row.reserved)))
                device.reserved.emplace_back(snapshot.events.size(), static_cast<std::uint64_t>(row.reserved));
            snapshot.events.append(event);
            if (row.isOom == 0)
                count(census, row, live);
        }
        if (device.kind == MemoryKind::Cpu && device.reserved.size() == 1 && device.reserved.front().second == 0)
            device.reserved.clear(); // nobody reserves there
        census.liveAtEnd = live.size();
        for (const auto &[address, bytes] : live)
            add(census.liveAtEndBytes, bytes);
        snapshot.devices.push_back(std::move(device));
    }

    static void count(KinetoDeviceCensus &census, const KinetoMemoryRow &row, std::unordered_map<std::uint64_t, std::int64_t> &live)
    {
        ++census.memoryEvents;
        if (!census.firstTime)
            census.firstTime = row.time;
        census.lastTime = row.time;
        add(census.netBytes, row.bytes);
        census.peakNetBytes = std::max(census.peakNetBytes, census.netBytes);
        if (row.bytes >= 0) {
            ++census.allocs;
            add(census.allocBytes, row.bytes);
            if (row.address != kUnknownBytes)
                live[row.address] = row.bytes;
        } else {
            ++census.frees;
            add(census.freeBytes, -std::max(row.bytes, -std::numeric_limits<std::int64_t>::max()));
            if (row.address != kUnknownBytes && live.erase(row.address) == 0)
                ++census.freeOfUnknownAddress;
        }
        const auto greatest = [](std::optional<std::int64_t> &max, std::int64_t value) { max = max ? std::max(*max, value) : value; };
        if (row.hasAllocated != 0)
            greatest(census.maxTotalAllocated, row.allocated);
        if (row.hasReserved != 0)
            greatest(census.maxTotalReserved, row.reserved);
    }

    // Annotations are of a thread; each card of the trace gets them, for ranges belong to a device there.
    void addAnnotations()
    {
        struct Mark
        {
            std::int64_t timeUs;
            int order; // at one time ends come before starts, but not before their own
            bool isStart;
            TextId name;
        };
        std::vector<Mark> marks;
        marks.reserve(m_events.annotations.size() * 2);
        for (const auto &range : m_events.annotations) {
            const auto start = unixUs(range.begin);
            ChromeTime end = range.begin;
            const auto whole = std::floor(std::min(range.duration, 9e15));
            end.us = saturated(static_cast<WideInteger>(end.us) + static_cast<std::int64_t>(whole));
            end.fraction += std::min(range.duration, 9e15) - whole;
            const auto stop = unixUs(end);
            marks.push_back({start, 1, true, range.name});
            marks.push_back({stop, stop > start ? 0 : 2, false, range.name});
        }
        std::stable_sort(marks.begin(), marks.end(),
                         [](const Mark &a, const Mark &b) { return std::tie(a.timeUs, a.order) < std::tie(b.timeUs, b.order); });
        auto &snapshot = m_trace.snapshot;
        std::vector<std::int32_t> ordinals;
        for (const auto &device : snapshot.devices)
            if (device.kind == MemoryKind::Accelerator && device.eventCount != 0)
                ordinals.push_back(device.ordinal);
        if (ordinals.empty())
            ordinals.push_back(-1);
        for (const auto ordinal : ordinals)
            for (const auto &mark : marks)
                snapshot.annotations.push_back({ordinal, mark.timeUs, mark.isStart ? TraceAnnotation::Stage::Start : TraceAnnotation::Stage::End, mark.name});
    }

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    JsonReader m_json;
    JsonElements m_elements;
    KinetoTrace m_trace;
    KinetoEvents m_events{m_trace.snapshot.texts, m_trace.census};
    StopCheck m_stop{m_reading.stop};
    std::string m_buffer;
    std::int64_t m_baseNs = 0;
    bool m_isTrace = false;
};

} // namespace

Result<KinetoTrace> readKineto(ByteSource &source, const SnapshotReading &reading)
{
    try {
        return KinetoReader(source, reading).read();
    } catch (const StopCheck::Stopped &) {
        return failure(Error::Code::Cancelled, "Reading was cancelled.");
    } catch (const std::bad_alloc &) {
        return failure(Error::Code::TooLarge, "There is not enough memory to read this file.");
    }
}

} // namespace plimsoll
