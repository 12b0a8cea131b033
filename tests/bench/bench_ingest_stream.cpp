// SPDX-License-Identifier: GPL-3.0-or-later
// Samples a second from a real gRPC server in a child process, over a Unix socket,
// through dial, checks, conversion and gathering, into a mailbox that is emptied.
#include "base/mailbox.h"
#include "ingest/channel.h"
#include "support/fake_agent.h"
#include "wire/to_proto.h"

#include <grpcpp/grpcpp.h>
#include <plimsoll/v1/agent.grpc.pb.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

using namespace plimsoll;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kSeries = 200; // what an agent on a busy host sends at once
constexpr Duration kWarmUp = 1s;
constexpr Duration kMeasured = 4s;

/// Sends the same reading over and over, as fast as the other side takes it.
class Firehose final : public v1::Agent::Service
{
    grpc::Status Hello(grpc::ServerContext *, const v1::HelloRequest *, v1::HelloReply *reply) override
    {
        wire::Hello hello;
        hello.version = wire::kProtocolVersion;
        hello.agent = hello.agentId = hello.hostName = "firehose";
        hello.epoch = 1;
        hello.wall = systemClock().now();
        hello.interval = 1s;
        wire::toProto(hello, *reply);
        return grpc::Status::OK;
    }

    grpc::Status Watch(grpc::ServerContext *, const v1::WatchRequest *,
                       grpc::ServerWriter<v1::WatchMessage> *writer) override
    {
        std::vector<SeriesDefinition> definitions;
        std::vector<std::uint32_t> columns;
        for (std::uint32_t id = 1; id <= kSeries; ++id) {
            definitions.push_back(fakeSeries(id, "process.memory.usage", {{"process.pid", std::to_string(id)}}));
            columns.push_back(id);
        }
        v1::WatchMessage message;
        wire::toProto(1, definitions, message);
        writer->Write(message);
        wire::toProto(1, Frame{1, fakeBlock(columns, systemClock().now(), std::vector<double>(kSeries, 8e9))}, message);
        do
            message.mutable_frame()->set_sequence(message.frame().sequence() + 1);
        while (writer->Write(message));
        return grpc::Status::OK;
    }
};

[[noreturn]] void serve(const std::string &address, int ready)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a benchmark that dies takes it along
    Firehose service;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    const auto server = builder.BuildAndStart();
    const char answer = server ? 'y' : 'n';
    if (::write(ready, &answer, 1) == 1 && server)
        server->Wait();
    std::_Exit(1);
}

struct Taken
{
    std::uint64_t samples = 0;
    std::uint64_t deliveries = 0;
    double seconds = 0;
};

Taken drain(Mailbox<Delivery> &inbox, Duration length)
{
    Taken taken;
    const auto begun = std::chrono::steady_clock::now();
    for (const auto end = begun + length; std::chrono::steady_clock::now() < end;) {
        for (const auto &delivery : inbox.takeUntil(end, {})) {
            ++taken.deliveries;
            for (const auto &frame : delivery.frames)
                if (const auto *block = std::get_if<SampleBlock>(&frame.body))
                    taken.samples += block->samples();
        }
    }
    taken.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return taken;
}

int measure(const std::string &address)
{
    Mailbox<Delivery> inbox(48U << 20U);
    ChannelOptions options;
    options.endpoint.address = address;
    const auto connecting = std::chrono::steady_clock::now();
    Channel channel(options, inbox, {}, {});
    const auto first = inbox.takeUntil(connecting + 10s, {});
    if (first.empty()) {
        std::fprintf(stderr, "nothing came: %s\n", channel.state().problem.c_str());
        return 1;
    }
    const double toFirst = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - connecting).count();
    (void)drain(inbox, kWarmUp);
    const Taken taken = drain(inbox, kMeasured);
    const auto perSecond = static_cast<double>(taken.samples) / taken.seconds;
    std::printf("{\"bench\":\"ingest.samples_per_second\",\"value\":%.3g,\"unit\":\"samples/s\"}\n", perSecond);
    std::printf("{\"bench\":\"ingest.deliveries_per_second\",\"value\":%.3g,\"unit\":\"1/s\"}\n",
                static_cast<double>(taken.deliveries) / taken.seconds);
    std::printf("{\"bench\":\"ingest.connect_to_first_sample\",\"value\":%.3g,\"unit\":\"ms\"}\n", toFirst);
    if (channel.state().lost != 0 || taken.samples == 0) {
        std::fprintf(stderr, "the stream lost %llu frames\n", static_cast<unsigned long long>(channel.state().lost));
        return 1;
    }
    return 0;
}

} // namespace

int main()
{
    std::string folder = (std::filesystem::temp_directory_path() / "plimsoll-bench-XXXXXX").string();
    if (!::mkdtemp(folder.data()))
        return 1;
    const std::string address = "unix:" + folder + "/agent.sock";
    int ready[2] = {};
    if (::pipe(ready) != 0)
        return 1;
    const pid_t child = ::fork(); // before gRPC has any thread
    if (child == 0)
        serve(address, ready[1]);
    char answer = 'n';
    const bool isServing = child > 0 && ::read(ready[0], &answer, 1) == 1 && answer == 'y';
    const int result = isServing ? measure(address) : 1;
    if (child > 0) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return result;
}
