// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/identity.h"
#include "agent/journal.h"
#include "agent/process_reader.h"
#include "base/time.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// A process of a job.
struct JobProcess
{
    ProcessReader reader;
    std::string name;
    std::string cgroup; // below the mount; empty = not known
    MonotonicInstant joined;
    bool isNamed = false; // on the command line, or a child of such a one
    std::uint64_t rss = 0;
    std::optional<std::uint64_t> swap;
    std::optional<std::uint64_t> pss;
    SeriesSlot rssSlot;
    SeriesSlot swapSlot;
    SeriesSlot pssSlot;
};

/// All processes that said the same job id: a training loop and its data loaders.
struct Job
{
    JobIdentity identity;
    Labels labels; // of everything about it
    std::string group;
    std::string slowGroup; // what is read every ten seconds has times of its own
    std::vector<JobProcess> processes;
    MonotonicInstant nextSlow;
    SeriesSlot rssSlot;
    SeriesSlot swapSlot;
    SeriesSlot pssSlot;
    SeriesSlot processesSlot;

    static constexpr std::size_t kCgroupMetrics = 8;
    std::map<std::string, std::array<SeriesSlot, kCgroupMetrics>> cgroups; // by path: its groups and their parents
    bool areCgroupsStale = false; // a process came or went: asked for anew after the kills were told
    bool wasKilled = false; // the process that ended last, by the kernel
};

} // namespace plimsoll
