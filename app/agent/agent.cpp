// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/agent.h"

#include "agent/job_collector.h"
#include "agent/journal.h"
#include "agent/kept_file.h"
#include "agent/listen_address.h"
#include "agent/pressure.h"
#include "agent/procfs.h"
#include "agent/sampler.h"
#include "agent/scrape.h"
#include "agent/server.h"
#include "agent/spool.h"
#include "agent/spool_state.h"
#include "base/text.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

namespace plimsoll {
namespace {

constexpr std::string_view kProgram = "plimsoll-agent " PLIMSOLL_VERSION;

std::string ownHostName()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0')
        return "localhost";
    return safeText(name.data());
}

// Without a folder to keep an id in: the same for the same machine, user and address.
std::string idOfPlace(const ListenAddress &address)
{
    if (!address.isUnix && address.port == 0)
        return makeAgentId();
    std::string buffer;
    std::string place(readOnce("/etc/machine-id", buffer, 64).value_or(std::string_view()));
    place += '/' + std::to_string(::getuid()) + '/' + address.text();
    std::array<char, 40> text{};
    std::uint64_t a = 0xcbf29ce484222325ULL;
    std::uint64_t b = 0x9ae16a3b2f90404fULL;
    for (const char byte : place) {
        a = (a ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
        b = (b + static_cast<unsigned char>(byte)) * 0x9ddfea08eb382d69ULL;
    }
    const int length = std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(a),
                                     static_cast<unsigned long long>(b));
    return {text.data(), static_cast<std::size_t>(length)};
}

Result<ListenAddress> check(const AgentOptions &options)
{
    using namespace std::chrono_literals;
    const auto bad = [](std::string why) { return failure(Error::Code::BadInput, std::move(why)); };
    if (options.interval < 50ms || options.interval > 1h)
        return bad("The interval lies between 50 ms and 1 h.");
    if (options.scrapeInterval < 100ms || options.scrapeInterval > 24h)
        return bad("The scrape interval lies between 0.1 s and 24 h.");
    if (options.spoolLimit.value < kMiB)
        return bad("The spool needs at least 1 MiB.");
    for (const auto &[name, pid] : options.jobs) {
        if (name.empty() || pid <= 0)
            return bad("A job is given as NAME=PID.");
    }
    for (const auto &url : options.scrape) {
        if (hostOf(url).empty())
            return bad("\"" + safeText(publicUrl(url)) + "\" cannot be scraped: expected http://host:port/path.");
    }
    auto address = parseListenAddress(options.listen);
    if (address && !address->isThisMachineOnly() && !options.allowInsecure)
        return bad(address->text() + " can be reached from other machines, and nothing there is encrypted or asks who is "
                                     "calling. Listen on a Unix socket or 127.0.0.1 (and tunnel), or say --insecure.");
    return address;
}

} // namespace

class Agent::Private
{
public:
    explicit Private(AgentOptions given) : options(std::move(given)) {}
    Private(const Private &) = delete;
    Private &operator=(const Private &) = delete;
    ~Private();

    [[nodiscard]] Result<void> start(const ListenAddress &address);
    void addCollectors();
    void tell(EventKind kind, std::string text);
    [[nodiscard]] std::vector<SourceState> sources() const;

    AgentOptions options;
    std::vector<std::string> capabilities{"procfs", "jobs"};
    std::unique_ptr<Journal> journal;
    std::unique_ptr<Sampler> sampler;
    std::unique_ptr<Scraper> scraper; // null when nothing is to be scraped
    std::unique_ptr<Server> server; // before the journal goes
};

