// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_extras.h"

#include "formats/json_element.h"
#include "formats/json_text.h"

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

constexpr std::size_t kDepth = 64;
constexpr std::array<std::string_view, 3> kKinds{"accelerator", "pinned_host", "cpu"};

// Whether lists of events alone say all about the devices.
bool arePlain(const MemorySnapshot &snapshot)
{
    std::int32_t list = 0;
    std::int32_t host = 0;
    for (const auto &device : snapshot.devices) {
        const bool isHost = device.kind == MemoryKind::PinnedHost;
        auto &position = isHost ? host : list;
        if (device.kind == MemoryKind::Cpu || device.ordinal != position || !device.hasAddresses || device.levelAtStart
            || !device.reserved.empty() || (isHost && (device.hasOverflowed || device.maxEntries)))
            return false;
        ++position;
    }
    return true;
}

std::string toJson(const TraceDevice &device)
{
    auto json = "{\"kind\":\"" + std::string(kKinds[static_cast<std::size_t>(device.kind)])
        + "\",\"ordinal\":" + std::to_string(device.ordinal) + ",\"has_addresses\":" + (device.hasAddresses ? "true" : "false");
    if (device.hasOverflowed)
        json += std::string(",\"has_overflowed\":") + (*device.hasOverflowed ? "true" : "false");
    if (device.maxEntries)
        json += ",\"max_entries\":" + std::to_string(*device.maxEntries);
    if (device.levelAtStart)
        json += ",\"level_at_start\":" + std::to_string(*device.levelAtStart);
    if (!device.reserved.empty()) {
        json += ",\"reserved\":[";
        for (const auto &[row, bytes] : device.reserved)
            json += std::to_string(row - device.firstEvent) + ',' + std::to_string(bytes) + ',';
        json.back() = ']';
    }
    return json + '}';
}

class Extras
{
public:
    explicit Extras(MemorySnapshot &snapshot) : m_snapshot(snapshot) {}

    [[nodiscard]] JsonError take(std::string_view key, JsonValue &value)
    {
        const auto token = tokenOf(value);
        if (key == "torch_versions") {
            m_snapshot.origin.torchVersions = textOf(token, m_buffer);
        } else if (key == "devices" && token.starts_with('[')) {
            return eachOf(value, [this](JsonValue &item) { return takeDevice(item); });
        } else if (key == "warnings" && token.starts_with('[')) {
            return eachOf(value, [this](JsonValue &item) {
                const auto text = tokenOf(item);
                m_snapshot.warnings.emplace_back(textOf(text, m_buffer));
                return simdjson::SUCCESS;
            });
        } else if (key == "unknown_keys" && token.starts_with('{')) {
            m_snapshot.unknownKeys.clear(); // these were counted in the first file
            return eachIn(value, [this](std::string_view name, JsonValue &count) {
                m_snapshot.unknownKeys[unescapedJson(name)] = jsonUnsigned(tokenOf(count)).value_or(0);
                return simdjson::SUCCESS;
            });
        } else if ((key == "attributes" || key == "settings") && token.starts_with('{')) {
            auto &to = key == "settings" ? m_snapshot.settings : m_snapshot.attributes;
            return eachIn(value, [&](std::string_view name, JsonValue &text) {
                const auto found = tokenOf(text);
                to.emplace_back(unescapedJson(name), std::string(textOf(found, m_buffer)));
                return simdjson::SUCCESS;
            });
        }
        return simdjson::SUCCESS;
    }

private:
    template <class Each>
    [[nodiscard]] static JsonError eachOf(JsonValue &value, Each &&each)
    {
        JsonArray array;
        if (const auto error = value.get_array().get(array); error != simdjson::SUCCESS)
            return error;
        return forEachItem(array, each);
    }
    template <class Each>
    [[nodiscard]] static JsonError eachIn(JsonValue &value, Each &&each)
    {
        JsonObject object;
        if (const auto error = value.get_object().get(object); error != simdjson::SUCCESS)
            return error;
        return forEachField(object, each);
    }

