// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/history_mix.h"

#include <algorithm>
#include <cstdio>

using namespace plimsoll;

namespace {

// Median of asking the same question again and again.
double askedMs(const History &history, const std::vector<SeriesId> &ids, TimeRange range, int pixels)
{
    std::vector<double> took;
    for (int i = 0; i < 21; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto slices = history.slice(ids, range, pixels, {});
        if (!slices || slices->front().buckets.empty())
            std::abort();
        took.push_back(1e3 * bench::secondsSince(start));
    }
    std::nth_element(took.begin(), took.begin() + 10, took.end());
    return took[10];
}

} // namespace

/// Eight series of two devices among forty, over a day and over an hour, and all series' newest values.
int main()
{
    constexpr std::uint32_t kDevices = 40;
    constexpr int kDay = 86'400;
    const auto begin = fromUnixNanos(1'764'000'000'000'000'000);
    bench::Folder folder;
    HistoryOptions options;
    options.file = folder.file();
    options.inboxBytes = 256U << 20U;
    auto opened = History::open(options);
    if (!opened) {
        std::fprintf(stderr, "%s\n", opened.error().detail.c_str());
        return 1;
    }
    auto &history = **opened;
    bench::Mix mix(1);
    std::uint64_t sequence = 1;
    for (std::uint32_t device = 0; device < kDevices; ++device)
        bench::post(history, {"host", 1, mix.definitions(device), {}, {}, {}});
    for (int row = 0; row < kDay; row += 1200) {
        for (std::uint32_t device = 0; device < kDevices; ++device)
            bench::post(history, {"host", 1, {}, {{sequence++, mix.rows(device, begin + std::chrono::seconds(row), 1200)}}, {}, {}});
    }
    history.flush();
    const auto latest = history.latest();
    std::vector<SeriesId> ids;
    for (std::size_t s = 0; s < 4; ++s) {
        ids.push_back(latest[s].id);
        ids.push_back(latest[20 * 17 + s].id);
    }
    const auto end = begin + std::chrono::seconds(kDay);
    bench::report("history.slice_day_ms", askedMs(history, ids, {begin, end}, 1200), "ms");
    bench::report("history.slice_hour_ms", askedMs(history, ids, {end - std::chrono::hours(1), end}, 1200), "ms");
    bench::report("history.slice_quarter_day_raw_ms", askedMs(history, ids, {end - std::chrono::hours(6), end}, 1200), "ms");
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) {
        if (history.latest().size() != latest.size())
            std::abort();
    }
    bench::report("history.latest_800_ms", 10 * bench::secondsSince(start), "ms");
    return 0;
}
