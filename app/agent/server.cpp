// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/server.h"

#include "agent/watch_stream.h"
#include "base/text.h"
#include "wire/grpc_life.h"
#include "wire/limits.h"
#include "wire/to_proto.h"
#include "wire/version.h"

#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace plimsoll {
namespace {

// Watch and Backfill are "raw": what was spooled is sent as it is, and never parsed again.
using Service = v1::Agent::WithCallbackMethod_Hello<
    v1::Agent::WithRawCallbackMethod_Watch<v1::Agent::WithRawCallbackMethod_Backfill<v1::Agent::Service>>>;

constexpr int kLargestRequest = 64 << 10;
constexpr std::size_t kMostStreams = 256;
constexpr auto kPatience = std::chrono::milliseconds(500); // at the end, with who does not read
constexpr auto kTimeToRead = std::chrono::milliseconds(200); // at the end, for who does

grpc::Status checkVersion(const v1::Version &theirs, std::string_view who)
{
    const auto checked = wire::checkVersion({theirs.major(), theirs.minor()}, who, "this agent");
    if (checked)
        return grpc::Status::OK;
    return {grpc::StatusCode::FAILED_PRECONDITION, checked.error().detail};
}

// nullopt when it is not a message of that type
template <class Message>
std::optional<Message> parse(const grpc::ByteBuffer *bytes)
{
    grpc::ByteBuffer copy(*bytes); // reading consumes
    std::optional<Message> message(std::in_place);
    if (!grpc::SerializationTraits<Message>::Deserialize(&copy, &*message).ok())
        message.reset();
    return message;
}

} // namespace

class Server::Private final : public Service
{
public:
    Private(Journal &journal, ServerFacts facts, const Clock &clock)
        : m_journal(journal), m_facts(std::move(facts)), m_clock(clock)
    {}
    ~Private() override { stop(); }

    [[nodiscard]] Result<void> listen(const ListenAddress &address);
    void stop();
    void wake();
    [[nodiscard]] std::size_t streams() const
    {
        const std::lock_guard lock(m_mutex);
        return m_streams.size();
    }
    [[nodiscard]] const std::string &address() const { return m_address; }

private:
    grpc::ServerUnaryReactor *Hello(grpc::CallbackServerContext *context, const v1::HelloRequest *request,
                                    v1::HelloReply *reply) override;
    grpc::ServerWriteReactor<grpc::ByteBuffer> *Watch(grpc::CallbackServerContext *context,
                                                      const grpc::ByteBuffer *request) override;
    grpc::ServerWriteReactor<grpc::ByteBuffer> *Backfill(grpc::CallbackServerContext *context,
                                                         const grpc::ByteBuffer *request) override;

    grpc::ServerWriteReactor<grpc::ByteBuffer> *open(StreamRequest request);
    grpc::ServerWriteReactor<grpc::ByteBuffer> *refuse(grpc::Status status);
    grpc::ServerWriteReactor<grpc::ByteBuffer> *keep(std::shared_ptr<AgentWatchStream> stream);
    void forget(AgentWatchStream *stream);
    [[nodiscard]] std::vector<std::shared_ptr<AgentWatchStream>> snapshot() const;
    void beat(const std::stop_token &stop);
    [[nodiscard]] wire::Heartbeat heartbeat() const;
    [[nodiscard]] MonotonicInstant now() const { return m_clock.monotonicNow(); }

    Journal &m_journal;
    ServerFacts m_facts;
    const Clock &m_clock;
    std::string m_address;
    std::filesystem::path m_socket;
    std::unique_ptr<grpc::Server> m_server;
    mutable std::mutex m_mutex; // over the streams
    std::condition_variable m_forgotten;
    std::vector<std::shared_ptr<AgentWatchStream>> m_streams;
    bool m_isStopping = false;
    std::mutex m_beatMutex;
    std::condition_variable_any m_beatSleep;
    std::jthread m_beat;
};

