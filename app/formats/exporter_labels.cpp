// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_labels.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::string_view kExported = "exported_";

// What a scraper adds and what says nothing about the series.
constexpr std::array<std::string_view, 7> kNoise{"job",        "endpoint",           "service",     "prometheus",
                                                 "scrape_job", "prometheus_replica", "metrics_path"};

std::optional<std::string_view> findRule(const Exporter &exporter, std::string_view name)
{
    for (const auto &rule : exporter.labels) {
        if (rule.from == name)
            return rule.to;
    }
    const auto hasPrefix = [name](std::string_view prefix) { return name.starts_with(prefix); };
    if (std::any_of(exporter.droppedPrefixes.begin(), exporter.droppedPrefixes.end(), hasPrefix)
        || std::find(kNoise.begin(), kNoise.end(), name) != kNoise.end())
        return std::string_view();
    return std::nullopt;
}

// 10.0.0.7:9400 and [::1]:9400, never the colons of a bare IPv6 address.
std::string_view withoutPort(std::string_view instance) noexcept
{
    const auto colon = instance.rfind(':');
    if (colon == std::string_view::npos || instance.find(':') == colon)
        return instance.substr(0, colon);
    if (instance.starts_with('[') && instance[colon - 1] == ']')
        return instance.substr(1, colon - 2);
    return instance;
}

// Every host is its own localhost.
bool isLoopback(std::string_view host) noexcept
{
    return host == "localhost" || host.starts_with("127.") || host == "::1";
}

// 8-4-4-4-12 hexadecimal digits, as some exporters print what the driver calls GPU-….
bool isBareUuid(std::string_view text) noexcept
{
    if (text.size() != 36)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool isHex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        const bool wantsDash = i == 8 || i == 13 || i == 18 || i == 23;
        if (wantsDash ? c != '-' : !isHex)
            return false;
    }
    return true;
}

bool isWorkloadName(std::string_view name) noexcept
{
    return name == "pod" || name == "namespace" || name == "container" || name == "pod_name" || name == "pod_namespace"
        || name == "container_name" || name == "pod_uid";
}

// The workload labels of these series are the exporter's own pod.
bool isExportersOwn(const Labels &source)
{
    const auto container = source.value("container");
    return source.find("exported_pod") || source.find("exported_namespace") || source.find("exported_container")
        || container == "exporter" || source.value("pod").find("dcgm-exporter") != std::string_view::npos;
}

} // namespace

Labels canonicalLabels(const Labels &source, const Exporter &exporter, std::string_view fallbackHost)
{
    const bool dropsOwn = isExportersOwn(source);
    std::vector<Labels::Pair> out;
    out.reserve(source.size() + 2);
    std::string_view instance;
    bool hasHost = false;
    for (const auto &[name, value] : source) {
        if (value.empty() || (dropsOwn && isWorkloadName(name)))
            continue;
        std::string_view plain = name;
        const bool isExported = plain.starts_with(kExported);
        if (isExported)
            plain.remove_prefix(kExported.size());
        if (plain == "instance") {
            if (instance.empty() || isExported)
                instance = value;
            continue;
        }
        const auto to = findRule(exporter, plain);
        if (to && to->empty())
            continue;
        Labels::Pair pair(to ? *to : std::string_view(name), value);
        if (pair.first == label::kGpu && !exporter.idPrefix.empty() && isBareUuid(value))
            pair.second.insert(0, exporter.idPrefix);
        hasHost |= pair.first == label::kHost;
        out.push_back(std::move(pair));
    }
    if (!hasHost && !exporter.speaksOfOthers) {
        instance = withoutPort(instance);
        const auto host = instance.empty() || isLoopback(instance) ? fallbackHost : instance;
        if (!host.empty())
            out.emplace_back(label::kHost, host);
    }
    return Labels(std::move(out));
}

bool isDeviceLabel(std::string_view canonicalName) noexcept
{
    constexpr std::array<std::string_view, 20> kDevice{
        label::kHost,       label::kGpu,        label::kGpuIndex,      label::kMigInstance, label::kMigProfile,
        label::kHardwareModel, label::kPciAddress, label::kGpuTask,    label::kGpuLink,     label::kDirection,
        label::kErrorType,  label::kErrorCode,  label::kNvlink,        label::kPid,         label::kProcessName,
        "hw.sensor_location", "hw.gpu.clock",   "gpu_partition_id",    "tile",              "window_size_in_ms",
    };
    return std::find(kDevice.begin(), kDevice.end(), canonicalName) != kDevice.end();
}

std::string_view unitOf(std::string_view metricName, std::string_view declaredUnit) noexcept
{
    using Unit = std::pair<std::string_view, std::string_view>;
    constexpr std::array kUnits{
        Unit{"bytes", "By"},   Unit{"seconds", "s"},  Unit{"ratio", "1"},   Unit{"celsius", "Cel"}, Unit{"watts", "W"},
        Unit{"joules", "J"},   Unit{"volts", "V"},    Unit{"amperes", "A"}, Unit{"hertz", "Hz"},    Unit{"hz", "Hz"},
        Unit{"meters", "m"},   Unit{"grams", "g"},    Unit{"percent", "%"}, Unit{"milliseconds", "ms"},
        Unit{"microseconds", "us"}, Unit{"nanoseconds", "ns"}, Unit{"milliwatts", "mW"},
    };
    const auto known = [&](std::string_view word) -> std::string_view {
        for (const auto &[name, ucum] : kUnits) {
            if (name == word)
                return ucum;
        }
        return {};
    };
    if (!declaredUnit.empty()) {
        const auto unit = known(declaredUnit);
        return unit.empty() ? declaredUnit : unit;
    }
    // Counts of a histogram are no bytes, its sum is.
    if (metricName.ends_with("_bucket") || metricName.ends_with("_count") || metricName.ends_with("_gcount"))
        return {};
    for (const std::string_view suffix : {"_total", "_sum", "_gsum"}) {
        if (metricName.ends_with(suffix)) {
            metricName.remove_suffix(suffix.size());
            break;
        }
    }
    const auto last = metricName.rfind('_');
    return last == std::string_view::npos ? std::string_view() : known(metricName.substr(last + 1));
}

} // namespace plimsoll
