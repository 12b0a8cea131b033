// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/replay.h"

#include "snapshot/address_map.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kStopEvery = std::size_t{1} << 18U; // events between two looks at the stop token: 3 to 6 ms
constexpr EventInstant kLevelStep = 32;

std::uint64_t known(std::uint64_t bytes) noexcept
{
    return bytes == kUnknownBytes ? 0 : bytes;
}

} // namespace

/// One pass over the events, then one over the blocks. Births are appended, what turns out to be
/// older than the trace is written downwards in front of them. Levels wrap instead of overflowing:
/// the sizes of a hostile file are anything.
class ReplayWalk
{
public:
    explicit ReplayWalk(Replay &replay)
        : m_replay(replay), m_events(replay.m_snapshot->events), m_first(replay.m_device.firstEvent)
    {}

    void run(const std::stop_token &stop)
    {
        const auto count = m_replay.m_device.eventCount;
        countActions(count);
        makeRoom();
        for (std::size_t i = 0; i < count && !m_replay.m_isCancelled; i += kStopEvery) {
            if (m_endsAtRequest)
                walk<true>(i, std::min(count, i + kStopEvery));
            else
                walk<false>(i, std::min(count, i + kStopEvery));
            m_replay.m_isCancelled = stop.stop_requested();
        }
        matchBlocks();
        finish();
    }

    // Without addresses nothing can be matched: only the level is followed.
    void runLevels()
    {
        const auto count = m_replay.m_device.eventCount;
        const auto &list = m_replay.m_snapshot->devices[*m_replay.m_device.list];
        m_level = static_cast<std::uint64_t>(list.levelAtStart.value_or(0));
        m_replay.m_levelAtStart = m_replay.m_unseenAtStart = static_cast<std::int64_t>(m_level);
        m_replay.m_peakLevel = m_replay.m_levelAtStart;
        countActions(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % kLevelStep == 0)
                m_replay.m_levelSteps.push_back(static_cast<std::int64_t>(m_level));
            const auto row = m_first + i;
            const auto action = m_events.action[row];
            if (action == TraceAction::Alloc)
                m_level += known(m_events.sizes[row]);
            else if (isFree(action))
                m_level -= known(m_events.sizes[row]);
            notePeak(static_cast<EventInstant>(i + 1));
        }
        if (count % kLevelStep == 0)
            m_replay.m_levelSteps.push_back(static_cast<std::int64_t>(m_level));
        m_replay.m_levelAtEnd = static_cast<std::int64_t>(m_level);
        m_replay.m_oddities.endsAtRequest = m_endsAtRequest;
    }

