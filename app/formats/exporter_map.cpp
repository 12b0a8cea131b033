// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_map.h"

#include "base/text.h"
#include "formats/exporter_labels.h"
#include "formats/exporter_table.h"
#include "formats/exposition_number.h"
#include "formats/mapped_draft.h"

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll {
namespace {

// DCGM says "no value" by numbers: INT64, INT32 and FP64 blanks and their three neighbours
// (not found, not supported, no permission). As doubles the 64-bit ones are one number.
bool isSentinel(double value) noexcept
{
    return value >= 9223372036854774784.0 || (value >= 2147483632.0 && value <= 2147483635.0)
        || (value >= 140737488355328.0 && value <= 140737488355331.0);
}

// cAdvisor prints "no limit" as the largest page-aligned number, or thereabouts.
bool isUnlimited(double value) noexcept { return value >= 9.2e18; }

bool isDcgmName(std::string_view name) noexcept { return name.starts_with("DCGM_FI_") || name.starts_with("dcgm_"); }

// An exporter's nonsense time is none: the scrape's own will do.
std::optional<Instant> timeOf(const ExpositionSample &sample) noexcept
{
    return sample.time && isOutOfRange(*sample.time) ? std::nullopt : sample.time;
}

// 57 % is 57 / 100, not 57 × 0.01, which misses 0.57 by a bit.
double scaled(double value, double factor) noexcept
{
    const double inverse = std::round(1 / factor);
    return factor < 1 && std::abs(factor * inverse - 1) < 1e-12 ? value / inverse : value * factor;
}

MetricKind kindOf(const ExpositionSample &sample, const ExpositionFamily &family) noexcept
{
    const std::string_view name = sample.name;
    switch (family.type) {
    case SampleType::Counter: return MetricKind::Counter;
    case SampleType::Gauge:
    case SampleType::GaugeHistogram: return MetricKind::Gauge;
    case SampleType::Info:
    case SampleType::StateSet: return MetricKind::State;
    case SampleType::Histogram: return MetricKind::Counter; // buckets, sum and count all grow
    case SampleType::Summary:
        return name.ends_with("_sum") || name.ends_with("_count") ? MetricKind::Counter : MetricKind::Gauge;
    case SampleType::Unknown: break;
    }
    return name.ends_with("_total") ? MetricKind::Counter : MetricKind::Unknown;
}

// When a counter began, told as a sample of its own; no quantity anybody plots.
bool isStartTime(const ExpositionSample &sample, const ExpositionFamily &family) noexcept
{
    const bool canHave = family.type == SampleType::Counter || family.type == SampleType::Histogram
        || family.type == SampleType::Summary;
    return canHave && sample.name.size() == family.name.size() + std::string_view("_created").size()
        && sample.name.ends_with("_created");
}

class Mapper
{
public:
    Mapper(const Exposition &exposition, const ScrapeContext &context) : m_exposition(exposition), m_context(context) {}

    [[nodiscard]] MappedExposition map()
    {
        learnDevices();
        m_set.drafts.reserve(m_exposition.samples.size());
        for (const auto &sample : m_exposition.samples)
            mapSample(sample);
        foldWorkloads(m_set);
        // Once before the sums, so that a nonsense part makes no nonsense total; once after.
        dropImpossible(m_set);
        deriveTotals(m_set);
        dropImpossible(m_set);
        keepOneOfEach(m_set);
        MappedExposition out;
        out.samples.reserve(m_set.drafts.size());
        for (auto &draft : m_set.drafts) {
            if (!draft.isDropped)
                out.samples.push_back(std::move(draft.sample));
        }
        out.skipped = std::move(m_set.skipped);
        return out;
    }

private:
    // nvidia_gpu_exporter says index, model and address once, in an info metric.
    void learnDevices()
    {
        for (const auto &sample : m_exposition.samples) {
            if (sample.name != "nvidia_smi_gpu_info")
                continue;
            auto &facts = m_devices[std::string(sample.labels.value("uuid"))];
            for (const std::string_view name : {"name", "index", "pci_bus_id"}) {
                if (const auto value = sample.labels.find(name); value && !value->empty() && *value != "[N/A]")
                    facts.emplace_back(name, *value);
            }
        }
    }

    void mapSample(const ExpositionSample &sample)
    {
        const auto &family = m_exposition.families[sample.family];
        if (isStartTime(sample, family))
            return;
        if (isDcgmName(sample.name) && isSentinel(sample.value)) {
            m_set.note(sample.line, safeText(sample.name, 80) + " says that it has no value");
            return;
        }
        if (sample.name != m_lastName) {
            m_lastName = sample.name;
            m_lastRows = findRows(sample.name);
        }
        for (const auto &match : m_lastRows) {
            const auto &wanted = match.row->wanted;
            if (wanted.from.empty() || sample.labels.value(wanted.from) == wanted.to) {
                mapKnown(sample, *match.exporter, *match.row);
                return;
            }
        }
        keepAsIs(sample, family);
    }

    void mapKnown(const ExpositionSample &sample, const Exporter &exporter, const MapRow &row)
    {
        if (row.isZeroAbsent && (sample.value == 0 || isUnlimited(sample.value)))
            return; // no limit, no peak: absent, and nothing to tell
        MappedDraft draft;
        draft.exporter = &exporter;
        draft.line = sample.line;
        auto &info = draft.sample.info;
        info.key.metric = row.metric;
        info.key.labels = labelsOf(sample, exporter);
        for (const auto &[name, value] : row.added) {
            if (!name.empty())
                info.key.labels.set(name, value);
        }
        if (const auto *known = findMetric(row.metric)) {
            info.unit = known->unit;
            info.kind = known->kind;
        }
        if (row.kind != MetricKind::Unknown)
            info.kind = row.kind;
        info.group = groupOf(exporter.scope, info.key.labels);
        info.interval = m_context.interval;
        info.source = {sample.name, std::string(row.unit), row.factor};
        draft.sample.value = scaled(sample.value, row.factor);
        draft.sample.time = timeOf(sample);
        m_set.drafts.push_back(std::move(draft));
    }

    [[nodiscard]] Labels labelsOf(const ExpositionSample &sample, const Exporter &exporter) const
    {
        auto labels = canonicalLabels(sample.labels, exporter, m_context.host);
        if (exporter.scope == MapScope::Job && !m_context.url.empty())
            labels.set(label::kScrape, m_context.url); // replicas of a model differ in nothing else
        if (m_devices.empty() || exporter.scope != MapScope::Gpu)
            return labels;
        const auto device = m_devices.find(sample.labels.value("uuid"));
        if (device == m_devices.end())
            return labels;
        for (const auto &[name, value] : device->second) {
            const auto to = name == "name" ? label::kHardwareModel : name == "index" ? label::kGpuIndex : label::kPciAddress;
            if (!labels.find(to))
                labels.set(to, value);
        }
        return labels;
    }

    void keepAsIs(const ExpositionSample &sample, const ExpositionFamily &family)
    {
        MappedDraft draft;
        draft.line = sample.line;
        auto &info = draft.sample.info;
        info.key.metric = sample.name;
        info.key.labels = sample.labels;
        if (!m_context.url.empty())
            info.key.labels.set(label::kScrape, m_context.url);
        info.unit = unitOf(sample.name, family.unit);
        info.kind = kindOf(sample, family);
        info.group = "scrape:" + m_context.url;
        info.interval = m_context.interval;
        info.source = {sample.name, {}, 1};
        draft.sample.value = sample.value;
        draft.sample.time = timeOf(sample);
        m_set.drafts.push_back(std::move(draft));
    }

    // Series of one group share their times, so two endpoints never share a group.
    [[nodiscard]] std::string groupOf(MapScope scope, const Labels &labels) const
    {
        const auto at = [this](std::string group) { return m_context.url.empty() ? group : group + '@' + m_context.url; };
        const auto host = labels.value(label::kHost);
        switch (scope) {
        case MapScope::Host: return at(host == m_context.host ? "host" : "host:" + std::string(host));
        case MapScope::Gpu: {
            const auto id = labels.value(label::kGpu);
            if (!id.empty())
                return at("gpu:" + std::string(id));
            return at("gpu:" + std::string(host) + '/' + std::string(labels.value(label::kGpuIndex)));
        }
        case MapScope::Container: {
            std::string group = "container:";
            for (const auto name : {label::kCgroup, label::kNamespace, label::kPod, label::kContainer, label::kJob}) {
                if (const auto value = labels.value(name); !value.empty())
                    group.append(group.ends_with(':') ? "" : "/").append(value);
            }
            return at(std::move(group));
        }
        case MapScope::Job: break;
        }
        return "scrape:" + m_context.url;
    }

    const Exposition &m_exposition;
    const ScrapeContext &m_context;
    DraftSet m_set;
    std::map<std::string, std::vector<std::pair<std::string_view, std::string_view>>, std::less<>> m_devices; // by bare uuid
    std::string_view m_lastName;
    std::span<const RowMatch> m_lastRows;
};

} // namespace

MappedExposition mapExposition(const Exposition &exposition, const ScrapeContext &context)
{
    return Mapper(exposition, context).map();
}

} // namespace plimsoll
