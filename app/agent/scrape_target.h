// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/journal.h"
#include "base/result.h"
#include "base/time.h"
#include "formats/exporter_map.h"
#include "model/frame.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plimsoll {

struct TargetContext
{
    std::string url;     // without credentials
    std::string host;    // host.name of what names none
    std::string ownHost; // the agent's
    Duration interval{};
};

/// What one endpoint's bodies become: its series, their numbers, and how it is doing.
/// Used by one thread.
class ScrapeTarget
{
public:
    static constexpr std::size_t kMostSeries = 50'000;

    ScrapeTarget(Journal &journal, TargetContext context);

    void accept(std::string_view body, std::string_view contentType, Instant time);
    void fail(const Error &error, Instant time);
    [[nodiscard]] const SourceState &state() const noexcept { return m_state; }

private:
    struct Series
    {
        SeriesSlot slot;
        std::uint64_t seen = 0;      // number of the scrape
        std::optional<Instant> time; // the exporter's own, of the newest sample
    };

    Series &seriesOf(MappedSample &sample);
    void publish(MappedExposition &mapped, Instant time);
    void retireUnseen();
    void note(bool hasData, std::string problem, Instant time);

    Journal &m_journal;
    TargetContext m_context;
    SourceState m_state;
    std::unordered_map<std::uint64_t, Series> m_series; // by a hash of the key: names are long and many
    std::uint64_t m_scrapes = 0;
    std::optional<bool> m_isUp; // as the events have told it
};

} // namespace plimsoll
