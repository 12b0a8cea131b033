// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef> // before <compare>: moc of Qt 6.4 cannot read <concepts> when it comes first

#include <compare>
#include <cstdint>
#include <functional>

namespace plimsoll {

/// Index of a row in some table, four bytes, of one table only. 0 is "none".
template <class Tag>
struct Id
{
    std::uint32_t value = 0;

    friend constexpr auto operator<=>(Id, Id) = default;
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return value != 0; }
};

using AgentId = Id<struct AgentTag>;   // a row of the history's agents
using GroupId = Id<struct GroupTag>;   // series that share one time column
using SeriesId = Id<struct SeriesTag>; // a row of the history's series

} // namespace plimsoll

template <class Tag>
struct std::hash<plimsoll::Id<Tag>>
{
    std::size_t operator()(plimsoll::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
