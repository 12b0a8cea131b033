// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/allocator_model.h"

#include "snapshot/allocator_heap.h"

namespace plimsoll {

AllocatorModel::AllocatorModel(const AllocatorOptions &options, const ModelCard &card)
    : m_heap(std::make_unique<Heap>(options, card))
{ }
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
void AllocatorModel::onSegmentChange(std::function<void(const SegmentChange &)> sink)
{
    m_heap->sink = std::move(sink);
}
void AllocatorModel::visitBlocks(const std::function<void(const ModelBlock &)> &visit) const
{
    m_heap->visitBlocks(visit);
}
std::optional<std::string> AllocatorModel::contradiction() const { return m_heap->contradiction(); }

} // namespace plimsoll
