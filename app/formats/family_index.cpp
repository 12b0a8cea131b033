// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/family_index.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll {
namespace {

using SuffixRule = std::pair<std::string_view, std::array<SampleType, 3>>;

// `foo_total` under `TYPE foo counter` is OpenMetrics' habit, met in text bodies too.
constexpr std::array kSuffixes{
    SuffixRule{"_bucket", {SampleType::Histogram, SampleType::GaugeHistogram, SampleType::Histogram}},
    SuffixRule{"_count", {SampleType::Histogram, SampleType::Summary, SampleType::GaugeHistogram}},
    SuffixRule{"_sum", {SampleType::Histogram, SampleType::Summary, SampleType::GaugeHistogram}},
    SuffixRule{"_gcount", {SampleType::GaugeHistogram, SampleType::GaugeHistogram, SampleType::GaugeHistogram}},
    SuffixRule{"_gsum", {SampleType::GaugeHistogram, SampleType::GaugeHistogram, SampleType::GaugeHistogram}},
    SuffixRule{"_total", {SampleType::Counter, SampleType::Counter, SampleType::Counter}},
    SuffixRule{"_created", {SampleType::Counter, SampleType::Histogram, SampleType::Summary}},
    SuffixRule{"_info", {SampleType::Info, SampleType::Info, SampleType::Info}},
};

} // namespace

std::optional<std::uint32_t> FamilyIndex::find(std::string_view name) const
{
    const auto at = m_byName.find(name);
    return at == m_byName.end() ? std::nullopt : std::optional(at->second);
}

std::uint32_t FamilyIndex::require(std::string_view name)
{
    if (const auto known = find(name))
        return *known;
    const auto index = static_cast<std::uint32_t>(m_families.size());
    m_families.emplace_back().name = name;
    m_byName.emplace(name, index);
    m_lastSample.clear(); // the new family may be the better home of the same name
    return index;
}

std::uint32_t FamilyIndex::ofSample(std::string_view sampleName, bool hasBound)
{
    if (sampleName == m_lastSample && !m_lastSample.empty())
        return m_lastFamily;
    std::uint32_t index = 0;
    if (const auto exact = find(sampleName)) {
        index = *exact;
    } else if (const auto bySuffix = findBySuffix(sampleName)) {
        index = *bySuffix;
    } else if (hasBound && sampleName.ends_with("_bucket")) {
        index = require(sampleName.substr(0, sampleName.size() - std::string_view("_bucket").size()));
        m_families[index].type = SampleType::Histogram;
    } else {
        index = require(sampleName);
    }
    m_lastSample = sampleName;
    m_lastFamily = index;
    return index;
}

std::optional<std::uint32_t> FamilyIndex::findBySuffix(std::string_view sampleName) const
{
    for (const auto &[suffix, types] : kSuffixes) {
        if (!sampleName.ends_with(suffix))
            continue;
        const auto base = find(sampleName.substr(0, sampleName.size() - suffix.size()));
        if (base && std::find(types.begin(), types.end(), m_families[*base].type) != types.end())
            return base;
    }
    return std::nullopt;
}

std::optional<SampleType> sampleTypeFromText(std::string_view text) noexcept
{
    constexpr std::array<std::pair<std::string_view, SampleType>, 10> kTypes{{
        {"counter", SampleType::Counter},
        {"gauge", SampleType::Gauge},
        {"histogram", SampleType::Histogram},
        {"summary", SampleType::Summary},
        {"untyped", SampleType::Unknown},
        {"unknown", SampleType::Unknown},
        {"info", SampleType::Info},
        {"stateset", SampleType::StateSet},
        {"gaugehistogram", SampleType::GaugeHistogram},
        {"gauge_histogram", SampleType::GaugeHistogram},
    }};
    for (const auto &[name, type] : kTypes) {
        if (name == text)
            return type;
    }
    return std::nullopt;
}

std::size_t countDuplicates(const std::vector<ExpositionSample> &samples)
{
    std::vector<std::pair<std::size_t, std::uint32_t>> keys;
    keys.reserve(samples.size());
    constexpr std::hash<std::string_view> hash;
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
        std::size_t key = hash(samples[i].name);
        for (const auto &[name, value] : samples[i].labels)
            key = (key * 0x9e3779b97f4a7c15ULL) ^ hash(name) ^ (hash(value) * 0xff51afd7ed558ccdULL);
        keys.emplace_back(key, i);
    }
    std::sort(keys.begin(), keys.end());
    const auto isSame = [&](std::uint32_t a, std::uint32_t b) {
        return samples[a].name == samples[b].name && samples[a].labels == samples[b].labels;
    };
    std::size_t duplicates = 0;
    for (std::size_t i = 1; i < keys.size(); ++i) {
        // Of one key, compare with the neighbour: two series that share 64 bits of hash are not worth more.
        if (keys[i].first == keys[i - 1].first && isSame(keys[i].second, keys[i - 1].second))
            ++duplicates;
    }
    return duplicates;
}

} // namespace plimsoll
