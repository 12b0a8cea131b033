// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/memory_snapshot.h"
#include "formats/snapshot_reading.h"
#include "formats/torch_draft.h"
#include "formats/torch_version.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll {

/// Makes the snapshot out of what the machine left: walks from the top and puts each part in its
/// place. Throws PickleRefusal.
class TorchBuilder
{
public:
    /// `fileBytes`: no file holds more rows than bytes; one that seems to repeats itself.
    TorchBuilder(TorchDraft &draft, const SnapshotReading &reading, std::uint64_t fileBytes)
        : m_draft(draft), m_reading(reading), m_rowsLeft(fileBytes)
    {}

    void build(const PickleValue &top);

private:
    using Runs = std::vector<std::pair<std::size_t, std::size_t>>; // first row, count

    void readTop(const PickleObject &top);
    void readSegments(const PickleValue &value);
    void readSegment(const PickleObject &dict);
    void readBlocks(const PickleValue &value, MemorySegment &segment);
    void readHostSegments(const PickleValue &value);
    void readTraces(const PickleValue &value, MemoryKind kind);
    [[nodiscard]] Runs runsOf(std::span<const PickleValue> items);
    void addDevice(MemoryKind kind, Runs runs);
    void gatherEvents();
    void readSettings(const PickleObject &dict);
    void readAnnotations(const PickleValue &value);
    void readRing(TorchKey key, const PickleValue &value);
    void applyRing();
    void tell();
    void count(std::uint64_t rows);
    void checkStop();

    TorchDraft &m_draft;
    const SnapshotReading &m_reading;
    std::uint64_t m_rowsLeft;
    std::uint64_t m_visited = 0;
    TorchFeatures m_features;
    std::vector<Runs> m_runs; // beside MemorySnapshot::devices
    PickleValue m_overflowed;
    PickleValue m_maxEntries;
};

} // namespace plimsoll