    [[nodiscard]] JsonError takeDevice(JsonValue &value)
    {
        if (m_device == m_snapshot.devices.size())
            return simdjson::SUCCESS; // a truncated file
        auto &device = m_snapshot.devices[m_device++];
        return eachIn(value, [&](std::string_view key, JsonValue &field) {
            const auto token = tokenOf(field);
            if (key == "kind") {
                for (std::size_t i = 0; i < kKinds.size(); ++i)
                    if (textOf(token, m_buffer) == kKinds[i])
                        device.kind = static_cast<MemoryKind>(i);
            } else if (key == "ordinal") {
                device.ordinal = static_cast<std::int32_t>(std::clamp<std::int64_t>(jsonInteger(token).value_or(0), INT32_MIN, INT32_MAX));
            } else if (key == "has_addresses") {
                device.hasAddresses = token != "false";
            } else if (key == "has_overflowed") {
                device.hasOverflowed = token == "true";
            } else if (key == "max_entries") {
                device.maxEntries = jsonUnsigned(token);
            } else if (key == "level_at_start") {
                device.levelAtStart = jsonUnsigned(token);
            } else if (key == "reserved" && token.starts_with('[')) {
                std::optional<std::uint64_t> row;
                return eachOf(field, [&](JsonValue &item) {
                    const auto number = jsonUnsigned(tokenOf(item)).value_or(0);
                    if (!row) {
                        row = number;
                    } else {
                        if (*row < device.eventCount)
                            device.reserved.emplace_back(device.firstEvent + *row, number);
                        row.reset();
                    }
                    return simdjson::SUCCESS;
                });
            }
            return simdjson::SUCCESS;
        });
    }

    MemorySnapshot &m_snapshot;
    std::size_t m_device = 0;
    std::string m_buffer;
};

void appendPairs(std::string &json, std::string_view name, const std::vector<std::pair<std::string, std::string>> &values)
{
    bool isFirst = true;
    for (const auto &[key, value] : values) {
        if (isJson(value, kDepth))
            continue;
        json += isFirst ? ",\"" + std::string(name) + "\":{" : ",";
        isFirst = false;
        appendJsonString(json, key);
        json += ':';
        appendJsonString(json, value);
    }
    if (!isFirst)
        json += '}';
}

} // namespace

std::string snapshotExtras(const MemorySnapshot &snapshot, SnapshotExtras extras)
{
    std::string json; // each part begins with a comma
    json += ",\"torch_versions\":"; // also when it is empty: what is written now looks newer than it was
    appendJsonString(json, snapshot.origin.torchVersions);
    const bool isForJson = extras == SnapshotExtras::WhatJsonLacks;
    if (!snapshot.devices.empty() && (!isForJson || !arePlain(snapshot))) {
        json += ",\"devices\":[";
        for (const auto &device : snapshot.devices)
            json += toJson(device) + ',';
        json.back() = ']';
    }
    if (isForJson) {
        appendPairs(json, "attributes", snapshot.attributes);
        appendPairs(json, "settings", snapshot.settings);
    }
    json += ",\"unknown_keys\":{"; // also when there are none: attributes of a profiler's trace were no surprise there
    for (const auto &[key, count] : snapshot.unknownKeys) {
        appendJsonString(json, key);
        json += ':' + std::to_string(count) + ',';
    }
    if (json.back() == ',')
        json.pop_back();
    json += '}';
    if (!snapshot.warnings.empty()) {
        json += ",\"warnings\":[";
        for (const auto &warning : snapshot.warnings) {
            appendJsonString(json, warning);
            json += ',';
        }
        json.back() = ']';
    }
    json.front() = '{';
    return json + '}';
}

Result<void> applySnapshotExtras(const std::string &json, MemorySnapshot &snapshot)
{
    auto padded = json;
    padded.resize(json.size() + JsonReader::kPadding, ' ');
    Extras extras(snapshot);
    JsonElements elements;
    return elements.fields(std::string_view(padded).substr(0, json.size()), 0,
                           [&extras](std::string_view key, JsonValue &value) { return extras.take(key, value); });
}

bool isTorchEventKey(std::string_view key) noexcept
{
    constexpr std::array<std::string_view, 5> kKeys{"compile_context", "user_metadata", "internal_metadata", "category", "forward_frames"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

} // namespace plimsoll
