// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::test {

/// Makes a snapshot by hand with every field that one can have (snapshot_builder.h: the usual ones, in fewer words).
class WholeSnapshotBuilder
{
public:
    explicit WholeSnapshotBuilder(std::size_t events = 4096) { snapshot.events = EventColumns(events); }

    MemorySnapshot snapshot;

    /// Frames as "file:line:name", innermost first.
    StackId stack(const std::vector<std::string> &frames)
    {
        std::vector<FrameId> ids;
        for (const auto &text : frames) {
            const auto first = text.find(':');
            const auto second = text.find(':', first + 1);
            ids.push_back(snapshot.stacks.internFrame({snapshot.texts.intern(text.substr(0, first)),
                                                       snapshot.texts.intern(text.substr(second + 1)),
                                                       std::stoull(text.substr(first + 1, second - first - 1))}));
        }
        return snapshot.stacks.internStack(ids);
    }
    StreamId stream(std::uint64_t handle)
    {
        for (StreamId id = 0; id < snapshot.streams.size(); ++id)
            if (snapshot.streams[id] == handle)
                return id;
        snapshot.streams.push_back(handle);
        return static_cast<StreamId>(snapshot.streams.size() - 1);
    }
    ContextId context(std::optional<std::pair<std::int64_t, std::int64_t>> pool,
                      const std::vector<std::pair<std::string, std::string>> &attributes = {})
    {
        EventContext context{pool, {}};
        for (const auto &[key, value] : attributes) {
            const auto id = snapshot.texts.intern(key);
            context.attributes.emplace_back(id, snapshot.texts.intern(value));
        }
        snapshot.contexts.push_back(context);
        return static_cast<ContextId>(snapshot.contexts.size() - 1);
    }
    TraceAction action(const std::string &name)
    {
        snapshot.actionNames.push_back(name);
        return static_cast<TraceAction>(snapshot.actionNames.size() - 1);
    }
    TraceDevice &device(MemoryKind kind = MemoryKind::Accelerator, std::int32_t ordinal = 0)
    {
        TraceDevice device;
        device.kind = kind;
        device.ordinal = ordinal;
        device.firstEvent = snapshot.events.size();
        snapshot.devices.push_back(device);
        return snapshot.devices.back();
    }
    void event(const TraceEvent &event)
    {
        snapshot.events.append(event);
        ++snapshot.devices.back().eventCount;
    }
    void segment(MemorySegment segment, const std::vector<MemoryBlock> &blocks)
    {
        segment.firstBlock = snapshot.blocks.size();
        segment.blockCount = blocks.size();
        snapshot.blocks.insert(snapshot.blocks.end(), blocks.begin(), blocks.end());
        snapshot.segments.push_back(segment);
    }
};