private:
    [[nodiscard]] bool isFree(TraceAction action) const noexcept
    {
        return action == TraceAction::FreeCompleted || action == TraceAction::Free
            || (m_endsAtRequest && action == TraceAction::FreeRequested);
    }

    void countActions(std::size_t count)
    {
        std::size_t requests = 0;
        for (std::size_t row = m_first; row < m_first + count; ++row) {
            const auto action = m_events.action[row];
            m_allocs += action == TraceAction::Alloc ? 1 : 0;
            m_frees += action == TraceAction::FreeCompleted || action == TraceAction::Free ? 1 : 0;
            requests += action == TraceAction::FreeRequested ? 1 : 0;
        }
        m_endsAtRequest = m_frees == 0 && requests > 0;
        if (m_endsAtRequest)
            m_frees = requests;
    }

    void makeRoom()
    {
        std::size_t active = 0;
        const auto segments = m_replay.m_device.segmentsOf(*m_replay.m_snapshot);
        for (const auto index : m_replay.m_device.segments)
            active += segments[index].blockCount;
        m_replay.m_first = m_frees + active;
        const auto capacity = m_replay.m_first + m_allocs;
        m_replay.m_birth = ReservedArray<EventInstant>(capacity);
        m_replay.m_death = ReservedArray<EventInstant>(capacity);
        m_replay.m_address = ReservedArray<std::uint64_t>(capacity);
        m_replay.m_bytes = ReservedArray<std::uint64_t>(capacity);
        m_replay.m_stack = ReservedArray<StackId>(capacity);
        m_front = m_next = m_replay.m_first;
    }

    template <bool endsAtRequest>
    void walk(std::size_t from, std::size_t to)
    {
        // The columns as plain pointers: what is written here can't be what is read there.
        const auto *actions = m_events.action.data() + m_first;
        const auto *addresses = m_events.address.data() + m_first;
        const auto *sizes = m_events.sizes.data() + m_first;
        const auto *stacks = m_events.stack.data() + m_first;
        auto *births = m_replay.m_birth.data();
        auto *deaths = m_replay.m_death.data();
        auto *places = m_replay.m_address.data();
        auto *bytes = m_replay.m_bytes.data();
        auto *makers = m_replay.m_stack.data();
        const auto never = m_replay.never();
        const auto count = m_replay.m_device.eventCount;
        auto level = m_level;
        auto peak = m_peak;
        for (auto i = from; i < to; ++i) {
            const auto instant = static_cast<EventInstant>(i + 1);
            const auto action = actions[i];
            if (action == TraceAction::Alloc) {
                const auto address = addresses[i];
                if (address == kUnknownBytes) {
                    ++m_replay.m_oddities.eventsWithoutAddress;
                    continue;
                }
                const auto id = static_cast<AllocationId>(m_next++);
                const auto size = known(sizes[i]);
                births[id] = instant;
                deaths[id] = never;
                places[id] = address;
                bytes[id] = size;
                makers[id] = stacks[i];
                if (const auto old = m_live.put(address, id)) {
                    ++m_replay.m_oddities.allocsOfLiveAddress;
                    deaths[*old] = instant;
                    level -= bytes[*old];
                }
                level += size;
                if (static_cast<std::int64_t>(level) > peak) {
                    peak = static_cast<std::int64_t>(level);
                    m_peakInstant = instant;
                }
            } else if (action == TraceAction::FreeCompleted || action == TraceAction::Free
                       || (endsAtRequest && action == TraceAction::FreeRequested)) {
                const auto address = addresses[i];
                if (address == kUnknownBytes) {
                    ++m_replay.m_oddities.eventsWithoutAddress;
                    continue;
                }
                if (const auto old = m_live.take(address)) {
                    deaths[*old] = instant;
                    level -= bytes[*old];
                    continue;
                }
                level -= before(instant, address, known(sizes[i]), stacks[i]);
            } else if (!endsAtRequest && action == TraceAction::FreeRequested) {
                const bool isCarriedOutNext = i + 1 < count && actions[i + 1] == TraceAction::FreeCompleted
                    && addresses[i + 1] == addresses[i];
                if (!isCarriedOutNext && addresses[i] != kUnknownBytes)
                    wait(instant, addresses[i]);
            }
        }
        m_level = level;
        m_peak = peak;
    }

    /// The free of something that was there before the trace began.
    std::uint64_t before(EventInstant death, std::uint64_t address, std::uint64_t size, StackId stack)
    {
        ++m_replay.m_oddities.freesWithoutAlloc;
        const auto id = putInFront(death, address, size, stack);
        m_start += size;
        if (const auto waiting = m_waiting.take(address))
            m_replay.m_pending.push_back({*waiting, id});
        return size;
    }

    AllocationId putInFront(EventInstant death, std::uint64_t address, std::uint64_t size, StackId stack)
    {
        const auto id = --m_front;
        m_replay.m_birth[id] = 0;
        m_replay.m_death[id] = death;
        m_replay.m_address[id] = address;
        m_replay.m_bytes[id] = size;
        m_replay.m_stack[id] = stack;
        return static_cast<AllocationId>(id);
    }

    void wait(EventInstant instant, std::uint64_t address)
    {
        if (const auto *id = m_live.find(address))
            m_replay.m_pending.push_back({instant, *id});
        else
            m_waiting.put(address, instant);
    }

    void matchBlocks()
    {
        const auto &snapshot = *m_replay.m_snapshot;
        const auto segments = m_replay.m_device.segmentsOf(snapshot);
        const auto blocks = m_replay.m_device.blocksOf(snapshot);
        std::size_t matched = 0;
        AddressMap<AllocationId> fromBlocks; // of two blocks at one address the last counts
        for (const bool isPending : {true, false}) { // allocated ones last, so that they come first
            for (const auto index : m_replay.m_device.segments) {
                const auto &segment = segments[index];
                auto address = segment.address;
                for (auto b = segment.firstBlock; b < segment.firstBlock + segment.blockCount; address += blocks[b++].size) {
                    const auto &block = blocks[b];
                    if (block.state != (isPending ? BlockState::ActivePendingFree : BlockState::ActiveAllocated))
                        continue;
                    if (segment.address == kUnknownBytes) { // a heap profile: sizes and stacks only
                        const auto id = putInFront(m_replay.never(), kUnknownBytes, block.requested == kUnknownBytes ? block.size : block.requested, block.stack);
                        m_start += m_replay.m_bytes[id];
                        m_pendingBlocks += isPending ? 1 : 0;
                        m_replay.m_blockOf.emplace_back(id, b);
                        continue;
                    }
                    if (const auto *id = m_live.find(address)) {
                        matched += isPending ? 0 : 1;
                        m_replay.m_blockOf.emplace_back(*id, b);
                        continue;
                    }
                    const auto size = block.requested == kUnknownBytes ? block.size : block.requested;
                    if (const auto *id = fromBlocks.find(address)) {
                        m_start += size - m_replay.m_bytes[*id];
                        m_replay.m_bytes[*id] = size;
                        m_replay.m_stack[*id] = block.stack;
                        continue;
                    }
                    const auto id = putInFront(m_replay.never(), address, size, block.stack);
                    fromBlocks.put(address, id);
                    m_start += size;
                    m_pendingBlocks += isPending ? 1 : 0;
                    m_replay.m_blockOf.emplace_back(id, b);
                    if (const auto waiting = m_waiting.take(address))
                        m_replay.m_pending.push_back({*waiting, id});
                    else if (isPending)
                        m_replay.m_pending.push_back({0, id}); // since before the trace
                }
            }
        }
        m_replay.m_oddities.liveNotInBlocks = m_live.size() - std::min(matched, m_live.size());
    }

    void finish()
    {
        auto &r = m_replay;
        r.m_before = r.m_first - m_front;
        r.m_pendingBefore = m_pendingBlocks;
        r.m_blocksBefore = r.m_before - static_cast<std::size_t>(r.m_oddities.freesWithoutAlloc);
        const auto shift = static_cast<AllocationId>(m_front);
        for (auto &[id, block] : r.m_blockOf)
            id -= shift;
        std::sort(r.m_blockOf.begin(), r.m_blockOf.end());
        for (auto &pending : r.m_pending)
            pending.allocation -= shift;
        std::sort(r.m_pending.begin(), r.m_pending.end(), [](const auto &a, const auto &b) {
            return std::pair(a.requested, a.allocation) < std::pair(b.requested, b.allocation);
        });
        r.m_first = m_front;
        r.m_size = m_next - m_front;
        // A profiler's running totals know the level better than what is freed later tells.
        auto start = m_start;
        if (r.m_device.list) {
            if (const auto &said = r.m_snapshot->devices[*r.m_device.list].levelAtStart)
                start = *said;
        }
        r.m_unseenAtStart = static_cast<std::int64_t>(start - m_start);
        r.m_levelAtStart = static_cast<std::int64_t>(start);
        r.m_levelAtEnd = static_cast<std::int64_t>(start + m_level);
        r.m_peakLevel = static_cast<std::int64_t>(start + static_cast<std::uint64_t>(m_peak));
        r.m_peakInstant = m_peakInstant;
        r.m_oddities.endsAtRequest = m_endsAtRequest;
    }

    void notePeak(EventInstant instant)
    {
        if (static_cast<std::int64_t>(m_level) <= m_replay.m_peakLevel)
            return;
        m_replay.m_peakLevel = static_cast<std::int64_t>(m_level);
        m_replay.m_peakInstant = instant;
    }

    Replay &m_replay;
    const EventColumns &m_events;
    std::size_t m_first;
    std::size_t m_allocs = 0;
    std::size_t m_frees = 0;
    bool m_endsAtRequest = false;
    std::size_t m_front = 0;
    std::size_t m_next = 0;
    std::size_t m_pendingBlocks = 0;
    AddressMap<AllocationId> m_live;
    AddressMap<EventInstant> m_waiting; // frees asked for, of what was not seen yet
    std::uint64_t m_start = 0; // bytes of what lies before the trace
    std::uint64_t m_level = 0; // to the start
    std::int64_t m_peak = 0;
    EventInstant m_peakInstant = 0;
};

