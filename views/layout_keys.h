// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/settings.h"

namespace plimsoll::setting {

/// Where the splitters of the pages stand; Reset layout forgets them all.
inline const SettingKey<QByteArray> kFleetColumns{"layout/fleetColumns", {}};
inline const SettingKey<QByteArray> kFleetLeft{"layout/fleetLeft", {}};
inline const SettingKey<QByteArray> kFleetRight{"layout/fleetRight", {}};
inline const SettingKey<QByteArray> kJobRows{"layout/jobRows", {}};
inline const SettingKey<QByteArray> kJobBottom{"layout/jobBottom", {}};
inline const SettingKey<QByteArray> kConnectionsColumns{"layout/connectionsColumns", {}};
inline const SettingKey<bool> kInspectorShown{"layout/inspectorShown", true};

} // namespace plimsoll::setting
