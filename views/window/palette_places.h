// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet.h"
#include "widgets/shell/command_palette.h"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll {

/// What the palette can jump to besides commands: jobs, nodes, devices.
struct PlaceActions
{
    std::function<void(const std::string &job)> openJob;
    std::function<void(const std::string &device)> showDevice;
    std::function<void(const std::string &label, const std::string &value)> filterBy;
};
[[nodiscard]] std::vector<PaletteEntry> palettePlaces(const Fleet &fleet, const PlaceActions &actions);

} // namespace plimsoll
