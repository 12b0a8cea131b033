// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/lock_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll {

LockFile::~LockFile()
{
    if (m_fd < 0)
        return;
    ::unlink(m_path.c_str()); // while it is still ours
    ::close(m_fd);
}

Result<LockFile> LockFile::acquire(const std::filesystem::path &path)
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        LockFile lock;
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return failure(Error::Code::Io, path.string() + ": " + std::strerror(errno));
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const int why = errno;
            ::close(fd);
            if (why == EWOULDBLOCK)
                return failure(Error::Code::Busy, path.string() + " is held by another program");
            return failure(Error::Code::Io, path.string() + ": " + std::strerror(why));
        }
        // The holder before us may have unlinked it between our open and our lock.
        struct stat ours{};
        struct stat there{};
        if (::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino) {
            lock.m_path = path;
            lock.m_fd = fd;
            return lock;
        }
        ::close(fd);
    }
    return failure(Error::Code::Busy, path.string() + " changes hands all the time");
}

} // namespace plimsoll
