// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/replay.h"

#include "snapshot/replay_walk.h"

#include <algorithm>

namespace plimsoll {
namespace {

std::uint64_t known(std::uint64_t bytes) noexcept
{
    return bytes == kUnknownBytes ? 0 : bytes;
}

} // namespace

Replay::Replay(const MemorySnapshot &snapshot, const SnapshotDevice &device, std::stop_token stop)
    : m_snapshot(&snapshot), m_device(device), m_allocator(allocatorSettingsOf(snapshot).options), m_end(static_cast<EventInstant>(device.eventCount))
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
    return sizes()[id] == 0 ? 0 : plimsoll::roundedSize(sizes()[id], m_allocator);
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
