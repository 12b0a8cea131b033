// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/oom.h"

#include "snapshot/grouping.h"
#include "snapshot/oom_verdicts.h"
#include "snapshot/segment_map.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace plimsoll {
namespace {

constexpr std::size_t kPinnedStacks = 8;
constexpr std::pair<std::int64_t, std::int64_t> kDefaultPool {0, 0};

bool isLoss(TraceAction action) noexcept
{
    return action == TraceAction::SegmentFree || action == TraceAction::SegmentUnmap;
}

bool isSegmentEvent(TraceAction action) noexcept
{
    return isLoss(action) || action == TraceAction::SegmentAlloc || action == TraceAction::SegmentMap;
}

std::uint64_t bytesOf(std::uint64_t size) noexcept { return size == kUnknownBytes ? 0 : size; }

/// The state at one OOM, taken apart.
class Moment
{
public:
    Moment(const Replay &replay, const SegmentMap &segments, const AllocatorOptions &options,
           const OomQuestion &question, std::size_t event)
        : m_replay(replay), m_question(question), m_instant(static_cast<EventInstant>(event)), m_options(options)
    {
        const auto row = replay.device().firstEvent + event;
        const auto said = replay.snapshot().events[row];
        m_out.ordinal = replay.device().ordinal;
        m_out.event = event;
        m_out.timeUs = said.timeUs;
        m_out.stack = said.stack;
        m_out.asked = bytesOf(said.size);
        m_out.isSmall = isSmallRequest(m_out.asked);
        m_out.segmentSize = segmentSizeFor(m_out.asked, options);
        if (said.address != kUnknownBytes)
            m_out.deviceFree = said.address;
        const auto &pool = replay.snapshot().contexts[said.context].pool;
        m_out.pool = {pool.value_or(kDefaultPool), replay.snapshot().streams[said.stream]};
        m_out.isPoolKnown = pool.has_value();
        m_out.cardKnown = question.cardBytes;
        m_out.isEstimate = replay.beforeCount() > 0;
        takeState(segments);
        sumUp();
        lookBack();
        lookAhead();
    }

    OomExplanation take() { return std::move(m_out); }

private:
    struct PoolOrder
    {
        PoolKey key;
        bool isSmall = false;
        friend auto operator<=>(const PoolOrder &, const PoolOrder &) = default;
    };

    OomPool &poolOf(const PoolKey &key, bool isSmall)
    {
        auto &pool = m_pools[{key, isSmall}];
        pool.key = key;
        pool.isSmall = isSmall;
        pool.isOwn = key == m_out.pool && isSmall == m_out.isSmall;
        return pool;
    }

    void addLive(OomPool &pool, AllocationId id, std::uint64_t rounded, bool isPending)
    {
        const auto size = bytesOf(m_replay.sizes()[id]);
        pool.live += size;
        pool.liveRounded += rounded;
        ++pool.liveCount;
        m_out.live += size;
        m_out.liveRounded += rounded;
        ++m_out.liveCount;
        if (isPending) {
            pool.pending += rounded;
            m_out.pending += rounded;
            ++m_out.pendingCount;
        }
        auto &holder = m_holders[m_replay.stacks()[id]];
        holder.bytes += size;
        ++holder.count;
        if (size > 0 && roundedSize(size, m_options) == m_out.asked) {
            ++m_out.sameSizeCount;
            m_out.sameSizeBytes += size;
        }
    }

    void takeState(const SegmentMap &segments);
    void takeRange(const MappedRange &range, std::span<const MappedPiece> pieces);
    void addFree(OomPool &pool, std::uint64_t size);
    void notePinned(const MappedRange &range, const PoolKey &key, std::span<const MappedPiece> pieces,
                    std::uint64_t free);
    void sumUp();
    void lookBack();
    void lookAhead();