Replay::Replay(const MemorySnapshot &snapshot, const SnapshotDevice &device, std::stop_token stop)
    : m_snapshot(&snapshot), m_device(device), m_rounding(snapshot), m_end(static_cast<EventInstant>(device.eventCount))
{
    m_hasAllocations = !device.list || snapshot.devices[*device.list].hasAddresses || device.eventCount == 0;
    sortSegments();
    ReplayWalk walk(*this);
    if (!m_hasAllocations) {
        walk.runLevels();
        return;
    }
    walk.run(stop);
    buildPyramid();
}

void Replay::sortSegments()
{
    const auto segments = m_device.segmentsOf(*m_snapshot);
    m_segmentsByAddress = m_device.segments;
    std::sort(m_segmentsByAddress.begin(), m_segmentsByAddress.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(segments[a].address, a) < std::pair(segments[b].address, b); });
}

void Replay::buildPyramid()
{
    const EventInstant *below = m_death.data() + m_first;
    for (auto count = m_size; count > kFan;) {
        const auto groups = (count + kFan - 1) / kFan;
        std::vector<EventInstant> level(groups);
        for (std::size_t g = 0; g < groups; ++g)
            level[g] = *std::max_element(below + g * kFan, below + std::min(count, (g + 1) * kFan));
        m_lastDeath.push_back(std::move(level));
        below = m_lastDeath.back().data();
        count = groups;
    }
}