Result<void> Server::Private::listen(const ListenAddress &address)
{
    wire::keepGrpcRunning();
    grpc::ServerBuilder builder;
    grpc::ResourceQuota quota("plimsoll-agent");
    quota.Resize(16 << 20).SetMaxThreads(8);
    builder.SetResourceQuota(quota);
    builder.SetMaxReceiveMessageSize(kLargestRequest);
    builder.SetMaxSendMessageSize(static_cast<int>(wire::kMaxMessageBytes));
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0); // else two agents would share a port
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 32);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0); // pings of no use to a trickle
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000); // finds out who is gone without a word
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.RegisterService(this);
    int port = 0;
    builder.AddListeningPort(address.text(), grpc::InsecureServerCredentials(), &port);
    // The socket belongs to its owner alone from the first moment on.
    const mode_t before = address.isUnix ? ::umask(0177) : 0;
    m_server = builder.BuildAndStart();
    if (address.isUnix)
        ::umask(before);
    if (!m_server || port == 0)
        return failure(Error::Code::Busy, "Cannot listen on " + address.text()
                                              + ": it is in use, or not an address of this machine.");
    auto real = address;
    if (!real.isUnix)
        real.port = static_cast<std::uint16_t>(port);
    else
        m_socket = real.path;
    m_address = real.text();
    m_beat = std::jthread([this](const std::stop_token &stop) { beat(stop); });
    return {};
}

void Server::Private::stop()
{
    if (m_beat.joinable()) {
        m_beat.request_stop();
        m_beat.join();
    }
    if (!m_server)
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    // What is in the journal still goes out to whoever reads; who does not is cut off.
    const auto streams = snapshot();
    for (const auto &stream : streams)
        stream->stopAtEnd(grpc::Status(grpc::StatusCode::UNAVAILABLE, "The agent stops."));
    const auto areForgotten = [this] { return m_streams.empty(); };
    {
        std::unique_lock lock(m_mutex);
        m_forgotten.wait_for(lock, kPatience, areForgotten);
    }
    // "Done" means given to the kernel. A client that has not read it yet, and writes an
    // acknowledgement into a connection closed meanwhile, loses all it has not read.
    if (!streams.empty())
        std::this_thread::sleep_for(kTimeToRead);
    m_server->Shutdown(std::chrono::system_clock::now());
    {
        std::unique_lock lock(m_mutex);
        m_forgotten.wait(lock, areForgotten);
    }
    m_server->Wait();
    m_server.reset();
    if (!m_socket.empty())
        ::unlink(m_socket.c_str());
}

grpc::ServerUnaryReactor *Server::Private::Hello(grpc::CallbackServerContext *context, const v1::HelloRequest *request,
                                                 v1::HelloReply *reply)
{
    auto *reactor = context->DefaultReactor();
    const auto who = request->client().empty() ? std::string("the client") : safeText(request->client(), 80);
    if (auto status = checkVersion(request->version(), who); !status.ok()) {
        reactor->Finish(std::move(status));
        return reactor;
    }
    const auto bounds = m_journal.bounds();
    wire::Hello hello;
    hello.version = wire::kProtocolVersion;
    hello.agent = m_facts.agent;
    hello.agentId = m_journal.agentId();
    hello.hostName = m_facts.hostName;
    hello.epoch = bounds.epoch;
    hello.capabilities = m_facts.capabilities;
    hello.oldestSequence = bounds.oldest;
    hello.newestSequence = bounds.newest;
    hello.interval = m_facts.interval;
    hello.sources = m_facts.sources();
    hello.wall = m_clock.now(); // last: the client takes half the way for the difference
    hello.monotonic = now();
    wire::toProto(hello, *reply);
    reactor->Finish(grpc::Status::OK);
    return reactor;
}

grpc::ServerWriteReactor<grpc::ByteBuffer> *Server::Private::Watch(grpc::CallbackServerContext *,
                                                                   const grpc::ByteBuffer *request)
{
    const auto wanted = parse<v1::WatchRequest>(request);
    if (!wanted)
        return refuse({grpc::StatusCode::INVALID_ARGUMENT, "That is not a WatchRequest."});
    if (auto status = checkVersion(wanted->version(), "the client"); !status.ok())
        return refuse(std::move(status));
    const auto bounds = m_journal.bounds();
    StreamRequest stream;
    stream.maxMessageBytes = wanted->max_message_bytes();
    if (wanted->epoch() == bounds.epoch) {
        if (wanted->resume_after() > bounds.newest)
            return refuse({grpc::StatusCode::OUT_OF_RANGE,
                           "You ask for what comes after number " + std::to_string(wanted->resume_after())
                               + ", and this agent has only come to " + std::to_string(bounds.newest) + '.'});
        // 0 = from the oldest: then nothing is lost that this client ever had a claim to
        stream.cursor.nextSequence = wanted->resume_after() == 0 ? std::max<std::uint64_t>(bounds.oldest, 1)
                                                                 : wanted->resume_after() + 1;
    } else {
        // Who knew another epoch is told what it missed of this one.
        stream.cursor.nextSequence = wanted->epoch() == 0 ? std::max<std::uint64_t>(bounds.oldest, 1) : 1;
    }
    return open(stream);
}

