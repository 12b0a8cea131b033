// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/http_get.h"

#include "base/format.h"
#include "base/text.h"

#include <chrono>

namespace plimsoll {
namespace {

// What our parser reads, best first. The answer's own Content-Type decides.
constexpr const char *kAccept = "Accept: application/openmetrics-text;version=1.0.0;q=0.6,"
                                "text/plain;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
constexpr int kMostRedirects = 3;

long millis(Duration duration)
{
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// Scheme, host and port as they stand in the URL.
std::string_view originOf(std::string_view url)
{
    const auto host = url.find("://");
    if (host == std::string_view::npos)
        return {};
    return url.substr(0, std::min(url.find_first_of("/?#", host + 3), url.size()));
}

} // namespace

std::string publicUrl(std::string_view url)
{
    const auto origin = originOf(url);
    const auto at = origin.rfind('@');
    if (at == std::string_view::npos)
        return std::string(url);
    const auto host = origin.find("://") + 3;
    return std::string(url.substr(0, host)) + std::string(url.substr(at + 1));
}

std::string hostOf(std::string_view url)
{
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return {};
    std::string_view authority = originOf(url);
    authority.remove_prefix(authority.find("://") + 3);
    if (const auto at = authority.rfind('@'); at != std::string_view::npos)
        authority.remove_prefix(at + 1);
    if (authority.starts_with('['))
        return std::string(authority.substr(1, authority.find(']') == std::string_view::npos ? 0 : authority.find(']') - 1));
    return std::string(authority.substr(0, authority.find(':')));
}

HttpGet::HttpGet(const CurlLibrary &curl, std::string url, HttpLimits limits)
    : m_curl(curl), m_url(std::move(url)), m_limits(limits), m_handle(curl.easyInit())
{
    m_headers = m_curl.listAppend(nullptr, kAccept);
    const auto set = [this](CURLoption option, auto value) { m_curl.setOption(m_handle, option, value); };
    set(CURLOPT_HTTPHEADER, m_headers);
    set(CURLOPT_USERAGENT, "plimsoll-agent/" PLIMSOLL_VERSION);
    set(CURLOPT_ACCEPT_ENCODING, ""); // whatever this libcurl can unpack
    set(CURLOPT_FOLLOWLOCATION, 0L); // we look where it leads first
    set(CURLOPT_NOPROXY, "*"); // exporters are neighbours
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_BUFFERSIZE, 16384L);
    set(CURLOPT_WRITEDATA, static_cast<void *>(this));
    set(CURLOPT_WRITEFUNCTION, &HttpGet::receive);
    set(CURLOPT_CONNECTTIMEOUT_MS, millis(m_limits.connect));
    set(CURLOPT_TIMEOUT_MS, millis(m_limits.total));
    set(CURLOPT_PRIVATE, static_cast<void *>(this));
}

HttpGet::~HttpGet()
{
    m_curl.easyCleanup(m_handle);
    m_curl.listFree(m_headers);
}

CURL *HttpGet::begin()
{
    m_body.clear();
    m_isTooLarge = false;
    if (m_next.empty())
        m_redirects = 0;
    m_curl.setOption(m_handle, CURLOPT_URL, m_next.empty() ? m_url.c_str() : m_next.c_str());
    m_next.clear();
    return m_handle;
}

std::size_t HttpGet::receive(char *bytes, std::size_t size, std::size_t count, void *self)
{
    auto &get = *static_cast<HttpGet *>(self);
    const std::size_t length = size * count;
    if (get.m_body.size() + length > get.m_limits.bodyBytes) {
        get.m_isTooLarge = true;
        return 0; // ends the transfer
    }
    get.m_body.append(bytes, length);
    return length;
}

Result<void> HttpGet::finish(CURLcode code)
{
    const std::string host = hostOf(m_url);
    const auto unreachable = [](std::string why) { return failure(Error::Code::Unreachable, std::move(why)); };
    if (m_isTooLarge)
        return failure(Error::Code::TooLarge, "The answer is larger than "
                                                  + formatBytes(static_cast<double>(m_limits.bodyBytes)).text()
                                                  + ", the most that is read.");
    switch (code) {
    case CURLE_OK: break;
    case CURLE_URL_MALFORMAT: return failure(Error::Code::BadInput, "That is not a URL.");
    case CURLE_UNSUPPORTED_PROTOCOL: return unreachable("What answers there does not speak HTTP."); // the URL does
    case CURLE_COULDNT_RESOLVE_HOST: return unreachable("The name " + safeText(host) + " is not known.");
    case CURLE_COULDNT_CONNECT: return unreachable("Nothing answers there: the connection was refused or not possible.");
    case CURLE_GOT_NOTHING: return unreachable("The connection was closed without an answer.");
    case CURLE_OPERATION_TIMEDOUT:
        return unreachable(m_body.empty() ? "No answer within " + formatDuration(m_limits.total) + '.'
                                          : "The answer did not end within " + formatDuration(m_limits.total) + "; "
                                                + formatBytes(static_cast<double>(m_body.size())).text() + " had come.");
    case CURLE_PARTIAL_FILE: return unreachable("The answer broke off.");
    default: return unreachable(std::string("The answer could not be read: ") + m_curl.describe(code) + '.');
    }
    long status = 0;
    m_curl.getInfo(m_handle, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 300 && status < 400)
        return finishRedirect(status);
    m_redirects = 0;
    if (status != 200)
        return unreachable("It answered with HTTP status " + std::to_string(status) + '.');
    return {};
}

Result<void> HttpGet::finishRedirect(long status)
{
    char *where = nullptr;
    m_curl.getInfo(m_handle, CURLINFO_REDIRECT_URL, &where);
    const std::string target = where == nullptr ? "" : where;
    if (!target.empty() && originOf(publicUrl(target)) == originOf(publicUrl(m_url)) && m_redirects < kMostRedirects) {
        ++m_redirects;
        m_next = target;
        return failure(Error::Code::Busy, "It moved.");
    }
    m_redirects = 0;
    return failure(Error::Code::Unreachable,
                   "It answered with HTTP status " + std::to_string(status)
                       + (target.empty() ? std::string() : " and points to " + safeText(publicUrl(target)))
                       + "; only redirects within the same host are followed, and few.");
}

std::string HttpGet::contentType() const
{
    char *type = nullptr;
    m_curl.getInfo(m_handle, CURLINFO_CONTENT_TYPE, &type);
    return type == nullptr ? std::string() : std::string(type);
}

void HttpGet::dropBody()
{
    constexpr std::size_t kWorthKeeping = 256 << 10;
    if (m_body.capacity() > kWorthKeeping)
        std::string().swap(m_body);
}

} // namespace plimsoll
