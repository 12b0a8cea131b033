// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/curl_library.h"
#include "base/result.h"
#include "base/time.h"

#include <cstddef>
#include <string>

namespace plimsoll {

struct HttpLimits
{
    Duration connect = std::chrono::seconds(3);
    Duration total = std::chrono::seconds(10);
    std::size_t bodyBytes = 32 << 20; // after unpacking
};

/// One GET of an exporter, repeated over one kept connection. Compressed answers are
/// unpacked; a redirect is followed only to the same host and port. Used by one thread.
class HttpGet
{
public:
    HttpGet(const CurlLibrary &curl, std::string url, HttpLimits limits);
    HttpGet(const HttpGet &) = delete;
    HttpGet &operator=(const HttpGet &) = delete;
    ~HttpGet();

    /// Makes ready for another transfer; the handle then goes into a multi handle.
    [[nodiscard]] CURL *begin();
    [[nodiscard]] CURL *handle() const noexcept { return m_handle; }
    /// After the transfer: the body, or a sentence that says why there is none.
    [[nodiscard]] Result<void> finish(CURLcode code);
    /// The answer was a redirect that may be followed: begin() again.
    [[nodiscard]] bool wantsAnother() const noexcept { return m_redirects > 0 && !m_next.empty(); }

    [[nodiscard]] const std::string &body() const noexcept { return m_body; }
    [[nodiscard]] std::string contentType() const;
    void dropBody(); // a large one is not kept until the next

private:
    static std::size_t receive(char *bytes, std::size_t size, std::size_t count, void *self);
    [[nodiscard]] Result<void> finishRedirect(long status);

    const CurlLibrary &m_curl;
    std::string m_url;
    std::string m_next; // where a redirect leads
    HttpLimits m_limits;
    CURL *m_handle = nullptr;
    curl_slist *m_headers = nullptr;
    std::string m_body;
    int m_redirects = 0;
    bool m_isTooLarge = false;
};

/// Without user and password: fit for labels and logs.
[[nodiscard]] std::string publicUrl(std::string_view url);
/// "http://[::1]:9100/metrics" → "::1"; empty when it is no http or https URL.
[[nodiscard]] std::string hostOf(std::string_view url);

} // namespace plimsoll
