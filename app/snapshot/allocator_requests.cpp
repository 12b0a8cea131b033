// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_requests.h"

#include "snapshot/address_map.h"
#include "snapshot/segment_map.h"

#include <algorithm>
#include <map>
#include <span>

namespace plimsoll {
namespace {

constexpr std::size_t kStopEvery = std::size_t {1} << 16U;
constexpr std::size_t kMostPools = UINT16_MAX;

bool isKnownStack(StackId stack) noexcept { return stack != kNoStack && stack != kEmptyStack; }

constexpr std::pair<std::int64_t, std::int64_t> kDefaultPool {0, 0};

bool hasPrivatePools(const Replay &replay)
{
    const auto &snapshot = replay.snapshot();
    const auto isPrivate = [](const auto &pool) { return pool && *pool != kDefaultPool; };
    return std::any_of(snapshot.segments.begin(), snapshot.segments.end(),
                       [&](const auto &s) { return isPrivate(s.pool); })
        || std::any_of(snapshot.contexts.begin(), snapshot.contexts.end(),
                       [&](const auto &c) { return isPrivate(c.pool); });
}

/// Which half of its pool a range is of, where the file does not say it: that of the nearest range of its
/// stream (the halves have address space of their own), else what its size suggests.
bool isSmallRange(const MappedRange &range, std::span<const MappedRange> all)
{
    if (range.isLarge)
        return !*range.isLarge;
    if (!range.isExpandable)
        return range.size == kSmallSegment;
    bool isSmall = range.size % kLargeSegment != 0;
    auto nearest = std::uint64_t {1} << 40U; // beyond, it is another reservation
    for (const auto &other : all) {
        const auto distance =
            other.address > range.address ? other.address - range.address : range.address - other.address;
        if (!other.isExpandable || !other.isLarge || other.stream != range.stream || distance >= nearest)
            continue;
        nearest = distance;
        isSmall = !*other.isLarge;
    }
    return isSmall;
}

class Extraction
{
public:
    Extraction(const Replay &replay, const AllocatorOptions &options)
        : m_replay(replay), m_options(options), m_events(replay.snapshot().events), m_first(replay.device().firstEvent),
          m_hasPrivatePools(hasPrivatePools(replay)), m_nextBefore(replay.beforeCount()),
          m_nextBorn(static_cast<RequestId>(replay.beforeCount())), m_endsAtRequest(replay.oddities().endsAtRequest)
    {
        poolOf({}); // the default pool is number 0
    }

    Result<AllocatorRequests> run(const std::stop_token &stop)
    {
        placeStart();
        waitSinceBefore();
        const auto count = m_replay.device().eventCount;
        m_out.requests.reserve(m_replay.size() * 2);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % kStopEvery == 0 && stop.stop_requested())
                return failure(Error::Code::Cancelled, "cancelled while reading the trace");
            take(i);
        }
        endRun(count, TraceAction::FirstUnknown, kNoStack);
        return std::move(m_out);
    }

private:
    PoolIndex poolOf(const PoolKey &key)
    {
        const auto [at, isNew] = m_poolOf.try_emplace(key, static_cast<PoolIndex>(m_out.pools.size()));
        if (isNew) {
            if (m_out.pools.size() >= kMostPools) { // a foreign file: nobody has so many streams
                m_poolOf.erase(at);
                return 0;
            }
            m_out.pools.push_back(key);
        }
        return at->second;
    }

    PoolIndex poolOfAlloc(std::size_t row, RequestId id)
    {
        const auto context = m_events.context[row];
        const auto stream = m_events.stream[row];
        const auto &said = m_replay.snapshot().contexts[context].pool;
        if (!said && m_hasPrivatePools) {
            const auto pool = m_replay.poolOf(id); // by the segment that is there at the end
            m_out.guessedPools += pool.pool ? 0 : 1;
            return poolOf({pool.pool.value_or(kDefaultPool), m_replay.snapshot().streams[stream]});
        }
        if (m_lastPool.context != context || m_lastPool.stream != stream || !m_lastPool.isSet)
            m_lastPool = {context, stream, poolOf({said.value_or(kDefaultPool), m_replay.snapshot().streams[stream]}),
                          true};
        return m_lastPool.pool;
    }

    void add(std::size_t i, RequestKind kind, RequestId id = kNoRequest, PoolIndex pool = 0)
    {
        AllocatorRequest request;
        request.event = static_cast<std::uint32_t>(i);
        request.id = id;
        request.kind = kind;
        request.pool = pool;
        m_out.requests.push_back(request);
    }

