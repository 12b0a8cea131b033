// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto_events.h"

#include "formats/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

constexpr std::size_t kMaxPhases = 256; // none has more than a dozen
constexpr std::size_t kMaxDevices = 1024;

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

std::int64_t nanoseconds(double us) noexcept
{
    return us >= 9.2e15 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(us * 1000);
}

// Whole numbers, which most are, in a tenth of the time.
std::optional<double> durationOf(std::string_view token) noexcept
{
    std::int64_t whole = 0;
    const auto *end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, whole);
    if (error == std::errc() && stop == end)
        return static_cast<double>(whole);
    return jsonReal(token);
}

// What runs on a card, not on a thread.
bool isOfDevice(std::string_view category) noexcept
{
    return category.starts_with("gpu_") || category == "kernel" || category == "Kernel" || category == "Memcpy"
        || category == "Memset" || category == "Trace" || category == "overhead";
}

bool isMemory(std::string_view name) noexcept
{
    return name.size() > 2 && name[1] == '[' && (name == "\"[memory]\"" || name == "\"[OutOfMemory]\"");
}

} // namespace

std::int64_t saturated(WideInteger value) noexcept
{
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    return value > kMax ? kMax : value < -kMax ? -kMax : static_cast<std::int64_t>(value);
}

std::int64_t nanoseconds(const ChromeTime &time) noexcept
{
    return saturated(static_cast<WideInteger>(time.us) * 1000 + static_cast<std::int64_t>(time.fraction * 1000));
}

std::string_view withoutQuotes(std::string_view token) noexcept
{
    return isJsonString(token) ? token.substr(1, token.size() - 2) : token;
}

JsonError KinetoEvents::takeArguments(Event &event, JsonValue &value)
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

JsonError KinetoEvents::take(JsonValue &value)
{
    ++m_census.events;
    Event event;
    if (!tokenOf(value).starts_with('{')) {
        ++notObjects;
        countPhase({});
        return simdjson::SUCCESS;
    }
    JsonObject object;
    if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
        return error;
    if (const auto error = takeFields(event, object); error != simdjson::SUCCESS)
        return error;
    countPhase(event.phase);
    if (isMemory(event.name))
        takeMemory(event);
    else if (event.phase == "\"X\"")
        takeRange(event);
    return simdjson::SUCCESS;
}

void KinetoEvents::countPhase(std::string_view token)
{
    if (token.size() == 3 && m_phases[static_cast<unsigned char>(token[1])] != 0) {
        ++m_census.eventsByPhase[m_phases[static_cast<unsigned char>(token[1])] - 1].second;
        return;
    }
    auto name = isJsonString(token) ? std::string(textOf(token, m_buffer)) : std::string("null");
    auto &phases = m_census.eventsByPhase;
    auto found = std::find_if(phases.begin(), phases.end(), [&name](const auto &phase) { return phase.first == name; });
    if (found == phases.end()) {
        if (phases.size() >= kMaxPhases)
            return;
        found = phases.insert(phases.end(), {name, 0});
        if (token.size() == 3)
            m_phases[static_cast<unsigned char>(token[1])] = static_cast<std::uint16_t>(phases.size());
    }
    ++found->second;
}

std::uint32_t KinetoEvents::threadOf(const Event &event)
{
    // Old traces write the same thread as a number and as a text.
    const auto pid = withoutQuotes(event.pid);
    const auto tid = withoutQuotes(event.tid);
    if (!m_threads.empty() && pid == m_lastPid && tid == m_lastTid)
        return m_lastThread;
    m_lastPid = pid;
    m_lastTid = tid;
    m_threadKey = m_lastPid + '/' + m_lastTid;
    auto found = m_threads.find(m_threadKey);
    if (found == m_threads.end())
        found = m_threads.emplace(m_threadKey, static_cast<std::uint32_t>(std::min<std::size_t>(m_threads.size(), kMaxThreads))).first;
    return m_lastThread = found->second;
}

std::optional<std::uint32_t> KinetoEvents::deviceOf(const Event &event)
{
    const auto part = [](std::string_view token) { return token.empty() ? std::string_view("None") : withoutQuotes(token); };
    m_deviceKey.assign(part(event.deviceType));
    m_deviceKey += ':';
    m_deviceKey += part(event.deviceId);
    auto &devices = m_census.devices;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].key == m_deviceKey)
            return static_cast<std::uint32_t>(i);
    if (devices.size() >= kMaxDevices)
        return std::nullopt;
    devices.emplace_back().key = m_deviceKey;
    return static_cast<std::uint32_t>(devices.size() - 1);
}

void KinetoEvents::takeMemory(const Event &event)
{
    const auto time = timeOf(event.time);
    const auto bytes = jsonInteger(withoutQuotes(event.bytes));
    KinetoMemoryRow row;
    row.isOom = event.name == "\"[OutOfMemory]\"" ? 1 : 0;
    if (!time || (!bytes && row.isOom == 0)) {
        ++incomplete;
        return;
    }
    const auto device = deviceOf(event);
    if (!device) {
        ++incomplete;
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
        ++m_census.devices[*device].oomEvents;
    } else {
        if (m_lastTime && row.time < *m_lastTime)
            ++m_census.memoryEventsOutOfTimeOrder;
        m_lastTime = row.time;
    }
    rows.push_back(row);
}

void KinetoEvents::takeRange(const Event &event)
{
    const auto category = withoutQuotes(event.category);
    if (isOfDevice(category))
        return;
    const auto time = timeOf(event.time);
    const auto duration = durationOf(withoutQuotes(event.duration));
    if (!time || !duration || !(*duration >= 0) || event.name.size() < 3)
        return;
    const auto text = textOf(event.name, m_buffer);
    const auto name = m_texts.intern(text);
    if (category == "user_annotation" || text.starts_with("ProfilerStep"))
        annotations.push_back({*time, *duration, name});
    if (!m_areRangesKept)
        return;
    ThreadRange range;
    range.begin = nanoseconds(*time);
    range.end = saturated(static_cast<WideInteger>(range.begin) + nanoseconds(*duration));
    range.name = name;
    range.thread = threadOf(event) & 0x7FFFFFFFU;
    range.isPython = category == "python_function" ? 1 : 0;
    ranges.push_back(range);
}

JsonError KinetoEvents::takeFields(Event &event, JsonObject &object)
{
    return forEachRawField(object, [&event](const char *key, JsonValue &field) {
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
}

void KinetoEvents::dropRanges()
{
    std::vector<ThreadRange>().swap(ranges);
    m_areRangesKept = false;
}

} // namespace plimsoll
