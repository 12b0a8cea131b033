// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/pickle_census.h"
#include "formats/torch_pickle.h"
#include "snapshot/census.h"
#include "snapshot/peaks.h"
#include "snapshot/replay.h"
#include "snapshot/stack_totals.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace plimsoll;
namespace fs = std::filesystem;

namespace {

constexpr int kRounds = 3;
constexpr std::uint64_t kFullEvents = 3'910'172; // a gigabyte

void report(const char *name, double value, const char *unit)
{
    std::printf("{\"bench\":\"snapshot.%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, value, unit);
    std::fflush(stdout);
}

void fail(const std::string &what)
{
    std::fprintf(stderr, "bench_snapshot_load: %s\n", what.c_str());
    std::exit(1);
}

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

// --- what is measured

/// From the file's name to the result: all that a person waits for.
std::size_t readWhole(const std::string &path, const SnapshotReading &reading = {})
{
    auto source = openBytes(path);
    if (!source)
        fail(source.error().detail);
    const auto snapshot = readTorchPickle(**source, reading);
    if (!snapshot) {
        if (snapshot.error().code == Error::Code::Cancelled)
            return 0;
        fail(snapshot.error().detail);
    }
    return snapshot->events.size();
}

/// From the file's name to the summary: totals, peak, failures.
std::size_t summarise(const std::string &path)
{
    auto source = openBytes(path);
    if (!source)
        fail(source.error().detail);
    const auto snapshot = readTorchPickle(**source, {});
    if (!snapshot)
        fail(snapshot.error().detail);
    std::size_t found = 0;
    for (const auto &device : devicesOf(*snapshot)) {
        const Replay replay(*snapshot, device);
        const auto census = censusOf(replay);
        found += census.events + oomMoments(replay).size() + aliveByStack(replay, replay.peakInstant()).size();
    }
    return found;
}

std::uint64_t countWhole(const std::string &path)
{
    auto source = openBytes(path);
    if (!source)
        fail(source.error().detail);
    const auto census = countOpcodes(**source);
    if (!census)
        fail(census.error().detail);
    return census->bytes;
}

// --- in a process of its own, so that its memory is only what this took

struct Run
{
    double seconds = 0;
    double cpuSeconds = 0;
    double peakBytes = 0;
};

int runChild(const char *what, const char *path)
{
    const auto begin = std::chrono::steady_clock::now();
    const std::string_view mode(what);
    const auto count = mode == "--read" ? readWhole(path) : mode == "--summary" ? summarise(path) : countWhole(path);
    const auto seconds = secondsSince(begin);
    if (count == 0)
        return 1;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto of = [](const timeval &time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
    std::printf("%.6f %.6f %.0f\n", seconds, of(usage.ru_utime) + of(usage.ru_stime), static_cast<double>(usage.ru_maxrss) * 1024);
    return 0;
}

std::string output(const std::string &command)
{
    auto *pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
        fail("cannot start " + command);
    std::string out;
    std::array<char, 4096> buffer{};
    while (const auto got = std::fread(buffer.data(), 1, buffer.size(), pipe))
        out.append(buffer.data(), got);
    if (::pclose(pipe) != 0)
        fail("this failed: " + command);
    return out;
}

Run run(const char *what, const std::string &path)
{
    static const auto self = fs::read_symlink("/proc/self/exe").string();
    Run result;
    const auto line = output("'" + self + "' " + what + " '" + path + "'");
    if (std::sscanf(line.c_str(), "%lf %lf %lf", &result.seconds, &result.cpuSeconds, &result.peakBytes) != 3)
        fail("no figures in: " + line);
    return result;
}

double pythonSeconds(const std::string &path, bool hasCollector)
{
    const std::string script = std::string("import gc,pickle,time\n") + (hasCollector ? "" : "gc.disable()\n")
        + "f=open('" + path + "','rb')\nt=time.perf_counter()\nd=pickle.load(f)\nprint(time.perf_counter()-t)\nimport os\n"
          "import sys\nsys.stdout.flush()\nos._exit(0)\n"; // not the time to free it all
    return std::strtod(output("python3 -c \"" + script + "\"").c_str(), nullptr);
}

// --- inputs

class Folder
{
public:
    Folder()
    {
        auto name = (fs::temp_directory_path() / "plimsoll-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            fail("there is no room for a temporary folder");
        m_path = name;
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    [[nodiscard]] std::string file(const char *name) const { return (m_path / name).string(); }

private:
    fs::path m_path;
};

const std::string kTraces = PLIMSOLL_SOURCE_DIR "/tests/bench/make_traces.py";
const std::string kGenerator = PLIMSOLL_SHARED_DATA "/../tools/make_snapshot.py";
const std::string kCaptures = PLIMSOLL_SHARED_DATA "/snapshots/";

void make(const std::string &path, std::uint64_t events)
{
    if (fs::exists(kGenerator))
        (void)output("python3 '" + kGenerator + "' --events " + std::to_string(events) + " -o '" + path + "'");
    else
        (void)output("python3 '" + kTraces + "' synthetic " + std::to_string(events) + " '" + path + "'");
}

double sizeOf(const std::string &path)
{
    return static_cast<double>(fs::file_size(path));
}

// --- figures

void measureBig(const std::string &path)
{
    std::vector<double> seconds;
    std::vector<double> summary;
    std::vector<double> cpu;
    std::vector<double> bare;
    std::vector<double> bareCpu;
    double peak = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto ours = run("--read", path);
        const auto opcodes = run("--count", path);
        const auto whole = run("--summary", path);
        summary.push_back(whole.seconds);
        seconds.push_back(ours.seconds);
        cpu.push_back(ours.cpuSeconds);
        bare.push_back(opcodes.seconds);
        bareCpu.push_back(opcodes.cpuSeconds);
        peak = std::max(peak, whole.peakBytes);
    }
    const auto bytes = sizeOf(path);
    report("read_s", median(seconds), "s");
    report("read_cpu_s", median(cpu), "s");
    report("read_mb_per_s", bytes / 1e6 / median(seconds), "MB/s");
    report("peak_rss_per_file", peak / bytes, "ratio");
    report("read_vs_bare_opcodes", median(seconds) / median(bare), "ratio");
    report("read_vs_bare_opcodes_cpu", median(cpu) / median(bareCpu), "ratio");
    report("summary_s", median(summary), "s");
    report("load_vs_pickle_nogc", pythonSeconds(path, false) / median(summary), "ratio");
    report("load_vs_pickle", pythonSeconds(path, true) / median(summary), "ratio");
}

void measureCancel(const std::string &path)
{
    std::vector<double> took;
    for (int round = 0; round < 5; ++round) {
        std::stop_source stop;
        SnapshotReading reading;
        reading.stop = stop.get_token();
        std::chrono::steady_clock::time_point asked;
        {
            const std::jthread reader([&] { (void)readWhole(path, reading); });
            std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * round));
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        }
        took.push_back(1e3 * secondsSince(asked));
    }
    report("cancel_ms", *std::max_element(took.begin(), took.end()), "ms");
}

void measureSmall(const std::string &path)
{
    std::vector<double> took;
    for (int round = 0; round < 11; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        (void)readWhole(path);
        took.push_back(1e3 * secondsSince(begin));
    }
    report("read_10mb_ms", median(took) * 1e7 / sizeOf(path), "ms");
}

void measureMemory(const Folder &folder, double scale)
{
    const auto path = folder.file("repeated.pickle");
    double worst = 0;
    if (fs::exists(kCaptures)) {
        for (const char *name : {"windows-python-only", "cs336-medium128-train", "cs336-inductor", "expandable-oom-3gpu"}) {
            (void)output("python3 '" + kTraces + "' repeat '" + kCaptures + name + ".pickle' "
                         + std::to_string(static_cast<std::uint64_t>(400e6 * scale)) + " '" + path + "'");
            const auto result = run("--read", path);
            worst = std::max(worst, result.peakBytes / sizeOf(path));
            fs::remove(path);
        }
        report("peak_rss_per_file_repeated", worst, "ratio");
    }
    (void)output("python3 '" + kTraces + "' worst " + std::to_string(static_cast<std::uint64_t>(1'495'000 * scale)) + " '" + path + "'");
    const auto result = run("--read", path);
    report("peak_rss_per_file_worst", result.peakBytes / sizeOf(path), "ratio");
    report("read_worst_mb_per_s", sizeOf(path) / 1e6 / result.seconds, "MB/s");
}

} // namespace

/// Big snapshots from the disk into columns, beside CPython's pickle in the same run. PLIMSOLL_BENCH_EVENTS
/// makes everything smaller than the gigabyte of 3,910,172 events.
int main(int count, char **arguments)
{
    if (count == 3)
        return runChild(arguments[1], arguments[2]);
    const char *wanted = std::getenv("PLIMSOLL_BENCH_EVENTS");
    const auto events = wanted ? std::strtoull(wanted, nullptr, 10) : kFullEvents;
    const Folder folder;
    const auto small = folder.file("small.pickle");
    make(small, 37'500);
    measureSmall(small);
    const auto big = folder.file("big.pickle");
    make(big, events);
    measureBig(big);
    measureCancel(big);
    fs::remove(big);
    measureMemory(folder, std::min(1.0, static_cast<double>(events) / static_cast<double>(kFullEvents)));
    return 0;
}
