// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/id.h"
#include "base/time.h"

#include <cstdint>
#include <vector>

namespace plimsoll {

inline constexpr std::int64_t kSecond = 1'000'000'000;

/// Chunks begun from `since` on are this long; all in whole minutes, s UTC.
struct Era
{
    std::int64_t since = 0;
    std::int64_t seconds = 600;

    friend bool operator==(const Era &, const Era &) = default;
};

/// [begin, end) in seconds UTC: what one chunk of a group covers, by timestamp and
/// not by number of rows, so that a late sample finds its chunk again.
struct Period
{
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] bool contains(std::int64_t nanos) const noexcept
    {
        return nanos >= begin * kSecond && nanos < end * kSecond;
    }
    friend bool operator==(const Period &, const Period &) = default;
};

/// Cuts time into chunks. Each group's cut is shifted by some whole minutes that follow
/// from its id alone, so that no minute folds everything.
class Periods
{
public:
    Periods() : Periods(std::vector<Era>{Era{}}) {}
    explicit Periods(std::vector<Era> eras); // rising, the first since 0

    [[nodiscard]] Period at(GroupId group, std::int64_t nanos) const noexcept; // nanos >= 0
    [[nodiscard]] Period next(GroupId group, const Period &period) const noexcept;
    [[nodiscard]] const std::vector<Era> &eras() const noexcept { return m_eras; }

private:
    std::vector<Era> m_eras;
};

// Rows of chunk and strip are clustered time by time: retention and the newest hours stay together.
[[nodiscard]] constexpr std::int64_t chunkKey(std::int64_t begin, GroupId group) noexcept
{
    return begin * (std::int64_t{1} << 24) + group.value;
}
[[nodiscard]] constexpr std::int64_t periodOf(std::int64_t key) noexcept { return key >> 24; }
[[nodiscard]] constexpr GroupId groupOf(std::int64_t key) noexcept
{
    return {static_cast<std::uint32_t>(key & 0xffffff)};
}
inline constexpr std::uint32_t kMaxGroups = (1U << 24U) - 1;

} // namespace plimsoll
