// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/session_engine.h"

#include "agent/agent.h"
#include "ingest/channel.h"
#include "session/app_paths.h"
#include "session/fleet_feed.h"
#include "session/history_opener.h"
#include "session/recent_events.h"
#include "session/session_text.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace plimsoll {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr Duration kFastest = 100ms;     // between two pieces of news
constexpr Duration kSlowest = 1s;        // ages grow even when nothing comes
constexpr Duration kFirstLook = 30ms;    // until there is a fleet to show
constexpr Duration kImpatience = 10s;    // after which kFirstLook is given up
constexpr Duration kExtentEvery = 60s;   // retention moves its begin
constexpr std::size_t kEventsAtStart = 5'000;
constexpr std::size_t kEventsACommit = 2'000;
constexpr Duration kEventsBack = std::chrono::hours(24 * 30); // a job may run for weeks

/// A share of a core: who takes 50 ms to look waits 500 ms before the next look.
constexpr int kRestPerWork = 10;

TimeRange united(const std::optional<TimeRange> &a, const TimeRange &b)
{
    return a ? TimeRange{std::min(a->begin, b.begin), std::max(a->end, b.end)} : b;
}

} // namespace

class SessionEngine::Private
{
public:
    Private(SessionOptions wanted, const Clock &time, Publish sink)
        : options(std::move(wanted)), clock(time), publish(std::move(sink))
    {
    }

    void run(const std::stop_token &stop);
    void post(std::function<void()> command);

private:
    struct Connection
    {
        EndpointConfig endpoint;
        std::unique_ptr<Channel> channel; // null: the embedded agent did not start
        ConnectionState state;
    };

    void open();
    void startAgent();
    void connect(EndpointConfig endpoint);
    void addFailedAgent(SessionFailure failure);
    void rest(const std::stop_token &stop);
    void runCommands();
    [[nodiscard]] bool takeStates();
    void look();
    void lookAtEvents(TimeRange range, std::size_t most);
    void lookAtFleet();
    void lookAtStatus(bool statesChanged);
    void lookAtHealth(const HistoryState &state);
    void hand();

public:
    void add(EndpointConfig endpoint);
    void remove(const std::string &address);
    void retry(const std::string &address);

private:
    const SessionOptions options;
    const Clock &clock;
    const Publish publish;

    // Other threads wake the engine through these.
    std::mutex mutex;
    std::condition_variable_any woken;
    std::vector<std::function<void()>> commands;
    std::optional<TimeRange> committed;
    std::map<std::string, ConnectionState> arrivedStates; // by address

    // The engine's thread only, which also ends them: channels post into the history and
    // ask it where to go on, so they go first; the agent is only their peer.
    std::unique_ptr<TemporaryFolder> historyFolder;
    std::shared_ptr<History> history;
    std::unique_ptr<TemporaryFolder> socketFolder;
    std::unique_ptr<Agent> agent;
    std::vector<Connection> connections;

    FleetFeed feed;
    RecentEvents recent;
    SessionNews news;
    std::shared_ptr<const Fleet> fleet = std::make_shared<const Fleet>();
    std::shared_ptr<const std::vector<SeriesEntry>> series = std::make_shared<const std::vector<SeriesEntry>>();
    std::optional<TimeRange> extent;
    SessionStatus status;
    HistoryState::Health health = HistoryState::Health::Fine;
    Steady::time_point startedAt = Steady::now();
    Steady::time_point extentReadAt;
    Steady::time_point lookedAt;
    Duration lookTook{};

public:
    std::jthread thread; // last: joined first
};

SessionEngine::SessionEngine(SessionOptions options, const Clock &clock, Publish publish)
    : d(std::make_unique<Private>(std::move(options), clock, std::move(publish)))
{
    d->thread = std::jthread([this](const std::stop_token &stop) { d->run(stop); });
}

SessionEngine::~SessionEngine() = default;

void SessionEngine::addEndpoint(EndpointConfig endpoint)
{
    d->post([this, endpoint = std::move(endpoint)] { d->add(endpoint); });
}

void SessionEngine::removeEndpoint(std::string address)
{
    d->post([this, address = std::move(address)] { d->remove(address); });
}

void SessionEngine::retryNow(std::string address)
{
    d->post([this, address = std::move(address)] { d->retry(address); });
}

void SessionEngine::Private::post(std::function<void()> command)
{
    {
        const std::lock_guard lock(mutex);
        commands.push_back(std::move(command));
    }
    woken.notify_one();
}

void SessionEngine::Private::run(const std::stop_token &stop)
{
    open();
    if (history) {
        if (options.hostAgent && !stop.stop_requested())
            startAgent();
        for (const EndpointConfig &endpoint : options.endpoints)
            connect(endpoint);
        news.connections = std::make_shared<const std::vector<ConnectionState>>(); // look() fills it
    }
    while (!stop.stop_requested()) {
        if (history)
            look();
        hand();
        rest(stop);
        runCommands();
    }
    // Here and not in the destructor: the GUI thread only joins.
    connections.clear();
    news = {};
    history.reset(); // the slice service gave up its share before
    agent.reset();
}

