// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint64_t kMadeUpFrom = std::uint64_t{1} << 60U; // no process has memory from there …
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 40U; // of a reservation on a card of unknown size
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 63U;  // … to there

enum class State : std::uint8_t { Free, Live, Pending, Unmapped };

/// A piece of a segment or of a reservation. Neighbours are linked by address.
struct Node
{
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t age = 0; // searches of its pool when it became free; for garbage collection
    std::uint32_t prev = kNone;
    std::uint32_t next = kNone;
    RequestId owner = 0;
    PoolIndex pool = 0;
    bool isSmall = false;
    bool isExpandable = false;
    State state = State::Free;
};

struct FreeKey
{
    std::uint64_t size;
    std::uint64_t address;
    std::uint32_t node;

    friend bool operator<(const FreeKey &a, const FreeKey &b) noexcept
    {
        return a.size != b.size ? a.size < b.size : a.address < b.address;
    }
};

/// What one pool, stream and half has to give.
struct Shelf
{
    std::set<FreeKey> free;
    std::map<std::uint64_t, std::uint32_t> unmapped; // by address
};

struct Chain // a segment, or the address space of expandable ones
{
    std::uint64_t end = 0;
    std::uint32_t head = kNone;
    bool isReservation = false;
};

} // namespace

class AllocatorModel::Heap
{
public:
    Heap(const AllocatorOptions &options, const ModelCard &card) : m_options(options), m_card(card)
    {
        const auto total = card.total ? card.total : card.capacity;
        if (options.memoryFraction && total)
            m_allowed = static_cast<std::uint64_t>(*options.memoryFraction * static_cast<double>(std::min(*total, kMadeUpFrom)));
        m_addressSpace = total ? std::min(*total, kAddressSpace) / 8 * 9 : kAddressSpace;
    }

    void setCapacity(std::uint64_t bytes) { m_card.capacity = bytes; }
    PoolIndex pool(const PoolKey &key);
    bool addSegment(PoolIndex pool, bool isSmall, bool isExpandable, const AddressSpan &range,
                    std::span<const StartBlock> blocks);
    Placement allocate(RequestId id, std::uint64_t requested, PoolIndex pool, const RequestHints &hints);
    void requestFree(RequestId id);
    void completeFree(RequestId id);
    [[nodiscard]] bool isLive(RequestId id) const noexcept { return id < m_nodeOf.size() && m_nodeOf[id] != kNone; }
    void emptyCache();
    void releasePool(PoolIndex pool);
    void visitBlocks(const std::function<void(const ModelBlock &)> &visit) const;
    [[nodiscard]] std::optional<std::string> contradiction() const;
    [[nodiscard]] std::uint64_t largestFree(PoolIndex pool, bool isSmall) const noexcept
    {
        const auto &free = m_shelves[shelfOf(pool, isSmall)].free;
        return free.empty() ? 0 : free.rbegin()->size;
    }

    std::uint64_t reserved = 0;
    std::uint64_t peakReserved = 0;
    std::uint64_t active = 0;
    std::uint64_t peakActive = 0;
    std::uint64_t pending = 0;
    std::size_t segments = 0; // without expandable ones
    std::function<void(const SegmentChange &)> sink;

    [[nodiscard]] std::size_t mappedRanges() const;

private:
    struct Wish
    {
        std::uint64_t size = 0;        // rounded
        std::uint64_t segmentSize = 0; // of a segment made for it
        PoolIndex pool = 0;
        bool isSmall = false;
        const RequestHints *hints = nullptr;
    };

    [[nodiscard]] static std::size_t shelfOf(PoolIndex pool, bool isSmall) noexcept
    {
        return std::size_t{pool} * 2 + (isSmall ? 1 : 0);
    }
    [[nodiscard]] Shelf &shelf(const Node &node) noexcept { return m_shelves[shelfOf(node.pool, node.isSmall)]; }
    [[nodiscard]] std::uint64_t unit(bool isSmall) const noexcept
    {
        return isSmall ? kSmallSegment : m_options.largeSegmentSize;
    }
    [[nodiscard]] bool collectsGarbage() const noexcept
    {
        return m_allowed && m_options.garbageCollectionThreshold > 0;
    }

