// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/census.h"

#include "snapshot/address_map.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace plimsoll {
namespace {

std::string poolName(const MemorySegment &segment)
{
    if (!segment.pool)
        return "None";
    return '(' + std::to_string(segment.pool->first) + ", " + std::to_string(segment.pool->second) + ')';
}

std::uint64_t known(std::uint64_t bytes) noexcept
{
    return bytes == kUnknownBytes ? 0 : bytes;
}

void add(std::vector<std::pair<std::string, std::uint64_t>> &sums, std::string key, std::uint64_t value)
{
    const auto found = std::find_if(sums.begin(), sums.end(), [&](const auto &sum) { return sum.first == key; });
    if (found != sums.end())
        found->second += value;
    else
        sums.emplace_back(std::move(key), value);
}

/// Active blocks of the end by address: the size asked for. Of equal addresses the last one counts.
using ActiveBlocks = AddressMap<std::uint64_t>;

void countSegments(const MemorySnapshot &snapshot, const SnapshotDevice &device, DeviceCensus &census, ActiveBlocks &allocated,
                   ActiveBlocks &pending)
{
    std::set<StreamId> streams;
    const auto segments = device.segmentsOf(snapshot);
    const auto blocks = device.blocksOf(snapshot);
    std::unordered_map<std::string, std::size_t> poolAt;
    for (const auto index : device.segments) {
        const auto &segment = segments[index];
        ++census.segments;
        census.expandableSegments += segment.isExpandable.value_or(false) ? 1 : 0;
        census.reserved += segment.totalSize;
        census.segmentAllocatedSum += known(segment.allocatedSize);
        census.segmentActiveSum += known(segment.activeSize);
        auto pool = poolName(segment);
        const auto [at, isNew] = poolAt.try_emplace(pool, census.reservedByPool.size());
        if (isNew)
            census.reservedByPool.emplace_back(std::move(pool), 0);
        census.reservedByPool[at->second].second += segment.totalSize;
        streams.insert(segment.stream);

        const auto mine = blocks.subspan(segment.firstBlock, segment.blockCount);
        const bool isUsed = std::any_of(mine.begin(), mine.end(), [](const MemoryBlock &b) { return b.state != BlockState::Inactive; });
        std::uint64_t tiled = 0;
        for (const auto &block : mine) {
            const auto address = segment.address + tiled;
            tiled += block.size;
            auto &sum = census.byState[static_cast<std::size_t>(block.state)];
            ++sum.blocks;
            sum.bytes += block.size;
            // Of a block that does not say what was asked for, its size stands in.
            const auto requested = block.requested == kUnknownBytes ? block.size : block.requested;
            if (block.state == BlockState::Inactive) {
                census.largestFree = std::max(census.largestFree, block.size);
                if (isUsed) {
                    ++census.freePieces;
                    census.freePiecesBytes += block.size;
                } else {
                    census.freeInFreeSegments += block.size;
                }
                continue;
            }
            sum.requested += requested;
            census.roundingWaste += static_cast<std::int64_t>(block.size - requested);
            if (block.state == BlockState::ActiveAllocated)
                allocated.put(address, requested);
            else if (block.state == BlockState::ActivePendingFree)
                pending.put(address, requested);
        }
        census.segmentsNotTiled += tiled != segment.totalSize ? 1 : 0;
    }
    census.streams = streams.size();
}

/// The walk, by the letter of the definitions: sums wrap instead of overflowing.
class TraceWalk
{
public:
    TraceWalk(const MemorySnapshot &snapshot, const SnapshotDevice &device, DeviceCensus &census)
        : m_snapshot(snapshot), m_device(device), m_census(census), m_trace(census.trace)
    {}

    void run()
    {
        const auto &events = m_snapshot.events;
        const auto end = m_device.firstEvent + m_device.eventCount;
        std::array<std::uint64_t, 256> byAction{};
        std::vector<TraceAction> order;
        std::uint64_t reservedChange = 0;
        auto last = kUnknownTime;
        for (auto row = m_device.firstEvent; row < end; ++row) {
            const auto action = events.action[row];
            if (byAction[static_cast<std::size_t>(action)]++ == 0)
                order.push_back(action);
            const auto time = events.timeUs[row];
            if (time != kUnknownTime) {
                m_trace.timeGoesBack += last != kUnknownTime && time < last ? 1 : 0;
                last = time;
            }
            m_trace.eventsWithoutFrames += events.stack[row] == kNoStack ? 1 : 0;
            const auto size = known(events.sizes[row]);
            switch (action) {
            case TraceAction::Alloc:
                m_trace.allocBytes += size;
                alloc(row, size);
                break;
            case TraceAction::FreeCompleted:
                m_trace.freeCompletedBytes += size;
                [[fallthrough]];
            case TraceAction::Free: free(row, size); break;
            case TraceAction::SegmentAlloc:
            case TraceAction::SegmentMap: reservedChange += size; break;
            case TraceAction::SegmentFree:
            case TraceAction::SegmentUnmap: reservedChange -= size; break;
            case TraceAction::Oom: oom(row, size); break;
            default: break;
            }
        }
        for (const auto action : order) {
            const auto at = static_cast<std::size_t>(action);
            const auto name = at < m_snapshot.actionNames.size() ? m_snapshot.actionNames[at] : std::string(toString(action));
            add(m_census.eventsByAction, name, byAction[at]);
        }
        if (m_device.eventCount > 0) {
            m_trace.firstTimeUs = timeOf(m_device.firstEvent);
            m_trace.lastTimeUs = timeOf(end - 1);
        }
        m_trace.endRelative = static_cast<std::int64_t>(m_level);
        m_trace.reservedAtStart = static_cast<std::int64_t>(m_census.reserved - reservedChange);
    }