    const Replay &m_replay;
    const OomQuestion &m_question;
    EventInstant m_instant;
    AllocatorOptions m_options;
    OomExplanation m_out;
    std::map<PoolOrder, OomPool> m_pools;
    std::unordered_map<StackId, OomHolder> m_holders;
};

void Moment::takeState(const SegmentMap &segments)
{
    const auto state = segments.at(m_instant);
    if (segments.isKnown())
        m_out.reserved = state.reserved;
    for (const auto &range : state.ranges)
        takeRange(range, std::span(state.pieces).subspan(range.firstPiece, range.pieceCount));
    for (const auto id : state.outside) {
        const auto rounded = m_replay.roundedSize(id);
        const PoolKey key {m_replay.poolOf(id).pool.value_or(kDefaultPool),
                           m_replay.snapshot().streams[m_replay.streamOf(id)]};
        addLive(poolOf(key, isSmallRequest(rounded)), id, rounded, false);
    }
}

void Moment::takeRange(const MappedRange &range, std::span<const MappedPiece> pieces)
{
    const PoolKey key {range.pool.value_or(kDefaultPool), m_replay.snapshot().streams[range.stream]};
    bool isSmall = range.isLarge ? !*range.isLarge : range.size == kSmallSegment;
    if (!range.isLarge && range.isExpandable) {
        // Its contents tell which half it is of.
        isSmall = std::none_of(pieces.begin(), pieces.end(), [&](const MappedPiece &piece) {
            return !piece.isFree() && !isSmallRequest(piece.size);
        });
    }
    auto &pool = poolOf(key, isSmall);
    pool.reserved += range.size;
    std::uint64_t free = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto &piece = pieces[i];
        if (piece.isFree()) {
            addFree(pool, piece.size);
            free += piece.size;
            continue;
        }
        // So little is not split off in the large half: it is the block's own.
        const bool hasRest = !isSmall && !range.isExpandable && i + 1 < pieces.size() && pieces[i + 1].isFree()
            && pieces[i + 1].size <= kSmallLimit;
        addLive(pool, piece.allocation, piece.size + (hasRest ? pieces[i + 1].size : 0), piece.isPending);
        i += hasRest ? 1 : 0;
    }
    if (range.isExpandable)
        return;
    if (free == range.size && !key.isPrivate())
        m_out.unreleased = saturatedSum(m_out.unreleased, free);
    notePinned(range, key, pieces, free);
}

void Moment::addFree(OomPool &pool, std::uint64_t size)
{
    pool.free += size;
    ++pool.freePieces;
    pool.largestFree = std::max(pool.largestFree, size);
    m_out.cachedFree += size;
    if (size >= m_out.asked) {
        ++m_out.piecesThatFit;
        m_out.bytesThatFit += size;
    } else {
        ++m_out.piecesTooSmall;
        m_out.bytesTooSmall += size;
    }
    if (pool.isOwn) {
        m_out.usableFree += size;
        m_out.largestFreeOwn = std::max(m_out.largestFreeOwn, size);
    } else {
        m_out.largestFreeElsewhere = std::max(m_out.largestFreeElsewhere, size);
    }
}

// More than half of it is free, and yet it cannot be given back.
void Moment::notePinned(const MappedRange &range, const PoolKey &key, std::span<const MappedPiece> pieces,
                        std::uint64_t free)
{
    if (free <= range.size - std::min(free, range.size) || free >= range.size)
        return;
    OomPinnedSegment segment;
    segment.range = {range.address, range.size};
    segment.key = key;
    segment.free = free;
    std::vector<AllocationId> live;
    for (const auto &piece : pieces)
        if (!piece.isFree())
            live.push_back(piece.allocation);
    const auto sizes = m_replay.sizes();
    std::sort(live.begin(), live.end(),
              [&](auto a, auto b) { return std::pair(sizes[b], a) < std::pair(sizes[a], b); });
    for (const auto id : live) {
        segment.live += bytesOf(sizes[id]);
        const auto stack = m_replay.stacks()[id];
        if (segment.stacks.size() < kPinnedStacks
            && std::find(segment.stacks.begin(), segment.stacks.end(), stack) == segment.stacks.end())
            segment.stacks.push_back(stack);
    }
    segment.liveCount = live.size();
    m_out.pinnedFree += free;
    m_out.pinnedLive += segment.live;
    m_out.pinnedCount += live.size();
    ++m_out.pinnedSegments;
    m_out.pinned.push_back(std::move(segment));
}

void Moment::sumUp()
{
    auto &o = m_out;
    o.roundingLoss = o.liveRounded - std::min(o.live, o.liveRounded);
    if (o.reserved)
        o.unrequested = *o.reserved - std::min(o.live, *o.reserved);
    const auto free = o.deviceFree.value_or(0);
    if (o.deviceFree && o.reserved)
        o.cardLowerBound = saturatedSum(*o.deviceFree, *o.reserved);
    o.missing = o.segmentSize - std::min(free, o.segmentSize);
    o.shortfall = o.asked - std::min(saturatedSum(free, o.unrequested), o.asked);
    o.isPeak = m_replay.levelAt(m_instant) == m_replay.peakLevel();
    const auto cut = [&](auto &list) { list.resize(std::min(list.size(), m_question.top)); };
    for (const auto &[order, pool] : m_pools)
        o.pools.push_back(pool);
    std::stable_sort(o.pools.begin(), o.pools.end(),
                     [](const auto &a, const auto &b) { return a.reserved > b.reserved; });
    for (auto &[stack, holder] : m_holders) {
        holder.stack = stack;
        o.holders.push_back(holder);
    }
    std::sort(o.holders.begin(), o.holders.end(),
              [](const auto &a, const auto &b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack; });
    cut(o.holders);
    std::stable_sort(o.pinned.begin(), o.pinned.end(), [](const auto &a, const auto &b) { return a.free > b.free; });
    cut(o.pinned);
}

