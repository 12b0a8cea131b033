// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/probe.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

namespace plimsoll {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// The client's greeting of RFC 9113 and an empty SETTINGS frame; what some HTTP/1 servers
// answer without saying who they are, so that they are greeted in their own language too.
constexpr std::string_view kHttp1("GET / HTTP/1.1\r\nHost: plimsoll\r\nConnection: close\r\n\r\n");
constexpr std::string_view kHttp2("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);

class Socket
{
public:
    explicit Socket(int family) : m_fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
    Socket(const Socket &) = delete;
    Socket &operator=(const Socket &) = delete;
    ~Socket()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    [[nodiscard]] int fd() const noexcept { return m_fd; }

private:
    int m_fd;
};

std::string systemText(int error) { return std::strerror(error); }

// Waits for events in slices, so that a stop is seen. False at the deadline or a stop.
bool waitFor(int fd, short events, SteadyTime deadline, const std::stop_token &stop)
{
    constexpr int kSliceMs = 50;
    while (!stop.stop_requested() && std::chrono::steady_clock::now() < deadline) {
        pollfd waiting{fd, events, 0};
        if (::poll(&waiting, 1, kSliceMs) > 0)
            return true;
    }
    return false;
}

ProbeResult fromConnectError(int error)
{
    switch (error) {
    case ECONNREFUSED: return {Peer::Refused, systemText(error)};
    case ENOENT: return {Peer::NoSocketFile, systemText(error)};
    case ENOTSOCK: case EPROTOTYPE: return {Peer::NotASocket, systemText(error)};
    case EACCES: case EPERM: return {Peer::NotPermitted, systemText(error)};
    case ENETUNREACH: case EHOSTUNREACH: case EADDRNOTAVAIL: return {Peer::NoRoute, systemText(error)};
    case ETIMEDOUT: return {Peer::NoAnswer, systemText(error)};
    case ECONNRESET: return {Peer::HangsUp, systemText(error)};
    default: return {Peer::Unknown, systemText(error)};
    }
}

// nullopt when connected.
std::optional<ProbeResult> connectTo(const Socket &socket, const sockaddr *address, socklen_t length,
                                     SteadyTime deadline, const std::stop_token &stop)
{
    if (socket.fd() < 0)
        return fromConnectError(errno);
    if (::connect(socket.fd(), address, length) == 0)
        return std::nullopt;
    // A Unix socket whose queue is full says EAGAIN: somebody is there and does not accept.
    if (errno == EAGAIN)
        return ProbeResult{Peer::Silent, systemText(EAGAIN)};
    if (errno != EINPROGRESS)
        return fromConnectError(errno);
    if (!waitFor(socket.fd(), POLLOUT, deadline, stop))
        return ProbeResult{stop.stop_requested() ? Peer::Unknown : Peer::NoAnswer, {}};
    int error = 0;
    socklen_t size = sizeof(error);
    if (::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    return error == 0 ? std::nullopt : std::optional(fromConnectError(error));
}

ProbeResult greet(const Socket &socket, std::string_view greeting, Duration patience, const std::stop_token &stop)
{
    const SteadyTime deadline = std::chrono::steady_clock::now() + patience;
    if (::send(socket.fd(), greeting.data(), greeting.size(), MSG_NOSIGNAL) < 0)
        return {Peer::HangsUp, systemText(errno)};
    std::string answer;
    std::array<char, 64> buffer{};
    // Eight bytes tell any two languages apart; one that says less and stops is judged by what it said.
    while (answer.size() < 8) {
        if (!waitFor(socket.fd(), POLLIN, deadline, stop)) {
            if (stop.stop_requested())
                return {};
            break;
        }
        const ssize_t got = ::recv(socket.fd(), buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            if (answer.empty())
                return {Peer::HangsUp, got < 0 ? systemText(errno) : std::string()};
            break;
        }
        answer.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return {answer.empty() ? Peer::Silent : languageOf(answer), {}};
}

// One conversation: connect, greet, listen.
ProbeResult converse(int family, const sockaddr *address, socklen_t length, std::string_view greeting,
                     Duration patience, const std::stop_token &stop)
{
    const Socket socket(family);
    const auto failed = connectTo(socket, address, length, std::chrono::steady_clock::now() + patience, stop);
    return failed ? *failed : greet(socket, greeting, patience, stop);
}

ProbeResult lookAt(int family, const sockaddr *address, socklen_t length, Duration patience,
                   const std::stop_token &stop)
{
    const ProbeResult found = converse(family, address, length, kHttp2, patience, stop);
    if (found.peer != Peer::Garbage && found.peer != Peer::HangsUp)
        return found;
    const ProbeResult again = converse(family, address, length, kHttp1, patience, stop);
    return again.peer == Peer::Http1 || again.peer == Peer::Tls ? again : found;
}

ProbeResult probeUnix(const Address &address, Duration patience, const std::stop_token &stop)
{
    struct stat status{};
    if (::stat(address.path.c_str(), &status) == 0 && !S_ISSOCK(status.st_mode))
        return {Peer::NotASocket, {}};
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (address.path.size() >= sizeof(name.sun_path))
        return {Peer::Unknown, systemText(ENAMETOOLONG)};
    std::memcpy(name.sun_path, address.path.c_str(), address.path.size() + 1);
    return lookAt(AF_UNIX, reinterpret_cast<const sockaddr *>(&name), sizeof(name), patience, stop);
}

ProbeResult probeTcp(const Address &address, Duration patience, const std::stop_token &stop)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
    addrinfo *list = nullptr;
    int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
    if (error == EAI_NONAME || error == EAI_ADDRFAMILY) {
        hints.ai_flags = AI_NUMERICSERV; // a machine with loopback only has no "configured" family
        error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
    }
    if (error != 0)
        return {Peer::NoName, ::gai_strerror(error)};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, &::freeaddrinfo);
    ProbeResult last{Peer::NoName, {}};
    for (const addrinfo *each = found.get(); each && !stop.stop_requested(); each = each->ai_next) {
        last = lookAt(each->ai_family, each->ai_addr, each->ai_addrlen, patience, stop);
        if (last.isConnected())
            break;
    }
    return last;
}

} // namespace

Peer languageOf(std::string_view firstBytes) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(firstBytes[i]); };
    if (firstBytes.starts_with("HTTP/1"))
        return Peer::Http1;
    // Type of a TLS record (alert or handshake), then version 3.x.
    if (firstBytes.size() >= 3 && (byte(0) == 0x15 || byte(0) == 0x16) && byte(1) == 0x03 && byte(2) <= 0x04)
        return Peer::Tls;
    // A server's first frame is SETTINGS: three bytes of a small length, type 4, no stream.
    if (firstBytes.size() >= 5 && byte(0) == 0 && byte(1) == 0 && byte(3) == 0x04)
        return Peer::Http2;
    // HTTP/2 servers may also say goodbye at once: GOAWAY, type 7.
    if (firstBytes.size() >= 5 && byte(0) == 0 && byte(1) == 0 && byte(3) == 0x07)
        return Peer::Http2;
    return Peer::Garbage;
}

ProbeResult probe(const Address &address, Duration patience, const std::stop_token &stop)
{
    return address.kind == Address::Kind::Unix ? probeUnix(address, patience, stop)
                                               : probeTcp(address, patience, stop);
}

} // namespace plimsoll