    void compareWithBlocks(const ActiveBlocks &allocated, const ActiveBlocks &pending)
    {
        std::uint64_t live = 0;
        m_live.forEach([&](std::uint64_t address, std::uint64_t size) {
            ++m_trace.endLive;
            live += size;
            m_trace.liveNotInBlocks += allocated.find(address) ? 0 : 1;
        });
        m_trace.endLiveBytes = static_cast<std::int64_t>(live);
        allocated.forEach([&](std::uint64_t address, std::uint64_t requested) {
            if (m_live.find(address))
                return;
            ++m_trace.blocksNeverInTrace;
            m_trace.blocksNeverInTraceBytes += requested;
        });
        pending.forEach([&](std::uint64_t address, std::uint64_t requested) {
            if (m_live.find(address))
                return;
            ++m_trace.pendingBeforeTrace;
            m_trace.pendingBeforeTraceBytes += requested;
        });
        m_trace.peakAbsolute = static_cast<std::int64_t>(static_cast<std::uint64_t>(m_trace.peakRelative)
                                                         + m_trace.freesWithoutAllocBytes + m_trace.blocksNeverInTraceBytes);
    }

private:
    std::optional<std::int64_t> timeOf(std::size_t row) const
    {
        const auto time = m_snapshot.events.timeUs[row];
        return time == kUnknownTime ? std::nullopt : std::optional(time);
    }

    void alloc(std::size_t row, std::uint64_t size)
    {
        const auto address = m_snapshot.events.address[row];
        if (address == kUnknownBytes) {
            ++m_trace.eventsWithoutAddress;
            return;
        }
        if (const auto old = m_live.put(address, size)) {
            ++m_trace.allocsOfLiveAddress;
            m_level -= *old;
        }
        m_level += size;
        if (static_cast<std::int64_t>(m_level) > m_trace.peakRelative) {
            m_trace.peakRelative = static_cast<std::int64_t>(m_level);
            m_trace.peakIndex = row - m_device.firstEvent;
        }
    }

    void free(std::size_t row, std::uint64_t size)
    {
        const auto &events = m_snapshot.events;
        const auto address = events.address[row];
        const bool followsRequest = row > m_device.firstEvent && events.action[row - 1] == TraceAction::FreeRequested
            && events.address[row - 1] == address;
        m_trace.freesNotRightAfterRequest += followsRequest ? 0 : 1;
        if (address == kUnknownBytes) {
            ++m_trace.eventsWithoutAddress;
            return;
        }
        if (const auto old = m_live.take(address)) {
            m_level -= *old;
            return;
        }
        ++m_trace.freesWithoutAlloc;
        m_trace.freesWithoutAllocBytes += size;
        m_level -= size;
    }

    void oom(std::size_t row, std::uint64_t size)
    {
        OomEvent event;
        event.index = row - m_device.firstEvent;
        event.size = size;
        const auto left = m_snapshot.events.address[row];
        if (left != kUnknownBytes)
            event.deviceFree = left;
        event.timeUs = timeOf(row);
        m_trace.ooms.push_back(event);
    }

    const MemorySnapshot &m_snapshot;
    const SnapshotDevice &m_device;
    DeviceCensus &m_census;
    TraceCensus &m_trace;
    AddressMap<std::uint64_t> m_live; // size asked for
    std::uint64_t m_level = 0;
};

} // namespace

double DeviceCensus::fragmentation() const noexcept
{
    const auto all = inactive();
    return all == 0 ? 0.0 : 1.0 - static_cast<double>(largestFree) / static_cast<double>(all);
}

DeviceCensus censusOf(const MemorySnapshot &snapshot, const SnapshotDevice &device)
{
    DeviceCensus census;
    census.kind = device.kind;
    census.ordinal = device.ordinal;
    census.events = device.eventCount;
    ActiveBlocks allocated;
    ActiveBlocks pending;
    countSegments(snapshot, device, census, allocated, pending);
    TraceWalk walk(snapshot, device, census);
    walk.run();
    walk.compareWithBlocks(allocated, pending);
    return census;
}

FileCensus censusOf(const MemorySnapshot &snapshot)
{
    FileCensus file;
    for (const auto &device : devicesOf(snapshot)) {
        auto census = censusOf(snapshot, device);
        if (device.kind == MemoryKind::Accelerator) {
            file.reserved += census.reserved;
            for (const auto &[action, count] : census.eventsByAction)
                file.eventsByAction[action] += count;
            file.peakAbsolute = static_cast<std::int64_t>(static_cast<std::uint64_t>(file.peakAbsolute)
                                                          + static_cast<std::uint64_t>(census.trace.peakAbsolute));
        }
        file.devices.push_back(std::move(census));
    }
    return file;
}

} // namespace plimsoll
