// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_heap.h"

namespace plimsoll {

// --- the start ---------------------------------------------------------------------------------

bool AllocatorModel::Heap::addSegment(PoolIndex pool, bool isSmall, bool isExpandable, const AddressSpan &range,
                                      std::span<const StartBlock> blocks)
{
    if (range.address == 0 || range.size == 0 || range.address >= kMadeUpFrom
        || range.size > kMadeUpFrom - range.address)
        return false;
    const auto end = range.address + range.size;
    auto cursor = range.address;
    for (const auto &block : blocks) {
        if (block.size == 0 || block.address < cursor || block.address > end || block.size > end - block.address
            || isLive(block.id))
            return false;
        cursor = block.address + block.size;
    }
    Node piece;
    piece.pool = pool;
    piece.isSmall = isSmall;
    piece.isExpandable = isExpandable;
    const auto before = isExpandable ? carve(piece, range) : std::nullopt;
    if (!before && !claim(range.address, range.size))
        return false;
    const auto last = fill(piece, range, blocks, before.value_or(kNone));
    if (before)
        joinEnds(m_nodes[*before].next, last);
    else if (isExpandable)
        addSpaceBehind(piece, range, last);
    segments += isExpandable ? 0 : 1;
    reserved += range.size;
    peakReserved = std::max(peakReserved, reserved);
    return true;
}

// Room for a range in the unmapped space of a reservation that is known already: the node in front of it.
// nullopt when there is none.
std::optional<std::uint32_t> AllocatorModel::Heap::carve(const Node &piece, const AddressSpan &range)
{
    const auto end = range.address + range.size;
    auto &unmapped = shelf(piece).unmapped;
    const auto above = unmapped.upper_bound(range.address);
    if (above == unmapped.begin())
        return std::nullopt;
    const auto space = std::prev(above)->second;
    const auto spaceEnd = m_nodes[space].address + m_nodes[space].size;
    const bool touches = m_nodes[space].address == range.address; // the range before: nothing is left between
    if (spaceEnd < end || (touches && m_nodes[space].prev == kNone)) // a reservation begins with what is mapped
        return std::nullopt;
    takeUnmapped(space);
    auto behind = m_nodes[space];
    behind.address = end;
    behind.size = spaceEnd - end;
    auto before = space;
    if (touches) {
        before = m_nodes[space].prev;
        const auto next = m_nodes[space].next;
        m_nodes[before].next = next;
        if (next != kNone)
            m_nodes[next].prev = before;
        dropNode(space);
    } else {
        m_nodes[space].size = range.address - m_nodes[space].address;
        putUnmapped(space);
    }
    if (behind.size > 0) {
        const auto at = makeNode(behind);
        linkBehind(at, before);
        putUnmapped(at);
    }
    return before;
}

// Blocks and what is free between them, behind `before` or as a chain of its own. The last piece.
std::uint32_t AllocatorModel::Heap::fill(Node piece, const AddressSpan &range, std::span<const StartBlock> blocks,
                                         std::uint32_t before)
{
    const auto end = range.address + range.size;
    auto last = before;
    const auto add = [&](std::uint64_t address, std::uint64_t size) {
        piece.address = address;
        piece.size = size;
        const auto at = makeNode(piece);
        if (last != kNone)
            linkBehind(at, last);
        else
            m_chains.emplace(range.address, Chain {end, at, piece.isExpandable});
        return last = at;
    };
    auto cursor = range.address;
    for (const auto &block : blocks) {
        if (block.address > cursor)
            putFree(add(cursor, block.address - cursor));
        hold(add(block.address, block.size), block.id);
        cursor = block.address + block.size;
    }
    if (cursor < end)
        putFree(add(cursor, end - cursor));
    return last;
}

// Where two ranges touch, their free ends are one block.
void AllocatorModel::Heap::joinEnds(std::uint32_t first, std::uint32_t last)
{
    const auto join = [this](std::uint32_t at) {
        if (m_nodes[at].state != State::Free)
            return;
        takeFree(at);
        putFree(mergeAround(at));
    };
    join(first);
    if (last != first)
        join(last);
}

// More address space than is mapped: until something else turns up there.
void AllocatorModel::Heap::addSpaceBehind(Node piece, const AddressSpan &range, std::uint32_t last)
{
    const auto step = unit(piece.isSmall);
    const auto end = range.address + range.size;
    const auto above = m_chains.upper_bound(range.address);
    const auto until = above == m_chains.end() ? kMadeUpFrom : above->first;
    const auto wanted = m_addressSpace > range.size ? m_addressSpace - range.size : 0;
    piece.address = end;
    piece.size = std::min(wanted, until - end) / step * step;
    piece.state = State::Unmapped;
    if (piece.size == 0)
        return;
    const auto at = makeNode(piece);
    linkBehind(at, last);
    putUnmapped(at);
    m_chains.at(range.address).end = end + piece.size;
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
        return "the lists of free blocks hold " + std::to_string(listed) + ", the segments "
            + std::to_string(freeNodes);
    if (mapped != reserved || held != active || waiting != pending || active > reserved)
        return "bytes do not add up: reserved " + std::to_string(reserved) + " and " + std::to_string(mapped)
            + ", active " + std::to_string(active) + " and " + std::to_string(held);
    if (m_card.capacity && reserved > *m_card.capacity)
        return "more is reserved than there is";
    return std::nullopt;
}

} // namespace plimsoll
