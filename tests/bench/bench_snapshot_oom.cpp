// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/diff.h"
#include "snapshot/model_check.h"
#include "snapshot/oom.h"
#include "snapshot/what_if.h"

#include "app/snapshot/trace_maker.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace plimsoll;

namespace {

constexpr std::size_t kEvents = 3'000'000;
constexpr int kRounds = 3;
constexpr std::uint64_t kMiB = 1U << 20U;

// Training steps of a transformer that leaks a little, until the card is full.
std::unique_ptr<MemorySnapshot> training(bool isExpandable)
{
    AllocatorOptions options;
    options.expandableSegments = isExpandable;
    TraceMaker maker(options, {std::uint64_t {80} << 30U, {}}, kEvents + 100'000);
    std::mt19937_64 random(7);
    std::vector<RequestId> weights;
    for (std::uint64_t i = 0; i < 400; ++i)
        weights.push_back(maker.alloc((1 + i % 5) * 4 * kMiB, "weights" + std::to_string(i % 8)));
    for (std::size_t events = 0; events < kEvents;) {
        std::vector<RequestId> kept;
        for (int layer = 0; layer < 48; ++layer)
            for (int part = 0; part < 8; ++part) {
                const auto size = part < 3 ? 1 + random() % (256 * 1024) : (1 + random() % 24) * kMiB;
                const auto id = maker.alloc(size, "layer" + std::to_string(layer) + "." + std::to_string(part));
                events += 3;
                if (part % 2 == 0)
                    maker.free(id);
                else
                    kept.push_back(id);
            }
        for (auto id = kept.rbegin(); id != kept.rend(); ++id)
            maker.free(*id);
    }
    while (!maker.oom(4096 * kMiB, "again"))
        ;
    return maker.finish();
}

double best(const char *name, const char *unit, double factor, bool isRate, const auto &work)
{
    double fastest = 1e30;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        if (!work())
            std::abort(); // nothing was measured
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        fastest = std::min(fastest, took.count());
    }
    const auto value = isRate ? factor / fastest : factor * fastest;
    std::printf("{\"bench\":\"snapshot.%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, value, unit);
    std::fflush(stdout);
    return fastest;
}

} // namespace

int main()
{
    for (const bool isExpandable : {false, true}) {
        const auto snapshot = training(isExpandable);
        const Replay replay(*snapshot, devicesOf(*snapshot).at(0));
        const auto settings = allocatorSettingsOf(*snapshot);
        const auto requests = allocatorRequestsOf(replay, settings.options);
        const auto events = static_cast<double>(snapshot->events.size());
        best(isExpandable ? "model_events_per_s_expandable" : "model_events_per_s", "events/s", events, true, [&] {
            const auto agreement = checkModel(replay, *requests, settings);
            return agreement && agreement->isBelievable();
        });
        if (isExpandable)
            continue;
        best("model_requests_per_s", "events/s", events, true,
             [&] { return allocatorRequestsOf(replay, settings.options).has_value(); });
        const auto oom = explainOoms(replay)->at(0);
        best("oom_explain_ms", "ms", 1000, false, [&] { return explainOoms(replay)->size() == 1; });
        best("oom_what_if_ms", "ms", 1000, false, [&] { return whatIf(replay, oom).has_value(); });
        best("diff_ms", "ms", 1000, false,
             [&] { return diffSnapshots(sideAt(replay, replay.end() / 2), sideAt(replay, replay.end())).has_value(); });
    }
    return 0;
}
