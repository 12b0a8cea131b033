// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/kept_file.h"
#include "base/time.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace plimsoll {

/// The memory of one process. RSS is one read of a kept-open file; swap and PSS
/// are read rarely, PSS only while walking the process' pages stays cheap.
class ProcessReader
{
public:
    ProcessReader(std::string procRoot, int pid);

    /// Bytes; nullopt when the process has ended. A zombie has: it holds no memory any more.
    [[nodiscard]] std::optional<std::uint64_t> readRss();

    struct Slow
    {
        std::optional<std::uint64_t> swap;
        std::optional<std::uint64_t> pss;
        Duration pssCost{}; // what reading PSS took; 0 = not read
    };
    /// `mayReadPss`: the caller's allowance for this tick is not used up. `hasSwap`: this machine has some.
    [[nodiscard]] Slow readSlow(MonotonicInstant now, bool mayReadPss, bool hasSwap, std::string &buffer);

    /// The program's name as the kernel has it; empty when it cannot be read.
    [[nodiscard]] std::string readName(std::string &buffer) const;
    [[nodiscard]] int pid() const noexcept { return m_pid; }

private:
    [[nodiscard]] std::string path(const char *file) const;
    [[nodiscard]] bool readPss(Slow &into, std::string &buffer);

    std::string m_procRoot;
    int m_pid;
    KeptFile m_statm;
    std::uint64_t m_rss = 0;
    MonotonicInstant m_nextPss{};
    bool m_isPssAllowed = true; // by the kernel
};

/// Parent of a process, from /proc/PID/stat; nullopt when it is gone.
[[nodiscard]] std::optional<int> parentOf(const std::string &procRoot, int pid, std::string &buffer);

} // namespace plimsoll
