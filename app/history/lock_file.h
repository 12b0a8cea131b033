// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>
#include <utility>

namespace plimsoll {

/// Only one program writes a history. SQLite would let two in; this file beside it does not.
/// (Not a lock on the database itself: closing any descriptor of that file would drop SQLite's own locks.)
class LockFile
{
public:
    LockFile() = default;
    LockFile(LockFile &&other) noexcept : m_path(std::move(other.m_path)), m_fd(std::exchange(other.m_fd, -1)) {}
    LockFile &operator=(LockFile &&other) noexcept
    {
        std::swap(m_path, other.m_path);
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~LockFile();

    /// Errors: Busy (held by another), Io (cannot be made here).
    [[nodiscard]] static Result<LockFile> acquire(const std::filesystem::path &path);

private:
    std::filesystem::path m_path;
    int m_fd = -1;
};

} // namespace plimsoll
