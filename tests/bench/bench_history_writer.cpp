// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/history_mix.h"

#include <algorithm>
#include <cstdio>

using namespace plimsoll;

/// Samples from memory to committed chunks, strips and tail, and what they cost on disk.
int main()
{
    constexpr std::uint32_t kDevices = 400;
    constexpr int kRows = 1800;
    constexpr int kStep = 60;
    const auto begin = fromUnixNanos(1'764'000'000'000'000'000);
    bench::Folder folder;
    HistoryOptions options;
    options.file = folder.file();
    options.inboxBytes = 256U << 20U;
    auto history = History::open(options);
    if (!history) {
        std::fprintf(stderr, "%s\n", history.error().detail.c_str());
        return 1;
    }
    bench::Mix mix(1);
    std::uint64_t sequence = 1;
    Delivery names{"host", 1, {}, {}, {}, {}};
    for (std::uint32_t device = 0; device < kDevices; ++device) {
        const auto some = mix.definitions(device);
        names.definitions.insert(names.definitions.end(), some.begin(), some.end());
    }
    bench::post(**history, std::move(names));
    (*history)->flush();

    // The generator is slower than the writer: only the time that the writer needs is counted.
    double seconds = 0;
    std::uint64_t samples = 0;
    for (int row = 0; row < kRows; row += kStep) {
        std::vector<Delivery> made;
        for (std::uint32_t device = 0; device < kDevices; ++device) {
            auto block = mix.rows(device, begin + std::chrono::seconds(row), kStep);
            samples += block.samples();
            made.push_back({"host", 1, {}, {{sequence++, std::move(block)}}, {}, {}});
        }
        const auto start = std::chrono::steady_clock::now();
        for (auto &delivery : made)
            bench::post(**history, std::move(delivery));
        (*history)->flush();
        seconds += bench::secondsSince(start);
    }
    const auto start = std::chrono::steady_clock::now();
    history->reset(); // takes the log in
    seconds += bench::secondsSince(start);
    bench::report("history.writer", double(samples) / seconds, "samples/s");

    // One device over a day, as a workstation has it: everything the file holds, by samples.
    bench::Folder second;
    options.file = second.file();
    auto day = History::open(options);
    if (!day)
        return 1;
    constexpr int kDay = 86'400;
    sequence = 1;
    for (int row = 0; row < kDay; row += 600) {
        auto block = mix.rows(0, begin + std::chrono::seconds(row), 600);
        bench::post(**day, {"host", 1, mix.definitions(0), {{sequence++, std::move(block)}}, {}, {}});
        (*day)->flush();
    }
    day->reset();
    bench::report("history.bytes_per_sample",
                  double(std::filesystem::file_size(second.file())) / (double(kDay) * bench::Mix::kSeries), "B");
    return 0;
}
