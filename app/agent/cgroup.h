// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/kept_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// Where the memory controller is. Both versions may be mounted at once; the
/// controller belongs to one of them.
struct CgroupMount
{
    enum class Version : std::uint8_t { None, V1, V2 };
    Version version = Version::None;
    std::filesystem::path root; // folder of the topmost group that is visible
    std::string prefix;         // of the paths in /proc/PID/cgroup, when only a part of the tree is mounted

    friend bool operator==(const CgroupMount &, const CgroupMount &) = default;
};

[[nodiscard]] CgroupMount findMemoryCgroups(const std::filesystem::path &cgroupRoot,
                                            const std::filesystem::path &procRoot);

/// The memory group of a process out of its /proc/PID/cgroup, as a path below
/// mount.root: "/", "/user.slice/…". nullopt when it lies outside of what is mounted.
[[nodiscard]] std::optional<std::string> memoryCgroupOf(std::string_view procCgroup, const CgroupMount &mount);

/// "/a/b" → "/a"; nullopt for "/".
[[nodiscard]] std::optional<std::string> parentCgroup(std::string_view path);

/// Bytes and counts; what the kernel does not have, or has no limit for, is nullopt.
struct CgroupMemory
{
    std::optional<std::uint64_t> usage;
    std::optional<std::uint64_t> workingSet; // usage without the page cache that goes first
    std::optional<std::uint64_t> anonymous;
    std::optional<std::uint64_t> peak;
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> swap;
    std::optional<std::uint64_t> limitHits;
    std::optional<std::uint64_t> oomKills;

    friend bool operator==(const CgroupMemory &, const CgroupMemory &) = default;
};

/// Reads one group again and again from kept-open files.
class CgroupReader
{
public:
    CgroupReader(const CgroupMount &mount, const std::string &path);

    /// nullopt when the group is gone, or is one that has no memory files (the root of version 2).
    [[nodiscard]] std::optional<CgroupMemory> read(std::string &buffer) const;

private:
    void readV1(CgroupMemory &into, std::string &buffer) const;
    void readV2(CgroupMemory &into, std::string &buffer) const;

    CgroupMount::Version m_version;
    KeptFile m_usage;
    KeptFile m_stat;
    KeptFile m_peak;
    KeptFile m_limit;
    KeptFile m_swap;   // version 2; version 1 tells it in memory.stat
    KeptFile m_events; // memory.events; version 1: memory.oom_control
    KeptFile m_hits;   // version 1: memory.failcnt
};

} // namespace plimsoll
