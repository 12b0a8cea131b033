// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/grouping.h"

#include "snapshot/annotation_ranges.h"
#include "snapshot/categories.h"
#include "snapshot/frame_filter.h"
#include "snapshot/wrapping.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <unordered_map>

namespace plimsoll {
namespace {

/// Names and their numbers, in the order met.
class Names
{
public:
    std::uint32_t operator[](const std::string &name)
    {
        return m_ids.try_emplace(name, static_cast<std::uint32_t>(m_ids.size())).first->second;
    }
    [[nodiscard]] std::vector<std::string> take() const
    {
        std::vector<std::string> names(m_ids.size());
        for (const auto &[name, id] : m_ids)
            names[id] = name;
        return names;
    }

private:
    std::unordered_map<std::string, std::uint32_t> m_ids;
};

constexpr auto kNoGroup = UINT32_MAX;
constexpr AllocationId kStopEvery = 1U << 14U; // allocations between two looks at the stop token

template <std::size_t n>
std::array<std::uint32_t, n> noGroups()
{
    std::array<std::uint32_t, n> groups;
    groups.fill(kNoGroup);
    return groups;
}

/// Texts are made once for each, not for each allocation.
template <class F>
std::uint32_t cached(std::uint32_t &group, F make)
{
    if (group == kNoGroup)
        group = make();
    return group;
}

bool isPythonFile(std::string_view file) noexcept
{
    return file.ends_with(".py") || file.starts_with('<');
}

enum class Standing : std::uint8_t { Unasked, Own, Python, Shown, Hidden }; // of a frame

Standing standingOf(const MemorySnapshot &snapshot, FrameId id)
{
    const auto &frame = snapshot.stacks.frame(id);
    const auto file = snapshot.texts[frame.file];
    if (!isLibraryFile(file))
        return Standing::Own;
    if (isPythonFile(file))
        return Standing::Python;
    return frameGroups(file, snapshot.texts[frame.name]) == 0 ? Standing::Shown : Standing::Hidden;
}

template <class F>
std::optional<FrameId> chooseOwn(const StackView &stack, F standing)
{
    std::optional<FrameId> best;
    auto bestStanding = Standing::Hidden;
    for (std::size_t i = 0; i < stack.size(); ++i) {
        const auto here = standing(stack[i]);
        if (here == Standing::Own)
            return stack[i];
        if (!best || here < bestStanding) {
            best = stack[i];
            bestStanding = here;
        }
    }
    return best;
}

std::string poolName(const Replay::PoolOf &of)
{
    if (!of.pool)
        return "unknown pool";
    if (*of.pool == std::pair<std::int64_t, std::int64_t>(0, 0))
        return "default pool";
    return "pool (" + std::to_string(of.pool->first) + ", " + std::to_string(of.pool->second) + ')';
}

std::string hex(std::uint64_t value)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[value & 15U]);
        value >>= 4U;
    } while (value != 0);
    return "0x" + text;
}

std::string sizeClassName(std::uint64_t size)
{
    if (size < 512)
        return "below 512 B";
    constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const auto name = [&](unsigned power) { return std::to_string(1U << power % 10) + ' ' + std::string(kUnits[power / 10]); };
    const auto power = static_cast<unsigned>(std::bit_width(size)) - 1;
    return "from " + name(power);
}

std::string attribute(const MemorySnapshot &snapshot, const EventContext &context, std::string_view key)
{
    for (const auto &[name, value] : context.attributes)
        if (snapshot.texts[name] == key)
            return std::string(snapshot.texts[value]);
    return {};
}

/// What was open innermost at each instant, as spans: begin → name, in one sweep over the ranges.
std::map<EventInstant, std::string> openRanges(const Replay &replay)
{
    const TimeAxis axis(replay);
    const auto ranges = annotationRanges(replay, axis);
    struct Edge
    {
        EventInstant at;
        bool isEnd;
        std::size_t range;
    };
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        edges.push_back({ranges[i].begin + 1, false, i});
        edges.push_back({ranges[i].end + 1, true, i});
    }
    std::stable_sort(edges.begin(), edges.end(), [](const Edge &a, const Edge &b) { return a.at < b.at; });
    std::map<EventInstant, std::string> spans;
    std::map<std::pair<EventInstant, std::size_t>, TextId> open; // the one that began last is innermost
    for (const auto &edge : edges) {
        const auto key = std::pair(ranges[edge.range].begin, edge.range);
        if (edge.isEnd)
            open.erase(key);
        else if (ranges[edge.range].end > ranges[edge.range].begin)
            open[key] = ranges[edge.range].name;
        spans[edge.at] = open.empty() ? std::string() : std::string(replay.snapshot().texts[std::prev(open.end())->second]);
    }
    return spans;
}

std::vector<GroupTotal> sorted(std::vector<GroupTotal> totals)
{
    std::erase_if(totals, [](const GroupTotal &total) { return total.count == 0; });
    std::sort(totals.begin(), totals.end(), [](const GroupTotal &a, const GroupTotal &b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.group < b.group;
    });
    return totals;
}

} // namespace

bool isLibraryFile(std::string_view file) noexcept
{
    if (!isPythonFile(file))
        return true;
    constexpr std::array<std::string_view, 12> kParts{"site-packages/", "site-packages\\", "dist-packages/", "dist-packages\\",
                                                      "/lib/python3", "\\Lib\\", "/torchinductor", "<frozen", "/torch/nn/",
                                                      "/torch/_", "<eval_with_key>", "torch/autograd/"};
    return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) { return file.find(part) != std::string_view::npos; });
}

