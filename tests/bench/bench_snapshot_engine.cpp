// SPDX-License-Identifier: GPL-3.0-or-later
// What the snapshot engine costs on traces of 3.9 million events, like those of a training run: "a" has few
// stacks and a thousand allocations alive, "c" has 54,000 stacks and 69,000 alive.
#include "snapshot/categories.h"
#include "snapshot/census.h"
#include "snapshot/find.h"
#include "snapshot/grouping.h"
#include "snapshot/leaks.h"
#include "snapshot/levels.h"
#include "snapshot/peaks.h"
#include "snapshot/replay.h"
#include "snapshot/residency.h"
#include "snapshot/segment_map.h"
#include "snapshot/stack_tree.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

struct Shape
{
    const char *name;
    std::size_t events;
    std::size_t layers;
    std::size_t perLayer; // kept until the backward pass
    std::size_t stacks;
    std::size_t frames;
};

constexpr std::size_t kDepth = 60;
constexpr std::uint64_t kSlot = 2U << 20U;

/// Forward passes that allocate, with a temporary beside each second one, and backward passes that free
/// in reverse; addresses are used again as the allocator does it, the last freed first.
MemorySnapshot generate(const Shape &shape)
{
    MemorySnapshot snapshot;
    snapshot.events = EventColumns(shape.events + shape.layers * shape.perLayer * 8 + 16);
    std::mt19937_64 random(1);
    std::vector<FrameId> frames;
    for (std::size_t f = 0; f < shape.frames; ++f)
        frames.push_back(snapshot.stacks.internFrame(
            {snapshot.texts.intern("/opt/venv/lib/python3.11/site-packages/torch/nn/modules/part_" + std::to_string(f % 300) + ".py"),
             snapshot.texts.intern("at::native::operation_" + std::to_string(f) + "(at::Tensor const&, c10::ArrayRef<long>)"), f % 900}));
    std::vector<StackId> stacks;
    std::vector<FrameId> stack(kDepth);
    while (stacks.size() < shape.stacks) { // the outer half is shared by stacks that follow each other
        const auto shared = stacks.size() % 50 == 0 ? 10 : kDepth / 2;
        for (std::size_t d = shared; d < kDepth; ++d)
            stack[kDepth - 1 - d] = frames[random() % frames.size()];
        if (stacks.empty())
            std::generate(stack.begin(), stack.end(), [&] { return frames[random() % frames.size()]; });
        stacks.push_back(snapshot.stacks.internStack(stack));
    }
    auto &device = snapshot.devices.emplace_back();
    std::vector<std::uint64_t> slots;
    std::uint64_t top = 0x7f0000000000;
    const auto take = [&] {
        if (slots.empty()) {
            slots.push_back(top);
            top += kSlot;
        }
        const auto slot = slots.back();
        slots.pop_back();
        return slot;
    };
    std::int64_t clock = 1'700'000'000'000'000;
    const auto emit = [&](TraceAction action, std::uint64_t address, std::uint64_t size, StackId of) {
        snapshot.events.append({action, address, size, clock += 3, of, 0, 0});
    };
    struct Live
    {
        std::uint64_t address;
        std::uint64_t size;
    };
    std::vector<Live> live;
    const auto release = [&](const Live &l, StackId of) {
        emit(TraceAction::FreeRequested, l.address, l.size, of);
        emit(TraceAction::FreeCompleted, l.address, l.size, of);
        slots.push_back(l.address);
    };
    std::size_t op = 0;
    while (snapshot.events.size() < shape.events) {
        for (std::size_t l = 0; l < shape.layers; ++l) {
            for (std::size_t p = 0; p < shape.perLayer; ++p) {
                const auto of = stacks[op++ % stacks.size()];
                const Live kept{take(), 1 + random() % kSlot};
                emit(TraceAction::Alloc, kept.address, kept.size, of);
                live.push_back(kept);
                if (p % 2 == 0)
                    continue;
                const Live brief{take(), 1 + random() % kSlot};
                emit(TraceAction::Alloc, brief.address, brief.size, of);
                release(brief, of);
            }
        }
        while (!live.empty()) {
            release(live.back(), stacks[op++ % stacks.size()]);
            live.pop_back();
        }
    }
    device.eventCount = snapshot.events.size();
    auto &segment = snapshot.segments.emplace_back();
    segment.address = 0x7f0000000000;
    segment.totalSize = top - segment.address;
    segment.pool = {0, 0};
    segment.blockCount = 1;
    snapshot.blocks.push_back({segment.address, segment.totalSize, kUnknownBytes, BlockState::Inactive, kNoStack, 0});
    return snapshot;
}

