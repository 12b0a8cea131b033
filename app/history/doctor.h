// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "history/database.h"
#include "history/history.h"

#include <filesystem>
#include <memory>
#include <string>

namespace plimsoll {

/// A database fit to be used, and what had to be done for it.
struct Admission
{
    std::unique_ptr<Database> database; // nullptr: there is none and none can be made here
    Database::Access access = Database::Access::Write; // how it was opened
    HistoryState::Health health = HistoryState::Health::Fine;
    std::string detail;
};

/// Opens, checks and migrates. What is damaged is renamed beside itself with a time stamp, never
/// deleted. Errors: Busy, Unsupported, Io; Corrupt only for a recording, which is left alone.
[[nodiscard]] Result<Admission> admit(const std::filesystem::path &file, bool isRecording, Instant now);

/// The same without a check, for the writer that tries again: the error says why not.
[[nodiscard]] Result<std::unique_ptr<Database>> openForWriting(const std::filesystem::path &file);

/// "name.damaged-20261130T170139Z" beside it, with its log. Error: Io.
[[nodiscard]] Result<std::filesystem::path> setAside(const std::filesystem::path &file, Instant now);

/// The database and its log, on disk.
[[nodiscard]] Bytes sizeOnDisk(const std::filesystem::path &file);

} // namespace plimsoll
