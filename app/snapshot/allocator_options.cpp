// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_options.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace plimsoll {
namespace {

constexpr std::uint64_t kMiB64 = 1U << 20U;
constexpr std::uint64_t kMostMiB = std::uint64_t {1} << 20U; // 1 TiB
constexpr std::uint64_t kBeyondAllCards = std::uint64_t {1} << 62U; // rounding up stays below 2^63

// Options that have no say in where memory lies.
constexpr std::string_view kSilent[] = {"backend",
                                        "release_lock_on_cudamalloc",
                                        "release_lock_on_hipmalloc",
                                        "pinned_use_cuda_host_register",
                                        "pinned_use_hip_host_register",
                                        "pinned_num_register_threads",
                                        "pinned_reserve_segment_size_mb",
                                        "pinned_use_background_threads",
                                        "graph_capture_record_stream_reuse",
                                        "enable_ipc_handle_types",
                                        "throw_on_cudamalloc_oom"};

std::string_view trimmed(std::string_view text) noexcept
{
    const auto first = text.find_first_not_of(" \t\r\n'\"");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n'\"") - first + 1);
}

template <class Number>
std::optional<Number> numberIn(std::string_view text) noexcept
{
    text = trimmed(text);
    Number value {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<std::uint64_t> mebibytes(std::string_view text) noexcept
{
    const auto value = numberIn<std::uint64_t>(text);
    if (!value || *value > kMostMiB) // what is beyond belief must not make sums wrap
        return std::nullopt;
    return *value * kMiB64;
}

std::optional<bool> truthIn(std::string_view text) noexcept
{
    text = trimmed(text);
    if (text == "True" || text == "true" || text == "1")
        return true;
    if (text == "False" || text == "false" || text == "0")
        return false;
    return std::nullopt;
}

std::optional<std::uint32_t> divisionsIn(std::string_view text) noexcept
{
    const auto value = numberIn<std::uint32_t>(text);
    if (!value || (*value != 0 && !std::has_single_bit(*value)))
        return std::nullopt;
    return value;
}

std::size_t intervalFrom(std::uint64_t lowerMiB) noexcept
{
    return lowerMiB == 0 ? 0 : static_cast<std::size_t>(std::bit_width(lowerMiB) - 1);
}

// "[256:1,512:2,>:8]": lower bounds in MiB. What lies below the first takes its value.
bool applyDivisionList(std::string_view list, AllocatorOptions &options)
{
    auto &divisions = options.roundupDivisions;
    bool isFirst = true;
    std::size_t last = 0;
    while (!list.empty()) {
        const auto comma = list.find(',');
        const auto part = list.substr(0, comma);
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
        const auto colon = part.find(':');
        if (colon == std::string_view::npos)
            return false;
        const auto value = divisionsIn(part.substr(colon + 1));
        if (!value)
            return false;
        if (trimmed(part.substr(0, colon)) == ">") {
            for (auto i = isFirst ? 0 : last + 1; i < divisions.size(); ++i)
                divisions[i] = *value;
            continue;
        }
        const auto bound = numberIn<std::uint64_t>(part.substr(0, colon));
        if (!bound)
            return false;
        last = std::min(intervalFrom(*bound), divisions.size() - 1);
        if (std::exchange(isFirst, false))
            std::fill(divisions.begin(), divisions.begin() + static_cast<std::ptrdiff_t>(last), *value);
        divisions[last] = *value;
    }
    return true;
}

bool applyOption(std::string_view key, std::string_view value, AllocatorOptions &options)
{
    if (key == "expandable_segments") {
        const auto truth = truthIn(value);
        options.expandableSegments = truth.value_or(options.expandableSegments);
        return truth.has_value();
    }
    if (key == "max_split_size_mb") {
        const auto bytes = mebibytes(value);
        options.maxSplitSize = bytes.value_or(options.maxSplitSize);
        return bytes.has_value();
    }
    if (key == "max_non_split_rounding_mb") {
        const auto bytes = mebibytes(value);
        options.maxNonSplitRounding = bytes.value_or(options.maxNonSplitRounding);
        return bytes.has_value();
    }
    if (key == "large_segment_size_mb") {
        const auto bytes = mebibytes(value);
        if (!bytes || *bytes == 0)
            return false;
        options.largeSegmentSize = *bytes;
        return true;
    }
    if (key == "garbage_collection_threshold" || key == "per_process_memory_fraction") {
        const auto number = numberIn<double>(value);
        if (!number || !(*number >= 0 && *number <= 1))
            return false;
        if (key.front() == 'g')
            options.garbageCollectionThreshold = *number;
        else
            options.memoryFraction = *number;
        return true;
    }
    if (key == "roundup_power2_divisions") {
        if (value.starts_with('['))
            return value.ends_with(']') && applyDivisionList(value.substr(1, value.size() - 2), options);
        const auto divisions = divisionsIn(value);
        if (divisions)
            options.roundupDivisions.fill(*divisions);
        return divisions.has_value();
    }
    return std::find(std::begin(kSilent), std::end(kSilent), key) != std::end(kSilent);
}

// {"1": 8, "2": 8, …}, as JSON or as Python writes it.
void readDivisionField(std::string_view text, AllocatorOptions &options)
{
    while (true) {
        const auto colon = text.find(':');
        if (colon == std::string_view::npos)
            return;
        const auto keyFrom = text.find_last_of("{,", colon);
        const auto key =
            numberIn<std::uint64_t>(text.substr(keyFrom == std::string_view::npos ? 0 : keyFrom + 1,
                                                colon - (keyFrom == std::string_view::npos ? 0 : keyFrom + 1)));
        const auto end = text.find_first_of(",}", colon);
        const auto value = divisionsIn(text.substr(colon + 1, end == std::string_view::npos ? end : end - colon - 1));
        if (key && value && *key > 0 && intervalFrom(*key) < options.roundupDivisions.size())
            options.roundupDivisions[intervalFrom(*key)] = *value;
        if (end == std::string_view::npos)
            return;
        text.remove_prefix(end);
        if (text.starts_with('}'))
            return;
    }
}

} // namespace

std::uint64_t roundUpToDivision(std::uint64_t size, std::uint64_t divisions) noexcept
{
    if (size <= 4 || divisions <= 1 || std::has_single_bit(size) || size > kBeyondAllCards)
        return size;
    const auto step = std::bit_floor(size) / divisions;
    return step == 0 ? size : (size + step - 1) / step * step;
}

std::uint64_t roundedSize(std::uint64_t requested, const AllocatorOptions &options) noexcept
{
    if (requested < kAllocatorUnit)
        return kAllocatorUnit;
    if (requested > kBeyondAllCards)
        return requested;
    const auto log = static_cast<std::size_t>(std::bit_width(requested) - 1);
    const auto interval = std::min<std::size_t>(log > 20 ? log - 20 : 0, AllocatorOptions::kIntervals - 1);
    const std::uint64_t divisions = options.roundupDivisions[interval];
    if (divisions > 1 && requested > kAllocatorUnit * divisions)
        return roundUpToDivision(requested, divisions);
    return (requested + kAllocatorUnit - 1) / kAllocatorUnit * kAllocatorUnit;
}

std::uint64_t segmentSizeFor(std::uint64_t rounded, const AllocatorOptions &options) noexcept
{
    if (isSmallRequest(rounded))
        return kSmallSegment;
    if (rounded < kOwnSegment && rounded <= options.largeSegmentSize)
        return options.largeSegmentSize;
    if (rounded > kBeyondAllCards)
        return rounded;
    return (rounded + kSmallSegment - 1) / kSmallSegment * kSmallSegment;
}

void applyAllocatorConf(std::string_view conf, AllocatorOptions &options, std::vector<std::string> &warnings)
{
    while (!conf.empty()) {
        // A comma inside brackets belongs to the value.
        std::size_t end = 0;
        for (int depth = 0; end < conf.size() && (conf[end] != ',' || depth > 0); ++end)
            depth += conf[end] == '[' ? 1 : conf[end] == ']' ? -1 : 0;
        const auto option = trimmed(conf.substr(0, end));
        conf.remove_prefix(std::min(end + 1, conf.size()));
        if (option.empty())
            continue;
        const auto colon = option.find(':');
        const bool isUnderstood = colon != std::string_view::npos
            && applyOption(trimmed(option.substr(0, colon)), trimmed(option.substr(colon + 1)), options);
        if (!isUnderstood)
            warnings.push_back("The allocator option \"" + std::string(option.substr(0, 120))
                               + "\" is not understood and was left out of account.");
    }
}

AllocatorSettings allocatorSettingsOf(const MemorySnapshot &snapshot)
{
    AllocatorSettings settings;
    for (const auto *name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
        const auto conf = snapshot.setting(name);
        settings.isKnown |= conf.has_value();
        if (conf)
            applyAllocatorConf(*conf, settings.options, settings.warnings);
    }
    auto &options = settings.options;
    if (const auto text = snapshot.setting("max_split_size")) {
        settings.isKnown = true;
        if (const auto bytes = numberIn<std::int64_t>(*text))
            options.maxSplitSize = *bytes < 0 ? AllocatorOptions::kNoLimit : static_cast<std::uint64_t>(*bytes);
    }
    if (const auto text = snapshot.setting("garbage_collection_threshold"))
        if (const auto number = numberIn<double>(*text); number && *number >= 0 && *number <= 1)
            options.garbageCollectionThreshold = *number;
    if (const auto text = snapshot.setting("expandable_segments"))
        options.expandableSegments = truthIn(*text).value_or(options.expandableSegments);
    if (const auto text = snapshot.setting("roundup_power2_divisions"))
        readDivisionField(*text, options);
    return settings;
}

std::string toConf(const AllocatorOptions &options)
{
    std::string conf;
    const auto add = [&](std::string_view key, const std::string &value) {
        conf += conf.empty() ? "" : ",";
        conf += std::string(key) + ':' + value;
    };
    const auto toMiB = [](std::uint64_t bytes) { return std::to_string(bytes / kMiB64); };
    const AllocatorOptions defaults;
    if (options.expandableSegments)
        add("expandable_segments", "True");
    if (options.maxSplitSize != defaults.maxSplitSize)
        add("max_split_size_mb", toMiB(options.maxSplitSize));
    if (options.maxNonSplitRounding != defaults.maxNonSplitRounding)
        add("max_non_split_rounding_mb", toMiB(options.maxNonSplitRounding));
    if (options.largeSegmentSize != defaults.largeSegmentSize)
        add("large_segment_size_mb", toMiB(options.largeSegmentSize));
    const auto number = [](double value) {
        char text[32];
        const auto length = std::snprintf(text, sizeof text, "%g", value);
        return std::string(text, static_cast<std::size_t>(std::max(length, 0)));
    };
    if (options.garbageCollectionThreshold > 0)
        add("garbage_collection_threshold", number(options.garbageCollectionThreshold));
    if (options.memoryFraction)
        add("per_process_memory_fraction", number(*options.memoryFraction));
    const auto &divisions = options.roundupDivisions;
    if (std::all_of(divisions.begin(), divisions.end(), [&](auto value) { return value == divisions[0]; })) {
        if (divisions[0] > 1)
            add("roundup_power2_divisions", std::to_string(divisions[0]));
        return conf;
    }
    std::string list;
    for (std::size_t i = 0; i < divisions.size(); ++i)
        list += (list.empty() ? "[" : ",") + std::to_string(1U << i) + ':' + std::to_string(divisions[i]);
    add("roundup_power2_divisions", list + ']');
    return conf;
}

} // namespace plimsoll
