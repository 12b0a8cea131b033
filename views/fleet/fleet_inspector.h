// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/event.h"
#include "model/fleet.h"
#include "views/time_to_full.h"
#include "views/range_sections.h"
#include "widgets/shell/inspector.h"

#include <vector>

namespace plimsoll {

/// One device and what is known around it; lives for one call.
struct DeviceInspection
{
    const DeviceState &device;
    const Fleet &fleet;
    TimeToFull estimate;
    const std::vector<Event> &events; // of the visible range
    Instant now;
    bool isUtc;
};

[[nodiscard]] std::vector<Inspector::Section> deviceSections(const DeviceInspection &what);
void showDevice(Inspector &inspector, const DeviceInspection &what, std::vector<Inspector::Section> sections);

} // namespace plimsoll
