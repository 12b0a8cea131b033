// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/heap_text.h"
#include "formats/pprof.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check(const HeapProfile &profile)
{
    require(profile.values.size() == profile.samples.size() * profile.sampleTypes.size());
    require(profile.valueSums.size() == profile.sampleTypes.size());
    for (const auto &sample : profile.samples) {
        require(sample.stack < profile.stacks.stackCount());
        require(sample.firstLabel + sample.labelCount <= profile.labels.size());
    }
    for (std::size_t type = 0; type < profile.sampleTypes.size(); ++type) {
        const auto snapshot = toMemorySnapshot(profile, type);
        require(snapshot.has_value());
        std::size_t blocks = 0;
        for (const auto &segment : snapshot->segments) {
            require(segment.firstBlock == blocks);
            blocks += segment.blockCount;
        }
        require(blocks == snapshot->blocks.size());
    }
}

} // namespace

// The bytes as protobuf (packed or plain) and as text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::vector<char> bytes(data, data + size);
    ByteSourceLimits limits;
    limits.unpackedBytes = 1U << 20U;
    (void)looksLikePprof({bytes.data(), bytes.size()});
    if (const auto profile = readPprof(*bytesOf(bytes, limits), {}))
        check(*profile);
    if (const auto profile = readHeapText(*bytesOf(bytes, limits), {}))
        check(*profile);
    return 0;
}
