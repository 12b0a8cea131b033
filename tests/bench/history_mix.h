// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace plimsoll::bench {

/// Twenty series of one device as exporters really give them: MiB saw-teeth, percents, watts with
/// three decimals, temperatures, counters, constants, and five that are pure noise (three ratios with
/// six decimals, two byte rates). 5 % of the times are late by up to 4 ms.
class Mix
{
public:
    static constexpr std::size_t kSeries = 20;

    explicit Mix(std::uint64_t seed) : m_random(seed) {}

    [[nodiscard]] std::vector<SeriesDefinition> definitions(std::uint32_t device) const
    {
        std::vector<SeriesDefinition> all;
        for (std::uint32_t s = 0; s < kSeries; ++s) {
            SeriesInfo info;
            info.key = {"gpu.metric_" + std::to_string(s), {{"hw.id", "GPU-" + std::to_string(device)}}};
            info.group = "gpu " + std::to_string(device);
            all.push_back({device * static_cast<std::uint32_t>(kSeries) + s + 1, info});
        }
        return all;
    }

    [[nodiscard]] SampleBlock rows(std::uint32_t device, Instant begin, int count)
    {
        SampleBlock block;
        block.values.resize(kSeries * static_cast<std::size_t>(count));
        for (std::uint32_t s = 0; s < kSeries; ++s)
            block.columns.push_back(device * static_cast<std::uint32_t>(kSeries) + s + 1);
        for (int row = 0; row < count; ++row) {
            const auto late = below(20) == 0 ? std::chrono::milliseconds(below(5)) : std::chrono::milliseconds(0);
            block.times.push_back(begin + std::chrono::seconds(row) + late);
            const auto second = static_cast<double>((begin + std::chrono::seconds(row)).time_since_epoch().count() / 1'000'000'000 % 100'000);
            for (std::size_t s = 0; s < kSeries; ++s)
                block.values[s * static_cast<std::size_t>(count) + static_cast<std::size_t>(row)] = value(s, second);
        }
        return block;
    }

private:
    [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return m_random() % limit; }

    [[nodiscard]] double value(std::size_t series, double second)
    {
        const double phase = std::fmod(second, 40) / 40;
        const double used = 40'000 + std::floor(phase * 8) * 512;
        switch (series) {
        case 0: return used * 1048576;
        case 1: return (81'920 - used) * 1048576;
        case 2: return double(90 + below(11));
        case 3: return double(40 + below(20));
        case 4: return double(60 + below(3));
        case 5: return double(55 + below(3));
        case 6: return double(400'000 + below(60'000)) / 1000;
        case 7: return std::floor(second * 430'000 + double(below(60'000))); // energy, mJ
        case 8: return 1980 - 15 * double(below(2));
        case 9: return 2619;
        case 10: return 0;
        case 11: return 0;
        case 12: return 85'899'345'920;
        case 13: return 700;
        case 14:
        case 15:
        case 16: return double(500'000 + below(300'000)) / 1e6;
        case 17:
        case 18: return double(10'000'000'000 + below(4'000'000'000));
        default: return std::floor(second * 3e9 + double(below(1'000'000'000)));
        }
    }

    std::mt19937_64 m_random;
};

/// A folder for one run, gone with it.
class Folder
{
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "plimsoll-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        m_path = name;
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] std::filesystem::path file() const { return m_path / "history.plim"; }

private:
    std::filesystem::path m_path;
};

inline void post(History &history, Delivery delivery)
{
    const auto weight = delivery.weight();
    while (!history.inbox().tryPost(delivery, weight))
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

inline void report(const char *name, double value, const char *unit)
{
    std::printf("{\"bench\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, value, unit);
    std::fflush(stdout);
}

[[nodiscard]] inline double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace plimsoll::bench
