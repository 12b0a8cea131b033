// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"
#include "session/view_state.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace plimsoll {

/// The fleet as the filter chips leave it, and how much of it that is.
struct FilteredFleet
{
    Fleet fleet;
    int devices = 0;
    int allDevices = 0;

    [[nodiscard]] bool isNarrowed() const noexcept { return devices != allDevices; }
};

/// All chips must hold. A device stays when it, its node or one of its jobs matches; of several
/// chips about jobs one and the same job must match all.
[[nodiscard]] FilteredFleet filterFleet(const Fleet &fleet, const std::vector<FilterChip> &chips);

[[nodiscard]] bool jobMatches(const JobState &job, const std::vector<FilterChip> &chips);

/// A label that can be filtered by, and the values it has in this fleet, sorted.
struct FilterChoice
{
    std::string label;
    std::vector<std::string> values;
};
[[nodiscard]] std::vector<FilterChoice> filterChoices(const Fleet &fleet);

/// "team" for team, "model" for model.id: how people call a label.
[[nodiscard]] QString filterLabelText(const std::string &label);
/// "3 of 5 devices"
[[nodiscard]] QString reachText(const FilteredFleet &filtered);

} // namespace plimsoll