    void take(std::size_t i)
    {
        const auto row = m_first + i;
        const auto action = m_events.action[row];
        switch (action) {
        case TraceAction::SegmentAlloc:
        case TraceAction::SegmentMap:
        case TraceAction::SegmentFree:
        case TraceAction::SegmentUnmap: takeSegmentEvent(i); return;
        case TraceAction::Alloc: {
            const auto address = m_events.address[row];
            if (address == kUnknownBytes)
                return;
            const auto segmentEvents = m_runLength > 0 ? i - m_runStart : 0;
            const auto driver = endRun(i, action, m_events.stack[row]);
            const auto id = m_nextBorn++;
            if (const auto old = m_live.put(address, id))
                add(i, RequestKind::CompleteFree, *old);
            add(i, RequestKind::Allocate, id, poolOfAlloc(row, id));
            m_out.requests.back().driver = driver;
            m_out.requests.back().segmentEvents = static_cast<std::uint32_t>(segmentEvents);
            return;
        }
        case TraceAction::FreeRequested: takeRequest(i); return;
        case TraceAction::FreeCompleted:
        case TraceAction::Free: takeFree(i); return;
        case TraceAction::Oom: {
            const auto segmentEvents = m_runLength > 0 ? i - m_runStart : 0;
            endRun(i, action, m_events.stack[row]);
            ++m_out.ooms;
            const auto pool = m_replay.snapshot().contexts[m_events.context[row]].pool;
            const PoolKey key {pool.value_or(kDefaultPool), m_replay.snapshot().streams[m_events.stream[row]]};
            add(i, RequestKind::OutOfMemory, kNoRequest, poolOf(key));
            m_out.requests.back().driver = DriverAnswer::Nothing;
            m_out.requests.back().segmentEvents = static_cast<std::uint32_t>(segmentEvents);
            return;
        }
        default: return; // marks: no effect on memory
        }
    }

    void takeRequest(std::size_t i)
    {
        const auto pending = m_replay.pendingFrees();
        const auto instant = static_cast<EventInstant>(i + 1);
        while (m_nextPending < pending.size() && pending[m_nextPending].requested < instant)
            ++m_nextPending;
        if (m_endsAtRequest) {
            takeFree(i);
            return;
        }
        for (; m_nextPending < pending.size() && pending[m_nextPending].requested == instant; ++m_nextPending) {
            endRun(i, TraceAction::FreeRequested, kNoStack);
            add(i, RequestKind::RequestFree, pending[m_nextPending].allocation);
        }
    }

    void takeFree(std::size_t i)
    {
        const auto address = m_events.address[m_first + i];
        if (address == kUnknownBytes)
            return;
        endRun(i, TraceAction::FreeCompleted, kNoStack);
        if (const auto id = m_live.take(address)) {
            add(i, RequestKind::CompleteFree, *id);
            return;
        }
        // The replay wrote what was freed without an alloc downwards, in the order of the frees.
        if (m_nextBefore > 0 && m_replay.addresses()[m_nextBefore - 1] == address)
            add(i, RequestKind::CompleteFree, static_cast<RequestId>(--m_nextBefore));
    }

    // Segment events come in runs, directly before what caused them.
    void takeSegmentEvent(std::size_t i)
    {
        const auto row = m_first + i;
        const auto action = m_events.action[row];
        m_out.hasSegmentEvents = true;
        if (m_runLength++ == 0)
            m_runStart = i;
        const bool isLoss = action == TraceAction::SegmentFree || action == TraceAction::SegmentUnmap;
        m_gainsBehindLoss = isLoss ? 0 : m_gainsBehindLoss + 1;
        if (isLoss) {
            m_lossStack = m_events.stack[row];
            m_hasLoss = true;
            if (m_hasPrivatePools)
                noteReleasedPool(row);
        }
    }

    // Only of a pool whose graph is gone something is given back.
    void noteReleasedPool(std::size_t row)
    {
        const auto pool = m_replay.poolOfSegmentEvent(row).pool;
        if (!pool || *pool == kDefaultPool)
            return;
        const auto index = poolOf({*pool, m_replay.snapshot().streams[m_events.stream[row]]});
        if (std::find(m_released.begin(), m_released.end(), index) == m_released.end())
            m_released.push_back(index);
    }

    // Whose run was it: the allocator's, which had to release its cache for this request, or the program's?
    DriverAnswer endRun(std::size_t i, TraceAction next, StackId stack)
    {
        if (std::exchange(m_runLength, 0) == 0)
            return DriverAnswer::Unknown;
        const auto gains = std::exchange(m_gainsBehindLoss, std::size_t {0});
        if (!std::exchange(m_hasLoss, false))
            return DriverAnswer::Unknown;
        for (const auto pool : m_released)
            add(i, RequestKind::ReleasePool, kNoRequest, pool);
        m_released.clear();
        if (next == TraceAction::Oom)
            return DriverAnswer::Nothing;
        const bool isOfAnother = isKnownStack(stack) && isKnownStack(m_lossStack) && stack != m_lossStack;
        if (next == TraceAction::Alloc && gains > 0 && !isOfAnother)
            return DriverAnswer::AfterRelease;
        add(i, RequestKind::EmptyCache);
        return DriverAnswer::Unknown;
    }

