// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto.h"
#include "formats/memory_timeline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

using namespace plimsoll;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

/// Gives a few bytes at a time, so that the window's borders fall anywhere.
class Dripping final : public ByteSource
{
public:
    Dripping(std::span<const char> bytes, std::size_t step) : m_bytes(bytes), m_step(step) {}
    [[nodiscard]] Result<std::size_t> read(std::span<char> into) override
    {
        const auto count = std::min({into.size(), m_step, m_bytes.size() - m_taken});
        std::copy_n(m_bytes.data() + m_taken, count, into.data());
        m_taken += count;
        return count;
    }
    [[nodiscard]] std::uint64_t taken() const noexcept override { return m_taken; }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return m_bytes.size(); }

private:
    std::span<const char> m_bytes;
    std::size_t m_step;
    std::size_t m_taken = 0;
};

void check(const MemorySnapshot &snapshot)
{
    std::size_t rows = 0;
    for (const auto &device : snapshot.devices) {
        require(device.firstEvent == rows);
        rows += device.eventCount;
        for (const auto &[row, bytes] : device.reserved)
            require(row >= device.firstEvent && row < rows);
    }
    require(rows <= snapshot.events.size());
    for (std::size_t row = 0; row < snapshot.events.size(); ++row) {
        const auto event = snapshot.events[row];
        require(event.stack < snapshot.stacks.stackCount() && event.context < snapshot.contexts.size());
        require(static_cast<std::size_t>(event.action) < snapshot.actionNames.size());
    }
}

} // namespace

// The first byte chooses the format and how the bytes come. Whatever they are: no crash, sums that agree.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    // A copy of exact size: what reads beyond it is seen.
    const std::vector<char> bytes(data + 1, data + size);
    SnapshotReading reading;
    reading.limits.events = 2'000;
    reading.limits.textBytes = 4'096;
    Dripping source(bytes, 1U + data[0] / 2U);
    if (data[0] % 2 == 0) {
        const auto trace = readKineto(source, reading);
        if (!trace)
            return 0;
        check(trace->snapshot);
        std::uint64_t phases = 0;
        for (const auto &[phase, count] : trace->census.eventsByPhase)
            phases += count;
        require(phases <= trace->census.events && trace->census.devices.size() == trace->snapshot.devices.size());
        for (const auto &device : trace->census.devices)
            require(device.allocs + device.frees == device.memoryEvents && device.peakNetBytes >= 0);
    } else if (const auto timeline = readMemoryTimeline(source, reading)) {
        check(timeline->snapshot);
    }
    return 0;
}