    // Nodes.
    std::uint32_t makeNode(const Node &node);
    void dropNode(std::uint32_t at) { m_spare.push_back(at); }
    void linkBehind(std::uint32_t at, std::uint32_t after);
    std::uint32_t merge(std::uint32_t first, std::uint32_t second);
    std::uint32_t mergeAround(std::uint32_t at); // the node that is left; in no list
    void putFree(std::uint32_t at);
    void takeFree(std::uint32_t at);
    void putUnmapped(std::uint32_t at) { shelf(m_nodes[at]).unmapped.emplace(m_nodes[at].address, at); }
    void takeUnmapped(std::uint32_t at) { shelf(m_nodes[at]).unmapped.erase(m_nodes[at].address); }
    void hold(std::uint32_t at, RequestId id);
    void letGo(std::uint32_t at);

    // Finding a place.
    std::uint32_t search(const Wish &wish);
    std::uint32_t ask(const Wish &wish, bool isRefused);
    std::uint32_t askForSegment(const Wish &wish);
    std::uint32_t askForPages(const Wish &wish);
    std::uint32_t expandableRoom(const Wish &wish);
    std::uint32_t mapPart(std::uint32_t at, std::uint64_t size);
    std::uint32_t reserve(const Wish &wish);
    [[nodiscard]] bool hasRoom(std::uint64_t size) const noexcept
    {
        return !m_card.capacity || (size <= *m_card.capacity && reserved <= *m_card.capacity - size);
    }

    // Giving back.
    void releaseSegment(std::uint32_t at);
    void unmapPart(std::uint32_t at);
    void releaseShelf(std::size_t index);
    bool releaseThese(std::span<const AddressSpan> ranges);
    bool releaseOversize(const Wish &wish);
    void collectGarbage();
    void completeAllPending();

    // Addresses.
    bool claim(std::uint64_t address, std::uint64_t size);
    std::uint64_t madeUpAddress(std::uint64_t size);
    std::uint64_t driverAddress(const Wish &wish, std::uint64_t size);
    void gained(std::uint64_t address, std::uint64_t size, bool isExpandable);
    void lost(std::uint64_t address, std::uint64_t size, bool isExpandable);

    AllocatorOptions m_options;
    ModelCard m_card;
    std::optional<std::uint64_t> m_allowed; // by the memory fraction
    std::uint64_t m_addressSpace = 0;
    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_spare; // of m_nodes
    std::vector<PoolKey> m_pools;
    std::map<PoolKey, PoolIndex> m_poolOf;
    std::vector<Shelf> m_shelves; // two a pool
    std::map<std::pair<std::pair<std::int64_t, std::int64_t>, bool>, std::uint64_t> m_searches; // by pool and half
    std::vector<std::uint32_t> m_nodeOf; // by request
    std::set<RequestId> m_pendingIds;
    std::map<std::uint64_t, Chain> m_chains; // by address
    std::uint64_t m_nextMadeUp = kMadeUpFrom;
};

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
        m_nodeOf.resize(std::max<std::size_t>(std::size_t{id} + 1, m_nodeOf.size() + m_nodeOf.size() / 2), kNone);
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

