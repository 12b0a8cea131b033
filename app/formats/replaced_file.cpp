// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/replaced_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace plimsoll {
namespace {

constexpr std::size_t kBuffer = 1U << 20U;

} // namespace

ReplacedFile::ReplacedFile(std::filesystem::path path, std::filesystem::path temporary, int fd)
    : m_path(std::move(path)), m_temporary(std::move(temporary)), m_fd(fd)
{}

ReplacedFile::ReplacedFile(ReplacedFile &&other) noexcept
    : m_path(std::move(other.m_path))
    , m_temporary(std::exchange(other.m_temporary, {}))
    , m_buffer(std::move(other.m_buffer))
    , m_fd(std::exchange(other.m_fd, -1))
{}

ReplacedFile::~ReplacedFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

Result<ReplacedFile> ReplacedFile::create(const std::filesystem::path &path)
{
    // A link is written through, not replaced.
    std::error_code ignored;
    auto target = path;
    if (std::filesystem::is_symlink(path, ignored))
        target = std::filesystem::weakly_canonical(path, ignored);
    if (target.filename().empty() || std::filesystem::is_directory(target, ignored))
        return failure(Error::Code::Io, path.string() + " is a folder; a file's name was expected.");
    auto name = (target.parent_path() / ('.' + target.filename().string() + ".XXXXXX")).string();
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0)
        return failure(errno == ENOSPC || errno == EDQUOT ? Error::Code::Full : Error::Code::Io,
                       path.string() + " cannot be written: " + std::generic_category().message(errno) + '.');
    const auto mask = ::umask(0); // there is no other way to ask for it
    ::umask(mask);
    (void)::fchmod(fd, 0666 & ~mask);
    return ReplacedFile(std::move(target), std::move(name), fd);
}

tl::unexpected<Error> ReplacedFile::failed(int error) const
{
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return failure(Error::Code::Full, "There is no space left to write " + m_path.string() + "; what was there before is untouched.");
    return failure(Error::Code::Io, m_path.string() + " cannot be written: " + std::generic_category().message(error)
                                        + ". What was there before is untouched.");
}

Result<void> ReplacedFile::write(std::string_view bytes)
{
    m_buffer += bytes;
    return m_buffer.size() >= kBuffer ? flush() : Result<void>();
}

Result<void> ReplacedFile::flush()
{
    std::size_t done = 0;
    while (done < m_buffer.size()) {
        const auto wrote = ::write(m_fd, m_buffer.data() + done, m_buffer.size() - done);
        if (wrote < 0 && errno != EINTR)
            return failed(errno);
        if (wrote > 0)
            done += static_cast<std::size_t>(wrote);
    }
    m_buffer.clear();
    return {};
}

Result<void> ReplacedFile::commit()
{
    if (const auto state = flush(); !state)
        return state;
    if (::fsync(m_fd) != 0 || ::rename(m_temporary.c_str(), m_path.c_str()) != 0)
        return failed(errno);
    m_temporary.clear();
    const int fd = std::exchange(m_fd, -1);
    if (::close(fd) != 0)
        return failed(errno);
    return {};
}

} // namespace plimsoll
