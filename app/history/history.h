// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/mailbox.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/series.h"
#include "model/series_slice.h"
#include "model/step.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

struct HistoryOptions
{
    std::filesystem::path file;      // created when absent; a folder of its own is fine
    bool isReadOnly = false;         // a recording
    Duration commitInterval = std::chrono::seconds(1);
    Duration chunkLength = std::chrono::minutes(10);
    Duration keepRaw = std::chrono::hours(48);
    Bytes sizeLimit{10 * kGiB};
    std::size_t inboxBytes = 48U << 20U;
};

/// Where the database stands; a sentence for a person is made by the view.
struct HistoryState
{
    enum class Health : std::uint8_t { Fine, SetAside, ReadOnly, DiskFull, Locked, Failed };
    Health health = Health::Fine;
    std::string detail;              // which file, where the damaged one was put, what SQLite said
    Bytes size;                      // of all its files on disk
    std::uint64_t samples = 0;       // committed since start
    double samplesPerSecond = 0;
    std::uint64_t dropped = 0;       // arrived and not kept, with the reason in detail
    std::uint64_t duplicates = 0;    // arrived twice and kept once: not a loss
    std::uint64_t series = 0;

    friend bool operator==(const HistoryState &, const HistoryState &) = default;
};

/// A series as the history knows it, with its newest sample.
struct SeriesEntry
{
    SeriesId id;
    std::string agent;
    SeriesInfo info;
    std::optional<Instant> lastTime;
    double lastValue = 0;

    friend bool operator==(const SeriesEntry &, const SeriesEntry &) = default;
};

/// The SQLite cache: one writer thread of its own, any number of readers.
/// Everything but inbox(), resumePoint(), state() and latest() may touch the disk:
/// never call those from the GUI thread.
class History
{
public:
    using Committed = std::function<void(TimeRange)>; // after each commit, on the writer's thread: what it touched

    /// A damaged file is put aside beside itself and a new one begun; state() tells.
    /// Errors: Busy (another program holds it), Io, Unsupported (from a newer version).
    [[nodiscard]] static Result<std::unique_ptr<History>> open(HistoryOptions options, Committed committed = {},
                                                               const Clock &clock = systemClock());
    History(const History &) = delete;
    History &operator=(const History &) = delete;
    ~History(); // commits what has arrived

    [[nodiscard]] Mailbox<Delivery> &inbox() noexcept;
    [[nodiscard]] ResumePoint resumePoint(const std::string &agent) const;
    [[nodiscard]] HistoryState state() const;

    /// Series with their newest samples, committed or not; a copy, by id.
    [[nodiscard]] std::vector<SeriesEntry> latest() const;
    /// The same as of an instant in the past (last sample at or before it, no older than `within`).
    [[nodiscard]] Result<std::vector<SeriesEntry>> asOf(Instant at, Duration within, std::stop_token stop) const;

    /// At most two buckets a pixel; extremes of the raw data are never lost. One call for all series of a panel.
    [[nodiscard]] Result<std::vector<SeriesSlice>> slice(std::span<const SeriesId> series, TimeRange range, int pixels,
                                                         std::stop_token stop) const;
    /// Rising in time, newest `limit` of them when there are more.
    [[nodiscard]] Result<std::vector<Event>> events(TimeRange range, std::size_t limit, std::stop_token stop) const;
    [[nodiscard]] Result<std::vector<StepRecord>> steps(std::string_view job, TimeRange range, std::size_t limit,
                                                        std::stop_token stop) const;
    [[nodiscard]] Result<std::optional<TimeRange>> extent() const; // of all samples

    /// Blocks until all that was posted before is committed. For tests and shutdown.
    void flush();

private:
    class Private;
    explicit History(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace plimsoll