Placement AllocatorModel::Heap::allocate(RequestId id, std::uint64_t requested, PoolIndex pool, const RequestHints &hints)
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
            for (auto next = std::next(found); m_nodes[found->node].isExpandable && next != free.end()
                 && reach(next->node) < reach(found->node);
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

std::uint32_t AllocatorModel::Heap::ask(const Wish &wish, bool isRefused)
{
    if (isRefused || wish.size >= kMadeUpFrom)
        return kNone;
    if (m_allowed && reserved + wish.segmentSize > *m_allowed)
        return kNone;
    return m_options.expandableSegments ? askForPages(wish) : askForSegment(wish);
}

std::uint32_t AllocatorModel::Heap::askForSegment(const Wish &wish)
{
    if (!hasRoom(wish.segmentSize))
        return kNone;
    Node node;
    node.address = driverAddress(wish, wish.segmentSize);
    if (node.address == 0)
        return kNone;
    node.size = wish.segmentSize;
    node.pool = wish.pool;
    node.isSmall = wish.isSmall;
    const auto at = makeNode(node);
    m_chains.emplace(node.address, Chain{node.address + node.size, at, false});
    ++segments;
    gained(node.address, node.size, false);
    return at;
}

std::uint32_t AllocatorModel::Heap::askForPages(const Wish &wish)
{
    auto at = expandableRoom(wish);
    if (at == kNone)
        return kNone;
    if (m_nodes[at].state == State::Unmapped) {
        at = mapPart(at, wish.size);
        if (at == kNone)
            return kNone;
    }
    while (m_nodes[at].size < wish.size) {
        const auto next = m_nodes[at].next;
        if (next == kNone || m_nodes[next].state != State::Unmapped)
            return kNone;
        const auto merged = mapPart(next, wish.size - m_nodes[at].size);
        if (merged == kNone)
            return kNone;
        at = merged;
    }
    takeFree(at);
    return at;
}

// The lowest run of free and unmapped pieces with enough room; else new address space.
std::uint32_t AllocatorModel::Heap::expandableRoom(const Wish &wish)
{
    for (const auto &[address, node] : m_shelves[shelfOf(wish.pool, wish.isSmall)].unmapped) {
        auto first = node;
        if (const auto prev = m_nodes[node].prev; prev != kNone && m_nodes[prev].state == State::Free)
            first = prev;
        std::uint64_t room = 0;
        for (auto at = first; at != kNone && room < wish.size; at = m_nodes[at].next) {
            if (m_nodes[at].state != State::Free && m_nodes[at].state != State::Unmapped)
                break;
            room += m_nodes[at].size;
        }
        if (room >= wish.size)
            return first;
    }
    return reserve(wish);
}

// Maps whole units from the start of an unmapped piece. The free piece that holds them, in its list.
std::uint32_t AllocatorModel::Heap::mapPart(std::uint32_t at, std::uint64_t size)
{
    const auto whole = m_nodes[at].size;
    const auto step = unit(m_nodes[at].isSmall);
    const auto mapped = std::min(whole, (std::min(size, whole) + step - 1) / step * step);
    if (!hasRoom(mapped))
        return kNone;
    takeUnmapped(at);
    const auto address = m_nodes[at].address;
    if (mapped < whole) {
        auto behind = m_nodes[at];
        behind.address += mapped;
        behind.size -= mapped;
        m_nodes[at].size = mapped;
        const auto rest = makeNode(behind);
        linkBehind(rest, at);
        putUnmapped(rest);
    }
    m_nodes[at].state = State::Free;
    at = mergeAround(at);
    putFree(at);
    gained(address, mapped, true);
    return at;
}

std::uint32_t AllocatorModel::Heap::reserve(const Wish &wish)
{
    const auto step = unit(wish.isSmall);
    const auto space = std::max(m_addressSpace, wish.size) / step * step + step;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    for (const auto &hint : wish.hints->addresses) {
        // How far the real one reached is not known: to the next thing that is.
        const auto above = m_chains.upper_bound(hint.address);
        const auto end = above == m_chains.end() ? kMadeUpFrom : above->first;
        size = hint.address < end ? std::min(space, (end - hint.address) / step * step) : 0;
        if (size >= wish.size && claim(hint.address, size)) {
            address = hint.address;
            break;
        }
    }
    if (address == 0) {
        size = space;
        address = madeUpAddress(size);
        if (address == 0)
            return kNone;
    }
    Node node;
    node.address = address;
    node.size = size;
    node.pool = wish.pool;
    node.isSmall = wish.isSmall;
    node.isExpandable = true;
    node.state = State::Unmapped;
    const auto at = makeNode(node);
    m_chains.emplace(address, Chain{address + size, at, true});
    putUnmapped(at);
    return at;
}

// --- giving back -------------------------------------------------------------------------------

void AllocatorModel::Heap::releaseSegment(std::uint32_t at)
{
    takeFree(at);
    const auto address = m_nodes[at].address;
    const auto size = m_nodes[at].size;
    m_chains.erase(address);
    dropNode(at);
    --segments;
    lost(address, size, false);
}

// Whole units inside a free piece go back; what is left at its ends stays free.
void AllocatorModel::Heap::unmapPart(std::uint32_t at)
{
    const auto step = unit(m_nodes[at].isSmall);
    const auto base = std::prev(m_chains.upper_bound(m_nodes[at].address))->first;
    const auto address = m_nodes[at].address;
    const auto end = address + m_nodes[at].size;
    const auto first = base + (address - base + step - 1) / step * step;
    const auto last = base + (end - base) / step * step;
    if (first >= last)
        return;
    takeFree(at);
    if (address < first) {
        auto middle = m_nodes[at];
        middle.address = first;
        middle.size = end - first;
        m_nodes[at].size = first - address;
        const auto middleAt = makeNode(middle);
        linkBehind(middleAt, at);
        putFree(at);
        at = middleAt;
    }
    if (last < end) {
        auto behind = m_nodes[at];
        behind.address = last;
        behind.size = end - last;
        m_nodes[at].size = last - first;
        const auto behindAt = makeNode(behind);
        linkBehind(behindAt, at);
        putFree(behindAt);
    }
    m_nodes[at].state = State::Unmapped;
    at = mergeAround(at);
    lost(first, last - first, true);
    if (m_nodes[at].prev == kNone && m_nodes[at].next == kNone) {
        m_chains.erase(m_nodes[at].address); // nothing left of it
        dropNode(at);
        return;
    }
    putUnmapped(at);
}

void AllocatorModel::Heap::releaseShelf(std::size_t index)
{
    std::vector<std::uint32_t> expandable;
    std::vector<std::uint32_t> whole;
    for (const auto &key : m_shelves[index].free) {
        const auto &node = m_nodes[key.node];
        if (node.isExpandable)
            expandable.push_back(key.node);
        else if (node.prev == kNone && node.next == kNone)
            whole.push_back(key.node);
    }
    for (const auto at : whole)
        releaseSegment(at);
    for (const auto at : expandable)
        unmapPart(at);
}

// False when one of them is no free segment here: then the model has gone another way.
bool AllocatorModel::Heap::releaseThese(std::span<const AddressSpan> ranges)
{
    bool areAll = true;
    for (const auto &range : ranges) {
        const auto chain = m_chains.find(range.address);
        const bool isWhole = chain != m_chains.end() && !chain->second.isReservation
            && chain->second.end - chain->first == range.size && m_nodes[chain->second.head].state == State::Free
            && m_nodes[chain->second.head].next == kNone;
        if (isWhole)
            releaseSegment(chain->second.head);
        areAll &= isWhole;
    }
    return areAll;
}

// Only with a split limit: cached segments that nothing smaller may use.
bool AllocatorModel::Heap::releaseOversize(const Wish &wish)
{
    const auto limit = m_options.maxSplitSize;
    if (limit == AllocatorOptions::kNoLimit)
        return false;
    auto &free = m_shelves[shelfOf(wish.pool, wish.isSmall)].free;
    const auto needed = std::max(wish.size, limit);
    const auto isWhole = [this](std::uint32_t at) {
        return !m_nodes[at].isExpandable && m_nodes[at].prev == kNone && m_nodes[at].next == kNone;
    };
    if (const auto found = free.lower_bound({needed, 0, kNone}); found != free.end() && isWhole(found->node)) {
        releaseSegment(found->node);
        return true;
    }
    std::uint64_t released = 0;
    while (released < needed) { // the largest first
        auto largest = free.rbegin();
        while (largest != free.rend() && largest->size >= limit && !isWhole(largest->node))
            ++largest;
        if (largest == free.rend() || largest->size < limit)
            return false;
        released += largest->size;
        releaseSegment(largest->node);
    }
    return true;
}

void AllocatorModel::Heap::collectGarbage()
{
    const auto threshold
        = static_cast<std::uint64_t>(m_options.garbageCollectionThreshold * static_cast<double>(*m_allowed));
    if (reserved <= threshold)
        return;
    const auto target = reserved - threshold;
    std::vector<std::uint32_t> candidates; // by stream, size and address, as the allocator walks them
    for (const auto &[key, pool] : m_poolOf)
        if (!key.isPrivate())
            for (const auto &free : m_shelves[shelfOf(pool, false)].free)
                if (const auto &node = m_nodes[free.node];
                    !node.isExpandable && node.prev == kNone && node.next == kNone)
                    candidates.push_back(free.node);
    const auto now = m_searches[{{0, 0}, false}];
    std::uint64_t totalAge = 0;
    for (const auto at : candidates)
        totalAge += now - m_nodes[at].age;
    std::uint64_t reclaimed = 0;
    bool hasFreed = true;
    while (reclaimed < target && hasFreed && !candidates.empty()) {
        const auto average = static_cast<double>(totalAge) / static_cast<double>(candidates.size());
        hasFreed = false;
        std::erase_if(candidates, [&](std::uint32_t at) {
            const auto age = now - m_nodes[at].age;
            if (static_cast<double>(age) < average)
                return false;
            hasFreed = true;
            reclaimed += m_nodes[at].size;
            totalAge -= age;
            releaseSegment(at);
            return true;
        });
    }
}

// --- addresses ---------------------------------------------------------------------------------

// Makes sure that nothing is there; address space beyond what a reservation uses may shrink for it.
bool AllocatorModel::Heap::claim(std::uint64_t address, std::uint64_t size)
{
    if (address == 0 || size == 0 || address >= kMadeUpFrom || size > kMadeUpFrom - address)
        return false;
    const auto end = address + size;
    auto above = m_chains.upper_bound(address);
    if (above != m_chains.end() && above->first < end)
        return false;
    if (above == m_chains.begin())
        return true;
    auto &[base, chain] = *std::prev(above);
    if (chain.end <= address)
        return true;
    if (!chain.isReservation || base == address)
        return false;
    auto last = m_shelves[shelfOf(m_nodes[chain.head].pool, m_nodes[chain.head].isSmall)].unmapped.upper_bound(address);
    if (last == m_shelves[shelfOf(m_nodes[chain.head].pool, m_nodes[chain.head].isSmall)].unmapped.begin())
        return false;
    const auto tail = std::prev(last)->second;
    auto &node = m_nodes[tail];
    if (node.next != kNone || node.address >= address || node.address + node.size != chain.end)
        return false;
    node.size = address - node.address;
    chain.end = address;
    return true;
}

// 0 when so much was made up that no address is left. What is recorded lies below.
std::uint64_t AllocatorModel::Heap::madeUpAddress(std::uint64_t size)
{
    if (size > kAddressEnd - kSmallSegment - m_nextMadeUp)
        return 0;
    const auto address = m_nextMadeUp;
    m_nextMadeUp += (size + kSmallSegment - 1) / kSmallSegment * kSmallSegment;
    return address;
}

std::uint64_t AllocatorModel::Heap::driverAddress(const Wish &wish, std::uint64_t size)
{
    for (const auto &hint : wish.hints->addresses)
        if (hint.size == size && claim(hint.address, size))
            return hint.address;
    return madeUpAddress(size);
}

void AllocatorModel::Heap::gained(std::uint64_t address, std::uint64_t size, bool isExpandable)
{
    reserved += size;
    peakReserved = std::max(peakReserved, reserved);
    if (sink)
        sink({true, isExpandable, {address, size}});
}

void AllocatorModel::Heap::lost(std::uint64_t address, std::uint64_t size, bool isExpandable)
{
    reserved -= size;
    if (sink)
        sink({false, isExpandable, {address, size}});
}

// --- the start ---------------------------------------------------------------------------------

bool AllocatorModel::Heap::addSegment(PoolIndex pool, bool isSmall, bool isExpandable, const AddressSpan &range,
                                      std::span<const StartBlock> blocks)
{
    if (range.address == 0 || range.size == 0 || range.address >= kMadeUpFrom
        || range.size > kMadeUpFrom - range.address)
        return false;
    std::uint64_t cursor = range.address;
    const auto end = range.address + range.size;
    for (const auto &block : blocks) {
        if (block.size == 0 || block.address < cursor || block.address > end || block.size > end - block.address
            || isLive(block.id))
            return false;
        cursor = block.address + block.size;
    }

    std::uint32_t before = kNone; // what lies in front of it in its reservation
    std::uint32_t spaceBehind = kNone;
    auto &unmapped = m_shelves[shelfOf(pool, isSmall)].unmapped;
    const auto room = unmapped.upper_bound(range.address);
    const auto inside = room == unmapped.begin() ? kNone : std::prev(room)->second;
    if (isExpandable && inside != kNone && m_nodes[inside].address + m_nodes[inside].size >= end) {
        takeUnmapped(inside);
        auto behind = m_nodes[inside];
        behind.address = end;
        behind.size = m_nodes[inside].address + m_nodes[inside].size - end;
        before = inside;
        if (m_nodes[inside].address == range.address) { // touches the range before: there is no space between
            before = m_nodes[inside].prev;
            const auto next = m_nodes[inside].next;
            if (before == kNone)
                return false; // a reservation begins with what is mapped
            m_nodes[before].next = next;
            if (next != kNone)
                m_nodes[next].prev = before;
            dropNode(inside);
        } else {
            m_nodes[inside].size = range.address - m_nodes[inside].address;
            putUnmapped(inside);
        }
        if (behind.size > 0) {
            spaceBehind = makeNode(behind);
            linkBehind(spaceBehind, before);
            putUnmapped(spaceBehind);
        }
    } else if (!claim(range.address, range.size)) {
        return false;
    }

    Node piece;
    piece.pool = pool;
    piece.isSmall = isSmall;
    piece.isExpandable = isExpandable;
    std::uint32_t last = before;
    const auto add = [&](std::uint64_t address, std::uint64_t size) {
        piece.address = address;
        piece.size = size;
        const auto at = makeNode(piece);
        if (last != kNone)
            linkBehind(at, last);
        else
            m_chains.emplace(range.address, Chain{end, at, isExpandable});
        last = at;
        return at;
    };
    const auto addFree = [&](std::uint64_t address, std::uint64_t size) { putFree(add(address, size)); };
    cursor = range.address;
    for (const auto &block : blocks) {
        if (block.address > cursor)
            addFree(cursor, block.address - cursor);
        hold(add(block.address, block.size), block.id);
        cursor = block.address + block.size;
    }
    if (cursor < end)
        addFree(cursor, end - cursor);
    if (isExpandable && before == kNone) {
        // More address space than is mapped: until something else turns up there.
        const auto step = unit(isSmall);
        const auto above = m_chains.upper_bound(range.address);
        const auto until = above == m_chains.end() ? kMadeUpFrom : above->first;
        const auto space = std::min(m_addressSpace > range.size ? m_addressSpace - range.size : 0, until - end) / step * step;
        if (space > 0) {
            piece.address = end;
            piece.size = space;
            piece.state = State::Unmapped;
            const auto at = makeNode(piece);
            linkBehind(at, last);
            putUnmapped(at);
            m_chains.at(range.address).end = end + space;
        }
    }
    // Where two ranges touch, their free ends are one block.
    for (auto at : {isExpandable && before != kNone ? m_nodes[before].next : kNone, isExpandable ? last : kNone}) {
        if (at == kNone || m_nodes[at].state != State::Free)
            continue;
        takeFree(at);
        const auto left = mergeAround(at);
        putFree(left);
        if (left != at)
            break; // it was both ends
    }
    if (!isExpandable)
        ++segments;
    reserved += range.size;
    peakReserved = std::max(peakReserved, reserved);
    return true;
}

// --- looking -----------------------------------------------------------------------------------

void AllocatorModel::Heap::visitBlocks(const std::function<void(const ModelBlock &)> &visit) const
{
    for (const auto &[address, chain] : m_chains) {
        bool wasMapped = false;
        for (auto at = chain.head; at != kNone; at = m_nodes[at].next) {
            const auto &node = m_nodes[at];
            ModelBlock block;
            block.range = {node.address, node.size};
            block.pool = node.pool;
            block.isSmall = node.isSmall;
            block.isExpandable = node.isExpandable;
            block.isMapped = node.state != State::Unmapped;
            block.isFree = node.state == State::Free || node.state == State::Unmapped;
            block.isPending = node.state == State::Pending;
            block.startsSegment = block.isMapped && !wasMapped;
            block.owner = block.isFree ? 0 : node.owner;
            wasMapped = block.isMapped;
            visit(block);
        }
    }
}

std::size_t AllocatorModel::Heap::mappedRanges() const
{
    std::size_t count = 0;
    visitBlocks([&](const ModelBlock &block) { count += block.startsSegment; });
    return count;
}

std::optional<std::string> AllocatorModel::Heap::contradiction() const
{
    std::uint64_t mapped = 0;
    std::uint64_t held = 0;
    std::uint64_t waiting = 0;
    std::size_t freeNodes = 0;
    std::size_t spaces = 0;
    std::uint64_t end = 0;
    const auto at = [](std::uint64_t address) { return " at address " + std::to_string(address); };
    for (const auto &[address, chain] : m_chains) {
        if (address < end)
            return "segments overlap" + at(address);
        auto cursor = address;
        std::uint32_t previous = kNone;
        for (auto n = chain.head; n != kNone; n = m_nodes[n].next) {
            const auto &node = m_nodes[n];
            if (node.address != cursor || node.size == 0 || node.prev != previous)
                return "blocks do not follow one another" + at(node.address);
            const auto &own = m_shelves[shelfOf(node.pool, node.isSmall)];
            if (previous != kNone && m_nodes[previous].state == node.state
                && (node.state == State::Free || node.state == State::Unmapped))
                return "two free neighbours" + at(node.address);
            switch (node.state) {
            case State::Free:
                ++freeNodes;
                if (!own.free.contains({node.size, node.address, n}))
                    return "a free block is in no list" + at(node.address);
                break;
            case State::Unmapped:
                ++spaces;
                if (!own.unmapped.contains(node.address))
                    return "unmapped space is in no list" + at(node.address);
                break;
            case State::Pending: waiting += node.size; [[fallthrough]];
            case State::Live:
                held += node.size;
                if (m_nodeOf[node.owner] != n)
                    return "an allocation is not where it was placed" + at(node.address);
                break;
            }
            mapped += node.state == State::Unmapped ? 0 : node.size;
            cursor += node.size;
            previous = n;
        }
        if (cursor != chain.end)
            return "a segment has another size than its blocks" + at(address);
        end = cursor;
    }
    std::size_t listed = 0;
    std::size_t listedSpaces = 0;
    for (const auto &each : m_shelves) {
        listed += each.free.size();
        listedSpaces += each.unmapped.size();
    }
    if (listed != freeNodes || listedSpaces != spaces)
        return "the lists of free blocks hold " + std::to_string(listed) + ", the segments " + std::to_string(freeNodes);
    if (mapped != reserved || held != active || waiting != pending || active > reserved)
        return "bytes do not add up: reserved " + std::to_string(reserved) + " and " + std::to_string(mapped)
            + ", active " + std::to_string(active) + " and " + std::to_string(held);
    if (m_card.capacity && reserved > *m_card.capacity)
        return "more is reserved than there is";
    return std::nullopt;
}

// --- the outside -------------------------------------------------------------------------------

AllocatorModel::AllocatorModel(const AllocatorOptions &options, const ModelCard &card)
    : m_heap(std::make_unique<Heap>(options, card))
{}
AllocatorModel::AllocatorModel(AllocatorModel &&) noexcept = default;
AllocatorModel &AllocatorModel::operator=(AllocatorModel &&) noexcept = default;
AllocatorModel::~AllocatorModel() = default;

PoolIndex AllocatorModel::pool(const PoolKey &key) { return m_heap->pool(key); }
bool AllocatorModel::addSegment(PoolIndex pool, bool isSmall, bool isExpandable, const AddressSpan &range,
                                std::span<const StartBlock> blocks)
{
    return m_heap->addSegment(pool, isSmall, isExpandable, range, blocks);
}
Placement AllocatorModel::allocate(RequestId id, std::uint64_t requested, PoolIndex pool, const RequestHints &hints)
{
    return m_heap->allocate(id, requested, pool, hints);
}
void AllocatorModel::requestFree(RequestId id) { m_heap->requestFree(id); }
void AllocatorModel::completeFree(RequestId id) { m_heap->completeFree(id); }
bool AllocatorModel::isLive(RequestId id) const noexcept { return m_heap->isLive(id); }
void AllocatorModel::emptyCache() { m_heap->emptyCache(); }
void AllocatorModel::releasePool(PoolIndex pool) { m_heap->releasePool(pool); }
std::uint64_t AllocatorModel::reserved() const noexcept { return m_heap->reserved; }
std::uint64_t AllocatorModel::peakReserved() const noexcept { return m_heap->peakReserved; }
void AllocatorModel::setCapacity(std::uint64_t bytes) { m_heap->setCapacity(bytes); }
std::uint64_t AllocatorModel::peakActive() const noexcept { return m_heap->peakActive; }
std::uint64_t AllocatorModel::active() const noexcept { return m_heap->active; }
std::uint64_t AllocatorModel::pending() const noexcept { return m_heap->pending; }
std::size_t AllocatorModel::segmentCount() const { return m_heap->mappedRanges(); }
std::uint64_t AllocatorModel::largestFree(PoolIndex pool, bool isSmall) const noexcept
{
    return m_heap->largestFree(pool, isSmall);
}
void AllocatorModel::onSegmentChange(std::function<void(const SegmentChange &)> sink) { m_heap->sink = std::move(sink); }
void AllocatorModel::visitBlocks(const std::function<void(const ModelBlock &)> &visit) const { m_heap->visitBlocks(visit); }
std::optional<std::string> AllocatorModel::contradiction() const { return m_heap->contradiction(); }

} // namespace plimsoll
