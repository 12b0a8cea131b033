// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>

namespace plimsoll::paths {

/// Where the program keeps its files. All follow the XDG variables at the time of
/// the call and none depends on the program's name, so that tests and
/// sub-commands meet the same places. Nothing is created.
[[nodiscard]] std::filesystem::path settingsFile(); // …/config/plimsoll/plimsoll.ini
[[nodiscard]] std::filesystem::path cacheFolder();  // …/cache/plimsoll
[[nodiscard]] std::filesystem::path historyFile();  // …/cache/plimsoll/history.sqlite

/// A new folder that only this user may enter, with a path short enough for a
/// Unix socket inside. The caller removes it. Touches the disk.
[[nodiscard]] Result<std::filesystem::path> makePrivateFolder();

} // namespace plimsoll::paths
