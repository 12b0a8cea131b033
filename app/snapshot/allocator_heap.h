// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/allocator_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace plimsoll {

/// The model itself: pieces of segments, linked by address, and shelves of what is free. What the driver
/// gives and gets lies in allocator_heap_driver.cpp, what is there at the start and looked at in
/// allocator_heap_state.cpp.
class AllocatorModel::Heap
{
public:
    Heap(const AllocatorOptions &options, const ModelCard &card) : m_options(options), m_card(card)
    {
        const auto total = card.total ? card.total : card.capacity;
        if (options.memoryFraction && total)
            m_allowed = static_cast<std::uint64_t>(*options.memoryFraction
                                                   * static_cast<double>(std::min(*total, kMadeUpFrom)));
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
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint64_t kMadeUpFrom = std::uint64_t {1} << 60U; // no process has memory from there …
    static constexpr std::uint64_t kAddressSpace = std::uint64_t {1}
        << 40U; // of a reservation on a card of unknown size
    static constexpr std::uint64_t kAddressEnd = std::uint64_t {1} << 63U; // … to there

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

    struct Wish
    {
        std::uint64_t size = 0; // rounded
        std::uint64_t segmentSize = 0; // of a segment made for it
        PoolIndex pool = 0;
        bool isSmall = false;
        const RequestHints *hints = nullptr;
    };

    [[nodiscard]] static std::size_t shelfOf(PoolIndex pool, bool isSmall) noexcept
    {
        return std::size_t {pool} * 2 + (isSmall ? 1 : 0);
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

    // The start.
    std::optional<std::uint32_t> carve(const Node &piece, const AddressSpan &range);
    std::uint32_t fill(Node piece, const AddressSpan &range, std::span<const StartBlock> blocks, std::uint32_t before);
    void joinEnds(std::uint32_t first, std::uint32_t last);
    void addSpaceBehind(Node piece, const AddressSpan &range, std::uint32_t last);

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

} // namespace plimsoll
