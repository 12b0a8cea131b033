// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace plimsoll {

/// A file that appears under its name only when it is complete: written beside it, renamed at the
/// end, removed when that does not come. One thread.
class ReplacedFile
{
public:
    /// Errors: Io (the folder is not there or not ours to write to).
    [[nodiscard]] static Result<ReplacedFile> create(const std::filesystem::path &path);
    ReplacedFile(ReplacedFile &&other) noexcept;
    ReplacedFile &operator=(ReplacedFile &&) = delete;
    ReplacedFile(const ReplacedFile &) = delete;
    ReplacedFile &operator=(const ReplacedFile &) = delete;
    ~ReplacedFile();

    /// Where it is meanwhile, for those who open it by name.
    [[nodiscard]] const std::filesystem::path &temporaryPath() const noexcept { return m_temporary; }
    /// Appends; buffered. Errors: Full, Io.
    [[nodiscard]] Result<void> write(std::string_view bytes);
    /// On the disk and under its name. Errors: Full, Io.
    [[nodiscard]] Result<void> commit();
    /// The sentence for an errno: Full where no space is left.
    [[nodiscard]] tl::unexpected<Error> failed(int error) const;

private:
    ReplacedFile(std::filesystem::path path, std::filesystem::path temporary, int fd);
    [[nodiscard]] Result<void> flush();

    std::filesystem::path m_path;
    std::filesystem::path m_temporary;
    std::string m_buffer;
    int m_fd = -1;
};

} // namespace plimsoll