/// A snapshot that uses every column and every odd value once, and many of them at random.
inline MemorySnapshot everything(std::uint32_t seed, std::size_t events = 500)
{
    std::mt19937 random(seed);
    const auto below = [&random](std::uint64_t limit) { return (static_cast<std::uint64_t>(random()) << 20U ^ random()) % limit; };
    WholeSnapshotBuilder to(events * 4 + 16);
    auto &snapshot = to.snapshot;
    std::vector<StackId> stacks{kNoStack, kEmptyStack};
    for (int i = 0; i < 20; ++i) {
        std::vector<std::string> frames;
        for (std::uint64_t j = 0; j <= below(12); ++j)
            frames.push_back("/a/\xC3\xA9\"b\\" + std::to_string(below(3)) + ".py:" + std::to_string(below(5) == 0 ? UINT64_MAX : below(900))
                             + ":f\n<" + std::to_string(below(9)) + ">::g");
        stacks.push_back(to.stack(frames));
    }
    stacks.push_back(to.stack({"\xED\xB2\x80.py:0:", ":7:?"})); // a lone surrogate, as Python has it in file names
    const auto key = snapshot.texts.intern("fx_node_op");
    snapshot.stacks.addAttribute(3, key, snapshot.texts.intern("call \"x\""));
    std::vector<StreamId> streams{0, to.stream(0x7f0000001000), to.stream(UINT64_MAX)};
    std::vector<ContextId> contexts{0, to.context(std::pair<std::int64_t, std::int64_t>(0, 1)), to.context(std::nullopt, {{"user_metadata", "{\"a\": [1]}"}}),
                                    to.context(std::pair<std::int64_t, std::int64_t>(-1, INT64_MAX),
                                               {{"compile_context", "Torch-Compiled Region: 0/0"}, {"colour", "17"}, {"forward_frames", "[\"a\",\"b\"]"}})};
    const auto other = to.action("a new \"action\"");
    const auto pick = [&below](const auto &from) { return from[below(from.size())]; };
    for (std::int32_t list = 0; list < 3; ++list) {
        to.device(list == 2 ? MemoryKind::PinnedHost : MemoryKind::Accelerator, list == 2 ? 0 : list);
        if (list == 1)
            continue; // empty
        for (std::size_t i = 0; i < events; ++i) {
            TraceEvent event;
            event.action = below(40) == 0 ? other : static_cast<TraceAction>(below(kKnownActions));
            event.address = below(10) == 0 ? kUnknownBytes : below(7) == 0 ? UINT64_MAX - 1 : 0x7f0000000000 + below(1000) * 512;
            event.size = below(30) == 0 ? kUnknownBytes : below(1U << 30U);
            event.timeUs = below(30) == 0 ? kUnknownTime : below(30) == 0 ? -5 : 1'700'000'000'000'000 + static_cast<std::int64_t>(i);
            event.stack = pick(stacks);
            event.stream = pick(streams);
            event.context = pick(contexts);
            to.event(event);
        }
    }
    snapshot.devices[0].hasOverflowed = true;
    snapshot.devices[0].maxEntries = 900;
    for (int i = 0; i < 5; ++i) {
        MemorySegment segment;
        segment.device = i % 2;
        segment.address = 0x7f0000000000 + static_cast<std::uint64_t>(i) * 0x1000000;
        segment.stream = pick(streams);
        segment.stack = pick(stacks);
        if (i > 0) {
            segment.allocatedSize = below(1000);
            segment.activeSize = below(1000);
            segment.requestedSize = below(1000);
            segment.isLarge = i % 2 == 0;
            segment.pool = std::pair<std::int64_t, std::int64_t>(0, i);
            segment.isExpandable = i % 3 == 0;
        }
        std::vector<MemoryBlock> blocks;
        for (std::uint64_t j = 0; j < below(6) + 1; ++j) {
            MemoryBlock block;
            block.address = segment.address + segment.totalSize;
            block.size = 512 * (1 + below(100));
            block.requested = below(4) == 0 ? kUnknownBytes : below(5000);
            block.state = static_cast<BlockState>(below(4));
            block.stack = pick(stacks);
            block.historyLength = below(3) == 0 ? static_cast<std::uint32_t>(below(4)) : 0;
            segment.totalSize += block.size;
            blocks.push_back(block);
        }
        to.segment(segment, blocks);
    }
    for (int i = 0; i < 3; ++i) {
        MemorySegment segment;
        segment.address = 0x10000 + static_cast<std::uint64_t>(i) * 4096;
        segment.totalSize = 4096;
        segment.firstBlock = snapshot.hostBlocks.size();
        segment.blockCount = 1;
        segment.allocatedSize = i == 1 ? 4096 : 0;
        segment.activeSize = i == 0 ? 0 : 4096;
        segment.stack = stacks[2];
        MemoryBlock block;
        block.address = segment.address;
        block.size = 4096;
        block.state = static_cast<BlockState>(i);
        block.stack = stacks[2];
        snapshot.hostBlocks.push_back(block);
        snapshot.hostSegments.push_back(segment);
    }
    using Stage = TraceAnnotation::Stage;
    snapshot.annotations = {{0, 5, Stage::Start, snapshot.texts.intern("## forward ##")},
                            {1, kUnknownTime, Stage::End, snapshot.texts.intern("")},
                            {-1, 7, Stage::Other, snapshot.texts.intern("x\ty")}};
    snapshot.settings = {{"PYTORCH_CUDA_ALLOC_CONF", "\"a:\\\"b\\\"\""}, {"max_split_size", "-1"}, {"roundup", "{\"1\":0}"}, {"odd", "NaN"}};
    snapshot.attributes = {{"source", "{\"a.py\":\"x\"}"}, {"cut", "{\"a\": [1, 2"}};
    snapshot.unknownKeys = {{"segment.colour", 3}, {"event.colour", 4}};
    snapshot.warnings = {"The first sentence.", "Another \"one\"."};
    snapshot.origin.torchVersions = "2.13 or newer";
    return std::move(to.snapshot);
}