double seconds(const std::function<void()> &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> all)
{
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    return all[all.size() / 2];
}

// Of what takes so long that others on the machine get in between.
double least(const std::vector<double> &all)
{
    return *std::min_element(all.begin(), all.end());
}

void print(const Shape &shape, const char *name, double value, const char *unit)
{
    std::printf("{\"bench\":\"snapshot.%s%s%s\",\"value\":%.4g,\"unit\":\"%s\"}\n", name, *shape.name ? "_" : "", shape.name, value, unit);
    std::fflush(stdout);
}

std::int64_t g_sink = 0; // what is measured must not be optimised away

void measure(const Shape &shape)
{
    const auto snapshot = generate(shape);
    const auto device = devicesOf(snapshot).front();
    const auto events = static_cast<double>(snapshot.events.size());
    std::vector<double> rounds;
    for (int round = 0; round < 5; ++round)
        rounds.push_back(seconds([&] { g_sink += static_cast<std::int64_t>(Replay(snapshot, device).size()); }));
    print(shape, "replay_ns_per_event", least(rounds) * 1e9 / events, "ns");
    rounds.clear();
    for (int round = 0; round < 5; ++round)
        rounds.push_back(seconds([&] { g_sink += censusOf(snapshot, device).trace.peakAbsolute; }));
    print(shape, "census_ns_per_event", least(rounds) * 1e9 / events, "ns");

    const Replay replay(snapshot, device);
    rounds.clear();
    for (int round = 0; round < 5; ++round)
        rounds.push_back(seconds([&] { g_sink += censusOf(replay).trace.peakAbsolute; }));
    print(shape, "census_of_replay_ns_per_event", least(rounds) * 1e9 / events, "ns");
    print(shape, "replay_bytes_per_allocation", static_cast<double>(replay.bytes()) / static_cast<double>(replay.size()), "By");
    std::mt19937 random(2);
    const auto instant = [&] { return static_cast<EventInstant>(random() % (replay.end() + 1)); };
    rounds.clear();
    for (int i = 0; i < 1001; ++i) {
        const auto at = instant();
        rounds.push_back(seconds([&] { replay.forEachAlive(at, [&](AllocationId id) { g_sink += id; }); }));
    }
    print(shape, "state_at_event_ms", median(rounds) * 1e3, "ms");
    std::sort(rounds.begin(), rounds.end());
    print(shape, "state_at_event_p99_ms", rounds[990] * 1e3, "ms");

    rounds.clear();
    for (int i = 0; i < 5; ++i)
        rounds.push_back(seconds([&] { g_sink += static_cast<std::int64_t>(StackTree(snapshot, TreeDirection::TopDown).ranks()); }));
    print(shape, "tree_sort_ms", least(rounds) * 1e3, "ms");
    const StackTree tree(snapshot, TreeDirection::TopDown);
    const auto boxesOf = [&](const TreeWeights &weights) { // at least a pixel of 1600
        g_sink += static_cast<std::int64_t>(tree.boxes(weights, std::max<std::int64_t>(weights.widths().back() / 1600, 1)).size());
    };
    rounds.clear();
    for (int i = 0; i < 201; ++i) {
        const auto at = instant();
        rounds.push_back(seconds([&] { boxesOf(tree.alive(replay, at)); }));
    }
    print(shape, "flame_ms", median(rounds) * 1e3, "ms");
    const auto middle = tree.alive(replay, replay.end() / 2);
    print(shape, "flame_boxes", static_cast<double>(tree.boxes(middle, std::max<std::int64_t>(middle.widths().back() / 1600, 1)).size()), "1");
    rounds.clear();
    for (int i = 0; i < 101; ++i) {
        const auto a = instant();
        const auto b = instant();
        rounds.push_back(seconds([&] { boxesOf(tree.growth(replay, std::min(a, b), std::max(a, b))); }));
    }
    print(shape, "growth_ms", median(rounds) * 1e3, "ms");

    FrameIndex index(snapshot);
    index.count(replay);
    rounds.clear();
    for (const auto *text : {"operation_1", "part_7.py", "nothing", "native", "operation_17777", "torch/nn", "e"})
        for (int i = 0; i < 5; ++i)
            rounds.push_back(seconds([&] { g_sink += static_cast<std::int64_t>(index.find(text).events); }));
    print(shape, "search_ms", median(rounds) * 1e3, "ms");
    print(shape, "search_worst_ms", *std::max_element(rounds.begin(), rounds.end()) * 1e3, "ms");

    rounds.clear();
    for (int i = 0; i < 5; ++i)
        rounds.push_back(seconds([&] { g_sink += LevelCurve(replay, LevelKind::Requested).size(); }));
    print(shape, "level_build_ms", least(rounds) * 1e3, "ms");
    const LevelCurve curve(replay, LevelKind::Requested);
    rounds.clear();
    for (int i = 0; i < 101; ++i) {
        const auto a = instant();
        const auto b = instant();
        rounds.push_back(seconds([&] { g_sink += static_cast<std::int64_t>(curve.slice(std::min(a, b), std::max(a, b) + 1, 1600).size()); }));
    }
    print(shape, "level_slice_ms", median(rounds) * 1e3, "ms");
    print(shape, "local_peaks_ms", seconds([&] { g_sink += static_cast<std::int64_t>(localPeaks(curve, replay, replay.peakLevel() / 20, 50).size()); }) * 1e3,
          "ms");
    print(shape, "steps_ms", seconds([&] { g_sink += static_cast<std::int64_t>(findSteps(replay).count()); }) * 1e3, "ms");
    const auto steps = findSteps(replay);
    print(shape, "categories_at_peak_ms", seconds([&] { g_sink += Categories(replay, steps).aliveAt(replay.peakInstant())[1]; }) * 1e3, "ms");
    print(shape, "leaks_ms", seconds([&] { g_sink += static_cast<std::int64_t>(findLeaks(replay).leaks.size()); }) * 1e3, "ms");
    print(shape, "group_by_line_ms", seconds([&] { g_sink += groupAllocations(replay, GroupBy::OwnLine).of.back(); }) * 1e3, "ms");
    print(shape, "group_by_category_ms", seconds([&] { g_sink += groupAllocations(replay, GroupBy::Category).of.back(); }) * 1e3, "ms");
    print(shape, "group_by_pool_ms", seconds([&] { g_sink += groupAllocations(replay, GroupBy::Pool).of.back(); }) * 1e3, "ms");
    Bands bands;
    print(shape, "bands_build_ms", seconds([&] { bands = bandsOfStacks(replay, 15); }) * 1e3, "ms");
    for (const auto part : {1, 20, 100}) {
        rounds.clear();
        for (int i = 0; i < 15; ++i) {
            const auto length = curve.size() / static_cast<EventInstant>(part);
            const auto begin = static_cast<EventInstant>(random() % (curve.size() - length + 1));
            rounds.push_back(seconds([&] {
                g_sink += bandPicture(curve, bands, eventBorders(begin, begin + length, 1600)).columns.back().total;
            }));
        }
        print(shape, part == 1 ? "bands_frame_ms" : part == 20 ? "bands_frame_5_percent_ms" : "bands_frame_1_percent_ms", median(rounds) * 1e3, "ms");
    }
    const SegmentMap map(replay);
    rounds.clear();
    for (int i = 0; i < 101; ++i) {
        const auto at = instant();
        rounds.push_back(seconds([&] { g_sink += static_cast<std::int64_t>(map.at(at).pieces.size()); }));
    }
    print(shape, "segment_map_ms", median(rounds) * 1e3, "ms");
}

} // namespace

int main()
{
    // The first gives the figures that a target stands for; its worst neighbour follows.
    measure({"", 3'910'000, 12, 90, 906, 4'000});
    measure({"many_stacks", 3'910'000, 1'500, 46, 54'042, 20'000});
    return g_sink == 42 ? EXIT_FAILURE : EXIT_SUCCESS;
}
