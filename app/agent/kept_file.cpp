// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/kept_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace plimsoll {
namespace {

// pread, so that the offset never needs to be put back. The kernel may hand out
// a longer file in several pieces.
std::optional<std::string_view> readAll(int fd, std::string &buffer, std::size_t maxBytes)
{
    constexpr std::size_t kFirst = 8192;
    if (buffer.size() < kFirst)
        buffer.resize(kFirst);
    std::size_t have = 0;
    while (have < maxBytes) {
        if (have == buffer.size())
            buffer.resize(std::min(maxBytes, buffer.size() * 2));
        const ssize_t got = ::pread(fd, buffer.data() + have, std::min(buffer.size(), maxBytes) - have,
                                    static_cast<off_t>(have));
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return std::nullopt;
        }
        if (got == 0)
            break;
        have += static_cast<std::size_t>(got);
    }
    return std::string_view(buffer.data(), have);
}

} // namespace

KeptFile::KeptFile(const std::filesystem::path &path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<std::string_view> KeptFile::read(std::string &buffer) const
{
    if (!m_fd)
        return std::nullopt;
    return readAll(m_fd.get(), buffer, 1 << 20);
}

std::optional<std::string_view> KeptFile::readShort(char *buffer, std::size_t size) const noexcept
{
    if (!m_fd)
        return std::nullopt;
    const ssize_t got = ::pread(m_fd.get(), buffer, size, 0);
    if (got <= 0)
        return std::nullopt;
    return std::string_view(buffer, static_cast<std::size_t>(got));
}

std::optional<std::string_view> readOnce(const char *path, std::string &buffer, std::size_t maxBytes)
{
    const FileDescriptor fd(::open(path, O_RDONLY | O_CLOEXEC));
    if (!fd)
        return std::nullopt;
    return readAll(fd.get(), buffer, maxBytes);
}

} // namespace plimsoll
