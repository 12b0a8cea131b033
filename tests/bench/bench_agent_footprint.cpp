// SPDX-License-Identifier: GPL-3.0-or-later
// What the agent costs: the real program watches 200 real processes once a second
// while a client streams from it. Prints one JSON line a figure.
#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace v1 = plimsoll::v1;
using namespace std::chrono_literals;

namespace {

constexpr int kJobs = 8;
constexpr int kProcessesPerJob = 25;
constexpr auto kSettle = 5s;
constexpr auto kMeasured = 20s;

// With an environment of its own, which only exec can give.
pid_t startSleeper(int job)
{
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setenv("PLIMSOLL_JOB_ID", ("bench-" + std::to_string(job)).c_str(), 1);
        ::setenv("PLIMSOLL_MODEL_ID", "llama-70b", 1);
        ::setenv("PLIMSOLL_TEAM", "nlp", 1);
        ::execlp("sleep", "sleep", "600", nullptr);
        ::_exit(127);
    }
    return pid;
}

struct Started
{
    pid_t pid = -1;
    std::string address;
};

Started startAgent(const std::filesystem::path &spool)
{
    int pipe[2];
    if (::pipe(pipe) != 0)
        return {};
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(pipe[1], STDOUT_FILENO);
        ::close(pipe[0]);
        const std::string program = PLIMSOLL_BINARY_DIR "/plimsoll-agent";
        const std::string listen = "unix:" + (spool.parent_path() / "agent.sock").string();
        ::execl(program.c_str(), program.c_str(), "--listen", listen.c_str(), "--spool", spool.c_str(), "--interval", "1s",
                nullptr);
        ::_exit(127);
    }
    ::close(pipe[1]);
    std::string line;
    for (char c = 0; ::read(pipe[0], &c, 1) == 1 && c != '\n';)
        line += c;
    ::close(pipe[0]);
    constexpr std::string_view kPrefix = "listening on ";
    return {pid, line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : std::string()};
}

double cpuSeconds(pid_t pid)
{
    double total = 0; // of its threads: in nanoseconds, where utime and stime are in ticks of 10 ms
    for (const auto &task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        std::ifstream stat(task.path() / "schedstat");
        double nanos = 0;
        stat >> nanos;
        total += nanos / 1e9;
    }
    return total;
}

double statusMib(pid_t pid, const std::string &key)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(key + ':'))
            return std::strtod(line.c_str() + key.size() + 1, nullptr) / 1024;
    }
    return 0;
}

void print(const char *name, double value, const char *unit)
{
    std::printf("{\"bench\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, value, unit);
}

} // namespace

int main()
{
    char folderName[] = "/tmp/plimsoll-bench-XXXXXX";
    if (::mkdtemp(folderName) == nullptr)
        return 1;
    const std::filesystem::path folder(folderName);
    std::vector<pid_t> sleepers;
    for (int i = 0; i < kJobs * kProcessesPerJob; ++i)
        sleepers.push_back(startSleeper(i / kProcessesPerJob));
    const auto agent = startAgent(folder / "spool");

    std::size_t samples = 0;
    std::size_t frames = 0;
    if (!agent.address.empty()) {
        auto channel = grpc::CreateChannel(agent.address, grpc::InsecureChannelCredentials());
        auto stub = v1::Agent::NewStub(channel);
        grpc::ClientContext context;
        v1::WatchRequest request;
        request.mutable_version()->set_major(1);
        auto reader = stub->Watch(&context, request);
        std::atomic<bool> isMeasuring = false;
        std::jthread watching([&] {
            v1::WatchMessage message;
            while (reader->Read(&message)) {
                if (isMeasuring && message.frame().has_batch()) {
                    samples += static_cast<std::size_t>(message.frame().batch().values_size());
                    ++frames;
                }
            }
        });
        std::this_thread::sleep_for(kSettle);
        isMeasuring = true;
        const double before = cpuSeconds(agent.pid);
        const auto begin = std::chrono::steady_clock::now();
        std::this_thread::sleep_for(kMeasured);
        const double used = cpuSeconds(agent.pid) - before;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        print("agent.cpu_percent_of_core", 100 * used / seconds, "%");
        print("agent.rss_mib", statusMib(agent.pid, "VmRSS"), "MiB");
        print("agent.rss_peak_mib", statusMib(agent.pid, "VmHWM"), "MiB");
        isMeasuring = false;
        context.TryCancel();
        watching.join();
        print("agent.samples_per_second", static_cast<double>(samples) / seconds, "samples/s");
        print("agent.frames_per_second", static_cast<double>(frames) / seconds, "frames/s");
    }
    for (const pid_t pid : sleepers)
        ::kill(pid, SIGKILL);
    if (agent.pid > 0)
        ::kill(agent.pid, SIGTERM);
    while (::waitpid(-1, nullptr, 0) > 0)
        ;
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    // Each tick a frame, and all 200 in it: else the figures above are of something else.
    const bool isReal = frames >= 15 && samples / std::max<std::size_t>(frames, 1) >= kJobs * kProcessesPerJob;
    if (!isReal)
        std::fprintf(stderr, "bench_agent_footprint: the agent did not deliver 200 processes a second\n");
    return isReal ? 0 : 1;
}