void SessionEngine::Private::open()
{
    HistoryOptions wanted;
    wanted.file = options.historyFile.empty() ? paths::historyFile() : options.historyFile;
    wanted.keepRaw = options.keepRaw;
    wanted.sizeLimit = options.historyLimit;
    wanted.commitInterval = 250ms; // a lone sample is written at once, a flood four times a second
    OpenedHistory opened = openHistory(
        wanted,
        [this](TimeRange range) {
            {
                const std::lock_guard lock(mutex);
                committed = united(committed, range);
            }
            woken.notify_one();
        },
        clock);
    historyFolder = std::move(opened.folder);
    history = std::move(opened.history);
    news.history = history;
    if (opened.failure)
        news.failures.push_back(*opened.failure);
    if (!history)
        return;
    health = history->state().health;
    lookAtEvents({clock.now() - kEventsBack, clock.now() + kEventsBack}, kEventsAtStart);
}

void SessionEngine::Private::startAgent()
{
    auto folder = paths::makePrivateFolder();
    if (!folder)
        return addFailedAgent({SessionFailure::Kind::AgentFailed, folder.error().detail});
    socketFolder = std::make_unique<TemporaryFolder>(*folder);
    AgentOptions wanted;
    wanted.listen = "unix:" + (*folder / "agent.sock").native();
    wanted.scrape = options.scrape;
    // Beside the history: the agent stays the same one, and so do its series, from start to start.
    const auto file = options.historyFile.empty() ? paths::historyFile() : options.historyFile;
    wanted.spool = file.parent_path() / (file.stem().native() + "-agent");
    if (historyFolder)
        wanted.spool = historyFolder->path() / "agent"; // another window has the usual one
    auto started = Agent::start(wanted);
    if (!started && started.error().code == Error::Code::Busy && !historyFolder) {
        wanted.spool.clear(); // held by somebody else: memory will do for a process of our own
        started = Agent::start(wanted);
    }
    if (!started) {
        const bool isInUse = started.error().code == Error::Code::Busy;
        return addFailedAgent({isInUse ? SessionFailure::Kind::AgentAddressInUse : SessionFailure::Kind::AgentFailed,
                               started.error().detail});
    }
    agent = std::move(*started);
    connect({embeddedTitle().toStdString(), agent->address(), true});
}

void SessionEngine::Private::addFailedAgent(SessionFailure failure)
{
    Connection connection;
    connection.endpoint = {embeddedTitle().toStdString(), {}, true};
    connection.state.endpoint = connection.endpoint;
    connection.state.phase = ConnectionPhase::Unreachable;
    connection.state.since = clock.now();
    connection.state.problem = sentenceOf(failure).toStdString();
    connections.push_back(std::move(connection));
    news.failures.push_back(std::move(failure));
}

void SessionEngine::Private::connect(EndpointConfig endpoint)
{
    const auto same = std::find_if(connections.begin(), connections.end(),
                                   [&](const Connection &c) { return c.endpoint.address == endpoint.address; });
    if (same != connections.end()) {
        same->endpoint.name = endpoint.name;
        return;
    }
    ChannelOptions wanted;
    wanted.endpoint = endpoint;
    Connection connection;
    connection.endpoint = endpoint;
    connection.channel = std::make_unique<Channel>(
        wanted, history->inbox(), [this](const std::string &identity) { return history->resumePoint(identity); },
        [this, address = endpoint.address](const ConnectionState &state) {
            {
                const std::lock_guard lock(mutex);
                arrivedStates[address] = state;
            }
            woken.notify_one();
        },
        clock);
    connection.state = connection.channel->state();
    connection.state.endpoint = connection.endpoint;
    connections.push_back(std::move(connection));
}

void SessionEngine::Private::add(EndpointConfig endpoint)
{
    if (!history || endpoint.address.empty())
        return;
    connect(std::move(endpoint));
    news.connections = std::make_shared<const std::vector<ConnectionState>>();
}

void SessionEngine::Private::remove(const std::string &address)
{
    std::erase_if(connections, [&](const Connection &c) { return c.endpoint.address == address && !c.endpoint.isEmbedded; });
    {
        const std::lock_guard lock(mutex);
        arrivedStates.erase(address); // the channel is gone: nobody brings it back
    }
    news.connections = std::make_shared<const std::vector<ConnectionState>>();
}

void SessionEngine::Private::retry(const std::string &address)
{
    for (const Connection &connection : connections) {
        if (connection.endpoint.address == address && connection.channel)
            connection.channel->retryNow();
    }
}

