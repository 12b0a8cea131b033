// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/census.h"

#include "snapshot/address_map.h"
#include "snapshot/wrapping.h"

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

DeviceCensus emptyCensus(const SnapshotDevice &device)
{
    DeviceCensus census;
    census.kind = device.kind;
    census.ordinal = device.ordinal;
    census.events = device.eventCount;
    return census;
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

void countSegments(const MemorySnapshot &snapshot, const SnapshotDevice &device, DeviceCensus &census, ActiveBlocks *allocated,
                   ActiveBlocks *pending)
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
            census.roundingWaste = wrappingAdd(census.roundingWaste, static_cast<std::int64_t>(block.size - requested));
            auto *blocksOfState = block.state == BlockState::ActiveAllocated ? allocated
                : block.state == BlockState::ActivePendingFree               ? pending
                                                                             : nullptr;
            if (blocksOfState) // without addresses each is told apart by its place
                blocksOfState->put(segment.address == kUnknownBytes ? blocksOfState->size() : address, requested);
        }
        census.segmentsNotTiled += tiled != segment.totalSize ? 1 : 0;
    }
    census.streams = streams.size();
}

constexpr std::size_t kStopEvery = std::size_t{1} << 18U; // events between two looks at the stop token

/// What needs no memory of earlier events: counts, sums, times.
void countEvents(const MemorySnapshot &snapshot, const SnapshotDevice &device, DeviceCensus &census, const std::stop_token &stop)
{
    const auto &events = snapshot.events;
    auto &trace = census.trace;
    const auto end = device.firstEvent + device.eventCount;
    const auto timeOf = [&](std::size_t row) {
        return events.timeUs[row] == kUnknownTime ? std::nullopt : std::optional(events.timeUs[row]);
    };
    std::array<std::uint64_t, 256> byAction{};
    std::vector<TraceAction> order;
    std::uint64_t reservedChange = 0;
    auto last = kUnknownTime;
    for (auto row = device.firstEvent; row < end; ++row) {
        if ((row & (kStopEvery - 1)) == 0 && stop.stop_requested())
            break;
        const auto action = events.action[row];
        if (byAction[static_cast<std::size_t>(action)]++ == 0)
            order.push_back(action);
        const auto time = events.timeUs[row];
        if (time != kUnknownTime) {
            trace.timeGoesBack += last != kUnknownTime && time < last ? 1 : 0;
            last = time;
        }
        trace.eventsWithoutFrames += events.stack[row] == kNoStack ? 1 : 0;
        const auto size = known(events.sizes[row]);
        switch (action) {
        case TraceAction::Alloc:
            trace.allocBytes += size;
            trace.eventsWithoutAddress += events.address[row] == kUnknownBytes ? 1 : 0;
            break;
        case TraceAction::FreeCompleted:
        case TraceAction::Free: {
            trace.freeCompletedBytes += action == TraceAction::FreeCompleted ? size : 0;
            trace.eventsWithoutAddress += events.address[row] == kUnknownBytes ? 1 : 0;
            const bool followsRequest = row > device.firstEvent && events.action[row - 1] == TraceAction::FreeRequested
                && events.address[row - 1] == events.address[row];
            trace.freesNotRightAfterRequest += followsRequest ? 0 : 1;
            break;
        }
        case TraceAction::SegmentAlloc:
        case TraceAction::SegmentMap: reservedChange += size; break;
        case TraceAction::SegmentFree:
        case TraceAction::SegmentUnmap: reservedChange -= size; break;
        case TraceAction::Oom: {
            OomEvent event;
            event.index = row - device.firstEvent;
            event.size = size;
            if (events.address[row] != kUnknownBytes)
                event.deviceFree = events.address[row];
            event.timeUs = timeOf(row);
            trace.ooms.push_back(event);
            break;
        }
        default: break;
        }
    }
    for (const auto action : order) {
        const auto at = static_cast<std::size_t>(action);
        const auto name = at < snapshot.actionNames.size() ? snapshot.actionNames[at] : std::string(toString(action));
        add(census.eventsByAction, name, byAction[at]);
    }
    if (device.eventCount > 0) {
        trace.firstTimeUs = timeOf(device.firstEvent);
        trace.lastTimeUs = timeOf(end - 1);
    }
    trace.reservedAtStart = static_cast<std::int64_t>(census.reserved - reservedChange);
}

/// What is live, by the letter of the definitions. Levels wrap instead of overflowing.
class LiveWalk
{
public:
    LiveWalk(const MemorySnapshot &snapshot, const SnapshotDevice &device, TraceCensus &trace)
        : m_events(snapshot.events), m_device(device), m_trace(trace)
    {}