AllocationOrigin Replay::origin(AllocationId id) const noexcept
{
    if (id >= m_before)
        return AllocationOrigin::Traced;
    if (id >= m_blocksBefore)
        return AllocationOrigin::BeforeFreed;
    // Found last, so they lie first: allocated blocks, then pending ones.
    return id >= m_blocksBefore - m_pendingBefore ? AllocationOrigin::BeforePending : AllocationOrigin::BeforeStillThere;
}

std::uint64_t Replay::roundedSize(AllocationId id) const noexcept
{
    if (deaths()[id] == never()) {
        if (const auto block = blockOf(id))
            return m_device.blocksOf(*m_snapshot)[*block].size;
    }
    return m_rounding(sizes()[id]);
}

std::optional<std::size_t> Replay::blockOf(AllocationId id) const noexcept
{
    const auto found = std::lower_bound(m_blockOf.begin(), m_blockOf.end(), std::pair<AllocationId, std::size_t>(id, 0));
    if (found == m_blockOf.end() || found->first != id)
        return std::nullopt;
    return found->second;
}

std::optional<std::size_t> Replay::eventOf(AllocationId id) const noexcept
{
    const auto birth = births()[id];
    if (birth > 0)
        return rowOf(birth);
    const auto death = deaths()[id];
    return death <= m_end ? std::optional(rowOf(death)) : std::nullopt;
}

