// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/residency.h"

#include "snapshot/wrapping.h"

#include <algorithm>
#include <numeric>

namespace plimsoll {
namespace {

constexpr EventInstant kExactRange = 1U << 18U; // instants whose exact values are made for one picture
constexpr EventInstant kSnap = 32;              // leaves of the curve

std::vector<BandColumn> exactColumns(const LevelCurve &curve, std::span<const EventInstant> borders)
{
    std::vector<BandColumn> columns;
    const auto first = std::min(borders.front(), curve.size() - 1);
    const auto last = std::min(std::max(borders.back(), first + 1), curve.size());
    std::vector<std::int64_t> exact(last - first);
    curve.values(first, exact);
    for (std::size_t c = 0; c + 1 < borders.size(); ++c) {
        BandColumn column;
        column.begin = std::min(borders[c], last - 1);
        column.end = std::min(std::max(borders[c + 1], column.begin + 1), last);
        const auto begin = exact.begin() + (column.begin - first);
        const auto end = exact.begin() + (column.end - first);
        const auto high = std::max_element(begin, end);
        column.at = first + static_cast<EventInstant>(high - exact.begin());
        column.total = *high;
        column.low = *std::min_element(begin, end);
        columns.push_back(column);
    }
    return columns;
}

std::vector<BandColumn> wideColumns(const LevelCurve &curve, std::span<const EventInstant> borders)
{
    std::vector<BandColumn> columns;
    const auto snapped = [&](EventInstant instant) { // the end stays the end
        return instant >= curve.size() ? curve.size() : std::min((instant + kSnap / 2) / kSnap * kSnap, curve.size());
    };
    for (std::size_t c = 0; c + 1 < borders.size(); ++c) {
        BandColumn column;
        column.begin = std::min(snapped(borders[c]), (curve.size() - 1) / kSnap * kSnap);
        column.end = std::min(std::max(snapped(borders[c + 1]), column.begin + kSnap), curve.size());
        const auto extremes = curve.extremes(column.begin, column.end);
        column.at = curve.firstMaximum(column.begin, column.end);
        column.total = extremes.max;
        column.low = extremes.min;
        columns.push_back(column);
    }
    return columns;
}

} // namespace

Bands bandsOf(const Replay &replay, std::span<const std::uint32_t> groupOf, std::size_t groups, std::size_t most,
              std::vector<std::uint32_t> &chosen, std::optional<std::uint32_t> never)
{
    const auto births = replay.births();
    const auto deaths = replay.deaths();
    const auto sizes = replay.sizes();
    constexpr auto kNone = UINT32_MAX;
    std::vector<AllocationId> diesAt(std::size_t{replay.never()} + 1, kNone); // at most one an event
    for (AllocationId id = 0; id < replay.size(); ++id)
        if (deaths[id] != replay.never())
            diesAt[deaths[id]] = id;
    struct Level
    {
        std::int64_t now = 0;
        std::int64_t highest = 0;
    };
    std::vector<Level> levels(groups);
    std::size_t next = 0;
    for (EventInstant n = 0; n <= replay.end(); ++n) {
        if (n > 0 && diesAt[n] != kNone) {
            auto &now = levels[groupOf[diesAt[n]]].now;
            now = wrappingSubtract(now, static_cast<std::int64_t>(sizes[diesAt[n]]));
        }
        for (; next < births.size() && births[next] == n; ++next) {
            auto &level = levels[groupOf[next]];
            level.now = wrappingAdd(level.now, static_cast<std::int64_t>(sizes[next]));
            level.highest = std::max(level.highest, level.now);
        }
    }
    if (never)
        levels[*never].highest = 0;
    most = std::min({most, groups, std::size_t{254}});
    std::vector<std::uint32_t> order(groups);
    std::iota(order.begin(), order.end(), 0U);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return levels[a].highest != levels[b].highest ? levels[a].highest > levels[b].highest : a < b;
    });
    chosen.clear();
    for (std::size_t i = 0; i < most && levels[order[i]].highest > 0; ++i)
        chosen.push_back(order[i]);
    Bands bands;
    bands.count = chosen.size() + 1;
    std::vector<std::uint8_t> bandOf(groups, static_cast<std::uint8_t>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i)
        bandOf[chosen[i]] = static_cast<std::uint8_t>(i);
    bands.of.resize(replay.size());
    for (std::size_t id = 0; id < bands.of.size(); ++id)
        bands.of[id] = bandOf[groupOf[id]];
    return bands;
}

