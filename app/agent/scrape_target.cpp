// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/scrape_target.h"

#include "base/format.h"
#include "base/text.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::uint64_t kForgetAfter = 20; // scrapes without it
constexpr Duration kFutureTolerated = std::chrono::hours(1);
constexpr std::size_t kMostTimes = 2000; // of one body; each is a frame

std::uint64_t hashOf(const SeriesKey &key)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto mix = [&hash](std::string_view text) {
        for (const char byte : text)
            hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
        hash = (hash ^ 0xffU) * 0x100000001b3ULL; // a byte that UTF-8 never has: where one text ends
    };
    mix(key.metric);
    for (const auto &[name, value] : key.labels) {
        mix(name);
        mix(value);
    }
    return hash;
}

} // namespace

ScrapeTarget::ScrapeTarget(Journal &journal, TargetContext context)
    : m_journal(journal), m_context(std::move(context)), m_state{m_context.url, false, "It was not scraped yet.", 0, 0}
{}

void ScrapeTarget::accept(std::string_view body, std::string_view contentType, Instant time)
{
    ExpositionLimits limits;
    limits.bodyBytes = std::max(limits.bodyBytes, body.size()); // the transfer has its own limit
    limits.samples = kMostSeries;
    const auto exposition = parseExposition(body, expositionFormat(contentType), limits);
    if (!exposition) {
        fail({exposition.error().code, "The answer is no exposition: " + exposition.error().detail + '.'}, time);
        return;
    }
    auto mapped = mapExposition(*exposition, {m_context.url, m_context.host, m_context.interval});
    ++m_scrapes;
    m_state.skipped = exposition->skippedCount + mapped.skipped.size();
    std::string problem;
    if (exposition->samples.size() >= kMostSeries && exposition->skippedCount > 0)
        problem = "It has more than " + formatExact(static_cast<std::int64_t>(kMostSeries))
            + " series; those after them are left out.";
    else if (exposition->samples.empty())
        problem = body.empty() ? "The answer is empty." : "There is no sample in the answer.";
    publish(mapped, time);
    retireUnseen();
    m_state.series = m_series.size();
    note(!exposition->samples.empty(), std::move(problem), time);
}

void ScrapeTarget::fail(const Error &error, Instant time)
{
    note(false, error.detail, time);
}

void ScrapeTarget::publish(MappedExposition &mapped, Instant time)
{
    // One frame for what has the time of the scrape, and one for each time that the exporter names.
    struct Own
    {
        Instant time;
        SeriesSlot slot;
        double value;
    };
    Readings readings;
    std::vector<Own> own;
    for (auto &sample : mapped.samples) {
        auto &series = seriesOf(sample);
        if (series.seen == m_scrapes) {
            ++m_state.skipped; // the same series again, under two names
            continue;
        }
        series.seen = m_scrapes;
        if (!sample.time) {
            readings.add(series.slot, sample.value);
        } else if (*sample.time > time + kFutureTolerated) {
            ++m_state.skipped;
        } else if (!series.time || *sample.time > *series.time) { // else it is the one we have already
            series.time = sample.time;
            own.push_back({*sample.time, series.slot, sample.value});
        }
    }
    if (!readings.series.empty())
        m_journal.publish(time, readings);
    std::stable_sort(own.begin(), own.end(), [](const Own &a, const Own &b) { return a.time < b.time; });
    std::size_t times = 0;
    for (auto at = own.begin(); at != own.end();) {
        const auto same = at->time;
        if (++times > kMostTimes) {
            m_state.skipped += static_cast<std::uint64_t>(own.end() - at);
            break;
        }
        readings.clear();
        for (; at != own.end() && at->time == same; ++at)
            readings.add(at->slot, at->value);
        m_journal.publish(same, readings);
    }
}

ScrapeTarget::Series &ScrapeTarget::seriesOf(MappedSample &sample)
{
    // An exporter beside us measures this host too: its series are not ours.
    auto &info = sample.info;
    if (info.group.starts_with("host") && info.key.labels.value(label::kHost) == m_context.ownHost)
        info.key.labels.set(label::kScrape, m_context.url);
    auto &series = m_series[hashOf(info.key)];
    if (!series.slot)
        series.slot = m_journal.define(info);
    return series;
}

void ScrapeTarget::retireUnseen()
{
    std::erase_if(m_series, [this](const auto &entry) {
        if (entry.second.seen + kForgetAfter > m_scrapes)
            return false;
        m_journal.retire(entry.second.slot);
        return true;
    });
}

void ScrapeTarget::note(bool hasData, std::string problem, Instant time)
{
    m_state.problem = std::move(problem);
    m_state.isHealthy = m_state.problem.empty();
    if (!hasData)
        m_state.series = 0;
    if (m_isUp == hasData || (!m_isUp && hasData)) {
        m_isUp = hasData;
        return;
    }
    m_isUp = hasData;
    Event event{time, hasData ? EventKind::SourceUp : EventKind::SourceDown,
                Labels{{std::string(label::kHost), m_context.ownHost}, {std::string(label::kScrape), m_context.url}}, {},
                std::nullopt};
    event.text = safeText(m_context.url) + (hasData ? " can be scraped again." : " cannot be scraped: " + m_state.problem);
    m_journal.publish(event);
}

} // namespace plimsoll
