// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/kineto.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

using namespace plimsoll;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBytes = 200'000'000;
constexpr int kRounds = 5;

// Like a trace of PyTorch 2: nested ops, kernels with their launches, a memory event for each eighth event.
void generate(const fs::path &path)
{
    std::ofstream file(path, std::ios::binary);
    file << "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA H100\", \"totalGlobalMem\": 85028765696\n    }\n  ],\n"
            "  \"profile_memory\": 1,\n  \"traceEvents\": [\n";
    std::mt19937 random(1);
    std::string text;
    std::size_t written = 0;
    std::uint64_t ts = 1669783687384378;
    std::int64_t level = 5'000'000'000;
    for (std::uint64_t i = 0; written < kBytes; ++i) {
        text.clear();
        const auto number = std::to_string(i);
        ts += random() % 7;
        const auto head = [&](const char *category, const std::string &name, const char *pid, const char *tid, std::uint64_t duration) {
            text += "  {\n    \"ph\": \"X\", \"cat\": \"" + std::string(category) + "\", \"name\": \"" + name + "\", \"pid\": " + pid + ", \"tid\": " + tid
                + ",\n    \"ts\": " + std::to_string(ts) + ", \"dur\": " + std::to_string(duration) + ",\n    \"args\": {\n      ";
        };
        switch (i % 8) {
        case 0:
        case 1:
        case 2:
            head("cpu_op", "aten::op_" + std::to_string(random() % 300), "783658", "783658", 5 + random() % 90);
            text += "\"External id\": " + number + ",\"Ev Idx\": " + number + ", \"Fwd thread id\": 1, \"Sequence number\": " + number + "\n    }\n  },\n";
            break;
        case 3:
            head("kernel",
                 "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, "
                 "at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
                 "0", "7", 3 + random() % 40);
            text += "\"External id\": " + number + ", \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": " + number
                + ",\n      \"registers per thread\": 16,\n      \"shared memory\": 0,\n      \"blocks per SM\": 0.3,\n      \"warps per SM\": 1.2,\n"
                  "      \"grid\": [24, 1, 1],\n      \"block\": [128, 1, 1],\n      \"est. achieved occupancy %\": 2\n    }\n  },\n";
            break;
        case 4:
            head("cuda_runtime", "cudaLaunchKernel", "783658", "783658", 4 + random() % 20);
            text += "\"External id\": " + number + ", \"cbid\": 211, \"correlation\": " + number + "\n    }\n  },\n";
            break;
        case 5:
        case 6:
            text += "  {\n    \"ph\": \"" + std::string(i % 8 == 5 ? "s" : "f") + "\", \"id\": " + number + ", \"pid\": 783658, \"tid\": 783658, \"ts\": "
                + std::to_string(ts) + ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n";
            break;
        default: {
            const bool isFree = i / 8 % 2 == 1;
            const std::int64_t bytes = (isFree ? -1 : 1) * static_cast<std::int64_t>(512 * (1 + i / 16 % 4000));
            level += bytes;
            text += "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    \"pid\": 783658, \"tid\": 783658,\n    \"ts\": "
                + std::to_string(ts) + ",\n    \"args\": {\n      \"Ev Idx\": " + number
                + ", \"Device Type\": 1, \"Device Id\": 0, \"Addr\": " + std::to_string(139926520725504 + i / 16 * 2'097'152) + ", \"Bytes\": "
                + std::to_string(bytes) + ", \"Total Allocated\": " + std::to_string(level) + ", \"Total Reserved\": 12782141440\n    }\n  },\n";
        }
        }
        written += text.size();
        file << text;
    }
    file << "  {\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1, \"pid\": 1, \"tid\": 0, \"args\": {\"name\": \"python\"}}\n  ],\n  \"traceName\": \"bench\"\n}\n";
}

// As people call it; its own time, without the start of the interpreter.
double secondsOfPython(const fs::path &path)
{
    const auto command = "python3 -c \"import json,sys,time\nt=time.perf_counter()\nwith open(sys.argv[1]) as f: d=json.load(f)\n"
                         "print(time.perf_counter()-t)\" '"
        + path.string() + '\'';
    std::FILE *pipe = ::popen(command.c_str(), "r");
    double seconds = 0;
    if (!pipe || std::fscanf(pipe, "%lf", &seconds) != 1)
        seconds = 0;
    if (pipe)
        ::pclose(pipe);
    return seconds;
}

void print(const char *name, double value, const char *unit)
{
    std::printf("{\"bench\":\"snapshot.%s\",\"value\":%.4g,\"unit\":\"%s\"}\n", name, value, unit);
    std::fflush(stdout);
}

} // namespace

int main()
{
    const auto folder = fs::temp_directory_path() / ("plimsoll-bench-kineto-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const auto path = folder / "trace.json";
    generate(path);
    const auto bytes = static_cast<double>(fs::file_size(path));
    double best = 0;
    double python = 0;
    for (int round = 0; round < kRounds; ++round) {
        // Between each other, so that a busy machine slows both.
        const auto begin = std::chrono::steady_clock::now();
        auto source = openBytes(path);
        const auto trace = source ? readKineto(**source, {}) : tl::make_unexpected(source.error());
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (!trace || trace->census.devices.size() != 1 || trace->census.devices[0].freeOfUnknownAddress != 0)
            std::abort(); // nothing was measured
        best = round == 0 ? took.count() : std::min(best, took.count());
        if (round < 2) {
            const auto seconds = secondsOfPython(path);
            python = python == 0 ? seconds : std::min(python, seconds);
        }
    }
    print("kineto_mb_per_s", bytes / best / 1e6, "MB/s");
    if (python > 0)
        print("kineto_vs_json", python / best, "x");
    else
        std::fprintf(stderr, "kineto_vs_json was skipped: python3 did not run\n");
    fs::remove_all(folder);
    return 0;
}
