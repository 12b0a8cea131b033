// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "history/store.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Answers questions about the past, on the asker's thread: one short transaction each.
/// Errors: Cancelled within 50 ms of a stop, Corrupt, Io.
class HistoryReader
{
public:
    explicit HistoryReader(HistoryStore &store) : m_store(store) {}

    [[nodiscard]] Result<std::vector<SeriesSlice>> slice(std::span<const SeriesId> series, TimeRange range, int pixels,
                                                         const std::stop_token &stop) const;
    [[nodiscard]] Result<std::vector<SeriesEntry>> asOf(Instant at, Duration within, const std::stop_token &stop) const;
    [[nodiscard]] Result<std::vector<Event>> events(TimeRange range, std::size_t limit,
                                                    const std::stop_token &stop) const;
    [[nodiscard]] Result<std::vector<StepRecord>> steps(std::string_view job, TimeRange range, std::size_t limit,
                                                        const std::stop_token &stop) const;
    [[nodiscard]] std::vector<SeriesEntry> latest() const;
    [[nodiscard]] std::optional<TimeRange> extent() const;

private:
    HistoryStore &m_store;
};

} // namespace plimsoll
