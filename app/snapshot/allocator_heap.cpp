// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_heap.h"

namespace plimsoll {

// --- nodes -------------------------------------------------------------------------------------

std::uint32_t AllocatorModel::Heap::makeNode(const Node &node)
{
    if (m_spare.empty()) {
        m_nodes.push_back(node);
        return static_cast<std::uint32_t>(m_nodes.size() - 1);
    }
    const auto at = m_spare.back();
    m_spare.pop_back();
    m_nodes[at] = node;
    return at;
}

void AllocatorModel::Heap::linkBehind(std::uint32_t at, std::uint32_t after)
{
    const auto next = m_nodes[after].next;
    m_nodes[at].prev = after;
    m_nodes[at].next = next;
    m_nodes[after].next = at;
    if (next != kNone)
        m_nodes[next].prev = at;
}

// The first of two neighbours takes the second's room. Neither is in a list.
std::uint32_t AllocatorModel::Heap::merge(std::uint32_t first, std::uint32_t second)
{
    auto &node = m_nodes[first];
    node.size += m_nodes[second].size;
    node.next = m_nodes[second].next;
    if (node.next != kNone)
        m_nodes[node.next].prev = first;
    dropNode(second);
    return first;
}

std::uint32_t AllocatorModel::Heap::mergeAround(std::uint32_t at)
{
    const auto state = m_nodes[at].state;
    const auto leave = [&](std::uint32_t neighbour) {
        state == State::Free ? takeFree(neighbour) : takeUnmapped(neighbour);
    };
    if (const auto prev = m_nodes[at].prev; prev != kNone && m_nodes[prev].state == state) {
        leave(prev);
        at = merge(prev, at);
    }
    if (const auto next = m_nodes[at].next; next != kNone && m_nodes[next].state == state) {
        leave(next);
        at = merge(at, next);
    }
    return at;
}

void AllocatorModel::Heap::putFree(std::uint32_t at)
{
    auto &node = m_nodes[at];
    if (collectsGarbage())
        node.age = m_searches[{m_pools[node.pool].pool, node.isSmall}];
    shelf(node).free.insert({node.size, node.address, at});
}

void AllocatorModel::Heap::takeFree(std::uint32_t at)
{
    const auto &node = m_nodes[at];
    shelf(node).free.erase({node.size, node.address, at});
}

void AllocatorModel::Heap::hold(std::uint32_t at, RequestId id)
{
    auto &node = m_nodes[at];
    node.state = State::Live;
    node.owner = id;
    active += node.size;
    peakActive = std::max(peakActive, active);
    if (id >= m_nodeOf.size())
        m_nodeOf.resize(std::max<std::size_t>(std::size_t {id} + 1, m_nodeOf.size() + m_nodeOf.size() / 2), kNone);
    m_nodeOf[id] = at;
}

void AllocatorModel::Heap::letGo(std::uint32_t at)
{
    auto &node = m_nodes[at];
    active -= node.size;
    m_nodeOf[node.owner] = kNone;
    node.state = State::Free;
    putFree(mergeAround(at));
}

// --- requests ----------------------------------------------------------------------------------

PoolIndex AllocatorModel::Heap::pool(const PoolKey &key)
{
    const auto [at, isNew] = m_poolOf.try_emplace(key, static_cast<PoolIndex>(m_pools.size()));
    if (isNew) {
        m_pools.push_back(key);
        m_shelves.resize(m_pools.size() * 2);
    }
    return at->second;
}

Placement AllocatorModel::Heap::allocate(RequestId id, std::uint64_t requested, PoolIndex pool,
                                         const RequestHints &hints)
{
    if (isLive(id))
        return {};
    Wish wish;
    wish.size = roundedSize(requested, m_options);
    wish.segmentSize = segmentSizeFor(wish.size, m_options);
    wish.pool = pool;
    wish.isSmall = isSmallRequest(wish.size);
    wish.hints = &hints;

    auto at = search(wish);
    if (at == kNone) {
        if (collectsGarbage())
            collectGarbage();
        at = ask(wish, hints.driver != DriverAnswer::Unknown);
        if (at == kNone && releaseOversize(wish))
            at = ask(wish, hints.driver == DriverAnswer::Nothing);
        if (at == kNone) {
            // What was recorded says itself when a free was completed.
            if (hints.driver == DriverAnswer::Unknown)
                completeAllPending();
            if (hints.released.empty() || !releaseThese(hints.released))
                emptyCache();
            at = ask(wish, hints.driver == DriverAnswer::Nothing);
        }
    }
    if (at == kNone)
        return {};

    const auto rest = m_nodes[at].size - wish.size;
    const bool isSplit = wish.isSmall || m_options.expandableSegments
        ? rest >= kAllocatorUnit
        : wish.size < m_options.maxSplitSize && rest > kSmallLimit;
    if (isSplit) {
        auto behind = m_nodes[at];
        behind.address += wish.size;
        behind.size = rest;
        behind.state = State::Free;
        m_nodes[at].size = wish.size;
        const auto restAt = makeNode(behind);
        linkBehind(restAt, at);
        putFree(restAt);
    }
    hold(at, id);
    return {true, m_nodes[at].address, m_nodes[at].size};
}

void AllocatorModel::Heap::requestFree(RequestId id)
{
    if (!isLive(id))
        return;
    auto &node = m_nodes[m_nodeOf[id]];
    if (node.state != State::Live)
        return;
    node.state = State::Pending;
    pending += node.size;
    m_pendingIds.insert(id);
}

void AllocatorModel::Heap::completeFree(RequestId id)
{
    if (!isLive(id))
        return;
    const auto at = m_nodeOf[id];
    if (m_nodes[at].state == State::Pending) {
        pending -= m_nodes[at].size;
        m_pendingIds.erase(id);
    }
    letGo(at);
}

void AllocatorModel::Heap::completeAllPending()
{
    while (!m_pendingIds.empty())
        completeFree(*m_pendingIds.begin());
}

void AllocatorModel::Heap::emptyCache()
{
    for (const bool isSmall : {false, true})
        for (std::size_t i = 0; i < m_pools.size(); ++i)
            if (!m_pools[i].isPrivate())
                releaseShelf(shelfOf(static_cast<PoolIndex>(i), isSmall));
}

void AllocatorModel::Heap::releasePool(PoolIndex pool)
{
    for (const bool isSmall : {true, false})
        if (pool < m_pools.size())
            releaseShelf(shelfOf(pool, isSmall));
}

// --- finding a place ---------------------------------------------------------------------------

std::uint32_t AllocatorModel::Heap::search(const Wish &wish)
{
    if (collectsGarbage())
        ++m_searches[{m_pools[wish.pool].pool, wish.isSmall}];
    auto &free = m_shelves[shelfOf(wish.pool, wish.isSmall)].free;
    auto found = free.lower_bound({wish.size, 0, kNone});
    if (found == free.end())
        return kNone;
    if (m_nodes[found->node].isExpandable) {
        if (m_options.expandableSegments) {
            // A block at the end of what is mapped counts as big as it could grow.
            const auto reach = [this](std::uint32_t at) {
                const auto next = m_nodes[at].next;
                return m_nodes[at].size
                    + (next != kNone && m_nodes[next].state == State::Unmapped ? m_nodes[next].size : 0);
            };
            for (auto next = std::next(found);
                 m_nodes[found->node].isExpandable && next != free.end() && reach(next->node) < reach(found->node);
                 ++next)
                found = next;
        } else {
            while (found != free.end() && m_nodes[found->node].isExpandable)
                ++found;
            if (found == free.end())
                return kNone;
        }
    }
    const auto limit = m_options.maxSplitSize;
    if (wish.size < limit && found->size >= limit)
        return kNone;
    if (wish.size >= limit && found->size >= wish.size + m_options.maxNonSplitRounding)
        return kNone;
    const auto at = found->node;
    free.erase(found);
    return at;
}

} // namespace plimsoll
