// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/device_history.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {

std::optional<DeviceTrack> trackOf(const DeviceState &device)
{
    if (!device.capacity || device.capacity->value <= 0)
        return std::nullopt;
    const auto capacity = static_cast<double>(device.capacity->value);
    if (device.availableSeries)
        return DeviceTrack{device.id, device.node, device.availableSeries, true, capacity};
    if (device.usedSeries)
        return DeviceTrack{device.id, device.node, device.usedSeries, false, capacity};
    return std::nullopt;
}

std::vector<DeviceTrack> tracksOf(const Fleet &fleet)
{
    std::vector<DeviceTrack> out;
    for (const auto &node : fleet.nodes)
        for (const auto &device : node.devices)
            if (auto track = trackOf(device))
                out.push_back(std::move(*track));
    return out;
}

DeviceHistory::DeviceHistory(std::vector<DeviceTrack> tracks, std::vector<SeriesSlice> slices, TimeRange range)
    : m_range(range)
{
    const std::size_t count = std::min(tracks.size(), slices.size());
    m_entries.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        m_estimates.emplace(tracks[i].device, plimsoll::timeToFullOf(tracks[i], slices[i]));
        m_entries.push_back({std::move(tracks[i]), std::move(slices[i])});
    }
}

std::vector<std::optional<double>> DeviceHistory::spread(const Entry &entry, int buckets, bool worst) const
{
    std::vector<std::optional<double>> out(static_cast<std::size_t>(std::max(buckets, 0)));
    if (buckets <= 0 || m_range.isEmpty())
        return out;
    const double perBucket = static_cast<double>(m_range.length().count()) / buckets;
    const auto indexOf = [&](Instant t) {
        const double at = static_cast<double>((t - m_range.begin).count()) / perBucket;
        return std::clamp(static_cast<int>(std::floor(at)), 0, buckets - 1);
    };
    for (const auto &bucket : entry.slice.buckets) {
        if (bucket.lastTime < m_range.begin || bucket.firstTime >= m_range.end)
            continue;
        const double value = worst ? entry.track.load(entry.track.isAvailable ? bucket.min : bucket.max)
                                   : entry.track.free(bucket.last);
        // A sample speaks until the next one, so a coarse bucket covers all parts it reaches into.
        const Instant until = std::max(bucket.lastTime, entry.slice.width.count() > 0
                                                            ? bucket.begin + entry.slice.width - Duration(1)
                                                            : bucket.lastTime);
        for (int i = indexOf(bucket.firstTime); i <= indexOf(until); ++i) {
            auto &slot = out[static_cast<std::size_t>(i)];
            slot = slot && worst ? std::max(*slot, value) : value;
        }
    }
    // Sparse samples in fine parts: what was seen holds on over the parts between, unless a gap says otherwise.
    for (std::size_t i = 1; i < out.size(); ++i) {
        if (out[i] || !out[i - 1])
            continue;
        const Instant at = m_range.begin + Duration(static_cast<Duration::rep>(perBucket * (static_cast<double>(i) + 0.5)));
        const bool isInGap = std::any_of(entry.slice.gaps.begin(), entry.slice.gaps.end(),
                                         [at](const Gap &gap) { return gap.range.contains(at); });
        if (!isInGap && !entry.slice.buckets.empty() && at <= entry.slice.buckets.back().lastTime)
            out[i] = out[i - 1];
    }
    return out;
}

std::vector<std::optional<double>> DeviceHistory::worstOfNode(const std::string &node, int buckets) const
{
    std::vector<std::optional<double>> out(static_cast<std::size_t>(std::max(buckets, 0)));
    for (const auto &entry : m_entries) {
        if (entry.track.node != node)
            continue;
        const auto one = spread(entry, buckets, true);
        for (std::size_t i = 0; i < one.size(); ++i)
            if (one[i])
                out[i] = std::max(out[i].value_or(0.0), *one[i]);
    }
    return out;
}

std::vector<std::optional<double>> DeviceHistory::worstOfAll(int buckets) const
{
    std::vector<std::optional<double>> out(static_cast<std::size_t>(std::max(buckets, 0)));
    for (const auto &entry : m_entries) {
        const auto one = spread(entry, buckets, true);
        for (std::size_t i = 0; i < one.size(); ++i)
            if (one[i])
                out[i] = std::max(out[i].value_or(0.0), *one[i]);
    }
    return out;
}

std::vector<Gap> DeviceHistory::gapsOfNode(const std::string &node) const
{
    std::optional<std::vector<Gap>> shared;
    for (const auto &entry : m_entries) {
        if (entry.track.node != node)
            continue;
        if (!shared) {
            shared = entry.slice.gaps;
            continue;
        }
        std::erase_if(*shared, [&entry](const Gap &gap) {
            return std::none_of(entry.slice.gaps.begin(), entry.slice.gaps.end(),
                                [&gap](const Gap &other) { return other.range.overlaps(gap.range); });
        });
    }
    return shared.value_or(std::vector<Gap>{});
}

std::vector<double> DeviceHistory::usedInAll(DeviceKind kind, const Fleet &fleet, int buckets) const
{
    std::vector<double> sum(static_cast<std::size_t>(buckets));
    std::vector<int> seen(static_cast<std::size_t>(buckets));
    int wanted = 0;
    for (const auto &node : fleet.nodes)
        for (const auto &device : node.devices) {
            if ((device.kind == DeviceKind::Host) != (kind == DeviceKind::Host))
                continue;
            const auto entry = std::find_if(m_entries.begin(), m_entries.end(),
                                            [&device](const Entry &e) { return e.track.device == device.id; });
            if (entry == m_entries.end())
                continue;
            ++wanted;
            const auto free = spread(*entry, buckets, false);
            for (std::size_t i = 0; i < free.size(); ++i)
                if (free[i]) {
                    sum[i] += entry->track.capacity - *free[i];
                    ++seen[i];
                }
        }
    std::vector<double> out;
    for (std::size_t i = 0; i < sum.size(); ++i)
        if (wanted > 0 && seen[i] == wanted)
            out.push_back(sum[i]);
    return out;
}

std::vector<double> DeviceHistory::freeOf(const std::string &device, int buckets) const
{
    std::vector<double> out;
    for (const auto &entry : m_entries)
        if (entry.track.device == device)
            for (const auto &value : spread(entry, buckets, false))
                if (value)
                    out.push_back(*value);
    return out;
}

TimeToFull DeviceHistory::timeToFullOf(const std::string &device) const
{
    const auto found = m_estimates.find(device);
    return found == m_estimates.end() ? TimeToFull{} : found->second;
}

const SeriesSlice *DeviceHistory::sliceOf(const std::string &device) const
{
    for (const auto &entry : m_entries)
        if (entry.track.device == device)
            return &entry.slice;
    return nullptr;
}

} // namespace plimsoll
