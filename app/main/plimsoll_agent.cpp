// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon of a node: options in, one Agent, stop on SIGTERM or SIGINT.
#include "agent/agent.h"
#include "base/format.h"
#include "plimsoll-agent/parse.h"

#include <CLI/CLI.hpp>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

constexpr int kBadUsage = 2;

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

std::string defaultListen()
{
    if (::geteuid() == 0)
        return "unix:/run/plimsoll/agent.sock";
    if (const auto runtime = variable("XDG_RUNTIME_DIR"); !runtime.empty())
        return "unix:" + runtime + "/plimsoll/agent.sock";
    return "127.0.0.1:7443";
}

std::string defaultSpool()
{
    if (::geteuid() == 0)
        return "/var/lib/plimsoll";
    if (const auto given = variable("STATE_DIRECTORY"); !given.empty())
        return given; // systemd's StateDirectory=
    if (const auto state = variable("XDG_STATE_HOME"); !state.empty())
        return state + "/plimsoll/agent";
    if (const auto home = variable("HOME"); !home.empty())
        return home + "/.local/state/plimsoll/agent";
    return {};
}

// Before any thread is there. An agent is small: two arenas are plenty, and what a
// large scrape needed for a moment goes back.
void settle()
{
    ::mallopt(M_ARENA_MAX, 2);
    ::mallopt(M_TRIM_THRESHOLD, 128 << 10);
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
    ::setenv("GRPC_ENABLE_FORK_SUPPORT", "0", 0);
    ::setenv("GRPC_VERBOSITY", "NONE", 0); // what went wrong we say ourselves
    // A file is kept open for each watched process.
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &files);
    }
    // Blocked here and in every thread made from here on; main waits for them.
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTERM);
    ::sigaddset(&signals, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

// Much of what is resident after a start is code that ran once: of the libraries, of
// options, of the first connection. Program text is never written to, so its pages can
// be let go; what is needed comes back from the page cache.
void forgetStartupCode()
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0;
        unsigned long end = 0;
        if (line.find(" r-xp ") == std::string::npos || line.find(" /") == std::string::npos
            || std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2)
            continue;
        ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
    }
}

void waitForEnd()
{
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTERM);
    ::sigaddset(&signals, SIGINT);
    constexpr timespec kStarted{3, 0};
    if (::sigtimedwait(&signals, nullptr, &kStarted) > 0)
        return;
    forgetStartupCode();
    int received = 0;
    ::sigwait(&signals, &received);
}

const CLI::Validator kDuration(
    [](std::string &text) { return parseDuration(text) ? std::string() : "\"" + text + "\" is no duration like 1s or 500 ms"; },
    "DURATION");
const CLI::Validator kSize(
    [](std::string &text) { return parseBytes(text) ? std::string() : "\"" + text + "\" is no size like 64MiB"; }, "SIZE");

// "NAME=PID"; the name may contain '='.
bool addJob(const std::string &text, AgentOptions &options)
{
    const auto equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
        return false;
    char *end = nullptr;
    const long pid = std::strtol(text.c_str() + equals + 1, &end, 10);
    if (end == nullptr || *end != '\0' || pid <= 0 || pid > 1 << 30)
        return false;
    options.jobs[text.substr(0, equals)] = static_cast<int>(pid);
    return true;
}

int serve(AgentOptions options)
{
    settle();
    options.log = [](const std::string &line) { std::cerr << "plimsoll-agent: " + line + '\n'; };
    auto agent = Agent::start(std::move(options));
    if (!agent) {
        std::cerr << "plimsoll-agent: " << agent.error().detail << '\n';
        return kBadUsage;
    }
    std::cout << "listening on " << (*agent)->address() << std::endl; // whoever started us may wait for it
    waitForEnd();
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app{"Measures the memory of this machine and of its jobs, and streams it to Plimsoll.", "plimsoll-agent"};
    app.set_version_flag("--version", "plimsoll-agent " PLIMSOLL_VERSION);
    AgentOptions options;
    std::string interval = "1s";
    std::string scrapeInterval = "5s";
    std::string spoolLimit = "64MiB";
    std::string spool = defaultSpool();
    std::vector<std::string> jobs;
    options.listen = defaultListen();
    app.add_option("--listen", options.listen, "unix:/path or host:port; port 0 is any free one")->capture_default_str();
    app.add_option("--interval", interval, "between two samples")->check(kDuration)->capture_default_str();
    app.add_option("--scrape", options.scrape, "URL of a Prometheus exporter; may be given again");
    app.add_option("--scrape-interval", scrapeInterval, "between two scrapes")->check(kDuration)->capture_default_str();
    app.add_option("--job", jobs, "NAME=PID: this process and its children are job NAME");
    app.add_option("--spool", spool, "folder that keeps samples until they are fetched; \"\" = memory only")
        ->capture_default_str();
    app.add_option("--spool-limit", spoolLimit, "what the spool may take")->check(kSize)->capture_default_str();
    app.add_option("--host", options.hostName, "name of this host in the samples; default its own");
    app.add_flag("--insecure", options.allowInsecure, "listen beyond this machine although nothing is encrypted");

    ParseOptions parse;
    auto *parseCommand = app.add_subcommand("parse", "print what one exposition body becomes");
    parseCommand->add_option("FILE", parse.file, "a body as an exporter sends it; - is standard input")->required();
    parseCommand->add_flag("--json", parse.json, "as one JSON document");
    parseCommand->add_option("--format", parse.format, "text, openmetrics or protobuf; else it is guessed");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : kBadUsage;
    }
    if (parseCommand->parsed())
        return runParse(parse, std::cout, std::cerr);
    for (const auto &job : jobs) {
        if (!addJob(job, options)) {
            std::cerr << "plimsoll-agent: --job wants NAME=PID, not \"" << job << "\"\n";
            return kBadUsage;
        }
    }
    options.interval = *parseDuration(interval);
    options.scrapeInterval = *parseDuration(scrapeInterval);
    options.spoolLimit = *parseBytes(spoolLimit);
    options.spool = spool;
    return serve(std::move(options));
}
