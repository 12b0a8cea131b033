// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/fake_agent.h"

#include "wire/to_proto.h"

#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::chrono::milliseconds kPoll(10); // how soon a stream sees that its client has gone

}

class FakeAgent::Private final : public v1::Agent::Service
{
public:
    using Lock = std::unique_lock<std::mutex>;

    grpc::Status Hello(grpc::ServerContext *context, const v1::HelloRequest *, v1::HelloReply *reply) override
    {
        Lock lock(mutex);
        ++hellos;
        const auto until = std::chrono::steady_clock::now() + helloDelay;
        while (std::chrono::steady_clock::now() < until && !isStopping && !context->IsCancelled())
            changed.wait_for(lock, kPoll);
        wire::Hello said = hello;
        said.epoch = epoch;
        said.wall = systemClock().now() + clockOffset;
        said.monotonic = systemClock().monotonicNow();
        said.oldestSequence = frames.empty() ? 0 : frames.begin()->first;
        said.newestSequence = frames.empty() ? 0 : frames.rbegin()->first;
        wire::toProto(said, *reply);
        return grpc::Status::OK;
    }

    grpc::Status Watch(grpc::ServerContext *context, const v1::WatchRequest *request,
                       grpc::ServerWriter<v1::WatchMessage> *writer) override
    {
        Lock lock(mutex);
        Stream stream;
        streams.push_back(&stream);
        ++watches;
        resume = {request->epoch(), request->resume_after() + 1};
        stream.next = request->epoch() == epoch ? request->resume_after() + 1 : 1;
        stream.extra = std::exchange(unsent, {});
        changed.notify_all();
        auto heard = std::chrono::steady_clock::now();
        while (!isStopping && !stream.isDropped && !context->IsCancelled()) {
            v1::WatchMessage message;
            if (isMute || !nextFor(stream, message)) {
                changed.wait_for(lock, kPoll);
                if (heartbeat == Duration{} || isMute || std::chrono::steady_clock::now() - heard < heartbeat)
                    continue;
                fillHeartbeat(message);
            }
            heard = std::chrono::steady_clock::now();
            const Duration pause = delay;
            lock.unlock();
            const bool isWritten = writer->Write(message);
            lock.lock();
            if (!isWritten)
                break;
            ++sent;
            const auto until = std::chrono::steady_clock::now() + pause;
            while (std::chrono::steady_clock::now() < until && !isStopping && !stream.isDropped)
                changed.wait_until(lock, until);
        }
        std::erase(streams, &stream);
        changed.notify_all();
        return {grpc::StatusCode::UNAVAILABLE, "the script ends the stream"};
    }

    struct Stream
    {
        std::size_t defined = 0;
        std::uint64_t next = 1;
        std::deque<v1::WatchMessage> extra; // raw, repeated, lost, heartbeats
        bool isDropped = false;
    };

    // Definitions, then what was pushed for this moment, then the spool in its order.
    bool nextFor(Stream &stream, v1::WatchMessage &message)
    {
        if (stream.defined < definitions.size()) {
            wire::toProto(epoch, std::span(definitions).subspan(stream.defined), message);
            stream.defined = definitions.size();
            return true;
        }
        if (stream.next <= forgotten) {
            wire::toProto(epoch, LostFrames{stream.next, forgotten}, message);
            stream.next = forgotten + 1;
            return true;
        }
        if (!stream.extra.empty()) {
            message = std::move(stream.extra.front());
            stream.extra.pop_front();
            return true;
        }
        const auto at = frames.lower_bound(stream.next);
        if (at == frames.end())
            return false;
        wire::toProto(epoch, at->second, message);
        stream.next = at->first + 1;
        return true;
    }

    void fillHeartbeat(v1::WatchMessage &message) const
    {
        wire::toProto(epoch,
                      wire::Heartbeat{systemClock().now() + clockOffset, systemClock().monotonicNow(),
                                      frames.empty() ? 0 : frames.rbegin()->first, hello.sources},
                      message);
    }

    void sendExtra(const v1::WatchMessage &message)
    {
        for (Stream *stream : streams)
            stream->extra.push_back(message);
        if (streams.empty())
            unsent.push_back(message);
        changed.notify_all();
    }

    template <class Body>
    std::uint64_t keep(Body body)
    {
        const std::lock_guard lock(mutex);
        const std::uint64_t sequence = std::max(frames.empty() ? 0 : frames.rbegin()->first, forgotten) + 1;
        frames.emplace(sequence, Frame{sequence, std::move(body)});
        changed.notify_all();
        return sequence;
    }

    void dropAll()
    {
        for (Stream *stream : streams)
            stream->isDropped = true;
        changed.notify_all();
    }

    mutable std::mutex mutex;
    std::condition_variable changed;
    std::unique_ptr<grpc::Server> server;
    wire::Hello hello{wire::kProtocolVersion, "fake-agent 1.0", "fake-1", "fakehost", 1, {"fake"}, {}, {}, 0, 0,
                      std::chrono::seconds(1), {{"fake", true, {}, 1, 0}}};
    std::uint64_t epoch = 1;
    std::vector<SeriesDefinition> definitions;
    std::map<std::uint64_t, Frame> frames;
    std::uint64_t forgotten = 0;
    std::vector<Stream *> streams;
    std::deque<v1::WatchMessage> unsent;
    Duration clockOffset{};
    Duration helloDelay{};
    Duration delay{};
    Duration heartbeat{};
    bool isMute = false;
    bool isStopping = false;
    int hellos = 0;
    int watches = 0;
    std::uint64_t sent = 0;
    ResumePoint resume;
};

