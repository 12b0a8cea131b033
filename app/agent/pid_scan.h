// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/kept_file.h"

#include <dirent.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll {

/// The numbers of all processes, and how they changed since the last look.
class PidScan
{
public:
    explicit PidScan(const std::filesystem::path &procRoot);

    /// Looks again. Does nothing while the kernel has started no process since, which
    /// costs one short read; every tenth call looks in any case.
    /// False when the folder cannot be read.
    bool update();

    [[nodiscard]] const std::vector<int> &appeared() const noexcept { return m_appeared; } // rising
    [[nodiscard]] const std::vector<int> &vanished() const noexcept { return m_vanished; } // rising
    [[nodiscard]] const std::vector<int> &all() const noexcept { return m_pids; }          // rising

private:
    [[nodiscard]] std::optional<std::uint64_t> lastStarted() const;

    struct CloseFolder
    {
        void operator()(DIR *folder) const noexcept { ::closedir(folder); }
    };
    std::unique_ptr<DIR, CloseFolder> m_folder;
    KeptFile m_loadavg; // its last word is the newest process; only where that counts our processes
    std::optional<std::uint64_t> m_newest;
    unsigned m_skipped = 0;
    std::vector<int> m_pids;
    std::vector<int> m_before;
    std::vector<int> m_appeared;
    std::vector<int> m_vanished;
};

} // namespace plimsoll
