// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/history.h"
#include "model/fleet.h"
#include "widgets/shell/inspector.h"
#include "widgets/shell/page_header.h"

#include <vector>

namespace plimsoll {

/// "team nlp · model rag-7b · training"
[[nodiscard]] QString jobSubtitle(const JobState &job);
/// The figures right of the name; unknown ones are left out.
[[nodiscard]] std::vector<PageHeader::Fact> jobFacts(const JobState &job, const std::vector<SeriesEntry> &series, Instant now, bool utc);
/// Labels and origin, for the inspector.
[[nodiscard]] std::vector<Inspector::Section> jobSections(const JobState &job, const std::vector<SeriesEntry> &series, Instant now,
                                                          bool utc);

/// How full the tightest limit over the job is: its cgroup's where it has one, else its host's memory.
struct JobLimit
{
    QString name;
    double used = 0;
    double limit = 0;
};
[[nodiscard]] std::optional<JobLimit> tightestLimit(const JobState &job, const std::vector<SeriesEntry> &series);

} // namespace plimsoll
