// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/slice_service.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll {

/// What is fetched for a request: more than it asks for, on a grid of powers of two, so
/// that neighbouring requests (a pan, a slightly other zoom) need the same.
struct SlicePlan
{
    std::vector<SeriesId> series;
    TimeRange range;
    Duration pixel{}; // a power of two in ns, within √2 of what the request asks for
    bool withEvents = false;

    [[nodiscard]] static SlicePlan of(const SliceRequest &request);
    [[nodiscard]] int pixels() const;
    /// True when what this plan fetches answers `request`.
    [[nodiscard]] bool covers(const SliceRequest &request) const;
};

/// What was fetched. Immutable once shared.
struct SliceBuffer
{
    SlicePlan plan;
    std::vector<SeriesSlice> slices; // in the plan's order
    std::vector<Event> events;
    Instant readAt; // an open gap ends here, and nobody commits while it grows

    /// The request's part, one bucket more at either side so that lines leave the panel.
    [[nodiscard]] SliceAnswer cropped(const SliceRequest &request) const;
    [[nodiscard]] std::size_t bytes() const; // about
};

/// Where a fetch of only the end has to begin so that everything from `dirtyFrom` on
/// can be replaced; nullopt when that would be most of the buffer anyway.
[[nodiscard]] std::optional<TimeRange> tailRange(const SliceBuffer &buffer, Instant dirtyFrom);

/// `buffer` with what `tail` (fetched for tailRange) tells instead, from `dirtyFrom` on. Buckets
/// are never mixed: nullopt when the two do not lie on one grid, and all must be fetched again.
[[nodiscard]] std::optional<SliceBuffer> spliced(const SliceBuffer &buffer, const SliceBuffer &tail, Instant dirtyFrom);

/// The last few buffers, least recently used out first. GUI thread.
class SliceCache
{
public:
    explicit SliceCache(std::size_t bytes = 64U << 20U) : m_limit(bytes) {}

    struct Hit
    {
        std::shared_ptr<const SliceBuffer> buffer;
        std::optional<Instant> dirtyFrom; // newer data was committed from here on
    };
    [[nodiscard]] Hit find(const SliceRequest &request, Instant now); // buffer null = none
    void insert(std::shared_ptr<const SliceBuffer> buffer, std::optional<Instant> dirtyFrom);
    void markDirty(TimeRange committed);

private:
    std::size_t m_limit;
    std::vector<Hit> m_entries; // most recently used last
};

} // namespace plimsoll
