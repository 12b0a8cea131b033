// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/allocator_options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace plimsoll {

/// Names an allocation for its whole life, in place of its address, which is used again. Small and dense.
using RequestId = std::uint32_t;

/// Memory is shared only within one of these (and one half of it, small or large).
struct PoolKey
{
    std::pair<std::int64_t, std::int64_t> pool; // (0, 0): the default pool
    std::uint64_t stream = 0; // the stream's handle

    [[nodiscard]] bool isPrivate() const noexcept { return pool.first != 0 || pool.second != 0; }
    friend auto operator<=>(const PoolKey &, const PoolKey &) = default;
};
using PoolIndex = std::uint16_t; // of a model, in the order in which its pools were named

/// Where something lies: [address, address + size).
struct AddressSpan
{
    std::uint64_t address = 0;
    std::uint64_t size = 0;

    friend auto operator<=>(const AddressSpan &, const AddressSpan &) = default;
};

/// What there is to reserve from.
struct ModelCard
{
    /// Bytes that this process can hold in all (the card less what others hold); nullopt: without end.
    std::optional<std::uint64_t> capacity;
    /// Bytes of the whole card, for memory_fraction and address space; nullopt: capacity.
    std::optional<std::uint64_t> total;
};

enum class DriverAnswer : std::uint8_t {
    Unknown, // asked the model's card
    AfterRelease, // the driver had nothing left until the cache was released
    Nothing, // … nor after that
};

/// What was recorded about a request, for a model that follows a real run.
struct RequestHints
{
    DriverAnswer driver = DriverAnswer::Unknown;
    std::span<const AddressSpan> addresses; // what the driver gave then
    /// With AfterRelease: only these segments were given back, by garbage collection; empty: all that is free.
    std::span<const AddressSpan> released = {};
};

struct Placement
{
    bool isPlaced = false;
    std::uint64_t address = 0;
    std::uint64_t blockSize = 0; // with rounding and unsplit rest
};

/// A live allocation of a segment that exists before the first request.
struct StartBlock
{
    RequestId id = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0; // rounded, with its unsplit rest
};

struct SegmentChange
{
    bool isGain = false; // segment_alloc, segment_map; else segment_free, segment_unmap
    bool isExpandable = false;
    AddressSpan range;
};

struct ModelBlock
{
    AddressSpan range;
    PoolIndex pool = 0;
    bool isSmall = false;
    bool isExpandable = false;
    bool isMapped = true; // false: address space only
    bool isFree = false;
    bool isPending = false;
    bool startsSegment = false;
    RequestId owner = 0; // of one that is not free
};

/// Our own model of PyTorch's CUDA caching allocator: the same requests in the same order give the
/// same places, without a GPU. One device. Deterministic; one thread; about 0.2 µs a request.
class AllocatorModel
{
public:
    explicit AllocatorModel(const AllocatorOptions &options, const ModelCard &card = {});
    AllocatorModel(AllocatorModel &&) noexcept;
    AllocatorModel &operator=(AllocatorModel &&) noexcept;
    ~AllocatorModel();

    /// The index of a pool; the same key gives the same index. At most 65,535.
    [[nodiscard]] PoolIndex pool(const PoolKey &key);

    /// Memory that is there before the first request. Segments in address order; blocks in address
    /// order. False, and nothing happens, where they overlap or leave the segment.
    bool addSegment(PoolIndex pool, bool isSmall, bool isExpandable, const AddressSpan &range,
                    std::span<const StartBlock> blocks);

    /// A request. `id` must not be live.
    Placement allocate(RequestId id, std::uint64_t requested, PoolIndex pool, const RequestHints &hints = {});
    void requestFree(RequestId id); // from here on pending; unknown ids are passed over
    void completeFree(RequestId id); // free for others; unknown ids are passed over
    [[nodiscard]] bool isLive(RequestId id) const noexcept;
    /// empty_cache(), or what the allocator itself does when the driver has nothing left. Private
    /// pools stay: they belong to graphs that may still be alive.
    void emptyCache();
    /// What is free in a private pool whose graph is gone.
    void releasePool(PoolIndex pool);

    /// What this process can hold from now on; what it holds already stays.
    void setCapacity(std::uint64_t bytes);

    [[nodiscard]] std::uint64_t reserved() const noexcept;
    [[nodiscard]] std::uint64_t peakReserved() const noexcept;
    [[nodiscard]] std::uint64_t peakActive() const noexcept;
    [[nodiscard]] std::uint64_t active() const noexcept; // blocks of live and pending allocations
    [[nodiscard]] std::uint64_t pending() const noexcept;
    [[nodiscard]] std::uint64_t free() const noexcept { return reserved() - active(); }
    [[nodiscard]] std::size_t segmentCount() const; // mapped ranges; costs a walk over all blocks
    [[nodiscard]] std::uint64_t largestFree(PoolIndex pool, bool isSmall) const noexcept;

    /// What came from and went back to the driver, told as it happens.
    void onSegmentChange(std::function<void(const SegmentChange &)> sink);
    /// All blocks by address, unmapped ones too.
    void visitBlocks(const std::function<void(const ModelBlock &)> &visit) const;
    /// For tests: a sentence about the first thing that does not add up. Costs a walk over all blocks.
    [[nodiscard]] std::optional<std::string> contradiction() const;

private:
    class Heap;
    std::unique_ptr<Heap> m_heap;
};

} // namespace plimsoll
