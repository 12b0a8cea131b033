// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/cgroup.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace plimsoll {

/// The groups somebody is interested in, each read once a tick however many jobs share it.
class CgroupTable
{
public:
    struct Entry
    {
        CgroupReader reader;
        unsigned users = 0;
        std::optional<CgroupMemory> memory; // of this tick; nullopt = gone
        std::uint64_t newKills = 0;         // since the tick before
        std::uint64_t newHits = 0;
    };

    explicit CgroupTable(CgroupMount mount) : m_mount(std::move(mount)) {}

    [[nodiscard]] const CgroupMount &mount() const noexcept { return m_mount; }
    /// Reads it at once, so that its counters have a beginning.
    void acquire(const std::string &path, std::string &buffer);
    void release(const std::string &path);
    void readAll(std::string &buffer);
    [[nodiscard]] const Entry *find(const std::string &path) const;
    [[nodiscard]] const std::map<std::string, Entry> &entries() const noexcept { return m_entries; }

private:
    CgroupMount m_mount;
    std::map<std::string, Entry> m_entries;
};

} // namespace plimsoll
