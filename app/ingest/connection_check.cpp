// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"
#include "base/text.h"
#include "ingest/channel.h"
#include "ingest/dial.h"
#include "ingest/intake.h"
#include "ingest/probe.h"
#include "ingest/problem.h"
#include "wire/to_model.h"
#include "wire/version.h"

#include <plimsoll/v1/agent.grpc.pb.h>

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll {
namespace {

using Outcome = ConnectionCheck::Outcome;

enum Step : std::size_t { kAddress, kName, kPort, kAnswer, kProtocol, kClock, kReadings, kSteps };
constexpr std::array<std::string_view, kSteps> kNames{
    "The address is well formed", "The name resolves",    "The port answers",       "An agent answers",
    "The protocol fits",          "The clocks agree",     "Readings arrive",
};
constexpr Duration kFineSkew = std::chrono::seconds(2);

/// Walks down the list; the first failure ends it.
class Examination
{
public:
    Examination(const EndpointConfig &endpoint, Duration deadline, const Clock &clock)
        : m_endpoint(endpoint)
        , m_clock(clock)
        , m_end(std::chrono::system_clock::now() + std::max<Duration>(deadline, std::chrono::milliseconds(100)))
    {
        for (const auto name : kNames)
            m_checks.push_back({std::string(name), Outcome::NotTried, {}, {}});
    }

    std::vector<ConnectionCheck> run()
    {
        (void)(checkAddress() && checkPeer() && checkHello() && checkProtocol() && checkClock() && checkReadings());
        return std::move(m_checks);
    }

private:
    [[nodiscard]] Duration left() const
    {
        return std::max<Duration>(m_end - std::chrono::system_clock::now(), std::chrono::milliseconds(1));
    }

    bool pass(Step step, std::string result, std::string fix = {})
    {
        m_checks[step].outcome = Outcome::Passed;
        m_checks[step].result = std::move(result);
        m_checks[step].fix = std::move(fix);
        return true;
    }

    bool fail(Step step, const Explanation &why)
    {
        m_checks[step].outcome = Outcome::Failed;
        m_checks[step].result = why.happened + (why.happened.ends_with('?') || why.happened.ends_with('.') ? "" : ".");
        m_checks[step].fix = why.advice;
        return false;
    }

    bool checkAddress()
    {
        auto parsed = parseAddress(m_endpoint.address);
        if (!parsed)
            return fail(kAddress, {parsed.error().detail, "Correct the address."});
        m_address = *parsed;
        return pass(kAddress, safeText(m_address.text()));
    }

    bool checkPeer()
    {
        // A quarter of the time: the calls after it need the rest.
        m_found = probe(m_address, std::clamp<Duration>(left() / 4, std::chrono::milliseconds(50), std::chrono::seconds(2)));
        const Explanation why = explainPeer(m_address, m_found);
        const bool isFile = m_address.kind == Address::Kind::Unix;
        if (m_found.peer == Peer::NoName || m_found.peer == Peer::NoSocketFile || m_found.peer == Peer::NotASocket)
            return fail(kName, why);
        (void)pass(kName, isFile ? "The socket file is there." : "It resolves.");
        if (!m_found.isConnected())
            return fail(kPort, why);
        return pass(kPort, "It accepts connections.");
    }

    bool checkHello()
    {
        if (m_found.peer != Peer::Http2)
            return fail(kAnswer, explainPeer(m_address, m_found));
        m_stub = v1::Agent::NewStub(dial(m_address));
        grpc::ClientContext context;
        context.set_deadline(m_end);
        v1::HelloRequest request;
        request.mutable_version()->set_major(wire::kProtocolVersion.major);
        request.mutable_version()->set_minor(wire::kProtocolVersion.minor);
        request.set_client("plimsoll " PLIMSOLL_VERSION);
        v1::HelloReply reply;
        const auto sent = m_clock.monotonicNow();
        const auto waited = left();
        const grpc::Status status = m_stub->Hello(&context, request, &reply);
        if (!status.ok())
            return fail(kAnswer, explainCall(m_address, toFailure(status), waited));
        const Duration roundTrip = m_clock.monotonicNow() - sent;
        const Instant received = m_clock.now();
        auto hello = wire::toModel(reply);
        if (!hello)
            return fail(kAnswer, explainNonsense(m_address, hello.error().detail));
        m_hello = std::move(*hello);
        m_skew = m_hello.wall - (received - roundTrip / 2);
        return pass(kAnswer, safeText(m_hello.agent)
                        + (m_hello.hostName.empty() ? std::string() : " on " + safeText(m_hello.hostName)) + ", in "
                        + formatDuration(roundTrip) + ".");
    }

    bool checkProtocol()
    {
        const auto spoken = wire::checkVersion(m_hello.version, "The agent at " + safeText(m_address.text(), 160),
                                               "this window");
        if (!spoken) {
            const bool isAgentOld = m_hello.version < wire::kProtocolVersion;
            return fail(kProtocol, {spoken.error().detail, isAgentOld ? "Update the agent." : "Update this window."});
        }
        return pass(kProtocol, "Both speak " + wire::toString(m_hello.version) + ".");
    }

    // A wrong clock spoils no reading, it only shifts it: advice, not a failure.
    bool checkClock()
    {
        const Duration apart = m_skew < Duration{} ? -m_skew : m_skew;
        if (apart <= kFineSkew)
            return pass(kClock, "They are " + formatDuration(apart) + " apart.");
        return pass(kClock,
                    "The agent's clock is " + formatDuration(apart) + (m_skew > Duration{} ? " ahead." : " behind."),
                    "Set both clocks by NTP: readings appear at the agent's time.");
    }

    bool checkReadings()
    {
        grpc::ClientContext context;
        context.set_deadline(m_end);
        v1::WatchRequest request;
        request.mutable_version()->set_major(wire::kProtocolVersion.major);
        request.mutable_version()->set_minor(wire::kProtocolVersion.minor);
        request.set_epoch(m_hello.epoch);
        request.set_resume_after(m_hello.newestSequence == 0 ? 0 : m_hello.newestSequence - 1);
        const auto waited = left();
        const auto reader = m_stub->Watch(&context, request);
        Intake intake(m_hello.agentId, {m_hello.epoch, request.resume_after() + 1});
        v1::WatchMessage message;
        while (reader->Read(&message)) {
            auto watched = wire::toModel(message);
            const auto taken = watched ? intake.add(std::move(*watched)) : tl::make_unexpected(watched.error());
            if (taken && intake.counts().samples == 0)
                continue;
            context.TryCancel();
            (void)reader->Finish();
            if (!taken)
                return fail(kReadings, explainNonsense(m_address, taken.error().detail));
            return pass(kReadings, formatCount(static_cast<double>(intake.counts().samples)).text()
                            + " values in the first batch.");
        }
        const CallFailure failure = toFailure(reader->Finish());
        if (failure.kind == CallFailure::Kind::Timeout)
            return fail(kReadings, {"No reading came within " + formatDuration(waited),
                                    "Look at the sources of the agent: none of them may be healthy."});
        return fail(kReadings, explainCall(m_address, failure, waited));
    }

    const EndpointConfig &m_endpoint;
    const Clock &m_clock;
    const std::chrono::system_clock::time_point m_end;
    std::vector<ConnectionCheck> m_checks;
    Address m_address;
    ProbeResult m_found;
    std::unique_ptr<v1::Agent::Stub> m_stub;
    wire::Hello m_hello;
    Duration m_skew{};
};

} // namespace

std::vector<ConnectionCheck> testConnection(const EndpointConfig &endpoint, Duration deadline, const Clock &clock)
{
    return Examination(endpoint, deadline, clock).run();
}

} // namespace plimsoll