void Moment::lookBack()
{
    const auto &events = m_replay.snapshot().events;
    const auto first = m_replay.device().firstEvent;
    auto row = first + m_instant;
    for (; row > first && isSegmentEvent(events.action[row - 1]); --row)
        if (isLoss(events.action[row - 1])) {
            ++m_out.releasedNow;
            m_out.releasedNowBytes += bytesOf(events.sizes[row - 1]);
        }
    while (row > first && !isLoss(events.action[row - 1]))
        --row;
    for (; row > first && isLoss(events.action[row - 1]); --row) {
        ++m_out.releasedEarlier;
        m_out.releasedEarlierBytes += bytesOf(events.sizes[row - 1]);
        m_out.releasedEarlierEvent = row - 1 - first;
    }
    const auto born = m_replay.bornUpTo(m_instant);
    const auto sizes = m_replay.sizes().first(born);
    for (const auto size : sizes)
        m_out.largestEarlier = std::max(m_out.largestEarlier, bytesOf(size));
}

void Moment::lookAhead()
{
    const auto &device = m_replay.device();
    if (device.segments.empty())
        return;
    std::uint64_t live = 0;
    std::uint64_t cached = 0;
    const auto &snapshot = m_replay.snapshot();
    for (const auto index : device.segments) {
        const auto &segment = device.segmentsOf(snapshot)[index];
        for (auto b = segment.firstBlock; b < segment.firstBlock + segment.blockCount; ++b) {
            const auto &block = device.blocksOf(snapshot)[b];
            if (block.state == BlockState::Inactive)
                cached += block.size;
            else if (block.state == BlockState::ActiveAllocated)
                live += block.requested == kUnknownBytes ? block.size : block.requested;
        }
    }
    m_out.liveAtEnd = live;
    m_out.cachedAtEnd = cached;
    m_out.isAfterUnwinding = live < m_out.live / 2;
}

std::vector<OomRange> rangesAt(const Replay &replay, const Grouping &grouping, EventInstant instant, std::size_t top)
{
    std::vector<OomRange> ranges;
    for (const auto &total : aliveByGroup(replay, grouping, instant)) {
        if (ranges.size() == top)
            break;
        ranges.push_back({grouping.names[total.group], static_cast<std::uint64_t>(total.bytes),
                          static_cast<std::size_t>(total.count)});
    }
    return ranges;
}

} // namespace

Result<std::vector<OomExplanation>> explainOoms(const Replay &replay, const OomQuestion &question, std::stop_token stop)
{
    std::vector<OomExplanation> all;
    const auto &device = replay.device();
    const auto &actions = replay.snapshot().events.action;
    std::optional<SegmentMap> segments;
    std::optional<AllocatorOptions> options;
    std::optional<LeakWatch> leaks;
    std::optional<Grouping> ranges;
    for (std::size_t event = 0; event < device.eventCount && replay.hasAllocations() && all.size() < question.most;
         ++event) {
        if (actions[device.firstEvent + event] != TraceAction::Oom)
            continue;
        if (stop.stop_requested())
            return failure(Error::Code::Cancelled, "cancelled while explaining an out-of-memory event");
        if (!segments) {
            segments.emplace(replay);
            options = allocatorSettingsOf(replay.snapshot()).options;
            leaks.emplace(replay, stop);
            if (!replay.snapshot().annotations.empty())
                ranges = groupAllocations(replay, GroupBy::Annotation);
        }
        auto explanation = Moment(replay, *segments, *options, question, event).take();
        if (ranges)
            explanation.ranges = rangesAt(replay, *ranges, static_cast<EventInstant>(event), question.top);
        explanation.verdicts = verdictsOn(explanation, *options, leaks->at(static_cast<EventInstant>(event)));
        all.push_back(std::move(explanation));
    }
    return all;
}

Result<std::vector<OomExplanation>> explainOoms(const MemorySnapshot &snapshot, const OomQuestion &question,
                                                std::stop_token stop)
{
    std::vector<OomExplanation> all;
    for (const auto &device : devicesOf(snapshot)) {
        const auto from = snapshot.events.action.data() + device.firstEvent;
        if (device.kind != MemoryKind::Accelerator || device.eventCount == 0
            || std::find(from, from + device.eventCount, TraceAction::Oom) == from + device.eventCount)
            continue;
        auto some = explainOoms(Replay(snapshot, device, stop), question, stop);
        if (!some)
            return some;
        std::move(some->begin(), some->end(), std::back_inserter(all));
    }
    return all;
}

} // namespace plimsoll
