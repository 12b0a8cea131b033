// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"
#include "formats/torch_html.h"
#include "formats/torch_pickle_stream.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

using namespace plimsoll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void checkIds(const MemorySnapshot &s)
{
    for (std::size_t row = 0; row < s.events.size(); ++row) {
        const auto event = s.events[row];
        require(static_cast<std::size_t>(event.action) < s.actionNames.size() && event.stack < s.stacks.stackCount()
                && event.stream < s.streams.size() && event.context < s.contexts.size());
    }
    for (const auto &context : s.contexts)
        for (const auto &[key, value] : context.attributes)
            require(key < s.texts.size() && value < s.texts.size());
    for (StackId id = 0; id < s.stacks.stackCount(); ++id) {
        const auto stack = s.stacks.stack(id);
        for (std::size_t i = 0; i < stack.size(); ++i)
            require(stack[i] < s.stacks.frameCount());
    }
    for (FrameId id = 0; id < s.stacks.frameCount(); ++id)
        require(s.stacks.frame(id).file < s.texts.size() && s.stacks.frame(id).name < s.texts.size());
    std::size_t row = 0;
    for (const auto &device : s.devices) {
        require(device.firstEvent == row);
        row += device.eventCount;
    }
    require(row == s.events.size());
    std::size_t block = 0;
    for (const auto &segment : s.segments) {
        require(segment.firstBlock == block && segment.stack < s.stacks.stackCount() && segment.stream < s.streams.size());
        block += segment.blockCount;
    }
    require(block == s.blocks.size() && s.hostBlocks.size() == s.hostSegments.size());
    for (const auto &mark : s.annotations)
        require(mark.name < s.texts.size());
}

bool isSame(const MemorySnapshot &a, const MemorySnapshot &b)
{
    if (a.events.size() != b.events.size() || a.segments.size() != b.segments.size() || a.blocks.size() != b.blocks.size()
        || a.devices.size() != b.devices.size() || a.settings != b.settings || a.attributes != b.attributes
        || a.unknownKeys != b.unknownKeys || a.warnings != b.warnings || a.actionNames != b.actionNames
        || a.origin.frameObjects != b.origin.frameObjects || a.origin.widestLongBytes != b.origin.widestLongBytes
        || a.origin.truncatedAt != b.origin.truncatedAt || a.origin.torchVersions != b.origin.torchVersions)
        return false;
    for (std::size_t row = 0; row < a.events.size(); ++row) {
        const auto x = a.events[row];
        const auto y = b.events[row];
        if (x.action != y.action || x.address != y.address || x.size != y.size || x.timeUs != y.timeUs
            || a.streams[x.stream] != b.streams[y.stream] || a.stacks.depth(x.stack) != b.stacks.depth(y.stack)
            || a.contexts[x.context].pool != b.contexts[y.context].pool
            || a.contexts[x.context].attributes.size() != b.contexts[y.context].attributes.size())
            return false;
    }
    return true;
}

} // namespace

// The first byte chooses the reader, the rest is the file, in a buffer of exactly its size. The fast
// paths and the general machine must come to the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const auto exact = std::make_unique<char[]>(size);
    std::memcpy(exact.get(), data + 1, size - 1);
    const std::span<const char> bytes(exact.get(), size - 1);
    SnapshotReading reading;
    reading.limits.events = 4'000;
    reading.limits.textBytes = 1U << 16U;
    reading.limits.attributeBytes = 2'000;
    reading.limits.memoryBytes = 256U << 20U;
    if (data[0] % 4U == 3) {
        const auto census = countOpcodes(*bytesOf(bytes), reading);
        require(!census || census->bytes <= bytes.size());
        return 0;
    }
    if (data[0] % 4U == 2) {
        const auto page = readTorchHtml(*bytesOf(bytes), reading);
        if (page)
            checkIds(*page);
        return 0;
    }
    PickleStream stream;
    const auto fast = readTorchPickle(*bytesOf(bytes), reading, stream);
    stream.hasFastPaths = false;
    const auto general = readTorchPickle(*bytesOf(bytes), reading, stream);
    // No pickler adds to a list of frames after it wrote something else; only the general machine follows.
    if (!fast && fast.error().detail.find("to one that was complete") != std::string::npos)
        return 0;
    require(fast.has_value() == general.has_value());
    if (!fast) {
        require(fast.error().code == general.error().code && fast.error().detail.size() > 20);
        return 0;
    }
    checkIds(*fast);
    checkIds(*general);
    require(isSame(*fast, *general));
    return 0;
}