void SessionEngine::Private::rest(const std::stop_token &stop)
{
    const bool isFirst = fleet->nodes.empty() && Steady::now() - startedAt < kImpatience;
    const auto earliest = lookedAt + (isFirst ? kFirstLook : std::max(kFastest, lookTook * kRestPerWork));
    const auto latest = lookedAt + (isFirst ? kFirstLook : std::max<Duration>(kSlowest, lookTook * kRestPerWork));
    std::unique_lock lock(mutex);
    const auto hasWork = [this] { return committed || !arrivedStates.empty() || !commands.empty(); };
    woken.wait_until(lock, stop, latest, hasWork);
    // What was said meanwhile is told together, but a person's command is not kept waiting.
    woken.wait_until(lock, stop, earliest, [this] { return !commands.empty(); });
}

void SessionEngine::Private::runCommands()
{
    std::vector<std::function<void()>> now;
    {
        const std::lock_guard lock(mutex);
        now.swap(commands);
    }
    for (const auto &command : now)
        command();
}

bool SessionEngine::Private::takeStates()
{
    std::map<std::string, ConnectionState> arrived;
    {
        const std::lock_guard lock(mutex);
        arrived.swap(arrivedStates);
    }
    for (Connection &connection : connections) {
        if (const auto state = arrived.find(connection.endpoint.address); state != arrived.end())
            connection.state = state->second;
        connection.state.endpoint = connection.endpoint;
    }
    return !arrived.empty();
}

void SessionEngine::Private::look()
{
    const auto begin = Steady::now();
    lookedAt = begin;
    {
        const std::lock_guard lock(mutex);
        news.committed = std::exchange(committed, std::nullopt);
    }
    const bool statesChanged = takeStates() || news.connections;
    const std::optional<TimeRange> extentBefore = extent;
    if (news.committed) {
        extent = united(extent, *news.committed);
        // An event at the very end belongs to the commit, and ranges are half-open.
        lookAtEvents({news.committed->begin, news.committed->end + 1s}, kEventsACommit);
    }
    if (begin - extentReadAt >= kExtentEvery) {
        extentReadAt = begin;
        if (auto whole = history->extent())
            extent = *whole;
    }
    if (extent != extentBefore)
        news.extent = extent;
    lookAtFleet();
    lookAtStatus(statesChanged);
    lookTook = Steady::now() - begin;
}

void SessionEngine::Private::lookAtEvents(TimeRange range, std::size_t most)
{
    const auto events = history->events(range, most, {});
    if (!events)
        return; // the state of the history tells
    feed.addEvents(*events);
    if (recent.add(*events))
        news.events = std::make_shared<const std::vector<Event>>(recent.all());
}

void SessionEngine::Private::lookAtFleet()
{
    FleetFeed::Agents agents;
    for (const Connection &connection : connections) {
        const ConnectionState &state = connection.state;
        if (state.agentId.empty())
            continue;
        const bool isAway = state.phase == ConnectionPhase::Unreachable || state.phase == ConnectionPhase::Refused;
        agents[state.agentId] = {isAway, state.hostName, state.skew.value_or(Duration{})};
    }
    feed.setAgents(std::move(agents));

    auto entries = std::make_shared<const std::vector<SeriesEntry>>(history->latest());
    Fleet next = feed.build(*entries, clock.now());
    if (next.nodes != fleet->nodes || next.jobs != fleet->jobs) {
        fleet = std::make_shared<const Fleet>(std::move(next));
        news.fleet = fleet;
    }
    // Series are only ever added, so their number and last id name the set.
    news.isSeriesSetNew = entries->size() != series->size()
        || (!entries->empty() && entries->back().id != series->back().id);
    if (*entries != *series) {
        series = std::move(entries);
        news.series = series;
    }
}

void SessionEngine::Private::lookAtStatus(bool statesChanged)
{
    SessionStatus next;
    next.history = history->state();
    next.samplesPerSecond = next.history.samplesPerSecond;
    next.dropped = next.history.dropped;
    for (const Connection &connection : connections) {
        next.dropped += connection.state.lost;
        switch (connection.state.phase) {
        case ConnectionPhase::Live: ++next.live; break;
        case ConnectionPhase::Lagging: ++next.lagging; break;
        case ConnectionPhase::Connecting: ++next.connecting; break;
        case ConnectionPhase::Unreachable:
        case ConnectionPhase::Refused: ++next.unreachable; break;
        }
    }
    lookAtHealth(next.history);
    if (next != status) {
        status = next;
        news.status = status;
    }
    if (statesChanged) {
        std::vector<ConnectionState> states;
        states.reserve(connections.size());
        for (const Connection &connection : connections)
            states.push_back(connection.state);
        news.connections = std::make_shared<const std::vector<ConnectionState>>(std::move(states));
    }
}

void SessionEngine::Private::lookAtHealth(const HistoryState &state)
{
    if (state.health == health)
        return;
    health = state.health;
    if (auto failure = failureOf(state))
        news.failures.push_back(std::move(*failure));
}

void SessionEngine::Private::hand()
{
    if (!news.isEmpty())
        publish(std::exchange(news, {}));
}

} // namespace plimsoll