    void waitSinceBefore()
    {
        for (const auto &pending : m_replay.pendingFrees())
            if (pending.requested == 0)
                add(0, RequestKind::RequestFree, pending.allocation);
    }

    void placeStart();
    void placeInto(StartSegment segment, std::span<const StartBlock> blocks);

    const Replay &m_replay;
    const AllocatorOptions &m_options;
    const EventColumns &m_events;
    std::size_t m_first;
    bool m_hasPrivatePools; // else all is of the default one
    AllocatorRequests m_out;
    std::map<PoolKey, PoolIndex> m_poolOf;
    struct LastPool
    {
        ContextId context = 0;
        StreamId stream = 0;
        PoolIndex pool = 0;
        bool isSet = false;
    } m_lastPool;
    AddressMap<RequestId> m_live;
    std::size_t m_nextBefore;
    RequestId m_nextBorn;
    bool m_endsAtRequest;
    std::size_t m_nextPending = 0;

    std::size_t m_runStart = 0;
    std::size_t m_runLength = 0;
    std::size_t m_gainsBehindLoss = 0;
    bool m_hasLoss = false;
    StackId m_lossStack = kNoStack;
    std::vector<PoolIndex> m_released; // private pools
};

void Extraction::placeStart()
{
    std::vector<StartBlock> blocks;
    for (AllocationId id = 0; id < m_replay.beforeCount(); ++id)
        if (const auto size = m_replay.roundedSize(id); size > 0)
            blocks.push_back({id, m_replay.addresses()[id], size});
    std::sort(blocks.begin(), blocks.end(), [](const auto &a, const auto &b) {
        return a.address != b.address ? a.address < b.address : a.id < b.id;
    });
    const auto ranges = SegmentMap(m_replay).rangesAt(0);
    m_out.hasPrehistory = !blocks.empty() || !ranges.empty();
    std::size_t next = 0;
    std::size_t placed = 0;
    for (const auto &range : ranges) {
        StartSegment segment;
        segment.range = {range.address, range.size};
        segment.pool = poolOf({range.pool.value_or(kDefaultPool), m_replay.snapshot().streams[range.stream]});
        segment.isSmall = isSmallRange(range, ranges);
        segment.isExpandable = range.isExpandable;
        m_out.reservedAtStart += range.size;
        while (next < blocks.size() && blocks[next].address < range.address)
            ++next;
        auto last = next;
        while (last < blocks.size() && blocks[last].address - range.address < range.size)
            ++last;
        placed += last - next;
        placeInto(segment, std::span(blocks).subspan(next, last - next));
        next = last;
    }
    m_out.lostAtStart += blocks.size() - placed;
}

void Extraction::placeInto(StartSegment segment, std::span<const StartBlock> blocks)
{
    segment.firstBlock = m_out.startBlocks.size();
    const auto end = segment.range.address + segment.range.size;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        auto block = blocks[i];
        if (i + 1 < blocks.size() && blocks[i + 1].address == block.address) {
            ++m_out.lostAtStart; // two at one place, one after the other: the later one counts
            continue;
        }
        const auto until = i + 1 < blocks.size() ? blocks[i + 1].address : end;
        block.size = std::min(block.size, until - block.address);
        // So little was not split off: in the large half nothing free is as small as that.
        const auto gap = until - block.address - block.size;
        const bool isWhole = block.size >= m_options.maxSplitSize && gap < m_options.maxNonSplitRounding;
        if (!segment.isSmall && !segment.isExpandable && (gap <= kSmallLimit || isWhole))
            block.size += gap;
        m_out.startBlocks.push_back(block);
    }
    segment.blockCount = m_out.startBlocks.size() - segment.firstBlock;
    m_out.startSegments.push_back(segment);
}

} // namespace

Result<AllocatorRequests> allocatorRequestsOf(const Replay &replay, const AllocatorOptions &options,
                                              std::stop_token stop)
{
    if (replay.device().kind != MemoryKind::Accelerator)
        return failure(Error::Code::Unsupported, "the allocator model is about an accelerator's memory only");
    if (!replay.hasAllocations() || replay.device().eventCount == 0)
        return failure(Error::Code::Unsupported, "the device has no events with addresses: there is nothing to replay");
    return Extraction(replay, options).run(stop);
}

AllocatorModel modelAtStart(const AllocatorRequests &requests, const AllocatorOptions &options, const ModelCard &card)
{
    AllocatorModel model(options, card);
    for (const auto &key : requests.pools)
        (void)model.pool(key);
    for (const auto &segment : requests.startSegments)
        model.addSegment(segment.pool, segment.isSmall, segment.isExpandable, segment.range,
                         std::span(requests.startBlocks).subspan(segment.firstBlock, segment.blockCount));
    return model;
}

} // namespace plimsoll