std::optional<FrameId> ownFrame(const MemorySnapshot &snapshot, StackId id)
{
    return chooseOwn(snapshot.stacks.stack(id), [&](FrameId frame) { return standingOf(snapshot, frame); });
}

Grouping groupAllocations(const Replay &replay, GroupBy by, std::stop_token stop)
{
    const auto &snapshot = replay.snapshot();
    Grouping grouping;
    grouping.of.resize(replay.size());
    Names names;
    const auto fill = [&](const auto &groupOf) {
        for (AllocationId id = 0; id < replay.size() && !(id % kStopEvery == 0 && stop.stop_requested()); ++id)
            grouping.of[id] = groupOf(id);
    };
    switch (by) {
    case GroupBy::OwnLine: {
        std::vector<std::uint32_t> ofStack(snapshot.stacks.stackCount(), kNoGroup);
        std::vector<Standing> ofFrame(snapshot.stacks.frameCount(), Standing::Unasked);
        const auto standing = [&](FrameId frame) {
            if (ofFrame[frame] == Standing::Unasked)
                ofFrame[frame] = standingOf(snapshot, frame);
            return ofFrame[frame];
        };
        auto before = kNoGroup;
        fill([&](AllocationId id) {
            if (replay.origin(id) == AllocationOrigin::BeforeFreed) // its stack is that of the free
                return cached(before, [&] { return names["before the trace"]; });
            auto &group = ofStack[replay.stacks()[id]];
            return cached(group, [&] {
                const auto frame = chooseOwn(snapshot.stacks.stack(replay.stacks()[id]), standing);
                return names[frame ? frameText(snapshot, *frame) : "no stack"];
            });
        });
        break;
    }
    case GroupBy::Category: {
        const Categories categories(replay, stop);
        std::array<std::uint32_t, kMemoryCategories> cache = noGroups<kMemoryCategories>();
        fill([&](AllocationId id) {
            return cached(cache[static_cast<std::size_t>(categories[id])], [&] { return names[std::string(toString(categories[id]))]; });
        });
        break;
    }
    case GroupBy::Pool: {
        std::map<std::optional<std::pair<std::int64_t, std::int64_t>>, std::uint32_t> cache;
        fill([&](AllocationId id) {
            const auto of = replay.poolOf(id);
            return cached(cache.try_emplace(of.pool, kNoGroup).first->second, [&] { return names[poolName(of)]; });
        });
        break;
    }
    case GroupBy::Stream: {
        std::vector<std::uint32_t> cache(snapshot.streams.size(), kNoGroup);
        fill([&](AllocationId id) {
            const auto stream = replay.streamOf(id);
            return cached(cache[stream], [&] {
                return names[snapshot.streams[stream] == 0 ? "default stream" : "stream " + hex(snapshot.streams[stream])];
            });
        });
        break;
    }
    case GroupBy::SizeClass: {
        auto cache = noGroups<65>();
        fill([&](AllocationId id) {
            const auto size = replay.sizes()[id];
            return cached(cache[size < 512 ? 0 : static_cast<std::size_t>(std::bit_width(size))], [&] { return names[sizeClassName(size)]; });
        });
        break;
    }
    case GroupBy::Annotation: {
        const auto spans = openRanges(replay);
        auto before = kNoGroup;
        auto open = kNoGroup;
        EventInstant last = 0;
        fill([&](AllocationId id) {
            const auto birth = replay.births()[id];
            if (birth == 0)
                return cached(before, [&] { return names["before the trace"]; });
            if (birth != last) { // births ascend
                const auto at = spans.upper_bound(birth);
                const bool isInside = at != spans.begin() && !std::prev(at)->second.empty();
                open = names[isInside ? std::prev(at)->second : "outside all ranges"];
                last = birth;
            }
            return open;
        });
        break;
    }
    case GroupBy::CompileContext:
    case GroupBy::UserMetadata: {
        const std::string_view key = by == GroupBy::CompileContext ? "compile_context" : "user_metadata";
        const std::string none = by == GroupBy::CompileContext ? "not compiled" : "no metadata";
        auto before = kNoGroup;
        std::vector<std::uint32_t> ofContext(snapshot.contexts.size(), kNoGroup);
        fill([&](AllocationId id) {
            if (replay.births()[id] == 0)
                return cached(before, [&] { return names["before the trace"]; });
            const auto context = snapshot.events.context[replay.rowOf(replay.births()[id])];
            return cached(ofContext[context], [&] {
                const auto text = attribute(snapshot, snapshot.contexts[context], key);
                return names[text.empty() ? none : text];
            });
        });
        break;
    }
    }
    if (stop.stop_requested())
        return {};
    grouping.names = names.take();
    return grouping;
}

std::vector<GroupTotal> aliveByGroup(const Replay &replay, const Grouping &grouping, EventInstant instant)
{
    std::vector<GroupTotal> totals(grouping.names.size());
    const auto sizes = replay.sizes();
    replay.forEachAlive(instant, [&](AllocationId id) {
        auto &total = totals[grouping.of[id]];
        total.group = grouping.of[id];
        total.bytes = wrappingAdd(total.bytes, static_cast<std::int64_t>(sizes[id]));
        ++total.count;
    });
    return sorted(std::move(totals));
}

Bands bandsOfGroups(const Replay &replay, const Grouping &grouping, std::size_t most, std::vector<std::uint32_t> &groups)
{
    return bandsOf(replay, grouping.of, grouping.names.size(), most, groups);
}

} // namespace plimsoll