Bands bandsOfStacks(const Replay &replay, std::size_t most)
{
    // What only a free tells of has the stack of that free, so it goes to the rest: a group that gets no band.
    const auto count = replay.snapshot().stacks.stackCount();
    std::vector<std::uint32_t> groupOf(replay.stacks().begin(), replay.stacks().end());
    for (AllocationId id = 0; id < replay.beforeCount(); ++id)
        if (replay.origin(id) == AllocationOrigin::BeforeFreed)
            groupOf[id] = static_cast<std::uint32_t>(count);
    std::vector<std::uint32_t> chosen;
    auto bands = bandsOf(replay, groupOf, count + 1, most, chosen, static_cast<std::uint32_t>(count));
    bands.stacks = std::move(chosen);
    return bands;
}

std::vector<EventInstant> eventBorders(EventInstant begin, EventInstant end, std::uint32_t columns)
{
    std::vector<EventInstant> borders;
    const std::uint64_t length = end - begin;
    for (std::uint64_t c = 0; c <= columns && columns > 0; ++c)
        borders.push_back(begin + static_cast<EventInstant>(length * c / columns));
    return borders;
}

std::vector<EventInstant> timeBorders(const TimeAxis &axis, std::int64_t fromUs, std::int64_t toUs, std::uint32_t columns)
{
    std::vector<EventInstant> borders;
    const auto length = static_cast<std::uint64_t>(toUs) - static_cast<std::uint64_t>(fromUs);
    for (std::uint64_t c = 0; c <= columns && columns > 0; ++c) {
        const auto time = static_cast<std::int64_t>(static_cast<std::uint64_t>(fromUs) + length / columns * c + length % columns * c / columns);
        borders.push_back(axis.instantAt(time));
    }
    return borders;
}

BandPicture bandPicture(const LevelCurve &requested, const Bands &bands, std::span<const EventInstant> borders)
{
    BandPicture picture;
    picture.bands = bands.count;
    if (borders.size() < 2 || bands.count == 0)
        return picture;
    const bool isExact = borders.back() - borders.front() <= kExactRange;
    picture.columns = isExact ? exactColumns(requested, borders) : wideColumns(requested, borders);

    // Instants ascend from column to column, so each allocation that shows is met once: in the first column
    // that it reaches. It adds there and takes away after the last one.
    const auto &replay = requested.replay();
    const auto sizes = replay.sizes();
    const auto deaths = replay.deaths();
    const auto count = picture.columns.size();
    picture.levels.resize((count + 1) * bands.count);
    std::vector<EventInstant> instants(count);
    for (std::size_t c = 0; c < count; ++c)
        instants[c] = picture.columns[c].at;
    std::size_t born = 0;
    for (std::size_t c = 0; c < count; ++c) {
        const auto at = instants[c];
        const auto bornNow = replay.bornUpTo(at);
        replay.forEachAliveOf(born, std::max(born, bornNow), at, [&](AllocationId id) {
            const auto size = static_cast<std::int64_t>(sizes[id]);
            auto &in = picture.levels[c * bands.count + bands.of[id]];
            in = wrappingAdd(in, size);
            // Most die soon: gallop to the first column that does not show it.
            std::size_t step = 1;
            auto low = c;
            while (low + step < count && instants[low + step] < deaths[id]) {
                low += step;
                step *= 2;
            }
            const auto after = std::lower_bound(instants.begin() + static_cast<std::ptrdiff_t>(low + 1),
                                                instants.begin() + static_cast<std::ptrdiff_t>(std::min(count, low + step)), deaths[id]);
            auto &out = picture.levels[static_cast<std::size_t>(after - instants.begin()) * bands.count + bands.of[id]];
            out = wrappingSubtract(out, size);
        });
        born = std::max(born, bornNow);
    }
    // What no allocation stands for belongs to the rest.
    auto &rest = picture.levels[bands.count - 1];
    rest = wrappingAdd(rest, replay.unseenAtStart());
    for (std::size_t i = bands.count; i < count * bands.count; ++i)
        picture.levels[i] = wrappingAdd(picture.levels[i], picture.levels[i - bands.count]);
    picture.levels.resize(count * bands.count);
    return picture;
}

} // namespace plimsoll
