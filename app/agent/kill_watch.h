// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/time.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plimsoll {

/// Matches the kernel's counts of out-of-memory kills with the processes that
/// vanished. The counts come first: a large process takes seconds to die.
class KillWatch
{
public:
    /// `group` as memoryCgroupOf() names it; empty = the whole host.
    void note(const std::string &group, std::uint64_t kills, MonotonicInstant now)
    {
        if (kills > 0)
            m_counts[group] = {m_counts[group].kills + kills, now};
    }

    /// Was one of the kills in this group? Then it is used up, in the groups above and the host too.
    [[nodiscard]] bool take(const std::string &group, const std::vector<std::string> &above)
    {
        if (!drop(group))
            return false;
        for (const auto &path : above)
            drop(path);
        if (!group.empty())
            drop({});
        return true;
    }

    /// Kills on the host that no watched process can have been, once there was time to find out.
    [[nodiscard]] std::uint64_t takeStrangers(MonotonicInstant now)
    {
        bool isDying = false; // one of ours is known to be killed, and still goes down
        for (auto at = m_counts.begin(); at != m_counts.end();) {
            const bool isOld = now - at->second.since > kLongestDeath;
            isDying = isDying || (!at->first.empty() && !isOld);
            at = isOld && !at->first.empty() ? m_counts.erase(at) : std::next(at);
        }
        const auto host = m_counts.find({});
        if (host == m_counts.end() || isDying || now - host->second.since < kPatience)
            return 0;
        const auto kills = host->second.kills;
        m_counts.erase(host);
        return kills;
    }

private:
    static constexpr Duration kPatience = std::chrono::seconds(3);
    static constexpr Duration kLongestDeath = std::chrono::seconds(30);
    struct Count
    {
        std::uint64_t kills = 0;
        MonotonicInstant since;
    };

    bool drop(const std::string &group)
    {
        const auto at = m_counts.find(group);
        if (at == m_counts.end())
            return false;
        if (--at->second.kills == 0)
            m_counts.erase(at);
        return true;
    }

    std::map<std::string, Count> m_counts;
};

} // namespace plimsoll
