// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/scrape.h"

#include "agent/listen_address.h"
#include "base/text.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace plimsoll {

struct Scraper::Endpoint
{
    std::size_t index;
    ScrapeTarget target;
    HttpGet get;
    Schedule schedule;
    Duration phase; // so that not all are fetched in one moment
    MonotonicInstant due{};
    Instant began;
    bool isRunning = false;
};

Scraper::Scraper(Journal &journal, ScrapeOptions options) : m_journal(journal), m_options(std::move(options))
{
    for (const auto &url : m_options.urls)
        m_states.push_back({safeText(publicUrl(url), 1024), false, "It was not scraped yet.", 0, 0});
    const auto loaded = CurlLibrary::load();
    if (!loaded) {
        for (auto &state : m_states)
            state.problem = loaded.error().detail;
        return;
    }
    m_curl = *loaded;
    // A transfer ends before the next is due, or it would be two at a time.
    m_options.limits.total = std::min(m_options.limits.total, std::max(m_options.interval, Duration(std::chrono::seconds(1))));
    m_options.limits.connect = std::min(m_options.limits.connect, m_options.limits.total);
    for (std::size_t i = 0; i < m_options.urls.size(); ++i) {
        const auto &url = m_options.urls[i];
        const auto host = hostOf(url);
        TargetContext context{m_states[i].name, isLoopbackHost(host) ? m_options.host : safeText(host), m_options.host,
                              m_options.interval};
        const Duration phase{static_cast<std::int64_t>(std::hash<std::string>{}(url)
                                                       % static_cast<std::uint64_t>(m_options.interval.count()))};
        m_endpoints.push_back(std::unique_ptr<Endpoint>(
            new Endpoint{i, ScrapeTarget(m_journal, std::move(context)), HttpGet(*m_curl, url, m_options.limits),
                         Schedule(m_options.interval), phase, {}, {}, false}));
    }
}

Scraper::~Scraper()
{
    stop();
}

void Scraper::start()
{
    if (m_curl == nullptr || m_endpoints.empty())
        return;
    m_multi = m_curl->multiInit();
    m_thread = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

void Scraper::stop()
{
    if (!m_thread.joinable())
        return;
    m_thread.request_stop();
    m_curl->multiWakeup(m_multi);
    m_thread.join();
    for (const auto &endpoint : m_endpoints) {
        if (std::exchange(endpoint->isRunning, false))
            m_curl->multiRemove(m_multi, endpoint->get.handle());
    }
    m_curl->multiCleanup(m_multi);
    m_multi = nullptr;
}

void Scraper::run(const std::stop_token &stop)
{
    while (!stop.stop_requested()) {
        const auto now = std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
        const Duration wait = std::clamp(startDue(now), Duration(std::chrono::milliseconds(1)),
                                         Duration(std::chrono::seconds(60)));
        int running = 0;
        m_curl->multiPerform(m_multi, &running);
        takeFinished();
        if (stop.stop_requested())
            return;
        const auto millis = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
        m_curl->multiPoll(m_multi, nullptr, 0, static_cast<int>(millis), nullptr);
    }
}

Duration Scraper::startDue(MonotonicInstant now)
{
    auto next = MonotonicInstant::max();
    for (const auto &endpoint : m_endpoints) {
        if (now >= endpoint->due && !endpoint->isRunning) {
            endpoint->due = endpoint->schedule.after(now - endpoint->phase) + endpoint->phase;
            endpoint->began = systemClock().now();
            endpoint->isRunning = true;
            m_curl->multiAdd(m_multi, endpoint->get.begin());
        }
        next = std::min(next, endpoint->due);
    }
    return next - now;
}

void Scraper::takeFinished()
{
    int left = 0;
    while (const CURLMsg *message = m_curl->multiInfoRead(m_multi, &left)) {
        if (message->msg != CURLMSG_DONE)
            continue;
        CURL *handle = message->easy_handle;
        const CURLcode code = message->data.result; // the message dies with the removal
        void *mark = nullptr;
        m_curl->getInfo(handle, CURLINFO_PRIVATE, &mark);
        m_curl->multiRemove(m_multi, handle);
        for (const auto &endpoint : m_endpoints) {
            if (&endpoint->get == mark)
                finish(*endpoint, code);
        }
    }
}

void Scraper::finish(Endpoint &endpoint, CURLcode code)
{
    const auto finished = endpoint.get.finish(code);
    if (endpoint.get.wantsAnother()) {
        m_curl->multiAdd(m_multi, endpoint.get.begin());
        return;
    }
    endpoint.isRunning = false;
    if (finished)
        endpoint.target.accept(endpoint.get.body(), endpoint.get.contentType(), endpoint.began);
    else
        endpoint.target.fail(finished.error(), endpoint.began);
    endpoint.get.dropBody();
    tellState(endpoint);
}

void Scraper::tellState(const Endpoint &endpoint)
{
    const std::lock_guard lock(m_statesMutex);
    m_states[endpoint.index] = endpoint.target.state();
}

std::vector<SourceState> Scraper::states() const
{
    const std::lock_guard lock(m_statesMutex);
    return m_states;
}

} // namespace plimsoll
