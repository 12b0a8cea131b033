// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heap_profile.h"

#include "formats/json_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace plimsoll {
namespace {

struct Holder
{
    TextId label = 0; // 0: samples without a device
    std::vector<std::size_t> samples;
};

std::vector<Holder> byDevice(const HeapProfile &profile)
{
    const auto key = profile.texts.find("device");
    std::vector<Holder> holders;
    std::map<TextId, std::size_t> indices;
    for (std::size_t i = 0; i < profile.samples.size(); ++i) {
        const auto &sample = profile.samples[i];
        TextId device = 0;
        for (std::size_t j = sample.firstLabel; j < sample.firstLabel + sample.labelCount; ++j)
            if (key != TextTable::kAbsent && profile.labels[j].key == key)
                device = profile.labels[j].text;
        const auto [found, isNew] = indices.emplace(device, holders.size());
        if (isNew)
            holders.push_back({device, {}});
        holders[found->second].samples.push_back(i);
    }
    return holders;
}

// "gpu:0", "TFRT_CPU_0", "0": the number at the end.
std::optional<std::int32_t> ordinalOf(std::string_view label) noexcept
{
    auto begin = label.size();
    while (begin > 0 && label[begin - 1] >= '0' && label[begin - 1] <= '9')
        --begin;
    std::int32_t ordinal = 0;
    const auto [stop, error] = std::from_chars(label.data() + begin, label.data() + label.size(), ordinal);
    if (begin == label.size() || error != std::errc())
        return std::nullopt;
    return ordinal;
}

void add(std::uint64_t &to, std::uint64_t value) noexcept
{
    if (__builtin_add_overflow(to, value, &to))
        to = kUnknownBytes - 1;
}

} // namespace

std::size_t HeapProfile::mainSampleType() const noexcept
{
    const auto find = [this](std::string_view type) {
        const auto found = std::find_if(sampleTypes.begin(), sampleTypes.end(), [type](const auto &each) { return each.type == type; });
        return static_cast<std::size_t>(found - sampleTypes.begin());
    };
    for (const auto type : {std::string_view("inuse_space"), std::string_view("space"),
                            std::string_view(defaultSampleType ? *defaultSampleType : std::string())})
        if (const auto at = find(type); at < sampleTypes.size())
            return at;
    for (std::size_t i = sampleTypes.size(); i > 0; --i)
        if (sampleTypes[i - 1].unit == "bytes")
            return i - 1;
    return 0;
}

Result<MemorySnapshot> toMemorySnapshot(const HeapProfile &profile, std::size_t sampleType)
{
    const auto types = profile.sampleTypes.size();
    if (sampleType >= types)
        return failure(Error::Code::BadInput, "The profile has " + std::to_string(types) + " sample types; number "
                                                  + std::to_string(sampleType) + " is not one of them.");
    MemorySnapshot snapshot;
    snapshot.texts = profile.texts;
    snapshot.stacks = profile.stacks;
    snapshot.warnings = profile.warnings;
    auto &origin = snapshot.origin;
    origin.format = profile.form == HeapProfile::Form::Protobuf ? SnapshotOrigin::Format::Pprof : SnapshotOrigin::Format::HeapText;
    origin.fileBytes = profile.fileBytes;
    origin.isCompressed = profile.isCompressed;

    std::uint64_t negative = 0;
    std::vector<std::int32_t> taken;
    for (const auto &holder : byDevice(profile)) {
        const auto label = snapshot.texts[holder.label];
        auto ordinal = holder.label == 0 ? -1 : ordinalOf(label).value_or(0);
        while (std::find(taken.begin(), taken.end(), ordinal) != taken.end())
            ++ordinal;
        taken.push_back(ordinal);
        if (holder.label != 0) {
            std::string text;
            appendJsonString(text, label);
            snapshot.attributes.emplace_back("device " + std::to_string(ordinal), std::move(text));
        }
        TraceDevice device;
        device.kind = holder.label == 0 || label.find("CPU") != std::string_view::npos || label.find("cpu") != std::string_view::npos
            ? MemoryKind::Cpu
            : MemoryKind::Accelerator;
        device.ordinal = ordinal;
        device.hasAddresses = false;
        snapshot.devices.push_back(std::move(device));

        MemorySegment segment;
        segment.device = ordinal;
        segment.firstBlock = snapshot.blocks.size();
        for (const auto i : holder.samples) {
            const auto value = profile.values[i * types + sampleType];
            if (value == 0)
                continue;
            if (value < 0) {
                ++negative;
                continue;
            }
            MemoryBlock block;
            block.size = static_cast<std::uint64_t>(value);
            block.requested = block.size;
            block.state = BlockState::ActiveAllocated;
            block.stack = profile.samples[i].stack;
            add(segment.totalSize, block.size);
            snapshot.blocks.push_back(block);
        }
        segment.blockCount = snapshot.blocks.size() - segment.firstBlock;
        segment.allocatedSize = segment.totalSize;
        segment.activeSize = segment.totalSize;
        segment.requestedSize = segment.totalSize;
        snapshot.segments.push_back(segment);
    }
    if (negative != 0)
        snapshot.warnings.push_back(std::to_string(negative) + " samples have a value below zero (a difference of two profiles?) and are left out.");
    return snapshot;
}

} // namespace plimsoll