Result<void> Agent::Private::start(const ListenAddress &address)
{
    SpoolOptions spoolOptions;
    spoolOptions.folder = options.spool;
    spoolOptions.limit = options.spoolLimit;
    spoolOptions.memoryLimit = std::min(spoolOptions.memoryLimit, options.spoolLimit);
    spoolOptions.fallbackId = idOfPlace(address);
    spoolOptions.bootId = readBootId();
    auto spool = Spool::open(std::move(spoolOptions));
    if (!spool)
        return tl::make_unexpected(spool.error());
    if (options.log && !spool->problem().empty())
        options.log(spool->problem());
    const auto notice = spool->notice();
    journal = std::make_unique<Journal>(std::move(*spool));
    sampler = std::make_unique<Sampler>(*journal, options.hostName);
    addCollectors();
    if (!options.scrape.empty()) {
        scraper = std::make_unique<Scraper>(*journal, ScrapeOptions{options.scrape, options.scrapeInterval, options.hostName, {}});
        capabilities.emplace_back("scrape");
    }

    tell(EventKind::AgentStarted, std::string(kProgram) + " started on " + options.hostName + '.');
    if (!notice.empty()) {
        tell(EventKind::SamplesLost, notice);
        if (options.log)
            options.log(notice);
    }
    ServerFacts facts{std::string(kProgram), options.hostName, capabilities, options.interval, [this] { return sources(); },
                      options.log};
    auto started = Server::start(address, *journal, std::move(facts));
    if (!started) {
        journal->close();
        return tl::make_unexpected(started.error());
    }
    server = std::move(*started);
    journal->setWake([this] { server->wake(); });
    if (!address.isThisMachineOnly() && options.log)
        options.log("WARNING: " + server->address()
                    + " can be reached from other machines; nothing is encrypted, and anyone who reaches it may read.");
    sampler->start();
    if (scraper)
        scraper->start();
    return {};
}

void Agent::Private::addCollectors()
{
    sampler->add(std::make_unique<Procfs>(*journal, options.procRoot, options.hostName, options.interval));
    auto pressure = std::make_unique<Pressure>(*journal, options.procRoot, options.hostName, options.interval);
    if (pressure->isAvailable()) {
        sampler->add(std::move(pressure));
        capabilities.emplace_back("pressure");
    }
    JobOptions jobs{options.procRoot, options.cgroupRoot, options.hostName, options.interval, options.jobs};
    auto collector = std::make_unique<JobCollector>(*journal, std::move(jobs));
    if (const auto version = collector->cgroupMount().version; version != CgroupMount::Version::None)
        capabilities.emplace_back(version == CgroupMount::Version::V1 ? "cgroup1" : "cgroup2");
    sampler->add(std::move(collector));
}

Agent::Private::~Private()
{
    if (sampler)
        sampler->stop();
    if (scraper)
        scraper->stop();
    if (server) {
        tell(EventKind::AgentStopped, std::string(kProgram) + " stopped on " + options.hostName + '.');
        journal->setWake({});
        server.reset();
        journal->close();
    }
}

void Agent::Private::tell(EventKind kind, std::string text)
{
    journal->publish(Event{systemClock().now(), kind, Labels{{std::string(label::kHost), options.hostName}}, std::move(text),
                           std::nullopt});
}

std::vector<SourceState> Agent::Private::sources() const
{
    auto states = sampler->states();
    if (scraper) {
        auto scraped = scraper->states();
        states.insert(states.end(), std::make_move_iterator(scraped.begin()), std::make_move_iterator(scraped.end()));
    }
    states.push_back(journal->spoolState());
    return states;
}

Result<std::unique_ptr<Agent>> Agent::start(AgentOptions options)
{
    const auto address = check(options);
    if (!address)
        return tl::make_unexpected(address.error());
    if (options.hostName.empty())
        options.hostName = ownHostName();
    auto d = std::make_unique<Private>(std::move(options));
    if (const auto started = d->start(*address); !started)
        return tl::make_unexpected(started.error());
    return std::unique_ptr<Agent>(new Agent(std::move(d)));
}

Agent::Agent(std::unique_ptr<Private> made) : d(std::move(made)) {}
Agent::~Agent() = default;

std::string Agent::address() const
{
    return d->server->address();
}

std::string Agent::hostName() const
{
    return d->options.hostName;
}

} // namespace plimsoll
