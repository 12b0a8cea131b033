// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/listen_address.h"

#include "agent/file_descriptor.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

namespace plimsoll {
namespace {

tl::unexpected<Error> badAddress(std::string_view text, std::string_view why)
{
    return failure(Error::Code::BadInput,
                   "\"" + safeText(text) + "\" is not an address to listen on: " + std::string(why) + '.');
}

} // namespace

bool ListenAddress::isThisMachineOnly() const
{
    return isUnix || isLoopbackHost(host);
}

bool isLoopbackHost(const std::string &host)
{
    if (host == "localhost")
        return true;
    in_addr v4{};
    if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) // a number: 127.evil.org is a name
        return (ntohl(v4.s_addr) >> 24U) == 127;
    in6_addr v6{};
    return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string ListenAddress::text() const
{
    if (isUnix)
        return "unix:" + path.native();
    const bool isIpv6 = host.find(':') != std::string::npos;
    return (isIpv6 ? "[" + host + "]" : host) + ':' + std::to_string(port);
}

Result<ListenAddress> parseListenAddress(std::string_view text)
{
    ListenAddress address;
    constexpr std::string_view kUnix = "unix:";
    if (text.starts_with(kUnix)) {
        std::string_view path = text.substr(kUnix.size());
        if (path.starts_with("//"))
            path.remove_prefix(2);
        if (!path.starts_with('/'))
            return badAddress(text, "a Unix socket needs an absolute path");
        if (path.size() >= sizeof(sockaddr_un::sun_path))
            return badAddress(text, "the path of a Unix socket has at most "
                                        + std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
        address.isUnix = true;
        address.path = path;
        return address;
    }
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
        return badAddress(text, "expected unix:/path or host:port");
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        return badAddress(text, "an IPv6 address stands in brackets");
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc{} || end != port.data() + port.size() || port.empty())
        return badAddress(text, "the port is a number up to 65535");
    if (host.empty() || std::any_of(host.begin(), host.end(), [](char c) { return c <= ' ' || c == '/' || c == '%' || c == '[' || c == ']'; }))
        return badAddress(text, "the host is a name or a number");
    address.host = host;
    return address;
}

Result<void> makeWayForSocket(const std::filesystem::path &path)
{
    std::error_code error;
    if (std::filesystem::create_directories(path.parent_path(), error))
        std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, error);
    if (error)
        return failure(Error::Code::Io, "cannot create " + path.parent_path().string() + ": " + error.message());
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0)
        return {}; // nothing there
    if (!S_ISSOCK(status.st_mode))
        return failure(Error::Code::BadInput, path.string() + " is there already, and no socket.");

    const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(probe.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 || errno != ECONNREFUSED)
        return failure(Error::Code::Busy, "somebody listens on " + path.string() + " already.");
    if (::unlink(path.c_str()) != 0)
        return failure(Error::Code::Io, "cannot remove the stale " + path.string() + ": " + std::strerror(errno));
    return {};
}

} // namespace plimsoll