    void run(const std::stop_token &stop)
    {
        const auto end = m_device.firstEvent + m_device.eventCount;
        for (auto row = m_device.firstEvent; row < end; ++row) {
            if ((row & (kStopEvery - 1)) == 0 && stop.stop_requested())
                break;
            const auto action = m_events.action[row];
            if (m_events.address[row] == kUnknownBytes)
                continue;
            if (action == TraceAction::Alloc)
                alloc(row);
            else if (action == TraceAction::FreeCompleted || action == TraceAction::Free)
                free(row);
        }
        m_trace.endRelative = static_cast<std::int64_t>(m_level);
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
    }

private:
    void alloc(std::size_t row)
    {
        const auto size = known(m_events.sizes[row]);
        if (const auto old = m_live.put(m_events.address[row], size)) {
            ++m_trace.allocsOfLiveAddress;
            m_level -= *old;
        }
        m_level += size;
        if (static_cast<std::int64_t>(m_level) > m_trace.peakRelative) {
            m_trace.peakRelative = static_cast<std::int64_t>(m_level);
            m_trace.peakIndex = row - m_device.firstEvent;
        }
    }

    void free(std::size_t row)
    {
        if (const auto old = m_live.take(m_events.address[row])) {
            m_level -= *old;
            return;
        }
        const auto size = known(m_events.sizes[row]);
        ++m_trace.freesWithoutAlloc;
        m_trace.freesWithoutAllocBytes += size;
        m_level -= size;
    }

    const EventColumns &m_events;
    const SnapshotDevice &m_device;
    TraceCensus &m_trace;
    AddressMap<std::uint64_t> m_live; // size asked for
    std::uint64_t m_level = 0;
};

/// The same, from lives that were found already.
void fromReplay(const Replay &replay, TraceCensus &trace)
{
    const auto deaths = replay.deaths();
    const auto sizes = replay.sizes();
    std::uint64_t live = 0;
    std::uint64_t freed = 0;
    for (AllocationId id = 0; id < replay.size(); ++id) {
        switch (replay.origin(id)) {
        case AllocationOrigin::Traced:
            if (deaths[id] == replay.never()) {
                ++trace.endLive;
                live += sizes[id];
            }
            break;
        case AllocationOrigin::BeforeFreed:
            ++trace.freesWithoutAlloc;
            freed += sizes[id];
            break;
        case AllocationOrigin::BeforeStillThere:
            ++trace.blocksNeverInTrace;
            trace.blocksNeverInTraceBytes += sizes[id];
            break;
        case AllocationOrigin::BeforePending:
            ++trace.pendingBeforeTrace;
            trace.pendingBeforeTraceBytes += sizes[id];
            break;
        }
    }
    trace.freesWithoutAllocBytes = freed;
    trace.endLiveBytes = static_cast<std::int64_t>(live);
    trace.endRelative = wrappingSubtract(replay.levelAtEnd(), replay.levelAtStart());
    trace.peakRelative = wrappingSubtract(replay.peakLevel(), replay.levelAtStart());
    if (replay.peakInstant() > 0)
        trace.peakIndex = replay.peakInstant() - 1;
    trace.allocsOfLiveAddress = replay.oddities().allocsOfLiveAddress;
    trace.liveNotInBlocks = replay.oddities().liveNotInBlocks;
}

void addUp(TraceCensus &trace)
{
    trace.peakAbsolute = static_cast<std::int64_t>(static_cast<std::uint64_t>(trace.peakRelative) + trace.freesWithoutAllocBytes
                                                   + trace.blocksNeverInTraceBytes);
}

} // namespace

double DeviceCensus::fragmentation() const noexcept
{
    const auto all = inactive();
    return all == 0 ? 0.0 : 1.0 - static_cast<double>(largestFree) / static_cast<double>(all);
}

DeviceCensus censusOf(const MemorySnapshot &snapshot, const SnapshotDevice &device, std::stop_token stop)
{
    auto census = emptyCensus(device);
    ActiveBlocks allocated;
    ActiveBlocks pending;
    countSegments(snapshot, device, census, &allocated, &pending);
    countEvents(snapshot, device, census, stop);
    LiveWalk walk(snapshot, device, census.trace);
    walk.run(stop);
    walk.compareWithBlocks(allocated, pending);
    addUp(census.trace);
    return census;
}

DeviceCensus censusOf(const Replay &replay, std::stop_token stop)
{
    // Where requests end lives, or nothing does, the definitions say something else than the replay.
    if (replay.oddities().endsAtRequest || !replay.hasAllocations() || replay.isCancelled())
        return censusOf(replay.snapshot(), replay.device(), stop);
    auto census = emptyCensus(replay.device());
    countSegments(replay.snapshot(), replay.device(), census, nullptr, nullptr);
    countEvents(replay.snapshot(), replay.device(), census, stop);
    fromReplay(replay, census.trace);
    addUp(census.trace);
    return census;
}

FileCensus censusOf(const MemorySnapshot &snapshot, std::stop_token stop)
{
    std::vector<DeviceCensus> devices;
    for (const auto &device : devicesOf(snapshot))
        devices.push_back(censusOf(snapshot, device, stop));
    return sumOf(std::move(devices));
}

FileCensus sumOf(std::vector<DeviceCensus> devices)
{
    FileCensus file;
    file.devices = std::move(devices);
    for (const auto &census : file.devices) {
        if (census.kind != MemoryKind::Accelerator)
            continue;
        file.reserved += census.reserved;
        for (const auto &[action, count] : census.eventsByAction)
            file.eventsByAction[action] += count;
        file.peakAbsolute = wrappingAdd(file.peakAbsolute, census.trace.peakAbsolute);
    }
    return file;
}

} // namespace plimsoll
