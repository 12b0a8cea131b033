// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_heap.h"

namespace plimsoll {

// --- asking ------------------------------------------------------------------------------------

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
    m_chains.emplace(node.address, Chain {node.address + node.size, at, false});
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
    m_chains.emplace(address, Chain {address + size, at, true});
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
    const auto threshold =
        static_cast<std::uint64_t>(m_options.garbageCollectionThreshold * static_cast<double>(*m_allowed));
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

} // namespace plimsoll
