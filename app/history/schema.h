// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "history/database.h"

#include <cstdint>
#include <span>
#include <string>

namespace plimsoll {

inline constexpr std::int64_t kApplicationId = 0x506c696d; // "Plim": also what `file` knows a recording by

/// One step from a version to the next, run in a transaction of its own.
struct Migration
{
    int to = 0;
    std::string sql;
};

/// 1…n, each exactly one further.
[[nodiscard]] std::span<const Migration> migrations();

/// Pragmas every connection needs; those of the file only where it is new.
void prepareConnection(Database &database, bool isNew);

/// Brings the file to the newest version. Errors: Unsupported (it is newer than we, or
/// another program's), what SQLite says as an exception.
[[nodiscard]] Result<void> migrate(Database &database, std::span<const Migration> steps = migrations());

} // namespace plimsoll