/// What two snapshots differ in, by value; empty when they are the same. Where ids or the file
/// differ that is no difference.
inline std::string difference(const MemorySnapshot &a, const MemorySnapshot &b)
{
    const auto stackText = [](const MemorySnapshot &in, StackId id) {
        if (id == kNoStack)
            return std::string("none");
        std::string text = "[";
        const auto frames = in.stacks.stack(id);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const auto &frame = in.stacks.frame(frames[i]);
            text += std::string(in.texts[frame.file]) + ':' + std::to_string(frame.line) + ':' + std::string(in.texts[frame.name]);
            for (const auto &[key, value] : in.stacks.attributes(frames[i]))
                text += '{' + std::string(in.texts[key]) + '=' + std::string(in.texts[value]) + '}';
            text += '|';
        }
        return text + ']';
    };
    const auto contextText = [](const MemorySnapshot &in, ContextId id) {
        const auto &context = in.contexts[id];
        auto text = context.pool ? std::to_string(context.pool->first) + ',' + std::to_string(context.pool->second) : std::string("-");
        std::vector<std::string> attributes;
        for (const auto &[key, value] : context.attributes)
            attributes.push_back('{' + std::string(in.texts[key]) + '=' + std::string(in.texts[value]) + '}');
        std::sort(attributes.begin(), attributes.end());
        for (const auto &attribute : attributes)
            text += attribute;
        return text;
    };
    const auto blockText = [&](const MemorySnapshot &in, const MemoryBlock &block) {
        return std::to_string(block.address) + ' ' + std::to_string(block.size) + ' ' + std::to_string(block.requested) + ' '
            + std::string(toString(block.state)) + ' ' + std::to_string(block.historyLength) + ' ' + stackText(in, block.stack);
    };
    const auto segmentText = [&](const MemorySnapshot &in, const MemorySegment &segment, const std::vector<MemoryBlock> &blocks) {
        auto text = std::to_string(segment.device) + ' ' + std::to_string(segment.address) + ' ' + std::to_string(segment.totalSize) + ' '
            + std::to_string(segment.allocatedSize) + ' ' + std::to_string(segment.activeSize) + ' ' + std::to_string(segment.requestedSize) + ' '
            + std::to_string(in.streams[segment.stream]) + ' ' + (segment.isLarge ? std::to_string(*segment.isLarge) : "-") + ' '
            + (segment.pool ? std::to_string(segment.pool->first) + ',' + std::to_string(segment.pool->second) : "-") + ' '
            + (segment.isExpandable ? std::to_string(*segment.isExpandable) : "-") + ' ' + stackText(in, segment.stack);
        for (std::size_t i = segment.firstBlock; i < segment.firstBlock + segment.blockCount; ++i)
            text += "\n  " + blockText(in, blocks[i]);
        return text;
    };
    const auto deviceText = [](const TraceDevice &device) {
        auto text = std::to_string(static_cast<int>(device.kind)) + ' ' + std::to_string(device.ordinal) + ' ' + std::to_string(device.firstEvent) + ' '
            + std::to_string(device.eventCount) + ' ' + (device.hasOverflowed ? std::to_string(*device.hasOverflowed) : "-") + ' '
            + (device.maxEntries ? std::to_string(*device.maxEntries) : "-") + ' ' + std::to_string(device.hasAddresses) + ' '
            + (device.levelAtStart ? std::to_string(*device.levelAtStart) : "-");
        for (const auto &[row, bytes] : device.reserved)
            text += ' ' + std::to_string(row) + '=' + std::to_string(bytes);
        return text;
    };
    const auto eventText = [&](const MemorySnapshot &in, std::size_t row) {
        const auto event = in.events[row];
        return in.actionNames[static_cast<std::size_t>(event.action)] + ' ' + std::to_string(event.address) + ' ' + std::to_string(event.size) + ' '
            + std::to_string(event.timeUs) + ' ' + std::to_string(in.streams[event.stream]) + ' ' + contextText(in, event.context) + ' '
            + stackText(in, event.stack);
    };
    const auto compare = [](const std::string &what, std::size_t i, const std::string &first, const std::string &second) {
        return first == second ? std::string() : what + ' ' + std::to_string(i) + ":\n" + first + "\n" + second;
    };
    std::string found;
    const auto sizes = [&found](const char *what, std::size_t first, std::size_t second) {
        if (found.empty() && first != second)
            found = std::string(what) + ": " + std::to_string(first) + " and " + std::to_string(second);
    };
    sizes("segments", a.segments.size(), b.segments.size());
    sizes("host segments", a.hostSegments.size(), b.hostSegments.size());
    sizes("devices", a.devices.size(), b.devices.size());
    sizes("events", a.events.size(), b.events.size());
    sizes("annotations", a.annotations.size(), b.annotations.size());
    for (std::size_t i = 0; found.empty() && i < a.segments.size(); ++i)
        found = compare("segment", i, segmentText(a, a.segments[i], a.blocks), segmentText(b, b.segments[i], b.blocks));
    for (std::size_t i = 0; found.empty() && i < a.hostSegments.size(); ++i)
        found = compare("host segment", i, segmentText(a, a.hostSegments[i], a.hostBlocks), segmentText(b, b.hostSegments[i], b.hostBlocks));
    for (std::size_t i = 0; found.empty() && i < a.devices.size(); ++i)
        found = compare("device", i, deviceText(a.devices[i]), deviceText(b.devices[i]));
    for (std::size_t i = 0; found.empty() && i < a.events.size(); ++i)
        found = compare("event", i, eventText(a, i), eventText(b, i));
    for (std::size_t i = 0; found.empty() && i < a.annotations.size(); ++i) {
        const auto text = [](const MemorySnapshot &in, const TraceAnnotation &annotation) {
            return std::to_string(annotation.device) + ' ' + std::to_string(annotation.timeUs) + ' '
                + std::to_string(static_cast<int>(annotation.stage)) + ' ' + std::string(in.texts[annotation.name]);
        };
        found = compare("annotation", i, text(a, a.annotations[i]), text(b, b.annotations[i]));
    }
    const auto asMap = [](const auto &pairs) { return std::map<std::string, std::string>(pairs.begin(), pairs.end()); };
    if (found.empty() && asMap(a.settings) != asMap(b.settings))
        found = "settings";
    if (found.empty() && asMap(a.attributes) != asMap(b.attributes))
        found = "attributes";
    if (found.empty() && a.unknownKeys != b.unknownKeys)
        found = "unknown keys";
    if (found.empty() && a.warnings != b.warnings)
        found = "warnings";
    if (found.empty() && a.origin.torchVersions != b.origin.torchVersions)
        found = "versions: " + a.origin.torchVersions + " and " + b.origin.torchVersions;
    return found;
}

} // namespace plimsoll::test
