// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/mapped_draft.h"

#include "base/format.h"
#include "base/text.h"
#include "formats/exporter_labels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <unordered_map>

namespace plimsoll {
namespace {

struct KeyHash
{
    std::size_t operator()(const SeriesKey &key) const noexcept
    {
        constexpr std::hash<std::string_view> hash;
        std::size_t out = hash(key.metric);
        for (const auto &[name, value] : key.labels)
            out = (out * 0x9e3779b97f4a7c15ULL) ^ hash(name) ^ (hash(value) * 0xff51afd7ed558ccdULL);
        return out;
    }
};

bool isSame(double a, double b) noexcept { return a == b || (std::isnan(a) && std::isnan(b)); }

// The parts of one device's or host's memory, by what they are.
struct Parts
{
    MappedDraft *limit = nullptr;
    MappedDraft *used = nullptr;
    MappedDraft *free = nullptr;
    MappedDraft *reserved = nullptr;
    MappedDraft *available = nullptr;
    MappedDraft *buffers = nullptr;
    MappedDraft *cached = nullptr;
};

// Pointers into set.drafts hold as long as nothing is added to it.
using PartsOf = std::map<Labels, Parts>;

Labels without(Labels labels, std::string_view name)
{
    labels.remove(name);
    return labels;
}

PartsOf collect(DraftSet &set, std::string_view kind)
{
    PartsOf out;
    for (auto &draft : set.drafts) {
        if (draft.isDropped || !draft.exporter)
            continue;
        const auto &key = draft.sample.info.key;
        const auto &name = key.metric;
        if (kind == "gpu") {
            if (name == metric::kGpuLimit)
                out[key.labels].limit = &draft;
            else if (name == metric::kGpuUsage)
                out[key.labels].used = &draft;
            else if (name == metric::kGpuFree)
                out[key.labels].free = &draft;
            else if (name == metric::kGpuReserved)
                out[key.labels].reserved = &draft;
        } else if (kind == "swap") {
            const auto state = key.labels.value(label::kPagingState);
            if (name == metric::kHostPagingLimit)
                out[key.labels].limit = &draft;
            else if (name == metric::kHostPagingUsage && state == "free")
                out[without(key.labels, label::kPagingState)].free = &draft;
            else if (name == metric::kHostPagingUsage && state == "used")
                out[without(key.labels, label::kPagingState)].used = &draft;
        } else {
            const auto state = key.labels.value(label::kMemoryState);
            if (name == metric::kHostLimit)
                out[key.labels].limit = &draft;
            else if (name == metric::kHostAvailable)
                out[key.labels].available = &draft;
            else if (name == metric::kHostUsage) {
                auto &parts = out[without(key.labels, label::kMemoryState)];
                auto *slot = state == "free" ? &parts.free
                    : state == "used"        ? &parts.used
                    : state == "buffers"     ? &parts.buffers
                    : state == "cached"      ? &parts.cached
                                             : nullptr;
                if (slot)
                    *slot = &draft;
            }
        }
    }
    return out;
}

// A sample made of others: like `model`, with its own name, value and arithmetic.
MappedDraft derived(const MappedDraft &model, std::string_view canonical, Labels labels, double value, std::string arithmetic)
{
    MappedDraft out = model;
    out.sample.info.key = {std::string(canonical), std::move(labels)};
    if (const auto *known = findMetric(canonical)) {
        out.sample.info.unit = known->unit;
        out.sample.info.kind = known->kind;
    }
    out.sample.info.source.name = std::move(arithmetic);
    out.sample.value = value;
    return out;
}

std::string said(const MappedDraft &draft) { return safeText(draft.sample.info.source.name, 80); }
double valueOf(const MappedDraft *draft) { return draft ? draft->sample.value : 0; }

void deriveGpuLimits(DraftSet &set, std::vector<MappedDraft> &made)
{
    for (const auto &[labels, parts] : collect(set, "gpu")) {
        if (parts.limit || !parts.used || !parts.free)
            continue;
        std::string arithmetic = parts.used->sample.info.source.name + " + " + parts.free->sample.info.source.name;
        if (parts.reserved)
            arithmetic += " + " + parts.reserved->sample.info.source.name;
        made.push_back(derived(*parts.used, metric::kGpuLimit, labels,
                               parts.used->sample.value + parts.free->sample.value + valueOf(parts.reserved),
                               std::move(arithmetic)));
    }
}

void deriveHostUsage(DraftSet &set, std::vector<MappedDraft> &made)
{
    const auto name = [](const MappedDraft *draft) { return draft->sample.info.source.name; };
    const auto add = [&](const MappedDraft &model, std::string_view canonical, Labels labels, std::string_view state,
                         double value, std::string arithmetic) {
        labels.set(state, "used");
        if (value >= 0)
            made.push_back(derived(model, canonical, std::move(labels), value, std::move(arithmetic)));
    };
    for (const auto &[labels, parts] : collect(set, "swap")) {
        if (parts.limit && parts.free && !parts.used) {
            add(*parts.limit, metric::kHostPagingUsage, labels, label::kPagingState,
                parts.limit->sample.value - parts.free->sample.value, name(parts.limit) + " - " + name(parts.free));
        }
    }
    for (const auto &[labels, parts] : collect(set, "host")) {
        if (parts.limit && parts.free && parts.buffers && parts.cached && !parts.used) {
            add(*parts.limit, metric::kHostUsage, labels, label::kMemoryState,
                parts.limit->sample.value - parts.free->sample.value - parts.buffers->sample.value
                    - parts.cached->sample.value,
                name(parts.limit) + " - " + name(parts.free) + " - " + name(parts.buffers) + " - " + name(parts.cached));
        }
    }
}

void dropAbove(DraftSet &set, MappedDraft *part, const MappedDraft *whole)
{
    if (!part || !whole || part->isDropped || !(part->sample.value > whole->sample.value))
        return;
    set.drop(*part, "unit doubt: " + said(*part) + " is " + formatBytes(part->sample.value).text() + ", more than "
                 + said(*whole) + ", " + formatBytes(whole->sample.value).text());
}

bool isRatio(const SeriesInfo &info) noexcept
{
    // Reserved over allocated is 1 and more by its nature.
    return info.unit == "1" && info.kind == MetricKind::Gauge && info.key.metric != "ml.torch.memory.fragmentation";
}

} // namespace

void foldWorkloads(DraftSet &set)
{
    std::unordered_map<SeriesKey, std::vector<std::size_t>, KeyHash> byDevice;
    for (std::size_t i = 0; i < set.drafts.size(); ++i) {
        const auto &draft = set.drafts[i];
        if (!draft.exporter || draft.exporter->scope != MapScope::Gpu || draft.isDropped)
            continue;
        SeriesKey device{draft.sample.info.key.metric, {}};
        std::vector<Labels::Pair> labels;
        for (const auto &pair : draft.sample.info.key.labels) {
            if (isDeviceLabel(pair.first))
                labels.push_back(pair);
        }
        device.labels = Labels(std::move(labels));
        byDevice[std::move(device)].push_back(i);
    }
    for (auto &[device, indices] : byDevice) {
        auto &first = set.drafts[indices.front()];
        const auto differs = [&](std::size_t i) { return !isSame(set.drafts[i].sample.value, first.sample.value); };
        if (indices.size() == 1 || std::any_of(indices.begin(), indices.end(), differs))
            continue;
        first.sample.info.key.labels = device.labels;
        for (std::size_t k = 1; k < indices.size(); ++k) {
            auto &other = set.drafts[indices[k]];
            set.drop(other, said(other) + " repeats the device's value for another workload");
        }
    }
}

void deriveTotals(DraftSet &set)
{
    std::vector<MappedDraft> made;
    deriveGpuLimits(set, made);
    deriveHostUsage(set, made);
    set.drafts.insert(set.drafts.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

void dropImpossible(DraftSet &set)
{
    constexpr double kHighestRatio = 1.05;
    for (auto &draft : set.drafts) {
        if (draft.isDropped || !draft.exporter)
            continue;
        const double value = draft.sample.value;
        const auto &info = draft.sample.info;
        if (isRatio(info) && (value > kHighestRatio || value < 0))
            set.drop(draft, "unit doubt: " + said(draft) + " gives a ratio of " + formatNumber(value));
        else if (info.unit == "By" && (value < 0 || std::isinf(value)))
            set.drop(draft, "unit doubt: " + said(draft) + " gives " + formatNumber(value) + " bytes");
    }
    for (const auto *kind : {"gpu", "swap", "host"}) {
        for (const auto &[labels, parts] : collect(set, kind)) {
            for (auto *part : {parts.used, parts.free, parts.reserved, parts.available, parts.buffers, parts.cached})
                dropAbove(set, part, parts.limit);
        }
    }
}

void keepOneOfEach(DraftSet &set)
{
    std::unordered_map<SeriesKey, std::size_t, KeyHash> kept;
    kept.reserve(set.drafts.size());
    for (std::size_t i = 0; i < set.drafts.size(); ++i) {
        auto &draft = set.drafts[i];
        if (draft.isDropped)
            continue;
        const auto [at, isNew] = kept.try_emplace(draft.sample.info.key, i);
        if (isNew)
            continue;
        auto &other = set.drafts[at->second];
        const bool folds = draft.exporter && draft.exporter->foldsByMaximum;
        if (folds && !(draft.sample.value > other.sample.value)) {
            set.drop(draft, said(draft) + " comes once a process; the highest value is kept");
            continue;
        }
        set.drop(other, said(other)
                     + (folds ? " comes once a process; the highest value is kept"
                              : " comes twice with the same labels; the last is kept"));
        at->second = i;
    }
}

} // namespace plimsoll
