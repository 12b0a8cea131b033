// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/session_news.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace plimsoll {

/// A folder that goes away with its owner, and all that is in it.
class TemporaryFolder
{
public:
    explicit TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::filesystem::path &path() const noexcept { return m_path; }

private:
    std::filesystem::path m_path;
};

struct OpenedHistory
{
    std::unique_ptr<TemporaryFolder> folder; // outlives the history that lies in it; usually none
    std::shared_ptr<History> history;        // null when there is none at all
    std::optional<SessionFailure> failure;   // what a person should know
};

/// The history at options.file, or else one in a temporary folder. Touches the disk.
[[nodiscard]] OpenedHistory openHistory(const HistoryOptions &options, const History::Committed &committed,
                                        const Clock &clock);

/// What the state of an open history is worth telling; nullopt when it is fine.
[[nodiscard]] std::optional<SessionFailure> failureOf(const HistoryState &state);

} // namespace plimsoll
