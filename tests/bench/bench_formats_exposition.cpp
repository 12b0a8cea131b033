// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/exporter_map.h"
#include "formats/exposition.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

using namespace plimsoll;

namespace {

constexpr std::size_t kBodyBytes = 10'000'000;
constexpr int kRounds = 5;

// Like a cluster's federation page: many GPUs and pods, a few labels each.
std::string generate(bool isOpenMetrics)
{
    std::string body;
    body.reserve(kBodyBytes + 4096);
    for (int family = 0; body.size() < kBodyBytes; ++family) {
        const std::string name = "bench_metric_" + std::to_string(family) + "_bytes";
        body += "# TYPE " + name + " gauge\n# HELP " + name + " What the benchmark reads.\n";
        for (int series = 0; series < 200; ++series) {
            body += name + "{host=\"node-" + std::to_string(series / 8) + "\",gpu=\"" + std::to_string(series % 8)
                + "\",uuid=\"GPU-34319582-d595-d1c7-d1d2-" + std::to_string(100000000000 + series) + "\",pod=\"job-"
                + std::to_string(family * 7 % 1000) + "-worker\"} " + std::to_string(series * 1048576 + family) + ".5\n";
        }
    }
    if (isOpenMetrics)
        body += "# EOF\n";
    return body;
}

void measure(const char *name, std::size_t bytes, const std::function<std::size_t()> &work)
{
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        const auto samples = work();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (samples == 0)
            std::abort(); // nothing was measured
        best = std::max(best, static_cast<double>(bytes) / took.count());
    }
    std::printf("{\"bench\":\"formats.%s\",\"value\":%.0f,\"unit\":\"bytes/s\"}\n", name, best);
    std::fflush(stdout);
}

} // namespace

int main()
{
    const auto text = generate(false);
    const auto openMetrics = generate(true);
    const auto parse = [](const std::string &body, ExpositionFormat format) {
        const auto exposition = parseExposition(body, format);
        return exposition ? exposition->samples.size() : 0;
    };
    measure("exposition_text", text.size(), [&] { return parse(text, ExpositionFormat::PrometheusText); });
    measure("exposition_openmetrics", openMetrics.size(), [&] { return parse(openMetrics, ExpositionFormat::OpenMetrics); });
    const auto exposition = parseExposition(text, ExpositionFormat::PrometheusText);
    measure("exposition_map", text.size(), [&] { return mapExposition(*exposition, {"http://bench", "bench", {}}).samples.size(); });
    return 0;
}