FakeAgent::FakeAgent() : d(std::make_unique<Private>()) {}

FakeAgent::~FakeAgent()
{
    stop();
}

std::string FakeAgent::start(const std::string &listen)
{
    stop();
    {
        const std::lock_guard lock(d->mutex);
        d->isStopping = false;
    }
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0); // a taken port is an error
    builder.SetMaxSendMessageSize(-1);
    builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(d.get());
    d->server = builder.BuildAndStart();
    if (!d->server || port == 0) {
        d->server.reset();
        return {};
    }
    return listen.starts_with("unix:") ? listen : listen.substr(0, listen.rfind(':') + 1) + std::to_string(port);
}

void FakeAgent::stop()
{
    if (!d->server)
        return;
    {
        const std::lock_guard lock(d->mutex);
        d->isStopping = true;
        d->changed.notify_all();
    }
    d->server->Shutdown(std::chrono::system_clock::now());
    d->server->Wait();
    d->server.reset();
}

void FakeAgent::setHello(wire::Hello hello)
{
    const std::lock_guard lock(d->mutex);
    d->hello = std::move(hello);
    if (d->hello.epoch != 0)
        d->epoch = d->hello.epoch;
}

void FakeAgent::setClockOffset(Duration agentMinusOurs)
{
    const std::lock_guard lock(d->mutex);
    d->clockOffset = agentMinusOurs;
}

void FakeAgent::setHelloDelay(Duration delay)
{
    const std::lock_guard lock(d->mutex);
    d->helloDelay = delay;
}

void FakeAgent::define(std::vector<SeriesDefinition> definitions)
{
    const std::lock_guard lock(d->mutex);
    d->definitions.insert(d->definitions.end(), definitions.begin(), definitions.end());
    d->changed.notify_all();
}

std::uint64_t FakeAgent::push(SampleBlock block) { return d->keep(std::move(block)); }
std::uint64_t FakeAgent::push(Event event) { return d->keep(std::move(event)); }
std::uint64_t FakeAgent::push(StepRecord step) { return d->keep(std::move(step)); }

void FakeAgent::pushFrame(Frame frame)
{
    const std::lock_guard lock(d->mutex);
    v1::WatchMessage message;
    wire::toProto(d->epoch, frame, message);
    d->sendExtra(message);
}

void FakeAgent::pushLost(LostFrames lost)
{
    const std::lock_guard lock(d->mutex);
    v1::WatchMessage message;
    wire::toProto(d->epoch, lost, message);
    d->sendExtra(message);
}

void FakeAgent::pushHeartbeat()
{
    const std::lock_guard lock(d->mutex);
    v1::WatchMessage message;
    d->fillHeartbeat(message);
    d->sendExtra(message);
}

void FakeAgent::pushRaw(std::string_view bytes)
{
    const std::lock_guard lock(d->mutex);
    v1::WatchMessage message;
    if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        d->sendExtra(message);
}

void FakeAgent::forgetUpTo(std::uint64_t sequence)
{
    const std::lock_guard lock(d->mutex);
    d->forgotten = std::max(d->forgotten, sequence);
    d->frames.erase(d->frames.begin(), d->frames.upper_bound(sequence));
    d->changed.notify_all();
}

void FakeAgent::newEpoch(std::uint64_t epoch)
{
    const std::lock_guard lock(d->mutex);
    d->epoch = epoch;
    d->frames.clear();
    d->forgotten = 0;
    d->dropAll();
}

void FakeAgent::setDelay(Duration between)
{
    const std::lock_guard lock(d->mutex);
    d->delay = between;
    d->changed.notify_all();
}

void FakeAgent::setMute(bool isMute)
{
    const std::lock_guard lock(d->mutex);
    d->isMute = isMute;
    d->changed.notify_all();
}

void FakeAgent::dropStreams()
{
    const std::lock_guard lock(d->mutex);
    d->dropAll();
}

void FakeAgent::setHeartbeatInterval(Duration interval)
{
    const std::lock_guard lock(d->mutex);
    d->heartbeat = interval;
}

int FakeAgent::helloCount() const
{
    const std::lock_guard lock(d->mutex);
    return d->hellos;
}

int FakeAgent::watchCount() const
{
    const std::lock_guard lock(d->mutex);
    return d->watches;
}

int FakeAgent::streamCount() const
{
    const std::lock_guard lock(d->mutex);
    return static_cast<int>(d->streams.size());
}

ResumePoint FakeAgent::lastResume() const
{
    const std::lock_guard lock(d->mutex);
    return d->resume;
}

std::uint64_t FakeAgent::newestSequence() const
{
    const std::lock_guard lock(d->mutex);
    return d->frames.empty() ? d->forgotten : d->frames.rbegin()->first;
}

std::uint64_t FakeAgent::sent() const
{
    const std::lock_guard lock(d->mutex);
    return d->sent;
}

SeriesDefinition fakeSeries(std::uint32_t id, std::string_view metric, Labels labels)
{
    SeriesDefinition definition;
    definition.id = id;
    definition.info.key.metric = metric;
    definition.info.key.labels = std::move(labels);
    if (const MetricInfo *known = findMetric(metric)) {
        definition.info.unit = known->unit;
        definition.info.kind = known->kind;
    }
    definition.info.group = "host";
    return definition;
}

SampleBlock fakeBlock(std::vector<std::uint32_t> columns, Instant time, std::vector<double> values)
{
    return {{time}, std::move(columns), std::move(values)};
}

} // namespace plimsoll
