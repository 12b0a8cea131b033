// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"
#include "model/fleet.h"
#include "session/slice_service.h"
#include "widgets/timeline/track.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// Which series a job's timeline shows, in which track and role. Made from the set of
/// series once it changes; the answer to its request fills it with numbers.
struct JobPlan
{
    struct Line
    {
        SeriesId series;
        QString name;
        SeriesRole role = SeriesRole::Host;
        bool isBand = false;
        bool isArea = false;
        bool isDashed = false;
    };
    struct Limit
    {
        SeriesId series; // 0 = the constant
        QString name;
        double value = 0; // last known
    };
    struct Track
    {
        QString id;
        QString title;
        std::vector<Line> lines;
        std::vector<Limit> limits;
        int stretch = 1;
    };
    std::vector<Track> tracks;

    /// Every series once, in the order in which slices are wanted.
    [[nodiscard]] std::vector<SeriesId> series() const;
    [[nodiscard]] bool isEmpty() const noexcept { return tracks.empty(); }
};

[[nodiscard]] JobPlan planJob(const JobState &job, const std::vector<SeriesEntry> &series);
/// `answer` must come from a request for plan.series().
[[nodiscard]] std::vector<Track> timelineTracks(const JobPlan &plan, const SliceAnswer &answer);

/// One process of a job and its newest figures.
struct ProcessRow
{
    std::string pid;
    std::string name;
    std::string node;
    std::optional<double> rss;
    std::optional<double> pss;
    std::optional<double> swap;
    std::optional<Instant> seen;

    friend bool operator==(const ProcessRow &, const ProcessRow &) = default;
};

/// The job's processes, largest first. Those not seen for a while before `at` are left out: they ended.
[[nodiscard]] std::vector<ProcessRow> processesOf(const std::string &job, const std::vector<SeriesEntry> &series, Instant at);

} // namespace plimsoll
