// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto.h"

#include "formats/json_element.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "formats/kineto_stacks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <tuple>
#include <unordered_map>

namespace plimsoll {
namespace {

__extension__ typedef __int128 Wide; // sums and products are cut once, at the end

/// One [memory] or [OutOfMemory] event as it is written.
struct MemoryRow
{
    ChromeTime time;
    std::int64_t bytes = 0;
    std::uint64_t address = kUnknownBytes;
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
    std::uint32_t device = 0;
    std::uint32_t thread : 28 = 0;
    std::uint32_t isOom : 1 = 0;
    std::uint32_t hasAllocated : 1 = 0;
    std::uint32_t hasReserved : 1 = 0;
    StackId stack = kNoStack;
};

struct Range
{
    ChromeTime begin;
    double duration = 0; // microseconds
    TextId name = 0;
};

constexpr std::uint64_t kMaxThreads = 1U << 20U;

std::optional<ChromeTime> timeOf(std::string_view token) noexcept
{
    if (isJsonString(token))
        token = token.substr(1, token.size() - 2);
    std::int64_t whole = 0;
    const auto *end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, whole);
    if (error == std::errc() && stop == end)
        return ChromeTime{whole, 0};
    const auto real = jsonReal(token);
    if (!real || std::abs(*real) >= 9.2e18)
        return std::nullopt;
    const auto floor = std::floor(*real);
    return ChromeTime{static_cast<std::int64_t>(floor), *real - floor};
}

std::int64_t saturated(Wide value) noexcept
{
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    return value > kMax ? kMax : value < -kMax ? -kMax : static_cast<std::int64_t>(value);
}

std::int64_t nanoseconds(const ChromeTime &time) noexcept
{
    return saturated(static_cast<Wide>(time.us) * 1000 + static_cast<std::int64_t>(time.fraction * 1000));
}

std::int64_t nanoseconds(double us) noexcept
{
    return us >= 9.2e15 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(us * 1000);
}

// What runs on a card, not on a thread.
bool isOfDevice(std::string_view category) noexcept
{
    return category.starts_with("gpu_") || category == "kernel" || category == "Kernel" || category == "Memcpy"
        || category == "Memset" || category == "Trace" || category == "overhead";
}

std::string_view withoutQuotes(std::string_view token) noexcept
{
    return isJsonString(token) ? token.substr(1, token.size() - 2) : token;
}

void add(std::int64_t &to, std::int64_t value) noexcept
{
    to = saturated(static_cast<Wide>(to) + value);
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
            m_trace.snapshot.origin.truncatedAt = m_json.offset();
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
            m_trace.snapshot.attributes.emplace_back(key, *value);
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
            const auto state = m_elements.forEach(*run, [this](JsonValue &value) { return takeEvent(value); });
            if (!state)
                return state;
            if (m_rows.size() > m_reading.limits.events || m_rows.size() * sizeof(MemoryRow) > m_reading.limits.memoryBytes / 4)
                return failure(Error::Code::TooLarge, "The trace has more than " + std::to_string(m_rows.size()) + " memory events.");
            if (m_ranges.size() * sizeof(ThreadRange) > m_reading.limits.memoryBytes / 4) {
                std::vector<ThreadRange>().swap(m_ranges);
                m_areRangesKept = false;
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

    struct Event
    {
        std::string_view phase; // tokens
        std::string_view category;
        std::string_view name;
        std::string_view pid;
        std::string_view tid;
        std::string_view time;
        std::string_view duration;
        std::string_view deviceType;
        std::string_view deviceId;
        std::string_view address;
        std::string_view bytes;
        std::string_view allocated;
        std::string_view reserved;
    };

    [[nodiscard]] static JsonError takeArguments(Event &event, JsonValue &value)
    {
        JsonObject arguments;
        if (!tokenOf(value).starts_with('{') || value.get_object().get(arguments) != simdjson::SUCCESS)
            return simdjson::SUCCESS;
        return forEachField(arguments, [&event](std::string_view key, JsonValue &field) {
            if (key == "Bytes")
                event.bytes = tokenOf(field);
            else if (key == "Addr")
                event.address = tokenOf(field);
            else if (key == "Device Type")
                event.deviceType = tokenOf(field);
            else if (key == "Device Id")
                event.deviceId = tokenOf(field);
            else if (key == "Total Allocated")
                event.allocated = tokenOf(field);
            else if (key == "Total Reserved")
                event.reserved = tokenOf(field);
            return simdjson::SUCCESS;
        });
    }

    [[nodiscard]] JsonError takeEvent(JsonValue &value)
    {
        ++m_trace.census.events;
        Event event;
        if (!tokenOf(value).starts_with('{')) {
            ++m_notObjects;
            countPhase({});
            return simdjson::SUCCESS;
        }
        JsonObject object;
        if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
            return error;
        const auto error = forEachRawField(object, [&event](const char *key, JsonValue &field) {
            switch (key[0]) {
            case 'a': // arguments are most of the text: only those of memory events are looked at
                if (isKey(key, "args") && (event.name.empty() || isMemory(event.name)))
                    return takeArguments(event, field);
                break;
            case 'c':
                if (isKey(key, "cat"))
                    event.category = tokenOf(field);
                break;
            case 'd':
                if (isKey(key, "dur"))
                    event.duration = tokenOf(field);
                break;
            case 'n':
                if (isKey(key, "name"))
                    event.name = tokenOf(field);
                break;
            case 'p':
                if (isKey(key, "ph"))
                    event.phase = tokenOf(field);
                else if (isKey(key, "pid"))
                    event.pid = tokenOf(field);
                break;
            case 't':
                if (isKey(key, "ts"))
                    event.time = tokenOf(field);
                else if (isKey(key, "tid"))
                    event.tid = tokenOf(field);
                break;
            default: break;
            }
            return simdjson::SUCCESS;
        });
        if (error != simdjson::SUCCESS)
            return error;
        countPhase(event.phase);
        if (isMemory(event.name))
            takeMemory(event);
        else if (event.phase == "\"X\"")
            takeRange(event);
        return simdjson::SUCCESS;
    }

    [[nodiscard]] static bool isMemory(std::string_view name) noexcept
    {
        return name.size() > 2 && name[1] == '[' && (name == "\"[memory]\"" || name == "\"[OutOfMemory]\"");
    }

    void countPhase(std::string_view token)
    {
        if (token.size() == 3 && m_phases[static_cast<unsigned char>(token[1])] != 0) {
            ++m_trace.census.eventsByPhase[m_phases[static_cast<unsigned char>(token[1])] - 1].second;
            return;
        }
        auto name = isJsonString(token) ? std::string(textOf(token, m_buffer)) : std::string("null");
        auto &phases = m_trace.census.eventsByPhase;
        auto found = std::find_if(phases.begin(), phases.end(), [&name](const auto &phase) { return phase.first == name; });
        if (found == phases.end()) {
            if (phases.size() >= kMaxTopLevel) // hostile: none has more than a dozen
                return;
            found = phases.insert(phases.end(), {name, 0});
            if (token.size() == 3)
                m_phases[static_cast<unsigned char>(token[1])] = static_cast<std::uint16_t>(phases.size());
        }
        ++found->second;
    }

    [[nodiscard]] std::uint32_t threadOf(const Event &event)
    {
        // Old traces write the same thread as a number and as a text.
        m_threadKey.assign(withoutQuotes(event.pid));
        m_threadKey += '/';
        m_threadKey += withoutQuotes(event.tid);
        if (m_threadKey == m_lastThreadKey)
            return m_lastThread;
        auto found = m_threads.find(m_threadKey);
        if (found == m_threads.end())
            found = m_threads.emplace(m_threadKey, static_cast<std::uint32_t>(std::min<std::size_t>(m_threads.size(), kMaxThreads))).first;
        m_lastThreadKey = m_threadKey;
        return m_lastThread = found->second;
    }

    [[nodiscard]] std::optional<std::uint32_t> deviceOf(const Event &event)
    {
        const auto part = [](std::string_view token) { return token.empty() ? std::string_view("None") : withoutQuotes(token); };
        m_deviceKey.assign(part(event.deviceType));
        m_deviceKey += ':';
        m_deviceKey += part(event.deviceId);
        auto &devices = m_trace.census.devices;
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (devices[i].key == m_deviceKey)
                return static_cast<std::uint32_t>(i);
        if (devices.size() >= kMaxDevices)
            return std::nullopt;
        devices.emplace_back().key = m_deviceKey;
        return static_cast<std::uint32_t>(devices.size() - 1);
    }

    void takeMemory(const Event &event)
    {
        const auto time = timeOf(event.time);
        const auto bytes = jsonInteger(withoutQuotes(event.bytes));
        MemoryRow row;
        row.isOom = event.name == "\"[OutOfMemory]\"" ? 1 : 0;
        if (!time || (!bytes && row.isOom == 0)) {
            ++m_incomplete;
            return;
        }
        const auto device = deviceOf(event);
        if (!device) {
            ++m_incomplete;
            return;
        }
        row.time = *time;
        row.bytes = bytes.value_or(0);
        row.device = *device;
        row.thread = threadOf(event) & 0xFFFFFFFU;
        if (const auto address = jsonUnsigned(withoutQuotes(event.address)))
            row.address = *address;
        if (const auto total = jsonInteger(withoutQuotes(event.allocated))) {
            row.allocated = *total;
            row.hasAllocated = 1;
        }
        if (const auto total = jsonInteger(withoutQuotes(event.reserved))) {
            row.reserved = *total;
            row.hasReserved = 1;
        }
        if (row.isOom != 0) {
            ++m_trace.census.devices[*device].oomEvents;
        } else {
            if (m_lastTime && row.time < *m_lastTime)
                ++m_trace.census.memoryEventsOutOfTimeOrder;
            m_lastTime = row.time;
        }
        m_rows.push_back(row);
    }

    void takeRange(const Event &event)
    {
        const auto category = withoutQuotes(event.category);
        if (isOfDevice(category))
            return;
        const auto time = timeOf(event.time);
        const auto duration = jsonReal(withoutQuotes(event.duration));
        if (!time || !duration || !(*duration >= 0) || event.name.size() < 3)
            return;
        const auto text = textOf(event.name, m_buffer);
        const auto name = m_trace.snapshot.texts.intern(text);
        if (category == "user_annotation" || text.starts_with("ProfilerStep"))
            m_annotations.push_back({*time, *duration, name});
        if (!m_areRangesKept)
            return;
        ThreadRange range;
        range.begin = nanoseconds(*time);
        range.end = saturated(static_cast<Wide>(range.begin) + nanoseconds(*duration));
        range.name = name;
        range.thread = threadOf(event) & 0x7FFFFFFFU;
        range.isPython = category == "python_function" ? 1 : 0;
        m_ranges.push_back(range);
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
        if (m_notObjects != 0)
            snapshot.warnings.push_back(std::to_string(m_notObjects) + " events are no JSON objects; they are counted and left out.");
        if (m_incomplete != 0)
            snapshot.warnings.push_back(std::to_string(m_incomplete) + " memory events lack their time, size or device and are left out.");
        if (m_rows.empty())
            snapshot.warnings.emplace_back("The trace has no memory events: was it made with profile_memory=True?");
        if (m_threads.size() > kMaxThreads)
            snapshot.warnings.emplace_back("The trace has too many threads: stacks may be mixed up.");
        fillStacks();
        std::stable_sort(m_rows.begin(), m_rows.end(), [](const MemoryRow &a, const MemoryRow &b) {
            return std::tie(a.device, a.time) < std::tie(b.device, b.time);
        });
        try {
            snapshot.events = EventColumns(m_rows.size());
        } catch (const std::bad_alloc &) {
            return failure(Error::Code::TooLarge, "There is no memory for " + std::to_string(m_rows.size()) + " memory events.");
        }
        auto row = m_rows.begin();
        for (std::uint32_t device = 0; device < m_trace.census.devices.size(); ++device) {
            const auto first = row;
            while (row != m_rows.end() && row->device == device)
                ++row;
            addDevice(m_trace.census.devices[device], {first, row});
        }
        addAnnotations();
        return std::move(m_trace);
    }

    void fillStacks()
    {
        if (m_ranges.empty())
            return;
        std::vector<ThreadMoment> moments;
        moments.reserve(m_rows.size());
        std::vector<bool> isWanted(m_threads.size() + 1);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            moments.push_back({nanoseconds(m_rows[i].time), m_rows[i].thread, static_cast<std::uint32_t>(i), kNoStack});
            isWanted[std::min<std::size_t>(m_rows[i].thread, m_threads.size())] = true;
        }
        std::erase_if(m_ranges, [&](const ThreadRange &range) {
            return !isWanted[std::min<std::size_t>(range.thread, m_threads.size())];
        });
        findStacks(m_ranges, moments, m_trace.snapshot.texts, m_trace.snapshot.stacks);
        std::vector<ThreadRange>().swap(m_ranges);
        for (const auto &moment : moments)
            m_rows[moment.row].stack = moment.stack;
    }

    [[nodiscard]] std::int64_t unixUs(const ChromeTime &time) const noexcept
    {
        const auto ns = static_cast<Wide>(time.us) * 1000 + static_cast<std::int64_t>(time.fraction * 1000) + m_baseNs;
        return saturated((ns - (ns < 0 ? 999 : 0)) / 1000);
    }

    void addDevice(KinetoDeviceCensus &census, std::span<const MemoryRow> rows)
    {
        auto &snapshot = m_trace.snapshot;
        TraceDevice device;
        const auto colon = census.key.find(':');
        device.kind = census.key.starts_with("0:") ? MemoryKind::Cpu : MemoryKind::Accelerator;
        device.ordinal = static_cast<std::int32_t>(jsonInteger(std::string_view(census.key).substr(colon + 1)).value_or(-1));
        device.firstEvent = snapshot.events.size();
        device.eventCount = rows.size();
        device.hasAddresses = std::any_of(rows.begin(), rows.end(), [](const MemoryRow &row) { return row.address != kUnknownBytes; });
        std::unordered_map<std::uint64_t, std::int64_t> live;
        for (const auto &row : rows) {
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

    static void count(KinetoDeviceCensus &census, const MemoryRow &row, std::unordered_map<std::uint64_t, std::int64_t> &live)
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
        marks.reserve(m_annotations.size() * 2);
        for (const auto &range : m_annotations) {
            const auto start = unixUs(range.begin);
            ChromeTime end = range.begin;
            const auto whole = std::floor(std::min(range.duration, 9e15));
            end.us = saturated(static_cast<Wide>(end.us) + static_cast<std::int64_t>(whole));
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

    static constexpr std::size_t kMaxTopLevel = 256;
    static constexpr std::size_t kMaxDevices = 1024;

    ByteSource &m_source;
    const SnapshotReading &m_reading;
    JsonReader m_json;
    JsonElements m_elements;
    KinetoTrace m_trace;
    std::vector<MemoryRow> m_rows;
    std::vector<ThreadRange> m_ranges;
    std::vector<Range> m_annotations;
    std::unordered_map<std::string, std::uint32_t> m_threads;
    std::string m_threadKey;
    std::string m_lastThreadKey;
    std::uint32_t m_lastThread = 0;
    std::string m_deviceKey;
    std::string m_buffer;
    std::array<std::uint16_t, 256> m_phases{}; // index + 1 in eventsByPhase
    std::optional<ChromeTime> m_lastTime;
    std::int64_t m_baseNs = 0;
    std::uint64_t m_notObjects = 0;
    std::uint64_t m_incomplete = 0;
    bool m_isTrace = false;
    bool m_areRangesKept = true;
};

} // namespace

Result<KinetoTrace> readKineto(ByteSource &source, const SnapshotReading &reading)
{
    return KinetoReader(source, reading).read();
}

} // namespace plimsoll
