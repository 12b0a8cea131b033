// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"
#include "model/frame.h"
#include "wire/hello.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// An agent that does what the script says, over real gRPC: what it pushed is kept,
/// numbered and sent to every stream from where the stream resumes. Any thread.
///
///     FakeAgent agent;
///     const std::string address = agent.start("unix:/tmp/x.sock"); // or "127.0.0.1:0"
///     agent.define({series(1, "process.memory.usage")});
///     agent.push(block({1}, now, {42.0}));
class FakeAgent
{
public:
    FakeAgent();
    FakeAgent(const FakeAgent &) = delete;
    FakeAgent &operator=(const FakeAgent &) = delete;
    ~FakeAgent(); // stops

    /// Listens; returns the address to dial, with the real port; empty when it is taken.
    std::string start(const std::string &listen = "127.0.0.1:0");
    void stop(); // streams end, the port closes; what was pushed stays for the next start

    // What Hello says. Epoch, sequences and clocks are filled in; the rest is yours.
    void setHello(wire::Hello hello);
    void setClockOffset(Duration agentMinusOurs);
    void setHelloDelay(Duration delay);

    // The script. push() returns the sequence number it gave.
    void define(std::vector<SeriesDefinition> definitions);
    std::uint64_t push(SampleBlock block);
    std::uint64_t push(Event event);
    std::uint64_t push(StepRecord step);
    void pushFrame(Frame frame);          // with its own number: jumps and repetitions
    void pushLost(LostFrames lost);
    void pushHeartbeat();                 // now, by the agent's clock
    void pushRaw(std::string_view bytes); // of a WatchMessage: any lie; once, to the streams there are or the next
    void forgetUpTo(std::uint64_t sequence); // the spool dropped them: a stream that wants them hears Lost
    void newEpoch(std::uint64_t epoch);   // a spool begun anew: nothing is left, streams end
    void setDelay(Duration between);      // of two messages of a stream
    void setMute(bool isMute);            // accepts Watch and says nothing
    void dropStreams();                   // as when a network is cut, politely: UNAVAILABLE
    void setHeartbeatInterval(Duration interval); // 0 = none but pushed ones (default)

    // What the other side did.
    [[nodiscard]] int helloCount() const;
    [[nodiscard]] int watchCount() const;  // so far
    [[nodiscard]] int streamCount() const; // now
    [[nodiscard]] ResumePoint lastResume() const; // as the last Watch asked
    [[nodiscard]] std::uint64_t newestSequence() const;
    [[nodiscard]] std::uint64_t sent() const; // messages written

private:
    class Private;
    std::unique_ptr<Private> d;
};

// Builders, so that a test reads like a script.
[[nodiscard]] SeriesDefinition fakeSeries(std::uint32_t id, std::string_view metric, Labels labels = {});
[[nodiscard]] SampleBlock fakeBlock(std::vector<std::uint32_t> columns, Instant time, std::vector<double> values);

} // namespace plimsoll