StreamId Replay::streamOf(AllocationId id) const noexcept
{
    if (const auto row = eventOf(id))
        return m_snapshot->events.stream[*row];
    const auto *segment = segmentOf(addresses()[id]);
    return segment ? segment->stream : 0;
}

Replay::PoolOf Replay::poolOf(AllocationId id) const
{
    if (const auto row = eventOf(id)) {
        const auto &said = m_snapshot->contexts[m_snapshot->events.context[*row]].pool;
        if (said)
            return {said, false};
    }
    const auto *segment = segmentOf(addresses()[id]);
    return {segment ? segment->pool : std::nullopt, !blockOf(id)};
}

Replay::PoolOf Replay::poolOfSegmentEvent(std::size_t row) const
{
    const auto &said = m_snapshot->contexts[m_snapshot->events.context[row]].pool;
    if (said)
        return {said, false};
    const auto *segment = segmentOf(m_snapshot->events.address[row]);
    return {segment ? segment->pool : std::nullopt, true};
}

const MemorySegment *Replay::segmentOf(std::uint64_t address) const noexcept
{
    const auto segments = m_device.segmentsOf(*m_snapshot);
    auto after = std::upper_bound(m_segmentsByAddress.begin(), m_segmentsByAddress.end(), address,
                                  [&](std::uint64_t a, std::size_t s) { return a < segments[s].address; });
    if (after == m_segmentsByAddress.begin())
        return nullptr;
    const auto &segment = segments[*--after];
    return address - segment.address < segment.totalSize ? &segment : nullptr;
}

std::size_t Replay::bornUpTo(EventInstant instant) const noexcept
{
    const auto all = births();
    return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), instant) - all.begin());
}

std::vector<AllocationId> Replay::aliveAt(EventInstant instant) const
{
    std::vector<AllocationId> alive;
    forEachAlive(instant, [&](AllocationId id) { alive.push_back(id); });
    return alive;
}

std::optional<AllocationId> Replay::aliveAtAddress(std::uint64_t address, EventInstant instant) const
{
    std::optional<AllocationId> found;
    const auto places = addresses();
    forEachAlive(instant, [&](AllocationId id) {
        if (places[id] == address)
            found = id;
    });
    return found;
}

std::int64_t Replay::levelAt(EventInstant instant) const
{
    if (!m_hasAllocations) {
        auto level = static_cast<std::uint64_t>(m_levelSteps[instant / kLevelStep]);
        for (auto i = instant / kLevelStep * kLevelStep; i < instant; ++i) {
            const auto row = m_device.firstEvent + i;
            const auto action = m_snapshot->events.action[row];
            const bool isFree = action == TraceAction::FreeCompleted || action == TraceAction::Free
                || (m_oddities.endsAtRequest && action == TraceAction::FreeRequested);
            if (action == TraceAction::Alloc)
                level += known(m_snapshot->events.sizes[row]);
            else if (isFree)
                level -= known(m_snapshot->events.sizes[row]);
        }
        return static_cast<std::int64_t>(level);
    }
    auto level = static_cast<std::uint64_t>(m_unseenAtStart);
    const auto bytes = sizes();
    forEachAlive(instant, [&](AllocationId id) { level += bytes[id]; });
    return static_cast<std::int64_t>(level);
}

std::size_t Replay::bytes() const noexcept
{
    auto bytes = m_size * (2 * sizeof(EventInstant) + 2 * sizeof(std::uint64_t) + sizeof(StackId));
    for (const auto &level : m_lastDeath)
        bytes += level.size() * sizeof(EventInstant);
    return bytes + m_blockOf.size() * sizeof(m_blockOf[0]) + m_pending.size() * sizeof(PendingFree)
        + m_levelSteps.size() * sizeof(std::int64_t);
}

} // namespace plimsoll
