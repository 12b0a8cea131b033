// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/problem.h"

#include "base/format.h"
#include "base/text.h"
#include "wire/limits.h"

namespace plimsoll {
namespace {

constexpr std::string_view kKeepsTrying = "What was recorded stays, and it is tried again by itself.";

std::string placeOf(const Address &address) { return safeText(address.text(), 160); }

std::string withKeepsTrying(std::string advice)
{
    advice += ' ';
    advice += kKeepsTrying;
    return advice;
}

} // namespace

Explanation explainPeer(const Address &address, const ProbeResult &found)
{
    const std::string place = placeOf(address);
    switch (found.peer) {
    case Peer::Http2:
        return {place + " speaks HTTP/2", "Nothing is to be done."};
    case Peer::Http1:
        return {place + " speaks HTTP/1 and not gRPC: is this the address of an exporter?",
                "Give it to an agent with --scrape. Everything else goes on."};
    case Peer::Tls:
        return {place + " wants an encrypted connection (TLS), which agents do not speak",
                "Give the agent's own port, or reach it through an SSH tunnel. Everything else goes on."};
    case Peer::Garbage:
        return {place + " answers in a language that is not gRPC",
                "Another program has this port: check the address. Everything else goes on."};
    case Peer::Silent:
        return {place + " accepts connections and never answers",
                withKeepsTrying("The program there may hang or be another one: look at it, or restart the agent.")};
    case Peer::HangsUp:
        return {place + " accepts connections and ends them at once",
                withKeepsTrying("Another program may have this port, or the agent is about to stop.")};
    case Peer::Refused:
        return {"Nothing listens at " + place,
                withKeepsTrying("Start plimsoll-agent there, or correct the address.")};
    case Peer::NoSocketFile:
        return {"There is no socket file " + safeText(address.path, 160),
                withKeepsTrying("Start plimsoll-agent with --listen " + place + ", or correct the path.")};
    case Peer::NotASocket:
        return {safeText(address.path, 160) + " is not a stream socket",
                "Give the socket file that plimsoll-agent made. Everything else goes on."};
    case Peer::NotPermitted:
        return {"This user may not connect to " + place,
                withKeepsTrying("Change the rights of the socket file or of its folder, or of the firewall.")};
    case Peer::NoName:
        return {"The name " + safeText(address.host, 160) + " does not resolve",
                withKeepsTrying("Check its spelling, or give the host's number.")};
    case Peer::NoRoute:
        return {"There is no way to " + place,
                withKeepsTrying("Check the network, the VPN and the address.")};
    case Peer::NoAnswer:
        return {place + " does not answer at all",
                withKeepsTrying("The machine may be off, or a firewall drops what is sent to this port.")};
    case Peer::Unknown:
        break;
    }
    return {place + " cannot be reached" + (found.detail.empty() ? std::string() : " (" + safeText(found.detail) + ")"),
            withKeepsTrying("Check the address and whether the agent runs.")};
}

Explanation explainCall(const Address &address, const CallFailure &failure, Duration waited)
{
    const std::string place = placeOf(address);
    switch (failure.kind) {
    case CallFailure::Kind::NoName:
        return explainPeer(address, {Peer::NoName, {}});
    case CallFailure::Kind::Timeout:
        return {place + " did not answer within " + formatDuration(waited),
                withKeepsTrying("The machine may be overloaded, or the agent hangs.")};
    case CallFailure::Kind::NotAnAgent:
        return {place + " speaks gRPC but is no Plimsoll agent",
                "Check the address and the port. Everything else goes on."};
    case CallFailure::Kind::NotAllowed:
        return {place + " does not let this window in (" + safeText(failure.detail, 160) + ")",
                "Ask whoever runs the agent. Everything else goes on."};
    case CallFailure::Kind::TooLarge:
        return {place + " sent a message over the limit of "
                    + formatBytes(static_cast<double>(wire::kMaxMessageBytes)).text() + ", and its stream was ended",
                withKeepsTrying("Update or restart the agent.")};
    case CallFailure::Kind::Damaged:
        return {"What " + place + " sent could not be read",
                withKeepsTrying("Update the agent, or check that no proxy stands between.")};
    case CallFailure::Kind::Unreachable:
        return {place + " cannot be reached", withKeepsTrying("Check the network and whether the agent runs.")};
    case CallFailure::Kind::Lost:
        return {"The connection to " + place + " was lost",
                withKeepsTrying("Check the network and whether the agent runs.")};
    case CallFailure::Kind::Other:
        break;
    }
    return {place + " ended the conversation"
                + (failure.detail.empty() ? std::string() : " (" + safeText(failure.detail, 160) + ")"),
            withKeepsTrying("Look at the log of the agent.")};
}

Explanation explain(const Address &address, const CallFailure &failure, const ProbeResult &found, Duration waited)
{
    const bool isFine = found.peer == Peer::Http2;
    const bool isNews = found.peer != Peer::Unknown || !found.detail.empty();
    return isFine || !isNews ? explainCall(address, failure, waited) : explainPeer(address, found);
}

Explanation explainNonsense(const Address &address, std::string_view why)
{
    return {placeOf(address) + " sent what this window cannot take, and its stream was ended: " + safeText(why, 400),
            withKeepsTrying("Update the agent so that both are of one version.")};
}

Explanation explainSilence(const Address &address, Duration silence)
{
    return {placeOf(address) + " has said nothing for " + formatDuration(silence),
            withKeepsTrying("The agent may hang, or the network was cut without a word.")};
}

} // namespace plimsoll
