// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/file_descriptor.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// A small kernel file that is read again and again: opened once, read from its
/// start each time. A file of /proc/PID stays bound to that very process, so
/// that a reused number is never mistaken for it.
class KeptFile
{
public:
    KeptFile() = default;
    explicit KeptFile(const std::filesystem::path &path);

    [[nodiscard]] bool isOpen() const noexcept { return static_cast<bool>(m_fd); }

    /// All of it, into `buffer`, which grows and is reused; nullopt when it is gone or refuses.
    [[nodiscard]] std::optional<std::string_view> read(std::string &buffer) const;

    /// One call, for files known to be shorter than `size`.
    [[nodiscard]] std::optional<std::string_view> readShort(char *buffer, std::size_t size) const noexcept;

private:
    FileDescriptor m_fd;
};

/// Opens, reads and closes. At most `maxBytes`; nullopt on any error.
[[nodiscard]] std::optional<std::string_view> readOnce(const char *path, std::string &buffer,
                                                       std::size_t maxBytes = 1 << 20);

} // namespace plimsoll
