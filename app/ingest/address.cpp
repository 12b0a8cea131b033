// SPDX-License-Identifier: GPL-3.0-or-later
#include "ingest/address.h"

#include "base/text.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>

namespace plimsoll {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kMaxHostBytes = 253; // of a DNS name
constexpr std::size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;

bool isHostByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.'
        || c == '_' || c == ':' || c == '%';
}

tl::unexpected<Error> wrong(std::string_view text, std::string_view why)
{
    return failure(Error::Code::BadInput,
                   "\u201c" + safeText(text, 120) + "\u201d is not an address: " + std::string(why)
                       + " Write host:port, as in 10.0.0.7:7443, or unix:/path/of/a.sock.");
}

Result<Address> parseUnix(std::string_view text)
{
    std::string_view path = text.substr(kUnix.size());
    if (path.starts_with("//")) // unix:///path
        path.remove_prefix(2);
    if (path.empty() || path.front() != '/')
        return wrong(text, "after unix: comes a path from the root.");
    if (path.size() > kMaxPathBytes)
        return wrong(text, "the path of a socket has at most " + std::to_string(kMaxPathBytes) + " bytes.");
    if (path.find('\0') != std::string_view::npos)
        return wrong(text, "a path has no zero byte.");
    Address address;
    address.kind = Address::Kind::Unix;
    address.path = path;
    return address;
}

} // namespace

std::string Address::text() const
{
    if (kind == Kind::Unix)
        return std::string(kUnix) + path;
    const bool isNumeric6 = host.find(':') != std::string::npos;
    return (isNumeric6 ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

std::string Address::target() const
{
    return kind == Kind::Unix ? text() : "dns:///" + text();
}

Result<Address> parseAddress(std::string_view text)
{
    if (text.empty())
        return failure(Error::Code::BadInput,
                       "The address is empty. Write host:port, as in 10.0.0.7:7443, or unix:/path/of/a.sock.");
    if (text.starts_with(kUnix))
        return parseUnix(text);
    if (text.find("://") != std::string_view::npos)
        return wrong(text, "an agent is no URL.");
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return wrong(text, "the port is missing.");
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool isBracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (isBracketed)
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        return wrong(text, "an IPv6 number stands in brackets, as in [::1]:7443.");
    if (host.empty())
        return wrong(text, "the host is missing.");
    if (host.size() > kMaxHostBytes || !std::all_of(host.begin(), host.end(), isHostByte))
        return wrong(text, "the host has a character that no host has.");
    Address address;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc() || end != port.data() + port.size() || address.port == 0)
        return wrong(text, "the port is a number from 1 to 65535.");
    address.host = host;
    return address;
}

} // namespace plimsoll
