// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/torch_json.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace plimsoll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

// Whatever it is: no crash, and every id of the result is one that is there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::vector<char> bytes(data, data + size);
    SnapshotReading reading;
    reading.limits.events = 2'000;
    reading.limits.textBytes = 4'096;
    ByteSourceLimits limits;
    limits.unpackedBytes = 1U << 20U;
    const auto snapshot = readTorchJson(*bytesOf(bytes, limits), reading);
    if (!snapshot)
        return 0;
    const auto isStack = [&](StackId id) { return id < snapshot->stacks.stackCount(); };
    std::size_t blocks = 0;
    for (const auto &segment : snapshot->segments) {
        require(segment.firstBlock == blocks && isStack(segment.stack) && segment.stream < snapshot->streams.size());
        blocks += segment.blockCount;
    }
    require(blocks == snapshot->blocks.size());
    for (const auto &block : snapshot->blocks)
        require(isStack(block.stack));
    std::size_t rows = 0;
    for (const auto &device : snapshot->devices) {
        require(device.firstEvent == rows);
        rows += device.eventCount;
        for (const auto &[row, reserved] : device.reserved)
            require(row >= device.firstEvent && row < rows);
    }
    require(rows <= snapshot->events.size()); // of a list that is cut in the middle the last batch may be left out
    for (std::size_t row = 0; row < snapshot->events.size(); ++row) {
        const auto event = snapshot->events[row];
        require(isStack(event.stack) && event.context < snapshot->contexts.size() && event.stream < snapshot->streams.size());
        require(static_cast<std::size_t>(event.action) < snapshot->actionNames.size());
    }
    return 0;
}
