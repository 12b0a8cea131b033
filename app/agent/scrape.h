// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/http_get.h"
#include "agent/journal.h"
#include "agent/sampler.h"
#include "agent/scrape_target.h"
#include "base/time.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll {

struct ScrapeOptions
{
    std::vector<std::string> urls;
    Duration interval = std::chrono::seconds(5);
    std::string host; // the agent's
    HttpLimits limits;
};

/// Fetches all endpoints on one thread of its own, side by side, each at its own
/// place within the interval: one that is slow or never ends delays no other, and
/// nothing else in the agent waits for any of them.
class Scraper
{
public:
    Scraper(Journal &journal, ScrapeOptions options);
    Scraper(const Scraper &) = delete;
    Scraper &operator=(const Scraper &) = delete;
    ~Scraper(); // cuts transfers off

    void start();
    void stop();
    [[nodiscard]] std::vector<SourceState> states() const; // any thread

private:
    struct Endpoint;

    void run(const std::stop_token &stop);
    [[nodiscard]] Duration startDue(MonotonicInstant now); // time until the next is due
    void takeFinished();
    void finish(Endpoint &endpoint, CURLcode code);
    void tellState(const Endpoint &endpoint);

    Journal &m_journal;
    ScrapeOptions m_options;
    const CurlLibrary *m_curl = nullptr;
    std::atomic<CURLM *> m_multi = nullptr; // woken by stop()
    std::vector<std::unique_ptr<Endpoint>> m_endpoints;
    mutable std::mutex m_statesMutex;
    std::vector<SourceState> m_states;
    std::jthread m_thread;
};

} // namespace plimsoll
