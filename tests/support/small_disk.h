// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace plimsoll::test {

/// A file system of its own that is soon full; lasts as long as this. Mounting needs root: ask isMounted().
class SmallDisk
{
public:
    SmallDisk(std::filesystem::path path, const char *size) : m_path(std::move(path))
    {
        std::filesystem::create_directories(m_path);
        m_options = std::string("size=") + size + ",mode=0777";
        m_isMounted = ::mount("tmpfs", m_path.c_str(), "tmpfs", 0, m_options.c_str()) == 0;
    }
    SmallDisk(const SmallDisk &) = delete;
    SmallDisk &operator=(const SmallDisk &) = delete;
    ~SmallDisk()
    {
        if (m_isMounted)
            ::umount2(m_path.c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool isMounted() const { return m_isMounted; }
    [[nodiscard]] bool makeReadOnly() const
    {
        return ::mount("tmpfs", m_path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, m_options.c_str()) == 0;
    }
    void fill() const
    {
        std::ofstream file(m_path / "filler");
        const std::string block(4096, 'x');
        while (file.write(block.data(), 4096).flush())
            ;
    }
    void tidy() const { std::filesystem::remove(m_path / "filler"); }

private:
    std::filesystem::path m_path;
    std::string m_options;
    bool m_isMounted = false;
};

} // namespace plimsoll::test