grpc::ServerWriteReactor<grpc::ByteBuffer> *Server::Private::Backfill(grpc::CallbackServerContext *,
                                                                      const grpc::ByteBuffer *request)
{
    const auto wanted = parse<v1::BackfillRequest>(request);
    if (!wanted)
        return refuse({grpc::StatusCode::INVALID_ARGUMENT, "That is not a BackfillRequest."});
    if (auto status = checkVersion(wanted->version(), "the client"); !status.ok())
        return refuse(std::move(status));
    if (wanted->epoch() != m_journal.bounds().epoch)
        return refuse({grpc::StatusCode::NOT_FOUND, "This agent holds nothing of that epoch any more."});
    if (wanted->first_sequence() == 0 || wanted->last_sequence() < wanted->first_sequence())
        return refuse({grpc::StatusCode::INVALID_ARGUMENT, "The range is empty: numbers begin at 1, the last is included."});
    StreamRequest stream;
    stream.cursor.nextSequence = wanted->first_sequence();
    stream.last = wanted->last_sequence();
    return open(stream);
}

grpc::ServerWriteReactor<grpc::ByteBuffer> *Server::Private::open(StreamRequest request)
{
    if (streams() >= kMostStreams)
        return refuse({grpc::StatusCode::RESOURCE_EXHAUSTED, "Too many clients watch this agent already."});
    return keep(std::make_shared<AgentWatchStream>(m_journal, request, [this] { return heartbeat(); },
                                              [this](AgentWatchStream *stream) { forget(stream); }));
}

grpc::ServerWriteReactor<grpc::ByteBuffer> *Server::Private::refuse(grpc::Status status)
{
    return keep(std::make_shared<AgentWatchStream>(m_journal, std::move(status),
                                              [this](AgentWatchStream *stream) { forget(stream); }));
}

grpc::ServerWriteReactor<grpc::ByteBuffer> *Server::Private::keep(std::shared_ptr<AgentWatchStream> stream)
{
    auto *raw = stream.get();
    bool isStopping = false;
    {
        const std::lock_guard lock(m_mutex);
        m_streams.push_back(stream);
        isStopping = m_isStopping;
    }
    raw->begin(stream);
    if (isStopping)
        stream->stop(grpc::Status(grpc::StatusCode::UNAVAILABLE, "The agent stops."));
    return raw;
}

void Server::Private::forget(AgentWatchStream *stream)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_streams, [stream](const auto &held) { return held.get() == stream; });
    m_forgotten.notify_all(); // under the lock: the server may be gone right after
}

std::vector<std::shared_ptr<AgentWatchStream>> Server::Private::snapshot() const
{
    const std::lock_guard lock(m_mutex);
    return m_streams;
}

void Server::Private::wake()
{
    for (const auto &stream : snapshot())
        stream->advance();
}

void Server::Private::beat(const std::stop_token &stop)
{
    std::vector<SourceState> before = m_facts.sources();
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(m_beatMutex);
            m_beatSleep.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        }
        const auto streams = snapshot();
        if (streams.empty())
            continue;
        auto sources = m_facts.sources();
        // Series come and go all the time; how a source is doing is worth a message at once.
        const auto isSame = [](const SourceState &a, const SourceState &b) {
            return a.name == b.name && a.isHealthy == b.isHealthy && a.problem == b.problem;
        };
        const bool haveChanged
            = !std::equal(sources.begin(), sources.end(), before.begin(), before.end(), isSame);
        before = std::move(sources);
        for (const auto &stream : streams)
            stream->beat(std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now()), haveChanged);
    }
}

wire::Heartbeat Server::Private::heartbeat() const
{
    return {m_clock.now(), now(), m_journal.bounds().newest, m_facts.sources()};
}

Result<std::unique_ptr<Server>> Server::start(const ListenAddress &address, Journal &journal, ServerFacts facts,
                                              const Clock &clock)
{
    if (address.isUnix) {
        if (auto isFree = makeWayForSocket(address.path); !isFree)
            return tl::make_unexpected(isFree.error());
    }
    auto d = std::make_unique<Private>(journal, std::move(facts), clock);
    if (auto listening = d->listen(address); !listening)
        return tl::make_unexpected(listening.error());
    return std::unique_ptr<Server>(new Server(std::move(d)));
}

Server::Server(std::unique_ptr<Private> made) : d(std::move(made)) {}
Server::~Server() = default;

std::string Server::address() const
{
    return d->address();
}

void Server::wake()
{
    d->wake();
}

std::size_t Server::streams() const
{
    return d->streams();
}

} // namespace plimsoll
